"""Inside or outside an ellipse: classes that no plane separates and a quadratic map does.

inside  <=>  q(x) = sum_j (x_j / radius_j)^2 < 1                                                             (1)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novum.datasets.bunch import bunch_of_arrays
from novum.exceptions import ParameterError
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_ellipse"]

REACH = 1.0  # of the outer class beyond the shell, in radii


def make_ellipse(
    n_samples: int = 200,
    *,
    radii: ArrayLike = (2.0, 1.0),
    gap: float = 0.2,
    noise: float = 0.0,
    random_state: Seed = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return points inside (+1) and outside (-1) an ellipse (1) around the origin, half of each.

        inside  <=>  q(x) = sum_j (x_j / radius_j)^2 < 1    (1)

    Parameters
    ----------
    n_samples : int, default=200
    radii : array of shape (d,), default=(2, 1)
        Half-axes. Equal ones give concentric classes, a single one an interval on the line: no threshold separates them.
    gap : float, default=0.2
        Width of the empty shell between the classes, in radii; below 1.
    noise : float, default=0.0
        Standard deviation, in radii, of what is added to every point afterwards: the classes then overlap.
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Examples
    --------
    The squares separate what the points do not:

    >>> from novum.datasets import make_ellipse
    >>> X, y = make_ellipse(50, radii=(2, 1), random_state=0, return_X_y=True)
    >>> q = X[:, 0] ** 2 / 4 + X[:, 1] ** 2
    >>> bool(((q < 1) == (y > 0)).all())
    True
    """
    owner = "make_ellipse"
    check_count(owner, "n_samples", n_samples, 2)
    check_number(owner, "gap", gap, 0, 1, open_high=True)
    check_number(owner, "noise", noise, 0)
    scale = np.atleast_1d(np.asarray(radii, dtype=np.float64))
    if scale.ndim != 1 or not np.all(scale > 0):
        raise ParameterError(f"{owner}(radii={radii!r}): give one positive half-axis per column.")
    stream = Stream(seed_of(random_state))
    d = scale.size
    y = np.where(np.arange(n_samples) % 2 == 0, 1, -1)
    direction = stream.normal("direction", 0, n_samples, d)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    u = stream.uniform("radius", 0, n_samples)
    inner = (1 - gap / 2) * u ** (1 / d)  # uniform in the inner ball
    outer = 1 + gap / 2 + REACH * u
    X = direction * np.where(y > 0, inner, outer)[:, None] * scale
    if noise:
        X += noise * scale * stream.normal("noise", 0, n_samples, d)
    names = [f"x{j + 1}" for j in range(d)]
    return bunch_of_arrays(
        X, y, names, "Inside and outside an ellipse.", return_X_y=return_X_y, as_frame=as_frame, radii=scale
    )
