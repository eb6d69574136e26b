"""What machines of two sides and of layers share: the constant of their density, found once, and their score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.estimator import Estimator
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.neural_network.generative.boltzmann.parameters import BoltzmannParameters
from novum.neural_network.generative.boltzmann.partition import Partition, log_partition_of
from novum.neural_network.generative.counts import legacy_state
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["BoltzmannEstimator"]


class BoltzmannEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Machines that are two sides of units (`_sides`) and know the energy of rows."""

    _squares_columns = True
    _partition: float | None

    def _sides(self) -> BoltzmannParameters:
        """Return the machine as one of two sides."""
        raise NotImplementedError

    def score_samples(self, X: Rows) -> NDArray:
        """Return the log-likelihood of every row."""
        raise NotImplementedError

    def log_partition(
        self, method: str = "auto", *, n_chains: int = 100, n_temperatures: int = 2000, random_state: Seed = 0
    ) -> Partition:
        """Return log Z, with its standard error.

        Parameters
        ----------
        method : {"auto", "exact", "annealed"}, default="auto"
            Count all states of the smaller side (18 units at most), or estimate by annealed importance sampling.
        n_chains, n_temperatures : int, default=100, 2000
            Of the estimate.
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=0
        """
        rng = legacy_state(random_state)
        return log_partition_of(self._sides(), type(self).__name__, method, n_chains, n_temperatures, rng)

    def _constant(self) -> float:
        """Return log Z, which is computed when it is first needed."""
        if self._partition is None:
            self._partition = self.log_partition().value
        return self._partition

    def score(self, X: Rows, y: Target = None) -> float:
        """Return the mean log-likelihood of the rows, the mean of `score_samples`.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        return float(np.mean(self.score_samples(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
