"""Parameters of estimators: stored by the constructor as they were given, checked when `fit` is called.

A constructor states its signature, which scikit-learn's tools and readers look at, and has no body:

    @stores
    def __init__(self, alpha=1.0, *, tol=1e-4): ...

What each parameter may be stands in the class attribute `_domains`, what it means in the docstring of the class; a test
compares the three lists of names.
"""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Self

from novum.exceptions import ParameterError

__all__ = ["Parameters", "stores"]


def stores(init: Callable) -> Callable:
    """Return a constructor with the signature of `init` that stores every argument under its name, and does nothing else.

    The body is written out once, when the class is made: making an estimator costs what assignments cost.
    """
    signature = inspect.signature(init)
    names = [name for name in signature.parameters if name != "self"]
    defaults = {name: p.default for name, p in signature.parameters.items() if p.default is not inspect.Parameter.empty}
    kinds = {name: p.kind for name, p in signature.parameters.items()}
    head, starred = [], False
    for name, kind in kinds.items():
        if kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            head.append("*")
            starred = True
        head.append(f"{name}=_default[{name!r}]" if name in defaults else name)
    body = "\n".join(f"    self.{name} = {name}" for name in names)
    scope: dict[str, Any] = {"_default": defaults}
    exec(f"def __init__({', '.join(head)}):\n{body}", scope)
    return update_wrapper(scope["__init__"], init)


class Parameters:
    """What scikit-learn's `clone` and searches ask of whoever is no estimator of tables: parameters by name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor as they were given."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__}: there is no parameter {name!r}; there are {sorted(known)}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        given = [
            f"{k}={v!r}"
            for k, v in self.get_params().items()
            if v is not defaults[k].default and v != defaults[k].default
        ]
        return f"{type(self).__name__}({', '.join(given)})"
