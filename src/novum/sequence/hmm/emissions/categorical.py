r"""Symbols as emissions.

    log p(x | k) = log B[k, x]                                                                     (14)
    B[k, x] = (alpha - 1 + sum of w gamma over the steps with symbol x) / ...                      (15)

A symbol that is missing, -1, says nothing.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.runtime import arrays
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.emissions.dirichlet import dirichlet_log, draw_symbols, row_ratios
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Categorical", "SymbolEmission", "SymbolSums", "probability_columns"]

SHOWN_SYMBOLS = 8  # in the repr


class SymbolSums(NamedTuple):
    """Sums of w gamma by symbol."""

    counts: NDArray  # (k, m)


class SymbolEmission(Emission):
    """Passes over symbols, for whoever has a log-density per state and symbol."""

    @property
    @abstractmethod
    def log_probs(self) -> NDArray:
        """Logarithms (k, m), which need not be normalized."""

    def densities(self, bundle: Bundle) -> Densities:
        """Return a table of log B' and the symbol of every step."""
        if not isinstance(bundle.X, np.ndarray):
            return Densities(self.tensor_densities(bundle.X))
        return Densities(np.ascontiguousarray(self.log_probs.T), bundle.X[:, 0])

    def statistics(self, bundle: Bundle, posterior: Posterior) -> SymbolSums:
        """Return the expected number of emissions of every symbol."""
        if not isinstance(bundle.X, np.ndarray):
            return self.tensor_statistics(bundle.X, bundle.weighted(posterior.shares))
        if posterior.emitted is not None:
            return SymbolSums(posterior.emitted.T)
        symbols, weight = bundle.X[:, 0], bundle.row_weight()
        shares = posterior.shares if weight is None else posterior.shares * weight[:, None]
        seen = symbols >= 0
        m = self.log_probs.shape[1]
        return SymbolSums(np.stack([np.bincount(symbols[seen], column[seen], minlength=m) for column in shares.T]))

    def segment_features(self, bundle: Bundle) -> NDArray:
        """Return a column per symbol."""
        symbols = np.asarray(bundle.X[:, 0], np.int64)
        return np.eye(int(symbols.max(initial=0)) + 1)[np.maximum(symbols, 0)] * (symbols >= 0)[:, None]

    def tensor_densities(self, X: Any) -> Any:
        table = arrays.like(X, np.ascontiguousarray(self.log_probs.T), "float64")
        symbols = X[:, 0].long()
        seen = symbols >= 0  # not by a product: zero times the logarithm of zero is no number
        return table[symbols.clamp(min=0)].masked_fill(~seen[:, None], 0.0)

    def tensor_statistics(self, X: Any, shares: Any) -> SymbolSums:
        import torch

        counts = torch.zeros(self.log_probs.shape[::-1], dtype=torch.float64, device=X.device)
        seen = X[:, 0] >= 0
        counts.index_add_(0, X[seen, 0].long(), shares[seen])
        return SymbolSums(arrays.to_numpy(counts.T))


@dataclass(frozen=True, eq=False)
class Categorical(SymbolEmission):
    """Probabilities of symbols, a row per state."""

    probs: NDArray  # (k, m)

    @cached_property
    def log_probs(self) -> NDArray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.probs)

    def maximized(self, sums: SymbolSums, prior: Any, params: str) -> "Categorical":
        """Return (15); "e" names the probabilities, `prior` are Dirichlet parameters."""
        return Categorical(row_ratios(sums.counts, prior, self.probs)) if "e" in params else self

    def log_prior(self, prior: Any) -> float:
        return dirichlet_log(self.probs, prior)

    def reordered(self, order: NDArray) -> "Categorical":
        return Categorical(self.probs[order])

    def parameters(self) -> dict[str, Any]:
        return {"e": self.probs}

    def n_parameters(self) -> dict[str, int]:
        k, m = self.probs.shape
        return {"e": k * (m - 1)}

    def moments(self) -> tuple[NDArray, NDArray]:
        """Return the probabilities of the symbols as means of their indicators."""
        return self.probs, self.probs * (1 - self.probs)

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        return draw_symbols(self.probs, states, rng)[:, None]

    def one_state_bic(self, bundle: Bundle, prior: Any) -> float | None:
        sure = Posterior(np.zeros(1), arrays.ones(bundle.X, len(bundle.X), 1), np.zeros((1, 1)), None)
        m = self.probs.shape[1]
        counts = Categorical(np.full((1, m), 1 / m)).statistics(bundle, sure).counts[0]
        counts = counts[counts > 0]
        total = float((counts * np.log(counts / counts.sum())).sum())
        return -2 * total + (m - 1) * float(np.log(len(bundle.X)))

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        return probability_columns(self.probs)

    def row_names(self) -> list[str]:
        return [f"p({x})" for x in range(self.probs.shape[1])]


def probability_columns(probs: NDArray) -> dict[str, list[str]]:
    """Return the columns of a repr: the probability of each of the first symbols in every state."""
    shown = min(probs.shape[1], SHOWN_SYMBOLS)
    return {f"p({x})": [f"{p:.3f}" for p in probs[:, x]] for x in range(shown)}
