"""What machines that compare rows by a kernel share: reading rows, or things that only the kernel understands."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from novum.base.estimator import Estimator
from novum.base.validation import check_weight, home_of, rows_at_hand
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.kernels.base import number_of_samples
from novum.kernels.choice import KernelChoice, looks_numeric, things_of

__all__ = ["KernelLearner", "TrainingRows"]


class TrainingRows(NamedTuple):
    """What a fit was given, after every check."""

    X: Any  # array, CSR matrix, kernel matrix, or a list of things
    y: Any
    weight: NDArray[np.float64] | None
    dtype: np.dtype  # of attributes and predictions


class KernelLearner(Estimator):
    """A learner with a parameter `kernel`; `_remedy` says what to do with rows that are not in memory."""

    _remedy = "give a sample of the rows, or use Nystroem with a linear model behind it"
    _squares_columns = True
    _squares_rows = True
    coef0: float | None
    degree: float | None
    gamma: float | None
    kernel: Any
    kernel_params: Any

    def _choice(self) -> KernelChoice:
        """Return the kernel with its parameters."""
        owner = type(self).__name__
        if callable(self.kernel):
            return KernelChoice(self.kernel, self.kernel_params or {}, owner)
        return KernelChoice(self.kernel, {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}, owner)

    def _training_rows(
        self, X: Any, y: Any = None, sample_weight: Any = None, target: str | None = None
    ) -> TrainingRows:
        """Return the rows, target and weights of a fit in memory."""
        if callable(self.kernel) and home_of(X) == "memory" and not looks_numeric(X):
            return self._training_things(X, y, sample_weight, target)
        self._refuse_sparse_matrix(X)
        owner = type(self).__name__
        X = rows_at_hand(self, X, f"{owner} compares every row with every other", self._remedy)
        source = self._source(X, y, sample_weight, target=target).in_memory()
        rows = source.array()
        if self._choice().is_matrix and rows.shape[0] != rows.shape[1]:
            raise DataError(
                f"{owner}(kernel='precomputed'): Precomputed matrix must be a square matrix. Input is a"
                f" {rows.shape[0]}x{rows.shape[1]} matrix. Give the square kernel matrix of all training rows."
            )
        return TrainingRows(rows, None if target is None else np.asarray(source.y), source.weight, source.dtype)

    def _refuse_sparse_matrix(self, X: Any) -> None:
        """Raise for a kernel matrix with zeros left out."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed" and scipy.sparse.issparse(X):
            raise TypeError(
                f"{type(self).__name__}: Sparse precomputed kernels are not supported. Give kernel matrices as dense arrays."
            )

    def _training_things(self, X: Any, y: Any, sample_weight: Any, target: str | None) -> TrainingRows:
        """Return strings, sets, graphs, or what else the kernel understands, with their target."""
        owner = type(self).__name__
        things = things_of(X)
        if not number_of_samples(things):
            raise DataError(f"{owner}: Found array with 0 sample(s) while a minimum of 1 is required.")
        if target is not None and y is None:
            raise DataError(f"This {owner} estimator requires y to be passed, but the target y is None.")
        answers = None if target is None else np.asarray(y)
        if answers is not None:
            check_consistent_length(things, answers)
        if target == "numeric" and answers is not None:
            answers = answers.astype(np.float64)
            if not np.isfinite(answers).all():
                raise DataError(f"{owner}: Input y contains NaN or infinity. Give finite targets.")
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        weight = check_weight(self, sample_weight, number_of_samples(things))
        return TrainingRows(things, answers, weight, np.dtype(np.float64))

    def _ask(self, X: Any, function: Callable[[Any, Block], Any], params: Any) -> Any:
        """Return `function(params, block)` for every row of X, in the home of X; things come as one block."""
        if "n_features_in_" in vars(self):
            self._refuse_sparse_matrix(X)
            return self._rows(X, function, params)
        return function(params, Block(things_of(X), None, None, 0, {}))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        matrix = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise = matrix
        tags.input_tags.sparse = not matrix
        return tags
