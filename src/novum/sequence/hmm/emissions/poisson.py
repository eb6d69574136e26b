r"""Poisson counts as emissions.

    log p(x | k) = sum_i x_i log L[k, i] - L[k, i] - log x_i!                                      (14)
    L[k, i] = (a + sum of w gamma x_i) / (b + sum of w gamma)                                      (16)

with a Gamma prior of a counts in b rows. A cell that is missing drops out.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.emissions.counts import CountSums, count_sums, product_of_logs
from novum.sequence.hmm.emissions.dirichlet import ABSENT
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["LEAST_RATE", "Poisson", "PoissonPrior"]

SHOWN_FEATURES = 6  # in the repr
LEAST_RATE = 1e-12  # a state that saw no count at all could never emit one


class PoissonPrior(NamedTuple):
    """The Gamma prior of (16)."""

    counts: NDArray  # a
    rows: NDArray  # b


@dataclass(frozen=True, eq=False)
class Poisson(Emission):
    """Rates, a row per state."""

    rates: NDArray  # (k, d)

    def densities(self, bundle: Bundle) -> Densities:
        """Return (14)."""
        seen = ~np.isnan(bundle.X)
        filled = np.where(seen, bundle.X, 0.0)
        logs = product_of_logs(filled, self.rates) - seen @ self.rates.T - gammaln(filled + 1).sum(axis=1)[:, None]
        return Densities(np.ascontiguousarray(logs))

    def statistics(self, bundle: Bundle, posterior: Posterior) -> CountSums:
        """Return the expected counts and their number."""
        return count_sums(bundle, posterior)

    def maximized(self, sums: CountSums, prior: PoissonPrior, params: str) -> "Poisson":
        """Return (16); "l" names the rates."""
        if "l" not in params:
            return self
        mass = sums.mass + prior.rows
        found = (sums.seen + prior.counts) / np.where(mass > ABSENT, mass, 1.0)
        return Poisson(np.where(mass > ABSENT, np.maximum(found, LEAST_RATE), self.rates))

    def log_prior(self, prior: PoissonPrior) -> float:
        """Return the logarithm of the Gamma prior."""
        return float((xlogy(prior.counts, self.rates) - prior.rows * self.rates).sum())

    def reordered(self, order: NDArray) -> "Poisson":
        return Poisson(self.rates[order])

    def parameters(self) -> dict[str, Any]:
        return {"l": self.rates}

    def n_parameters(self) -> dict[str, int]:
        return {"l": self.rates.size}

    def moments(self) -> tuple[NDArray, NDArray]:
        return self.rates, self.rates

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        return rng.poisson(self.rates[states])

    def one_state_bic(self, bundle: Bundle, prior: PoissonPrior) -> float | None:
        if bundle.weight is not None:
            return None
        rates = np.maximum(np.nanmean(bundle.X, axis=0), LEAST_RATE)
        total = float(Poisson(rates[None]).densities(bundle).log.sum())
        return -2 * total + len(rates) * float(np.log(len(bundle.X)))

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        d = self.rates.shape[1]
        names = [f"x{j}" for j in range(d)] if names is None else names
        return {
            f"rate {names[j]}" if d > 1 else "rate": [f"{v:.4g}" for v in self.rates[:, j]]
            for j in range(min(d, SHOWN_FEATURES))
        }
