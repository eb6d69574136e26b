"""The protocol of emissions: what the states of a hidden Markov model emit, as an immutable object that owns what it needs."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Emission"]


class Emission(ABC):
    """What every state emits; arrays have states first, and nothing is ever changed in place.

    A subclass is a frozen dataclass of its arrays in a file of its own. `densities` and `statistics` are the passes over rows,
    `maximized` and `log_prior` the learning, `reordered` and `parameters` the way to fitted attributes; `n_parameters` counts,
    `moments` and `draw` answer. The other methods have an answer here that a subclass may better. Letters are those of `params`.
    `prior` is whatever the estimator's `_prior()` makes of its parameters: what the maximization knows besides the rows.
    """

    @abstractmethod
    def densities(self, bundle: Bundle) -> Densities:
        """Return log p(x_t | state) of every row; what is missing is summed out."""

    @abstractmethod
    def statistics(self, bundle: Bundle, posterior: Posterior) -> Any:
        """Return the sums that `maximized` needs, a NamedTuple of arrays that add up over bundles."""

    @abstractmethod
    def maximized(self, sums: Any, prior: Any, params: str) -> Self:
        """Return the emission that maximizes the expected log-likelihood plus the log-prior, in the parts that `params` names."""

    @abstractmethod
    def reordered(self, order: NDArray) -> Self:
        """Return the same states in another order."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return what is learned by letter: the estimator's `_letters` name the attributes."""

    @abstractmethod
    def n_parameters(self) -> dict[str, int]:
        """Return how many free numbers every letter has."""

    @abstractmethod
    def moments(self) -> tuple[NDArray, NDArray]:
        """Return the mean and the variance of a row of every state, (k, d) each."""

    @abstractmethod
    def draw(self, states: NDArray, rng: Any) -> NDArray:
        """Return a row per state, (len(states), d)."""

    def log_prior(self, prior: Any) -> float:
        """Return the logarithm of the prior up to a constant, without which the objective could fall."""
        return 0.0

    def collapsed(self, prior: Any) -> tuple[list[int], str]:
        """Return the states that are degenerating, and the end of the sentence "state 0 is collapsing ..."."""
        return [], ""

    def one_state_bic(self, bundle: Bundle, prior: Any) -> float | None:
        """Return the Bayesian criterion of a single state, for comparison, where it is cheap."""
        return None

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        """Return what the repr shows of every state, by column; `names` are those of the features."""
        return {}

    def row_names(self) -> list[str] | None:
        """Return what the columns of `moments` are called; None is the names of the features."""
        return None

    def segment_features(self, bundle: Bundle) -> NDArray:
        """Return rows as numbers in which stretches of time differ: here standardized columns, gaps at their mean."""
        X = np.asarray(bundle.X, np.float64)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            filled = np.where(np.isnan(X), np.nan_to_num(np.nanmean(X, axis=0)), X)
        deviation = filled.std(axis=0)
        return (filled - filled.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)

    def tensor_densities(self, X: Any) -> Any:
        """Return log p(x | state) of rows on their device."""
        raise NotImplementedError

    def tensor_statistics(self, X: Any, shares: Any) -> Any:
        """Return the sums of `statistics` under shares (rows, k) on the device of the rows."""
        raise NotImplementedError
