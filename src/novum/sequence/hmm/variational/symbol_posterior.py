r"""The posterior of the probabilities of symbols.

q(B_k) = Dir(prior + sum of w gamma_k by symbol)                                               (25)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.categorical import Categorical, SymbolEmission, SymbolSums
from novum.sequence.hmm.variational.conjugate import expected_log_probs, kl_dirichlet
from novum.sequence.hmm.variational.posterior import EmissionPosterior

__all__ = ["SymbolPosterior"]


@dataclass(frozen=True, eq=False)
class SymbolPosterior(SymbolEmission, EmissionPosterior):
    """Dirichlet parameters, a row per state."""

    concentration: NDArray  # (k, m)

    @cached_property
    def log_probs(self) -> NDArray:
        """Expected logarithms of the probabilities."""
        return expected_log_probs(self.concentration)

    def maximized(self, sums: SymbolSums, prior: "SymbolPosterior", params: str) -> "SymbolPosterior":
        """Return (25); "e" names the probabilities."""
        return SymbolPosterior(prior.concentration + sums.counts) if "e" in params else self

    def log_prior(self, prior: "SymbolPosterior") -> float:
        return -kl_dirichlet(self.concentration, prior.concentration)

    def reordered(self, order: NDArray) -> "SymbolPosterior":
        return SymbolPosterior(self.concentration[order])

    def hyperparameters(self) -> dict[str, Any]:
        return {"emissionprob": self.concentration}

    def estimate(self) -> Categorical:
        """Return the mean of the posterior."""
        return Categorical(self.concentration / self.concentration.sum(axis=1, keepdims=True))

    def one_state_bic(self, bundle: Bundle, prior: Any) -> float | None:
        return self.estimate().one_state_bic(bundle, prior)
