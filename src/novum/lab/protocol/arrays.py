"""Arrays as JSON carries them: little-endian bytes in base64, or plain JSON for lists and dictionaries.

Small float arrays keep all digits (their values may be read); large ones are only drawn and travel as float32.
"""

from base64 import b64encode
from math import isfinite
from typing import Any

import numpy as np

__all__ = ["encoded", "plain_number"]

EXACT = 256  # numbers of an array that keeps all digits


def plain_number(value: Any) -> float | int | None:
    """Return a number as JSON holds it; None for NaN and infinities, which it cannot."""
    if value is None or isinstance(value, bool | int | np.integer | np.bool_):
        return None if value is None else int(value)
    return float(value) if isfinite(value) else None


def plain(value: Any) -> Any:
    """Return lists, dictionaries and numbers as JSON holds them."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return value if isinstance(value, str) else plain_number(value)


def encoded(value: Any) -> dict[str, Any]:
    """Return an array, list or dictionary as an entry of `arrays`."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        return {"t": "json", "v": plain(value)}
    if value.dtype.kind == "f":
        kind = "f8" if value.size <= EXACT else "f4"
    else:
        kind = "u1" if value.dtype.kind == "b" or value.dtype == np.uint8 else "i4"
    data = np.ascontiguousarray(value, dtype=f"<{kind}")
    return {"t": kind, "s": list(value.shape), "b": b64encode(data.tobytes()).decode()}
