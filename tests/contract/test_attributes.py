"""Every attribute that a public class documents is declared in the class, so that type checkers know it and its type."""

import inspect
import re

import pytest

import novum
from novum.base.estimator import Estimator
from novum.evaluation.curves import sklearn_displays

SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}|\Z)", re.M | re.S)
DISPLAYS = tuple(
    vars(sklearn_displays)[name] for name in sklearn_displays.__all__
)  # declared in the stub beside that module


def public_classes():
    for family in novum.__all__:
        module = getattr(novum, family)
        for name in getattr(module, "__all__", ()) if inspect.ismodule(module) else ():
            value = getattr(module, name)
            if inspect.isclass(value) and not issubclass(value, DISPLAYS):
                yield value


def documented(cls):
    """Return the names under "Attributes" of the docstring of a class."""
    found = SECTION.search(inspect.cleandoc(vars(cls).get("__doc__") or ""))
    return [
        name for line in re.findall(r"^(\w[\w, ]*?) : ", found[1] if found else "", re.M) for name in line.split(", ")
    ]


def declared(cls, name):
    """Return whether a class or a base annotates a name, has a property or a constant of that name, or (no estimator) sets it."""
    if not issubclass(cls, Estimator) and f"self.{name}" in inspect.getsource(cls):
        return True
    return any(name in vars(base).get("__annotations__", {}) or name in vars(base) for base in cls.__mro__)


CLASSES = sorted({cls for cls in public_classes() if documented(cls)}, key=lambda cls: (cls.__module__, cls.__name__))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_documented_attributes_are_declared(cls):
    assert [name for name in documented(cls) if not declared(cls, name)] == []


def test_fitted_attributes_have_no_value_before_fit():
    """A declaration is an annotation without a value: `hasattr` stays False until there is something to have."""
    fitted = [
        (cls.__name__, name) for cls in CLASSES for name in documented(cls) if name.endswith("_") and name in vars(cls)
    ]
    kinds = {pair: vars(cls)[pair[1]] for cls in CLASSES for pair in fitted if cls.__name__ == pair[0]}
    assert [pair for pair, value in kinds.items() if not hasattr(value, "__get__")] == []
