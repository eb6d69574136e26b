"""Run scikit-learn code with novum's classes: `novum.patch()`, `novum.unpatch()`, `python -m novum.patch script.py`.

With `device="cuda"` rows go to a GPU and predictions come back (novum.patch.devices).

Where both libraries have a public class of one name in modules of one name (`sklearn.linear_model.Ridge` and
`novum.linear_model.Ridge`), code outside scikit-learn that imports it from scikit-learn's module gets novum's. scikit-learn's
own code goes on getting its own classes, also where it imports them inside a function: who imports is seen from the module
of the calling frame. Nothing is written into scikit-learn's modules but their class, and `unpatch` takes that back.

What was imported before the call stays what it was, so patch first. Processes that are started while the patch is on
(loky, spawn) are patched too, as soon as they import scikit-learn.
"""

import os
import sys
from abc import ABCMeta
from collections.abc import Sequence
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any

from novum.base.estimator import Estimator, fitted_classes
from novum.exceptions import ParameterError
from novum.report.result import Result
from novum.runtime.devices import chosen_device

__all__ = ["calls", "patch", "used"]

THEIRS = "sklearn"
VARIABLE = "NOVUM_PATCH"  # says to processes started from here what to replace: names, or * for all
DEVICE = "NOVUM_PATCH_DEVICE"  # and to which device rows go
WORKERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workers")  # read by them when they start
CHECKED_BY_CLASS = ("tree", "ensemble", "neighbors", "linear_model")
LIBRARIES = (THEIRS, "novum")
_replaced: dict[str, dict[str, type]] = {}  # by scikit-learn's module: name and novum's class
_read: set[str] = set()


class Replacements(list[str], Result):
    """Names of scikit-learn's classes that novum's replace. Prints one line for each module."""

    def __repr__(self) -> str:
        modules = sorted({name.rpartition(".")[0] for name in self})
        lines = [
            f"{module} -> {module.replace(THEIRS, 'novum', 1)}: "
            + ", ".join(name.rpartition(".")[2] for name in self if name.rpartition(".")[0] == module)
            for module in modules
        ]
        return "\n".join(lines) or "nothing is replaced"


class _Patched(ModuleType):
    """A module of scikit-learn that hands novum's classes to everybody but scikit-learn and novum."""

    def __getattribute__(self, name: str) -> Any:
        found = ModuleType.__getattribute__(self, name)
        ours = _replaced.get(ModuleType.__getattribute__(self, "__name__"), {}).get(name)
        if ours is None or read_by_a_library():
            return found
        _read.add(f"{ModuleType.__getattribute__(self, '__name__')}.{name}")
        return ours


def read_by_a_library() -> bool:
    """Return whether the code that reads an attribute, two frames up, is scikit-learn's or novum's own."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "inspect":  # scikit-learn lists its classes by it
        frame = frame.f_back
    module = (frame.f_globals.get("__name__") if frame else "") or ""
    return module.partition(".")[0] in LIBRARIES and module != __name__


def counterparts() -> dict[str, dict[str, type]]:
    """Return novum's estimators that scikit-learn has too, by scikit-learn's module and name."""
    from novum.base.discovery import all_estimators

    found: dict[str, dict[str, type]] = {}
    for name, cls in all_estimators():
        family = cls.__module__.split(".")[1]
        try:
            theirs = import_module(f"{THEIRS}.{family}")
        except ImportError:
            continue
        if name in public_names(theirs) and hasattr(theirs, name):
            found.setdefault(theirs.__name__, {})[name] = cls
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module lists, or the classes that it defines where it has no list (`sklearn.kernel_ridge`)."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", own))


def register(module: str, classes: dict[str, type]) -> None:
    """Let novum's classes pass where scikit-learn's functions ask for an instance of their own (`plot_tree`, partial
    dependence by recursion, `locally_linear_embedding`, `RANSACRegressor`). It cannot be taken back, and changes nothing else.
    """
    for name, cls in classes.items():
        theirs = vars(sys.modules[module])[name]
        if isinstance(theirs, ABCMeta):
            theirs.register(cls)


def patch(names: Sequence[Any] | None = None, *, device: str | None = None) -> Replacements:
    """Let scikit-learn's modules hand out novum's classes.

    Parameters
    ----------
    names : list of str or None, default=None
        Names of classes, such as "Ridge"; None: all that novum has.
    device : str or None, default=None
        "cuda" (or "cuda:1", ...): rows go to that GPU where a call gains by it, and what it returns comes back; `calls` says where
        each ran. None: nothing is moved.

    Returns
    -------
    Replacements
        The classes that are replaced from now on.

    Examples
    --------
    >>> import novum
    >>> "sklearn.linear_model.Ridge" in novum.patch()
    True
    >>> from sklearn.linear_model import Ridge
    >>> Ridge.__module__
    'novum.linear_model.ridge'
    >>> novum.unpatch()
    >>> from sklearn.linear_model import Ridge
    >>> Ridge.__module__
    'sklearn.linear_model._ridge'
    """
    available = counterparts()
    known = sorted({name for classes in available.values() for name in classes})
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise ParameterError(
            f"patch(names=...): novum has no {unknown[0]!r} of scikit-learn's; it has {', '.join(known)}."
        )
    place = None if device is None else chosen_device("patch", device)
    unpatch()
    for module, classes in available.items():
        chosen = {name: cls for name, cls in classes.items() if names is None or name in names}
        if place is not None:
            from novum.patch.devices import on_device

            chosen = {
                name: on_device(cls, place) if issubclass(cls, Estimator) else cls for name, cls in chosen.items()
            }
        if chosen:
            _replaced[module] = chosen
            sys.modules[module].__class__ = _Patched
            if module.partition(".")[2] in CHECKED_BY_CLASS:
                register(module, chosen)
    fitted_classes.clear()
    os.environ[VARIABLE] = "*" if names is None else ",".join(names)
    if device is not None:
        os.environ[DEVICE] = device
    os.environ["PYTHONPATH"] = os.pathsep.join([WORKERS, *python_path()])
    return Replacements(f"{module}.{name}" for module, classes in sorted(_replaced.items()) for name in sorted(classes))


def python_path() -> list[str]:
    """Return the folders of PYTHONPATH without the one that patches new processes."""
    return [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder and folder != WORKERS]


def unpatch() -> None:
    """Let scikit-learn's modules hand out their own classes again."""
    for module in _replaced:
        sys.modules[module].__class__ = ModuleType
    _replaced.clear()
    _read.clear()
    if DEVICE in os.environ:
        from novum.patch.devices import forget

        del os.environ[DEVICE]
        forget()
    if os.environ.pop(VARIABLE, None) is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join(python_path())
        if not os.environ["PYTHONPATH"]:
            del os.environ["PYTHONPATH"]


def used() -> Replacements:
    """Return which replaced classes have been fitted since `patch`; of one without a fit of ours, whether it was imported."""
    found = []
    for name in sorted(_read):
        module, _, short = name.rpartition(".")
        cls = _replaced.get(module, {}).get(short)
        if cls is None or not issubclass(cls, Estimator) or short in fitted_classes:
            found.append(name)
    return Replacements(found)


def calls() -> Any:
    """Return a table of where the calls since `patch(device=...)` ran, and why those that stayed on the processor did."""
    from novum.patch.devices import places

    return places()


class _Callable(ModuleType):
    """This module, which can be called: `novum.patch()` works whether or not it has been imported as a module."""

    def __call__(self, names: Any = None, *, device: str | None = None) -> Replacements:
        return patch(names, device=device)


def __dir__() -> list[str]:
    return sorted(__all__)


sys.modules[__name__].__class__ = _Callable
