r"""Conditional tables P(A | B): the rules of probability as operations on them.

    P(A, B)    = P(A | B) P(B)                                   product rule                                (7)
    P(A)       = sum_b P(A | b) P(b)                             total probability: (7), then a marginal     (8)
    P(B | A)   = P(A | B) P(B) / P(A)                            Bayes                                       (9)
    P(B | A, C) = P(A | B, C) P(B | C) / P(A | C)                Bayes in a context                          (10)

Where the condition has probability zero nothing is said about A: such rows hold NaN, and a product with that zero is zero.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.tables.axes import align_axes, check_names, check_states, known_names, places, sum_to
from novum.distributions.tables.text import as_html, as_text, draw_table, state_columns
from novum.exceptions import DataError, ParameterError
from novum.report.result import Result
from novum.runtime.checks import float_array
from novum.runtime.typing import Numbers

if TYPE_CHECKING:
    from novum.distributions.tables.joint import JointTable

__all__ = ["ConditionalTable"]

SUM_TOLERANCE = 1e-8  # as for joint tables: printed tables keep about eight decimals


class ConditionalTable(Result):
    """P(names | given) over finitely many states.

    Parameters
    ----------
    p : array-like
        First the axes of `given`, then those of `names`; every slice of the latter sums to one, or is NaN throughout
        where its condition cannot occur.
    names, given : str or sequence of str
    states : mapping of name to states, optional
        0, 1, ... by default.

    Examples
    --------
    >>> from novum.distributions import ConditionalTable, JointTable
    >>> likelihood = ConditionalTable([[0.9, 0.1], [0.2, 0.8]], names="test", given="ill")
    >>> prior = JointTable([0.99, 0.01], names="ill")
    >>> (likelihood * prior).marginal("test").p
    array([0.893, 0.107])
    >>> likelihood.bayes(prior).at(test=1).p.round(6)
    array([0.925234, 0.074766])
    """

    def __init__(
        self,
        p: Numbers,
        names: str | Sequence[Any],
        given: str | Sequence[Any],
        states: Mapping[str, Any] | Sequence[Any] | None = None,
    ) -> None:
        array = float_array("ConditionalTable", "p", p).astype(np.float64)
        self.given = (given,) if isinstance(given, str) else tuple(given)
        self.names = (names,) if isinstance(names, str) else tuple(names)
        every = check_names("ConditionalTable", (*self.given, *self.names), array.ndim)
        self.states = check_states("ConditionalTable", states, every, array.shape)
        total = array.sum(axis=tuple(range(len(self.given), array.ndim)))
        defined = ~np.isnan(total)
        if not np.all(array[defined] >= 0) or not np.all(np.abs(total[defined] - 1) <= SUM_TOLERANCE):
            raise DataError(
                f"ConditionalTable: every condition needs probabilities >= 0 that sum to one over {', '.join(self.names)}; "
                f"the sums are {np.array2string(total, precision=6, threshold=8)}."
            )
        array[~defined] = np.nan
        array.flags.writeable = False
        self.p: NDArray[Any] = array

    @property
    def _axes(self) -> tuple[str, ...]:
        return (*self.given, *self.names)

    def at(self, evidence: Mapping[str, Any] | None = None, **more: Any) -> "JointTable":
        """Return the distribution of `names` for one value of every given variable."""
        from novum.distributions.tables.joint import JointTable

        found = places("ConditionalTable.at", {**(evidence or {}), **more}, self.states)
        if set(found) != set(self.given):
            raise ParameterError(
                f"ConditionalTable.at: give a state for each of {', '.join(self.given)} and nothing else."
            )
        p = self.p[tuple(found[name] for name in self.given)]
        if np.isnan(p).any():
            raise DataError(
                f"ConditionalTable.at: the condition {evidence or more} has probability zero; nothing follows."
            )
        return JointTable(p, self.names, {name: self.states[name] for name in self.names})

    def __mul__(self, other: Any) -> Any:
        """Return (7): P(A | B, C) times P(B | C) is P(A, B | C); a JointTable where nothing is given any more."""
        from novum.distributions.tables.joint import JointTable

        rest = getattr(other, "given", ())
        if not isinstance(other, JointTable | ConditionalTable):
            return NotImplemented
        known = (*other.names, *rest)
        if set(self.given) - set(known) or set(self.names) & set(known):
            raise ParameterError(
                f"P({', '.join(self.names)} | {', '.join(self.given)}) can be multiplied by a table of its conditions that "
                f"does not speak of {', '.join(self.names)}; this one is over {', '.join(known)}."
            )
        for name in self.given:
            if self.states[name] != other.states[name]:
                raise DataError(f"the states of {name!r} differ: {self.states[name]} and {other.states[name]}.")
        axes = (*rest, *other.names, *self.names)
        right = align_axes(other.p, (*rest, *other.names), axes)
        left = align_axes(self.p, self._axes, axes)
        with np.errstate(invalid="ignore"):
            p = np.where(right == 0, 0.0, left * right)
        states = {**other.states, **{name: self.states[name] for name in self.names}}
        if not rest:
            return JointTable(p, axes, states)
        return ConditionalTable(p, (*other.names, *self.names), rest, states)

    def marginal(self, *names: str) -> "ConditionalTable":
        """Return P(names | given), the other variables summed out."""
        keep = known_names("ConditionalTable.marginal", names, self.names)
        p = sum_to(self.p, self._axes, (*self.given, *keep))
        return ConditionalTable(p, keep, self.given, {name: self.states[name] for name in (*self.given, *keep)})

    def bayes(self, prior: "JointTable | ConditionalTable") -> "ConditionalTable":
        """Return (9) from a prior P(B), or (10) from P(B | C).

            P(B | A)   = P(A | B) P(B) / P(A)   Bayes    (9)
            P(B | A, C) = P(A | B, C) P(B | C) / P(A | C)   Bayes in a context    (10)

        Parameters
        ----------
        prior : JointTable or ConditionalTable
            Of the given variables, all but a context C.

        Returns
        -------
        ConditionalTable
            P(B | A), or P(B | A, C).
        """
        joint = self * prior
        context = getattr(joint, "given", ())
        of, seen = tuple(prior.names), self.names
        p = sum_to(joint.p, (*context, *joint.names), (*context, *seen, *of))
        total = p.sum(axis=tuple(range(len(context) + len(seen), p.ndim)), keepdims=True)
        with np.errstate(invalid="ignore"):
            return ConditionalTable(
                np.where(total > 0, p / np.where(total > 0, total, 1), np.nan), of, (*context, *seen), joint.states
            )

    def _title(self) -> str:
        return f"P({', '.join(self.names)} | {', '.join(self.given)})"

    def _result_columns(self) -> dict[str, Any]:
        return state_columns(self.p, self._axes, self.states)

    def _result_picture(self, ax: Any) -> None:
        draw_table(ax, self._title(), self.p, self._axes, self.states)

    def __repr__(self) -> str:
        return as_text(self._title(), self.p, self._axes, self.states, "P")

    def _repr_html_(self) -> str:
        return as_html(self._title(), self.p, self._axes, self.states, "P")
