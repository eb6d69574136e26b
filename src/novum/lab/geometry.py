"""Lines of the plane, as views draw them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_across"]


def line_across(weight: NDArray, offset: float, domain: Any, role: str = "now") -> list[dict[str, Any]]:
    """Return the line w'x + b = 0 across the domain; nothing where w is zero."""
    w = np.asarray(weight, float).ravel()
    if not np.abs(w).max() > 0:
        return []
    (x0, x1), (y0, y1) = domain
    foot = -offset * w / (w @ w)
    reach = abs(foot).max() + max(x1 - x0, y1 - y0) + max(abs(x0), abs(x1), abs(y0), abs(y1))
    along = np.array([-w[1], w[0]]) / np.sqrt(w @ w)
    return [{"p": [(foot - reach * along).tolist(), (foot + reach * along).tolist()], "role": role}]
