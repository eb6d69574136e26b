"""Import skops without the array libraries that it has no use for.

At its import skops lists all estimators of scikit-learn, which walks through every package of it, also the copies of the array
standard for PyTorch, Dask and CuPy; these import the libraries themselves, seconds and hundreds of megabytes where they are
installed. While skops is imported, empty modules stand in the places of those copies that nobody has imported yet.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["skops_io"]

COPIES = tuple(f"sklearn.externals.array_api_compat.{name}" for name in ("torch", "dask", "cupy"))


def skops_io() -> Any:
    """Return the module skops.io."""
    if "skops.io" in sys.modules:
        return sys.modules["skops.io"]
    places = {name: ModuleType(name) for name in COPIES if name not in sys.modules}
    sys.modules.update(places)
    try:
        return import_module("skops.io")
    finally:
        for name, module in places.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
