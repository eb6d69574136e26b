"""Read by Python at the start of every process that a patched one starts: patches there too, once scikit-learn is imported.

Whichever of scikit-learn and novum comes first is run, then the patch is made: novum imports scikit-learn itself, and half
an import is not a place to patch from.

`novum.patch` puts this folder on PYTHONPATH. A sitecustomize of the user's own, which this one hides, is run as well.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any

VARIABLE, DEVICE = "NOVUM_PATCH", "NOVUM_PATCH_DEVICE"
HERE = os.path.dirname(os.path.abspath(__file__))


class PatchOnImport:
    """A finder that lets a package be found as usual and patches scikit-learn once the package has been run."""

    def find_spec(self, name: Any, path: Any = None, target: Any = None) -> Any:
        if name not in ("sklearn", "novum"):
            return None
        sys.meta_path.remove(self)
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path if hasattr(finder, "find_spec"))
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            names = os.environ.get(VARIABLE, "")
            with suppress(ImportError):  # another environment's Python, without novum
                device = os.environ.get(DEVICE)
                import_module("novum.patch").patch(
                    None if names == "*" else names.split(","), device=device
                ) if names else None

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if os.environ.get(VARIABLE):
    sys.meta_path.insert(0, PatchOnImport())

others = [folder for folder in sys.path if os.path.abspath(folder or ".") != HERE]
if (spec := PathFinder.find_spec("sitecustomize", others)) is not None and spec.origin != __file__ and spec.loader:
    from importlib.util import module_from_spec

    spec.loader.exec_module(module_from_spec(spec))
