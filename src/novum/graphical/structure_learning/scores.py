r"""Decomposable scores of structures: a sum of local scores of families, each computed once.

    score(G) = sum_i s(x_i | Pa_i),  s: BIC, AIC, K2, BDeu or the log-likelihood     (novum/factors/family_score.h)           (1)

BIC, AIC, BDeu and the likelihood give equivalent graphs the same score; K2 does not. Data must be complete.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.factors.states import coded_columns, columns_of, learned_states
from novum.exceptions import DataError, ParameterError
from novum.fold.gathering import whole_table
from novum.runtime.checks import check_choice, check_number, row_weights
from novum.runtime.message_text import first_few, value_text
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["LocalScores", "named_columns", "read_complete"]

SCORES = ("bic", "aic", "bdeu", "k2", "log_likelihood")
MOST_CELLS = 1 << 24  # of a family: larger tables have more cells than any data have rows
LEAST_TOGETHER = 16  # families that are worth a thread


def named_columns(owner: str, data: Any, names: tuple[Any, ...]) -> dict[Any, Any]:
    """Return name -> column; columns of an array without names are x0, x1, ..., and those of files and of Dask are gathered."""
    data = whole_table(owner, data)
    if not isinstance(data, Mapping) and (isinstance(data, np.ndarray) or not hasattr(data, "columns")):
        data = np.asarray(data) if isinstance(data, np.ndarray) else np.array(data, dtype=object)
        if data.ndim != 2:
            raise DataError(
                f"{owner}: pass a frame, a mapping of variable to column, or an array of rows with two axes; "
                f"got shape {data.shape}."
            )
        names = names or tuple(f"x{i}" for i in range(data.shape[1]))
    return columns_of(owner, data, names)


def read_complete(
    owner: str, data: Any, states: Mapping[Any, Any] | None
) -> tuple[dict[Any, tuple[Any, ...]], NDArray[np.int32]]:
    """Return the states of the variables and the codes of their columns, a row per variable; cells must not be missing."""
    columns = named_columns(owner, data, tuple(states or ()))
    given = {v: tuple(s) for v, s in (states or {}).items()}
    if not columns or len(next(iter(columns.values()))) == 0:
        raise DataError(f"{owner}: the data have no rows or no columns.")
    known = {v: given.get(v) or learned_states(owner, v, column) for v, column in columns.items()}
    for v, found in known.items():
        if not found:
            raise DataError(f"{owner}: column {v!r} holds no value.")
    _, codes = coded_columns(owner, columns, known)
    if (codes < 0).any():
        v = list(known)[int(np.argmax((codes < 0).any(axis=1)))]
        raise DataError(
            f"{owner}: column {v!r} has missing cells; fill or drop them (tables, not structures, are learned by EM)."
        )
    return known, codes


class LocalScores:
    """The local scores (1) of a data set; variables are numbers."""

    def __init__(
        self,
        owner: str,
        scoring: str,
        cards: list[int],
        codes: NDArray[np.int32],
        weight: Any,
        equivalent_sample_size: float,
    ) -> None:
        check_choice(owner, "scoring", scoring, SCORES)
        ess = check_number(owner, "equivalent_sample_size", equivalent_sample_size, 0, open_low=True)
        self.cards, self.codes = cards, codes
        self.weight = None if weight is None else row_weights(owner, weight, codes.shape[1])
        self.n = n = float(codes.shape[1] if self.weight is None else self.weight.sum())
        self.kind, self.value = {
            "bic": (0, 0.5 * np.log(n)),
            "aic": (0, 1.0),
            "log_likelihood": (0, 0.0),
            "k2": (1, 1.0),
            "bdeu": (2, ess),
        }[scoring]
        self._known: dict[tuple[int, frozenset[int]], float] = {}

    def __call__(self, child: int, parents: Iterable[int]) -> float:
        return self.many(child, [frozenset(parents)])[0]

    def many(self, child: int, sets: list[frozenset[int]]) -> list[float]:
        """Return the scores of one variable given several sets of parents; new ones are computed by threads."""
        new = [s for s in dict.fromkeys(sets) if (child, s) not in self._known]
        if new:
            out = np.empty(len(new))
            lists = [sorted(s) for s in new]

            size = max(LEAST_TOGETHER, -(-len(new) // thread_count()))

            def part(begin: int) -> None:
                cut = slice(begin, begin + size)
                _core.factors.network.family_scores(
                    self.codes,
                    cards=self.cards,
                    child=child,
                    parents=lists[cut],
                    weight=self.weight,
                    kind=self.kind,
                    value=self.value,
                    most=MOST_CELLS,
                    out=out[cut],
                )

            begins = range(0, len(new), size)
            if len(begins) == 1:
                part(0)
            else:
                for _ in map_ordered(part, begins, thread_count()):
                    pass
            self._known.update(((child, s), float(v)) for s, v in zip(new, out, strict=True))
        return [self._known[child, s] for s in sets]

    def total(self, parents: list[frozenset[int]]) -> float:
        """Return (1) of a graph given as a list of parent sets."""
        return sum(self(child, found) for child, found in enumerate(parents))

    @property
    def evaluated(self) -> int:
        """How many local scores were computed."""
        return len(self._known)


def arcs_of(owner: str, name: str, arcs: Any, names: tuple[Any, ...]) -> set[tuple[int, int]]:
    """Return arcs by name as pairs of numbers."""
    place = {v: i for i, v in enumerate(names)}
    found = set()
    for arc in arcs or ():
        pair = tuple(arc)
        if len(pair) != 2 or pair[0] not in place or pair[1] not in place or pair[0] == pair[1]:
            raise ParameterError(
                f"{owner}({name}=...): {value_text(arc)} is no arc (parent, child) between two of {first_few(names)}."
            )
        found.add((place[pair[0]], place[pair[1]]))
    return found
