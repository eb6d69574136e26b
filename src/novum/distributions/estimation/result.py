"""What an estimation returns: parameters with their standard errors, intervals, criteria, and profiles.

The formulas are those of `novum.distributions.estimation.optimum`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_level
from novum.runtime.typing import Axes, Numbers

__all__ = ["Estimate", "Profile"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Profile(Result):
    """The profile (5) of one parameter, relative to the maximum.

    Attributes
    ----------
    name : str
    values, log_likelihood : ndarray
        The second is zero at the maximum and negative elsewhere; flat where the parameter is not identified.
    """

    name: str
    values: Array
    log_likelihood: Array

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the profile and the line that bounds a 95 % interval."""
        ax = drawing_axes(ax)
        ax.plot(self.values, self.log_likelihood, color=series(ax, 0))
        ax.axhline(-1.92, color=series(ax, 3), ls="--", lw=1, label="95 %")  # half the quantile 3.84 of chi-squared
        ax.set(xlabel=self.name, ylabel="profile log-likelihood")
        draw_legend(ax)
        return ax


@dataclass(frozen=True, repr=False)
class Estimate(Result):
    """Parameters at a maximum, and how well they are known.

    Attributes
    ----------
    parameters, standard_errors : dict or ndarray
        As the start was given. A standard error is infinite where the parameter is not identified.
    covariance : ndarray of shape (d, d)
        (4); NaN where not identified.
    value : float
        The maximised function: log-likelihood, plus log-prior for a MAP estimate.
    n : float
        Observations, or their total weight.
    identifiable : bool
    flat_direction : ndarray of shape (d,) or None
        Change of the parameters that leaves the likelihood as it is, where not identified.
    """

    parameters: Any
    standard_errors: Any
    covariance: Array
    value: float
    n: float
    identifiable: bool
    flat_direction: Array | None
    _theta: Array = field(repr=False)
    _search: Any = field(repr=False)

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 d - 2 value."""
        return 2 * self._theta.size - 2 * self.value

    @property
    def bic(self) -> float:
        """Schwarz's criterion, d log n - 2 value."""
        return self._theta.size * float(np.log(self.n)) - 2 * self.value

    def interval(self, level: float = 0.95) -> Any:
        """Return estimate -+ z standard errors: pairs by name, or an array (d, 2)."""
        level = check_level("Estimate.interval", level)
        errors = (
            np.array(list(self.standard_errors.values()))
            if isinstance(self.standard_errors, dict)
            else self.standard_errors
        )
        half = float(ndtri((1 + level) / 2)) * errors
        ends = np.stack([self._theta - half, self._theta + half], axis=1)
        names = self._search.parameters.names
        return ends if names is None else dict(zip(names, map(tuple, ends.tolist())))

    def profile(self, parameter: str | int, values: Numbers | None = None) -> Profile:
        """Return (5) at the values given, or over three standard errors on either side."""
        return self._search.profile(self, parameter, values)

    def _result_columns(self) -> dict[str, Any]:
        errors = self.standard_errors.values() if isinstance(self.standard_errors, dict) else self.standard_errors
        names = [self._search.parameters.label(i) for i in range(self._theta.size)]
        return {"parameter": names, "estimate": self._theta, "standard_error": list(errors)}

    def _result_picture(self, ax: Any) -> None:
        table = self._result_columns()
        ax.errorbar(range(len(self._theta)), self._theta, 2 * np.asarray(table["standard_error"]), fmt="o", capsize=4)
        ax.set_xticks(range(len(self._theta)), table["parameter"])
        ax.set(ylabel="estimate, two standard errors", title=self._search.kind)

    def __repr__(self) -> str:
        names = self._search.parameters
        errors = self.standard_errors.values() if isinstance(self.standard_errors, dict) else self.standard_errors
        lines = [f"Estimate from {self.n:g} observations: {self._search.kind} {num(self.value):.6g}"]
        lines += [
            f"  {names.label(i)} = {num(value):.6g} (standard error {num(error):.3g})"
            for i, (value, error) in enumerate(zip(self._theta, errors))
        ]
        return "\n".join(lines + ([] if self.identifiable else ["  not identified: see flat_direction"]))
