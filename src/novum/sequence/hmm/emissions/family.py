r"""Emissions of any family of `novum.distributions`, states of mixed families too, through the protocol that all of them share.

    log p(x | k) = p_k.log_prob(x),   p_k <- p_k.from_statistics(sum of w gamma_k s(x))            (27)

A row that is missing as a whole says nothing; under distributions of numbers a missing cell drops out of the product.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions import Distribution
from novum.distributions.table_columns import component_log_prob, component_statistics, is_vector
from novum.exceptions import DataError
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Families", "draw_rows", "n_parameters", "updated"]


class Families(NamedTuple):
    """A distribution per state."""

    components: tuple[Distribution, ...]

    def densities(self, bundle: Bundle) -> Densities:
        """Return log p_k(x_t)."""
        X = bundle.X
        missing = np.isnan(X).all(axis=1)
        check_cells(self.components, X, missing)
        rows = X[~missing] if missing.any() else X
        found = np.zeros((len(X), len(self.components)))
        for j, one in enumerate(self.components):
            found[~missing, j] = component_log_prob(one, rows)
        return Densities(found)

    def statistics(self, bundle: Bundle, posterior: Posterior) -> tuple:
        """Return the statistics of every state's distribution."""
        X, weight = bundle.X, bundle.row_weight()
        there = ~np.isnan(X).all(axis=1)
        shares = posterior.shares if weight is None else posterior.shares * weight[:, None]
        return tuple(
            component_statistics(one, X[there], np.ascontiguousarray(shares[there, j]))
            for j, one in enumerate(self.components)
        )


def check_cells(components: tuple[Distribution, ...], X: NDArray, missing: NDArray) -> None:
    """Raise for rows of which only a part is missing under a distribution of vectors."""
    if not any(map(is_vector, components)) or not np.isnan(X[~missing]).any():
        return
    name = next(type(one).__name__ for one in components if is_vector(one))
    row = int(np.flatnonzero(np.isnan(X).any(axis=1) & ~missing)[0])
    raise DataError(
        f"HiddenMarkovModel: row {row} is missing in part, and {name} takes whole rows. Make all of it NaN; GaussianHMM sums"
        " missing cells out."
    )


def updated(component: Distribution, statistics: Any, prior: Any) -> Distribution:
    """Return (27); a distribution that its rows would degenerate stays as it is, which does not lower the likelihood."""
    try:
        return component.from_statistics(statistics, prior)
    except DataError:
        return component


def n_parameters(component: Distribution) -> int:
    """Return the number of free parameters of a state's distribution."""
    columns = 1 if is_vector(component) else int(np.prod(component.batch_shape, initial=1))
    return int(component.n_parameters) * columns


def draw_rows(components: tuple[Distribution, ...], states: NDArray, d: int, rng: Any) -> NDArray:
    """Return a row per state."""
    found = np.empty((len(states), d))
    for j, one in enumerate(components):
        (rows,) = np.nonzero(states == j)
        if len(rows):
            found[rows] = np.asarray(one.sample(len(rows), random_state=rng)).reshape(len(rows), d)
    return found
