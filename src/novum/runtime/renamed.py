"""Old names for one more release: a parameter or a method that was renamed still answers, and says what it is called now."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from novum.exceptions import ParameterTypeError
from novum.runtime.warn import warn

__all__ = ["renamed_method", "renamed_parameter"]

Function = TypeVar("Function", bound=Callable[..., Any])


def renamed_parameter(old: str, new: str) -> Callable[[Function], Function]:
    """Return a decorator: the keyword `old` is passed on as `new`, with a warning.

    Examples
    --------
    >>> @renamed_parameter("seed", "random_state")
    ... def draw(random_state=None):
    ...     return random_state
    >>> draw(random_state=3)
    3
    """

    def decorate(function: Function) -> Function:
        name = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def call(*given: Any, **options: Any) -> Any:
            if old in options:
                if new in options:
                    raise ParameterTypeError(f"{name}: {old} is the old name of {new}; give {new} alone.")
                warn(
                    f"{name}({old}=...): the parameter is called {new} now; {old} will be removed in the next release.",
                    FutureWarning,
                )
                options[new] = options.pop(old)
            return function(*given, **options)

        return call  # type: ignore[return-value]

    return decorate


def renamed_method(old: str, new: str) -> Callable[..., Any]:
    """Return a method of the old name that calls the new one, with a warning."""

    def call(self: Any, *given: Any, **options: Any) -> Any:
        warn(
            f"{type(self).__name__}.{old}: the method is called {new} now; {old} will be removed in the next release.",
            FutureWarning,
        )
        return getattr(self, new)(*given, **options)

    call.__name__, call.__doc__ = old, f"Return what `{new}` returns: its old name, for one more release."
    return call
