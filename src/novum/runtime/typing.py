"""Names for what a user may pass: wider than any array type, so they are aliases that say what is meant."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
else:

    class Axes:
        """matplotlib is imported where something is drawn."""

        __module__ = "matplotlib.axes"

    class DataFrame:
        """pandas is imported where a table is made."""

        __module__ = "pandas"


__all__ = [
    "Arcs",
    "Axes",
    "Classifier",
    "Columns",
    "DataFrame",
    "Environment",
    "Fittable",
    "HasArray",
    "HasEdges",
    "HasFeatures",
    "HasShape",
    "Label",
    "LabelWeights",
    "Labels",
    "Metric",
    "Names",
    "Numbers",
    "Predictor",
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


class Predictor(Fittable, Protocol):
    """An estimator that predicts."""

    def predict(self, X: Any, /) -> Any: ...


class Classifier(Predictor, Protocol):
    """A fitted classifier that tells probabilities."""

    @property
    def classes_(self) -> Any: ...

    def predict_proba(self, X: Any, /) -> Any: ...


class HasEdges(Protocol):
    """A graph of networkx, or one of ours."""

    @property
    def nodes(self) -> Any: ...

    @property
    def edges(self) -> Any: ...


class Environment(Protocol):
    """An environment of Gymnasium, or one that is used like it."""

    def reset(self, *args: Any, **kwargs: Any) -> Any: ...

    def step(self, action: Any, /) -> Any: ...


class Splits(Protocol):
    """What divides rows into training and test parts."""

    def split(self, *args: Any, **kwargs: Any) -> Any: ...


Rows: TypeAlias = HasShape | HasArray | HasFeatures | Sequence[Any]  # n_samples x n_features, wherever they are
Target: TypeAlias = HasShape | HasArray | Sequence[Any] | None  # one per row; None where a scan brings its target
RowWeights: TypeAlias = HasShape | HasArray | Sequence[float] | str | None  # of a scan: the name of a column
Numbers: TypeAlias = ArrayLike  # a number, or an array or nested lists of them
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None  # of a random_state
Metric: TypeAlias = str | Callable[..., Any]  # a distance by its name, or a function of two rows
Label: TypeAlias = Hashable  # a class, a state, a node, the name of a variable
Labels: TypeAlias = Hashable | Iterable[Hashable]  # one of them, or several
Names: TypeAlias = Sequence[str] | np.ndarray | None  # of columns or quantities, in their order
Arcs: TypeAlias = (
    HasEdges | Mapping[Any, Any] | Iterable[tuple[Any, Any]]
)  # of networkx, parents by child, or (parent, child)
Columns: TypeAlias = HasShape | Mapping[Any, Any]  # a frame of any library, or a mapping of names to columns
LabelWeights: TypeAlias = Mapping[Any, float] | Sequence[Mapping[Any, float]] | str | None
Splitter: TypeAlias = int | Splits | Iterable[Any] | None  # folds: how many, what makes them, or the rows of each
