"""Names for what a user may pass: wider than any array type, so they are aliases that say what is meant."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any  # matplotlib is imported where something is drawn

__all__ = [
    "Axes",
    "Fittable",
    "HasArray",
    "HasFeatures",
    "HasShape",
    "LabelWeights",
    "Metric",
    "Numbers",
    "RowWeights",
    "Rows",
    "Seed",
    "Splits",
    "Splitter",
    "Target",
]


class HasShape(Protocol):
    """Frames, sparse matrices, tensors and Dask collections."""

    @property
    def shape(self) -> Any: ...


class HasFeatures(Protocol):
    """A scan: rows that are read when they are needed."""

    @property
    def n_features(self) -> int: ...


class HasArray(Protocol):
    """What NumPy can read."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class Fittable(Protocol):
    """An estimator of any library."""

    def fit(self, *args: Any, **kwargs: Any) -> Any: ...


class Splits(Protocol):
    """What divides rows into training and test parts."""

    def split(self, *args: Any, **kwargs: Any) -> Any: ...


Rows: TypeAlias = HasShape | HasArray | HasFeatures | Sequence[Any]  # n_samples x n_features, wherever they are
Target: TypeAlias = HasShape | HasArray | Sequence[Any] | None  # one per row; None where a scan brings its target
RowWeights: TypeAlias = HasShape | HasArray | Sequence[float] | str | None  # of a scan: the name of a column
Numbers: TypeAlias = ArrayLike  # a number, or an array or nested lists of them
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None  # of a random_state
Metric: TypeAlias = str | Callable[..., Any]  # a distance by its name, or a function of two rows
LabelWeights: TypeAlias = Mapping[Any, float] | Sequence[Mapping[Any, float]] | str | None
Splitter: TypeAlias = int | Splits | Iterable[Any] | None  # folds: how many, what makes them, or the rows of each
