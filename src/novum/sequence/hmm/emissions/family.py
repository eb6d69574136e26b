r"""Emissions of any family of `novum.distributions`, states of mixed families too, through the protocol that all of them share.

    log p(x | k) = p_k.log_prob(x),   p_k <- p_k.from_statistics(sum of w gamma_k s(x))            (27)

A row that is missing as a whole says nothing; under distributions of numbers a missing cell drops out of the product.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions import Distribution
from novum.distributions.learning.table_columns import component_log_prob, component_statistics, is_vector
from novum.exceptions import DataError
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["Families", "FamilyPrior", "updated"]

COLLAPSED = 1e-6  # share of a column's variance below which a state sits on single values
SHOWN_LETTERS = 60  # of the repr of a distribution


class FamilyPrior(NamedTuple):
    """What (27) knows besides the rows."""

    conjugate: Any  # as `Distribution.from_statistics` takes it, or None
    variance: NDArray | None = None  # (d,): of the columns of X; None where no distribution is learned


@dataclass(frozen=True, eq=False)
class Families(Emission):
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

    def maximized(self, sums: tuple, prior: FamilyPrior, params: str) -> "Families":
        """Return (27); "e" names the distributions."""
        if "e" not in params:
            return self
        return Families(tuple(updated(one, part, prior.conjugate) for one, part in zip(self.components, sums)))

    def reordered(self, order: NDArray) -> "Families":
        return Families(tuple(self.components[j] for j in order))

    def parameters(self) -> dict[str, Any]:
        return {"e": list(self.components)}

    def n_parameters(self) -> dict[str, int]:
        columns = (1 if is_vector(one) else int(np.prod(one.batch_shape, initial=1)) for one in self.components)
        return {"e": sum(int(one.n_parameters) * count for one, count in zip(self.components, columns))}

    def moments(self) -> tuple[NDArray, NDArray]:
        mean = np.stack([np.atleast_1d(np.asarray(one.mean, np.float64)) for one in self.components])
        return mean, np.stack([variances_of(one) for one in self.components])

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        shape = self.components[0].event_shape or self.components[0].batch_shape
        found = np.empty((len(states), shape[0] if shape else 1))
        for j, one in enumerate(self.components):
            (rows,) = np.nonzero(states == j)
            if len(rows):
                found[rows] = np.asarray(one.sample(len(rows), random_state=rng)).reshape(len(rows), -1)
        return found

    def collapsed(self, prior: FamilyPrior) -> tuple[list[int], str]:
        """Return the states whose distribution has lost its variance."""
        remedy = (
            "Give a prior (emission_prior=) or fewer states; for values that repeat, a family of counts or symbols."
        )
        found = []
        for state, one in enumerate(self.components):
            if prior.variance is not None and one.support.continuous:
                variance = variances_of(one)
                if variance.shape == prior.variance.shape and (variance < COLLAPSED * prior.variance).any():
                    found.append(state)
        return found, f"on few values (sd -> 0, the likelihood has no maximum). {remedy}"

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        shown = [repr(one) for one in self.components]
        return {"emits": [text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 3]}..." for text in shown]}


def variances_of(component: Distribution) -> NDArray:
    """Return the variance of every column of a distribution's outcomes."""
    variance = np.atleast_1d(np.asarray(component.var, np.float64))
    return np.diag(variance) if variance.ndim == 2 else variance


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
