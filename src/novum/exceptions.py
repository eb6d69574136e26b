"""What can go wrong, by name; every text says what was given and what to do instead."""

from sklearn.exceptions import ConvergenceWarning

__all__ = ["DataError", "DataWarning", "FileFormatError", "NotConverged", "ParameterError", "ParameterTypeError"]


class ParameterError(ValueError):
    """A parameter has a value outside its domain."""


class ParameterTypeError(TypeError):
    """A parameter has a value of the wrong type."""


class DataError(ValueError):
    """The data cannot be learned from as they are."""


class FileFormatError(ValueError):
    """A file is not what it should be."""


class NotConverged(ConvergenceWarning):
    """An iteration stopped before it converged."""


class DataWarning(UserWarning):
    """The data can be used, but probably not as meant."""
