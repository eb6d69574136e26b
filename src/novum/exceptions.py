"""Every error and warning that novum raises of its own.

Errors change nothing: `fit` is transactional, files are written whole or not at all. Each message names the estimator or
function, the parameter or file, the value, and what to do about it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:

    class ConvergenceWarning(UserWarning):
        """scikit-learn's, which carries no types."""

else:
    from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "ClusterLost",
    "DataError",
    "DataWarning",
    "FileFormatError",
    "InternalError",
    "NotConverged",
    "ParameterError",
    "ParameterTypeError",
    "SourceError",
    "UnknownCategory",
]


class OfArguments(ValueError):
    """An error that knows the arguments it is about, so that a command can name the options that stand for them.

    Attributes
    ----------
    arguments : dict
        Name to value; `...` for a value that is too long to be repeated.
    sentence : str
        What is wrong with them, and what to do about it; empty where the error is not about arguments of one call.
    """

    arguments: Mapping[str, Any] = {}
    sentence: str = ""

    @classmethod
    def of(cls, owner: str, sentence: str, /, **arguments: Any) -> Self:
        """Return the error of a call `owner(name=value, ...)`."""
        shown = ", ".join(f"{name}={'...' if value is ... else repr(value)}" for name, value in arguments.items())
        error = cls(f"{owner}({shown}): {sentence}")
        error.arguments, error.sentence = arguments, sentence
        return error


class ParameterError(OfArguments):
    """A parameter has a value outside its domain."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter has a value of the wrong type."""


class DataError(OfArguments):
    """The data cannot be learned from: wrong shape, not finite, too few rows, unknown labels."""


class UnknownCategory(DataError, IndexError):
    """A row holds a category that the fit did not see; scikit-learn raises IndexError there."""


class SourceError(RuntimeError):
    """A file or stream of data broke off, changed or vanished while it was read."""


class FileFormatError(ValueError):
    """A model file is damaged, hostile, foreign or from a newer version."""


class InternalError(RuntimeError):
    """A fault of novum itself: the message says where it happened, the chain of causes how; please report it."""


class ClusterLost(RuntimeError):
    """The Dask cluster went away during a computation."""


class NotConverged(ConvergenceWarning):
    """The iterations ended before the stopping rule was met."""


class DataWarning(UserWarning):
    """The data are usable, but something about them deserves a look."""


def __dir__() -> list[str]:
    return sorted(__all__)
