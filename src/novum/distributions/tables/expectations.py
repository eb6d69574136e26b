r"""Means over the outcomes of a joint table.

    E[f]       = sum P(outcome) f(outcome),   E[f | x] the same in P(. | x)                                  (5)
    cov(x, y)  = E[(x - E x)(y - E y)]                                                                       (6)

(1) to (4) are those of `joint`.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.tables.axes import align_axes, evaluate_states, sum_to
from novum.exceptions import DataError

__all__ = ["Expectations"]


class Expectations:
    """What a table of probabilities says about functions of its outcomes."""

    p: NDArray[Any]
    names: tuple[str, ...]
    states: dict[str, Any]
    _names: Any
    _mask: Any

    def _values(self, method: str, function: Any) -> NDArray[Any]:
        if isinstance(function, str):
            arguments = self._names(method, function)
            values = np.array(self.states[function], dtype=object)
        else:
            values, arguments = evaluate_states(f"JointTable.{method}", function, self.states)
        try:
            return align_axes(values.astype(float), arguments, self.names)
        except (TypeError, ValueError):
            raise DataError(
                f"JointTable.{method}: {function!r} has values that are no numbers; give a function of it, as in "
                f"lambda {arguments[0]}: ..."
            ) from None

    def expectation(self, function: str | Callable[..., Any], given: Any = None) -> Any:
        """Return E[f] of (5).

            E[f]   = sum P(outcome) f(outcome),   E[f | x] the same in P(. | x)    (5)

        Parameters
        ----------
        function : str or callable
            A variable with numbers as states, or a function whose arguments name variables.
        given : mapping of name to state, or names, optional
            A mapping: E[f | evidence], a number. Names: E[f | x] for all states of x, a dict (NaN where P(x) = 0).
        """
        values = self._values("expectation", function)
        if given is None:
            return float((self.p * values).sum())
        if isinstance(given, Mapping):
            mask = self._mask(given)
            total = float((self.p * mask).sum())
            if total <= 0:
                raise DataError(f"JointTable.expectation: the evidence {dict(given)} has probability zero.")
            return float((self.p * mask * values).sum() / total)
        names = self._names("expectation", given)
        weight = sum_to(self.p, self.names, names)
        mean = sum_to(self.p * values, self.names, names) / np.where(weight > 0, weight, np.nan)
        keys = product(*(self.states[name] for name in names))
        return {key if len(names) > 1 else key[0]: value for key, value in zip(keys, mean.ravel().tolist())}

    def covariance(self, *functions: Any) -> NDArray[Any]:
        """Return (6): the covariance of two variables or functions, or the matrix of more (all variables by default).

        cov(x, y)  = E[(x - E x)(y - E y)]    (6)
        """
        values = [self._values("covariance", f) for f in (functions or self.names)]
        centred = [v - (self.p * v).sum() for v in values]
        matrix = np.array([[(self.p * a * b).sum() for b in centred] for a in centred])
        return matrix[0, 1] if len(values) == 2 and functions else matrix

    def variance(self, function: Any) -> float:
        """Return the variance of a variable or function."""
        return float(self.covariance(function)[0, 0])

    def correlation(self, x: str | Callable[..., Any], y: str | Callable[..., Any]) -> float:
        """Return cov(x, y) / (sd(x) sd(y))."""
        variances = self.variance(x) * self.variance(y)
        if variances <= 0:
            raise DataError("JointTable.correlation: a variable is constant, so its correlation is undefined.")
        return float(np.clip(self.covariance(x, y) / np.sqrt(variances), -1, 1))
