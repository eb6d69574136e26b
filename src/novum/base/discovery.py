"""Every public estimator of the package, found by looking, so that no list has to be kept.

Families are found in the folder of the package and imported; an estimator counts when its family lists it in `__all__`. A
model file may contain what public modules define: names that begin with an underscore are private.
"""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)

import novum
from novum.exceptions import ParameterError
from novum.runtime.warn import warn

__all__ = ["Estimators", "all_estimators", "public_class", "public_modules"]

KINDS = {
    "classifier": ClassifierMixin,
    "regressor": RegressorMixin,
    "transformer": TransformerMixin,
    "cluster": ClusterMixin,
    "density": DensityMixin,
    "outlier": OutlierMixin,
}
# What estimators are made from, and what calls them: none of these holds one.
SHELLS = (
    "novum.base",
    "novum.cli",
    "novum.engines",
    "novum.fold",
    "novum.persistence",
    "novum.report",
    "novum.runtime",
)


class Estimators(list[tuple[str, type]]):
    """Pairs of name and class, sorted by name; `missing` says which modules could not be imported and why."""

    def __init__(self, pairs: list[tuple[str, type]], missing: dict[str, str]) -> None:
        super().__init__(pairs)
        self.missing = missing


def public_modules(package: ModuleType = novum) -> Iterator[str]:
    """Yield the names of the package and of the public modules below it, without importing more than their packages."""
    yield package.__name__
    for _, name, is_package in iter_modules(package.__path__):
        if name.startswith("_"):
            continue
        full = f"{package.__name__}.{name}"
        if not is_package:
            yield full
            continue
        try:
            inner = import_module(full)
        except ImportError:
            yield full  # whoever imports it hears why
        else:
            yield from public_modules(inner)


def public_class(module: str, name: str) -> type | None:
    """Return the public class of that name which novum itself defines in that module, or None.

    Modules are imported only if the folders of the package have them, step by step; a private module is never
    imported by name: its class counts if the package above it lists the name in `__all__`. A name alone, however it
    begins, gets nothing imported.
    """
    parts = module.split(".")
    if parts[0] != novum.__name__ or name.startswith("_") or not name.isidentifier():
        return None
    here: ModuleType = novum
    for part in parts[1:]:
        if part not in {found.name for found in iter_modules(getattr(here, "__path__", []))}:
            return None
        if part.startswith("_"):
            if name not in getattr(here, "__all__", ()):
                return None
            break
        here = import_module(f"{here.__name__}.{part}")
    found = getattr(here, name, None)
    return found if isinstance(found, type) and (found.__module__, found.__name__) == (module, name) else None


def all_estimators(kind: str | None = None) -> Estimators:
    """Return every public estimator of novum as pairs of name and class.

    Parameters
    ----------
    kind : {"classifier", "regressor", "transformer", "cluster", "density", "outlier"} or None, default=None
        Return only these.

    Returns
    -------
    Estimators
        A list sorted by name. Families that need a package which is not installed are warned about and listed in its
        attribute `missing`.

    Examples
    --------
    >>> from novum.base.discovery import all_estimators
    >>> [name for name, _ in all_estimators("regressor") if name == "Ridge"]
    ['Ridge']
    """
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"all_estimators(kind={kind!r}): kind must be None or one of {sorted(KINDS)}.")
    wanted: type = BaseEstimator if kind is None else KINDS[kind]
    found, missing = set(), {}
    for _, family, _ in iter_modules(novum.__path__):
        name = f"novum.{family}"
        if family.startswith("_") or name in SHELLS:
            continue
        try:
            listed = list(listed_values(import_module(name)))
        except ImportError as error:
            missing[name] = str(error)
            warn(f"the estimators of {name} are not listed: {error}", UserWarning)
            continue
        for value in listed:
            if (
                inspect.isclass(value)
                and issubclass(value, BaseEstimator)
                and issubclass(value, wanted)
                and value.__module__.startswith(f"{name}.")
                and not inspect.isabstract(value)
            ):
                found.add((value.__name__, value))
    return Estimators(sorted(found, key=lambda pair: (pair[0], pair[1].__module__)), missing)


def listed_values(module: ModuleType) -> Iterator[object]:
    """Yield what a family lists in `__all__`, and what the modules among that list in theirs."""
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield from listed_values(value)
        else:
            yield value
