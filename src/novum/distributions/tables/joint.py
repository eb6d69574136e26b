r"""A joint distribution over finitely many states of named variables.

    P(x)       = sum_y P(x, y)                                            marginal                           (1)
    P(x | e)   = P(x, e) / P(e)                    for P(e) > 0           conditioning, enumeration          (2)
    P(x_1, ..., x_n) = prod_i P(x_i | x_1, ..., x_{i-1})                  chain rule, any order              (3)
    P(event)   = sum of P(outcome) over the outcomes in the event                                            (4)

Every entry is >= 0 and they sum to one: with (4) these are the axioms of a probability space with the outcomes as atoms.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.tables.axes import (
    align_axes,
    check_names,
    check_states,
    evaluate_states,
    known_names,
    places,
    sum_to,
)
from novum.distributions.tables.conditional import ConditionalTable
from novum.distributions.tables.data import columns_of, count_rows, long_table
from novum.distributions.tables.expectations import Expectations
from novum.distributions.tables.independence import Independences
from novum.distributions.tables.text import as_html, as_text, draw_table, state_columns
from novum.exceptions import DataError, ParameterError
from novum.report.result import Result
from novum.runtime.checks import float_array, probability_table
from novum.runtime.labels import in_order
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Columns, Numbers, Rows, RowWeights, Seed

__all__ = ["JointTable"]

Evidence = Mapping[str, Any]


class JointTable(Expectations, Independences, Result):
    """P(x_1, ..., x_n) as an array with named axes.

    Parameters
    ----------
    p : array-like
        Probabilities, an axis per variable.
    names : str or sequence of str, optional
        x0, x1, ... by default.
    states : mapping of name to states, or sequence of states per axis, optional
        0, 1, ... by default.

    Attributes
    ----------
    p : ndarray, read-only
    names : tuple of str
    states : dict of name to tuple
    n_samples : float or None
        Total weight of the counts or samples that the table was made from.

    Examples
    --------
    >>> from novum.distributions import JointTable
    >>> table = JointTable([[0.1, 0.2], [0.3, 0.4]], names=("x", "y"))
    >>> table
    P(x, y)
      x \\ y    0    1
          0   .1   .2
          1   .3   .4
    >>> table.query("x", {"y": 1}).p.round(6)
    array([0.333333, 0.666667])
    >>> table.covariance("x", "y").round(6).item(), bool(table.independence("x", "y"))
    (-0.02, False)
    """

    n_samples: float | None

    def __init__(
        self,
        p: Numbers,
        names: str | Sequence[Any] | None = None,
        states: Mapping[str, Any] | Sequence[Any] | None = None,
    ) -> None:
        array = probability_table("JointTable", "p", p).copy()
        array.flags.writeable = False
        self.p: NDArray[Any] = array
        self.names = check_names("JointTable", names, array.ndim)
        self.states = check_states("JointTable", states, self.names, array.shape)
        self.n_samples = None

    # ------------------------------------------------------------------------------------------ other beginnings

    @classmethod
    def from_counts(
        cls,
        counts: Numbers,
        names: Sequence[str] | None = None,
        states: Mapping[str, Any] | Sequence[Any] | None = None,
    ) -> "JointTable":
        """Return the table of relative frequencies of an array of counts, or weights, >= 0."""
        array = float_array("JointTable.from_counts", "counts", counts).astype(np.float64)
        if array.ndim == 0 or not np.all(array >= 0) or not np.isfinite(array).all() or not array.any():
            raise DataError("JointTable.from_counts: counts must be numbers >= 0, finite, and not all zero.")
        table = cls(array / array.sum(), names, states)
        table.n_samples = float(array.sum())
        return table

    @classmethod
    def from_samples(
        cls,
        data: Rows | Mapping[Any, Any] | Iterable[Any],
        names: Sequence[Any] | None = None,
        states: Any = None,
        sample_weight: RowWeights = None,
    ) -> "JointTable":
        """Return the table of relative frequencies of observed rows.

        Parameters
        ----------
        data : frame, mapping of name to column, or array-like of shape (n, d)
        names : sequence of str, optional
            Columns to use of a frame or mapping; names for those of an array.
        states : mapping of name to states, optional
            All states a variable can have, in the requested order; those observed, sorted, by default.
        sample_weight : array-like of shape (n,), optional
        """
        columns = columns_of("JointTable.from_samples", data, names)
        counts, found = count_rows("JointTable.from_samples", columns, states or {}, sample_weight)
        return cls.from_counts(counts, tuple(columns), found)

    @classmethod
    def from_frame(cls, frame: Columns, p: str = "p") -> "JointTable":
        """Return the table of a frame with a row per combination and a column of probabilities; absent rows are zero."""
        columns = columns_of("JointTable.from_frame", frame, None)
        if p not in columns:
            raise ParameterError(f"JointTable.from_frame(p={p!r}): there is no such column among {', '.join(columns)}.")
        values = columns.pop(p).astype(np.float64)
        array, states = long_table("JointTable.from_frame", columns, values)
        return cls(array, tuple(columns), states)

    @classmethod
    def from_factors(cls, factors: Iterable[Any]) -> "JointTable":
        """Return the product (3) of a marginal and conditional tables, each of variables that come later.

        P(x_1, ..., x_n) = prod_i P(x_i | x_1, ..., x_{i-1})   chain rule, any order    (3)
        """
        return reduce(lambda joint, factor: factor * joint, factors)

    # ------------------------------------------------------------------------------------------ the rules

    def _names(self, method: str, which: Any) -> tuple[str, ...]:
        return known_names(f"JointTable.{method}", which, self.names)

    def _like(self, p: NDArray[Any], names: tuple[str, ...]) -> "JointTable":
        table = JointTable(p, names, {name: self.states[name] for name in names})
        table.n_samples = self.n_samples
        return table

    def marginal(self, *names: str) -> "JointTable":
        """Return (1), over these variables in this order.

        P(x)   = sum_y P(x, y)   marginal    (1)
        """
        keep = self._names("marginal", names)
        if not keep:
            raise ParameterError(f"JointTable.marginal: name at least one of {', '.join(self.names)}.")
        return self._like(sum_to(self.p, self.names, keep), keep)

    def condition(self, evidence: Evidence | None = None, **more: Any) -> "JointTable":
        """Return (2): the other variables, given observed states. Evidence of probability zero is an error.

        P(x | e)   = P(x, e) / P(e)   for P(e) > 0   conditioning, enumeration    (2)
        """
        seen = {**(evidence or {}), **more}
        found = places("JointTable.condition", seen, self.states)
        rest = tuple(name for name in self.names if name not in found)
        if not rest:
            raise ParameterError("JointTable.condition: every variable is observed; `probability` gives P(evidence).")
        part = self.p[tuple(found.get(name, slice(None)) for name in self.names)]
        total = part.sum()
        if total <= 0:
            shown = ", ".join(f"{name}={value!r}" for name, value in seen.items())
            raise DataError(f"JointTable: the evidence {shown} has probability zero; nothing follows from it.")
        table = self._like(part / total, rest)
        table.n_samples = None if self.n_samples is None else self.n_samples * float(total)
        return table

    def conditional(self, of: str | Sequence[str], given: str | Sequence[str]) -> ConditionalTable:
        """Return P(of | given) for all states; NaN where the condition has probability zero."""
        a, b = self._names("conditional", of), self._names("conditional", given)
        if set(a) & set(b) or not a or not b:
            raise ParameterError(
                f"JointTable.conditional(of={of!r}, given={given!r}): name different variables on each side."
            )
        joint = sum_to(self.p, self.names, b + a)
        total = joint.sum(axis=tuple(range(len(b), joint.ndim)), keepdims=True)
        p = np.where(total > 0, joint / np.where(total > 0, total, 1.0), np.nan)
        return ConditionalTable(p, a, b, {name: self.states[name] for name in b + a})

    def chain_rule(self, *order: str) -> list[Any]:
        """Return the factors of (3) in the order given, that of the names by default; `from_factors` multiplies them.

        P(x_1, ..., x_n) = prod_i P(x_i | x_1, ..., x_{i-1})   chain rule, any order    (3)
        """
        names = self._names("chain_rule", order or self.names)
        if len(names) < len(self.names):
            raise ParameterError(f"JointTable.chain_rule: name every one of {', '.join(self.names)}.")
        later = [self.conditional(names[i], names[:i]) for i in range(1, len(names))]
        return [self.marginal(names[0]), *later]

    def query(self, target: str | Sequence[str], evidence: Evidence | None = None) -> "JointTable":
        """Return P(target | evidence) by enumeration (2): variables that are neither are summed out.

        P(x | e)   = P(x, e) / P(e)   for P(e) > 0   conditioning, enumeration    (2)
        """
        names = self._names("query", target)
        if set(names) & set(evidence or {}):
            raise ParameterError(
                f"JointTable.query: {', '.join(set(names) & set(evidence or {}))} is target and evidence."
            )
        return (self.condition(evidence) if evidence else self).marginal(*names)

    def most_likely(
        self, target: str | Sequence[str] | None = None, evidence: Evidence | None = None
    ) -> dict[str, Any]:
        """Return the states of the target (all unobserved variables by default) with the largest P(target | evidence).

        The first in the order of the states where several are equally likely.
        """
        table = self.condition(evidence) if evidence else self
        table = table if target is None else self.query(target, evidence)
        best = np.unravel_index(int(table.p.argmax()), table.p.shape)
        return {name: table.states[name][int(i)] for name, i in zip(table.names, best)}

    def probability(
        self, event: Evidence | Callable[..., Any], given: Evidence | Callable[..., Any] | None = None
    ) -> float:
        """Return (4), or its conditional probability.

            P(event)   = sum of P(outcome) over the outcomes in the event    (4)

        Parameters
        ----------
        event : mapping of name to state, or callable
            A callable is a proposition: its arguments are names of variables, its value is true or false.
        given : mapping of name to state, or callable, optional

        Examples
        --------
        >>> from novum.distributions import JointTable
        >>> die = JointTable([1 / 6] * 6, names="face", states=[range(1, 7)])
        >>> round(die.probability(lambda face: face % 2 == 1), 6)
        0.5
        >>> round(die.probability({"face": 2}, given=lambda face: face < 4), 6)
        0.333333
        """
        mask = self._mask(event)
        if given is None:
            return float((self.p * mask).sum())
        condition = self._mask(given)
        total = float((self.p * condition).sum())
        if total <= 0:
            raise DataError(
                f"JointTable.probability: the condition {given!r} has probability zero; nothing follows from it."
            )
        return float((self.p * mask * condition).sum()) / total

    def _mask(self, event: Any) -> NDArray[Any]:
        if isinstance(event, Mapping):
            found = places("JointTable.probability", event, self.states)
            mask = np.zeros(self.p.shape, bool)
            mask[tuple(found.get(name, slice(None)) for name in self.names)] = True
            return mask
        values, arguments = evaluate_states("JointTable.probability", event, self.states)
        return align_axes(values.astype(bool), arguments, self.names)

    # ------------------------------------------------------------------------------------------ random variables

    def with_variable(self, name: str, function: Callable[..., Any]) -> "JointTable":
        """Return the table with one more variable, a function of the others (its arguments name them)."""
        if name in self.names:
            raise ParameterError(f"JointTable.with_variable: there is a variable {name!r} already.")
        values, arguments = evaluate_states("JointTable.with_variable", function, self.states)
        states = in_order(values.ravel())
        hot = np.stack([values == state for state in states], axis=-1).astype(float)
        names = (*self.names, name)
        table = JointTable(
            align_axes(self.p, self.names, names) * align_axes(hot, (*arguments, name), names),
            names,
            {**self.states, name: tuple(states)},
        )
        table.n_samples = self.n_samples
        return table

    # ------------------------------------------------------------------------------------------ draws and pictures

    def sample(self, size: int, random_state: Seed = None) -> dict[str, NDArray[Any]]:
        """Draw outcomes: a column of states per variable."""
        rows = Stream(seed_of(random_state)).choice_with_replacement("table", 0, size, self.p.ravel())
        places_ = np.unravel_index(rows, self.p.shape)
        return {name: np.array(self.states[name])[place] for name, place in zip(self.names, places_)}

    def _title(self) -> str:
        count = "" if self.n_samples is None else f" from {self.n_samples:g} observations"
        return f"P({', '.join(self.names)}){count}"

    def _result_columns(self) -> dict[str, Any]:
        return state_columns(self.p, self.names, self.states)

    def _result_picture(self, ax: Any) -> None:
        draw_table(ax, self._title(), self.p, self.names, self.states)

    def __repr__(self) -> str:
        return as_text(self._title(), self.p, self.names, self.states, "P")

    def _repr_html_(self) -> str:
        return as_html(self._title(), self.p, self.names, self.states, "P")
