"""Arrays that are indexed together: of equal length, or refused with their lengths."""

from typing import Any

from sklearn.utils import indexable

from novum.exceptions import DataError

__all__ = ["together"]


def together(owner: str, arrays: Any) -> tuple[Any, ...]:
    """Return arrays that can be indexed by rows, all of one length; None stays None."""
    try:
        return tuple(indexable(*arrays))
    except ValueError as problem:
        raise DataError(f"{owner}: the arrays must have one length: {problem}") from problem
