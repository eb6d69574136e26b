r"""Emissions that are counts: a symbol, a row of counts, Poisson counts.

    categorical   log p(x | k) = log B[k, x]
    multinomial   log p(x | k) = log n! - sum log x_i! + sum x_i log B[k, i]
    Poisson       log p(x | k) = sum_i x_i log L[k, i] - L[k, i] - log x_i!                        (14)

The maximisers are ratios of the sums of w gamma x, with Dirichlet and Gamma priors. A cell that is missing drops out; a row of
counts of which one is missing is missing as a whole.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Categorical", "CountSums", "Counts", "Poisson", "Symbols", "draw_symbols", "row_ratios"]

ABSENT = 1e-10  # rows: a state with less keeps its parameters


class CountSums(NamedTuple):
    """Sums of w gamma x, and of w gamma over the cells that were observed."""

    seen: NDArray  # (k, d)
    mass: NDArray  # (k, d)


class Symbols(NamedTuple):
    """Sums of w gamma by symbol."""

    counts: NDArray  # (k, m)


class Categorical(NamedTuple):
    """Probabilities of symbols, a row per state."""

    log_probs: NDArray  # (k, m): logarithms, which need not be normalised

    def densities(self, bundle: Bundle) -> Densities:
        """Return a table of log B' and the symbol of every step."""
        return Densities(np.ascontiguousarray(self.log_probs.T), bundle.X[:, 0])

    def statistics(self, bundle: Bundle, posterior: Posterior) -> Symbols:
        """Return the expected number of emissions of every symbol."""
        if posterior.emitted is not None:
            return Symbols(posterior.emitted.T)
        symbols, weight = bundle.X[:, 0], bundle.row_weight()
        shares = posterior.shares if weight is None else posterior.shares * weight[:, None]
        seen = symbols >= 0
        m = self.log_probs.shape[1]
        return Symbols(np.stack([np.bincount(symbols[seen], column[seen], minlength=m) for column in shares.T]))


def count_sums(bundle: Bundle, posterior: Posterior) -> CountSums:
    """Return the sums of one bundle of counts."""
    weight = bundle.row_weight()
    shares = posterior.shares if weight is None else posterior.shares * weight[:, None]
    seen = ~np.isnan(bundle.X)
    return CountSums(shares.T @ np.where(seen, bundle.X, 0.0), shares.T @ seen)


class Counts(NamedTuple):
    """Probabilities of the cells of a row of counts, a row per state."""

    probs: NDArray  # (k, d)

    def densities(self, bundle: Bundle) -> Densities:
        """Return the multinomial of (14)."""
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


def product_of_logs(X: NDArray, probs: NDArray) -> NDArray:
    """Return sum_i x_i log p[k, i] for every row and state, zero times minus infinity being zero."""
    positive = probs > 0
    with np.errstate(divide="ignore"):
        found = X @ np.where(positive, np.log(np.where(positive, probs, 1.0)), 0.0).T
    impossible = (X @ (~positive).T.astype(np.float64)) > 0
    return np.where(impossible, -np.inf, found)


class Poisson(NamedTuple):
    """Rates, a row per state."""

    rates: NDArray  # (k, d)

    def densities(self, bundle: Bundle) -> Densities:
        """Return the Poisson of (14)."""
        seen = ~np.isnan(bundle.X)
        filled = np.where(seen, bundle.X, 0.0)
        logs = product_of_logs(filled, self.rates) - seen @ self.rates.T - gammaln(filled + 1).sum(axis=1)[:, None]
        return Densities(np.ascontiguousarray(logs))

    def statistics(self, bundle: Bundle, posterior: Posterior) -> CountSums:
        """Return the expected counts and their number."""
        return count_sums(bundle, posterior)


def row_ratios(counts: NDArray, prior: Any, before: NDArray, allowed: NDArray | None = None) -> NDArray:
    """Return rows of counts + prior - 1, each divided by its sum; a row without counts stays as it was."""
    found = np.maximum(counts + (np.asarray(prior, np.float64) - 1), 0.0)
    if allowed is not None:
        found = np.where(allowed, found, 0.0)
    total = found.sum(axis=-1, keepdims=True)
    return np.where(total > ABSENT, found / np.where(total > ABSENT, total, 1.0), before)


def dirichlet_log(probs: NDArray, prior: Any) -> float:
    """Return sum (prior - 1) log p, where the prior is not flat."""
    excess = np.broadcast_to(np.asarray(prior, np.float64) - 1, probs.shape)
    return float(np.where(excess != 0, xlogy(excess, np.maximum(probs, 1e-300)), 0.0).sum())


def draw_symbols(probs: NDArray, states: NDArray, rng: Any) -> NDArray:
    """Return a symbol per state, by the inverse of the cumulated probabilities."""
    cumulated = np.cumsum(probs, axis=1)
    draws = np.asarray(rng.uniform(size=len(states))) * cumulated[states, -1]
    return (draws[:, None] >= cumulated[states]).sum(axis=1).clip(max=probs.shape[1] - 1)
