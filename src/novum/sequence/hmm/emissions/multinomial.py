r"""Rows of counts as emissions.

    log p(x | k) = log n! - sum log x_i! + sum x_i log B[k, i]                                     (14)
    B[k, i] = (alpha - 1 + sum of w gamma x_i) / ...                                               (15)

A row of counts of which one is missing is missing as a whole.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from novum.exceptions import ParameterError
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.emissions.categorical import probability_columns
from novum.sequence.hmm.emissions.counts import CountSums, count_sums, product_of_logs
from novum.sequence.hmm.emissions.dirichlet import dirichlet_log, row_ratios
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Multinomial"]


@dataclass(frozen=True, eq=False)
class Multinomial(Emission):
    """Probabilities of the cells of a row of counts, a row per state."""

    probs: NDArray  # (k, d)
    n_trials: Any = None  # what rows sum to: a number, one per row, or unknown

    def densities(self, bundle: Bundle) -> Densities:
        """Return (14)."""
        X = bundle.X
        missing = np.isnan(X).any(axis=1)
        filled = np.where(missing[:, None], 0.0, X)
        constant = gammaln(filled.sum(axis=1) + 1) - gammaln(filled + 1).sum(axis=1)
        return Densities(
            np.ascontiguousarray(product_of_logs(filled, self.probs) + np.where(missing, 0.0, constant)[:, None])
        )

    def statistics(self, bundle: Bundle, posterior: Posterior) -> CountSums:
        """Return the expected counts."""
        missing = np.isnan(bundle.X).any(axis=1)
        X = np.where(missing[:, None], np.nan, bundle.X) if missing.any() else bundle.X
        return count_sums(bundle._replace(X=X), posterior)

    def maximized(self, sums: CountSums, prior: Any, params: str) -> "Multinomial":
        """Return (15); "e" names the probabilities, `prior` are Dirichlet parameters."""
        return replace(self, probs=row_ratios(sums.seen, prior, self.probs)) if "e" in params else self

    def log_prior(self, prior: Any) -> float:
        return dirichlet_log(self.probs, prior)

    def reordered(self, order: NDArray) -> "Multinomial":
        return replace(self, probs=self.probs[order])

    def parameters(self) -> dict[str, Any]:
        return {"e": self.probs}

    def n_parameters(self) -> dict[str, int]:
        k, d = self.probs.shape
        return {"e": k * (d - 1)}

    def moments(self) -> tuple[NDArray, NDArray]:
        trials = 1.0 if self.n_trials is None else float(np.mean(self.n_trials))
        return trials * self.probs, trials * self.probs * (1 - self.probs)

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        trials = np.unique(np.asarray([] if self.n_trials is None else self.n_trials))
        if len(trials) != 1:
            raise ParameterError(
                f"MultinomialHMM: For sampling, a single n_trials must be given; it is {self.n_trials!r:.60}."
            )
        return np.stack([rng.multinomial(int(trials[0]), self.probs[state]) for state in states])

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        return probability_columns(self.probs)
