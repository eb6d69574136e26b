r"""A model that is a product of tables: what factor graphs and Markov networks share.

p(x) = prod_f f(x_f) / Z,     Z = sum_x prod_f f(x_f)                                                          (1)
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine, Factor
from novum.exceptions import ParameterError
from novum.graphical.inference.queries import Queries
from novum.runtime.message_text import first_few

__all__ = ["NamedFactor", "Product", "read_factors"]


class NamedFactor(NamedTuple):
    """A table >= 0 over variables."""

    name: str
    variables: tuple[Any, ...]
    table: NDArray[np.float64]


def read_factors(
    owner: str, factors: Any, states: Mapping[Any, Any] | None
) -> tuple[dict[Any, tuple[Any, ...]], list[NamedFactor]]:
    """Return the states of the variables and the factors, from a mapping name -> (variables, table) or pairs (variables, table)."""
    named = (
        list(factors.items())
        if isinstance(factors, Mapping)
        else [(f"f{i + 1}", pair) for i, pair in enumerate(factors)]
    )
    found: dict[Any, tuple[Any, ...]] = {v: tuple(s) for v, s in (states or {}).items()}
    out = []
    for name, pair in named:
        try:
            variables, given = pair
            table = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"{owner}: factor {name!r} must be a pair (variables, table of numbers).") from None
        scope = (variables,) if isinstance(variables, str) else tuple(variables)
        if table.ndim != len(scope) or len(set(scope)) < len(scope):
            raise ParameterError(
                f"{owner}: factor {name!r} over {first_few(scope)} needs one axis per variable, got shape {table.shape}."
            )
        if not np.isfinite(table).all() or (table < 0).any() or not table.any():
            raise ParameterError(f"{owner}: factor {name!r} must hold finite numbers >= 0, not all zero.")
        for variable, size in zip(scope, table.shape, strict=True):
            kept = found.setdefault(variable, tuple(range(size)))
            if len(kept) != size:
                raise ParameterError(f"{owner}: {variable!r} has {len(kept)} states, but {size} in factor {name!r}.")
        out.append(NamedFactor(str(name), scope, table))
    if not found:
        raise ParameterError(f"{owner}: give at least one factor.")
    return found, out


def engine_of(states: Mapping[Any, tuple[Any, ...]], factors: list[NamedFactor]) -> Engine:
    """Return the engine of a product of factors; a variable in no factor gets a factor of ones."""
    place = {variable: i for i, variable in enumerate(states)}
    listed = [Factor(tuple(place[v] for v in f.variables), f.table) for f in factors]
    held = {v for f in factors for v in f.variables}
    listed += [Factor((place[v],), np.ones(len(s))) for v, s in states.items() if v not in held]
    return Engine([len(s) for s in states.values()], listed)


class Product(Queries):
    """Queries of (1); `_tables` gives the factors."""

    def _tables(self) -> list[NamedFactor]:
        raise NotImplementedError

    @cached_property
    def _compiled(self) -> Engine:
        return engine_of(self.states, self._tables())

    def _engine(self) -> Engine:
        return self._compiled

    def _log_probability(self, log: float) -> float:
        return float(log) - self.log_partition

    @cached_property
    def log_partition(self) -> float:
        """log Z: of the sum of the product over all states."""
        _, logs = self._engine().marginals((), np.empty((1, 0), dtype=np.int32), [])
        return float(logs[0])

    @property
    def partition(self) -> float:
        """Z, the sum of the product over all states."""
        return float(np.exp(self.log_partition))
