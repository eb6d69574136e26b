"""The protocol of posteriors over the parameters of emissions: an emission by its expected log-densities."""

from abc import abstractmethod
from typing import Any

from numpy.typing import NDArray

from novum.sequence.hmm.emissions.base import Emission

__all__ = ["EmissionPosterior"]


class EmissionPosterior(Emission):
    """A posterior over the parameters of an emission; its prior is an object of the same class.

    Of the emission's methods `densities` are expected logarithms, `maximized` is the update of the posterior and `log_prior` minus
    the divergence from the prior, so that the objective of a pass is the bound (24). What answers is `estimate()`.
    """

    @abstractmethod
    def estimate(self) -> Emission:
        """Return the emission that all answers use."""

    @abstractmethod
    def hyperparameters(self) -> dict[str, Any]:
        """Return the numbers of the posterior by the name that `_posterior_` and `_prior_` follow."""

    def parameters(self) -> dict[str, Any]:
        return self.estimate().parameters()

    def n_parameters(self) -> dict[str, int]:
        return self.estimate().n_parameters()

    def moments(self) -> tuple[NDArray, NDArray]:
        return self.estimate().moments()

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        return self.estimate().draw(states, rng)
