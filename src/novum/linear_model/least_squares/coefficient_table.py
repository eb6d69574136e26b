"""Coefficients with their uncertainty as a table: how every inference of a linear model prints."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.linear_model.least_squares.clusters import ClusterSums, cluster_note
from novum.linear_model.least_squares.hypothesis import LinearHypothesis, linear_hypothesis
from novum.report.axes import name_places
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import shade
from novum.report.tables import html_paragraph, html_table, text_table

__all__ = ["CoefficientTable", "number_text", "wald_columns"]


UNDEFINED = "?"  # in the place of a number that does not exist


def number_text(value: float, form: str) -> str:
    """Return a number as the table prints it."""
    return UNDEFINED if np.isnan(value) else format(num(value), form)


def shown_p(p: float) -> str:
    """Return a p-value as the table prints it."""
    return number_text(p, ".3f") if not p < 0.001 else "<.001"


def wald_columns(
    estimate: np.ndarray, error: np.ndarray, factor: np.ndarray, t_freedom: np.ndarray | None, level: float
) -> dict[str, Any]:
    """Return the columns of a table: coefficients, errors, statistics (t, or z), p-values, bounds; and the covariance."""
    from scipy import stats

    statistic = estimate / error
    distribution = stats.norm() if t_freedom is None else stats.t(t_freedom)
    reach = distribution.ppf((1 + level) / 2) * error
    return {
        "coef": estimate,
        "standard_error": error,
        "statistic": statistic,
        "p_value": 2 * distribution.sf(np.abs(statistic)),
        "lower": estimate - reach,
        "upper": estimate + reach,
        "covariance": factor @ factor.T,
        "factor": factor,
        "t_freedom": t_freedom,
        "level": level,
    }


@dataclass(frozen=True, repr=False)
class CoefficientTable(Result):
    """A row per coefficient. Prints as a table; `to_frame()` gives the rows."""

    names: list[str]
    coef: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray
    factor: np.ndarray  # C with covariance = C C', which keeps the digits that squares lose
    covariance_type: str
    level: float
    t_freedom: np.ndarray | None  # degrees of freedom of t for every coefficient; None where the table has z
    clusters: ClusterSums | None
    weights: str | None  # what the weights of the rows were taken for; None where there were none

    @property
    def symbol(self) -> str:
        """The name of the statistic: z, or t where it has degrees of freedom."""
        return "z" if self.t_freedom is None else "t"

    def _contrast_freedom(self, contrasts: np.ndarray) -> float:
        """Return the degrees of freedom of contrasts, where the table has t."""
        assert self.t_freedom is not None
        return float(self.t_freedom[0]) if self.clusters is None else self.clusters.freedom(contrasts)

    def _notes(self) -> list[str]:
        """Return what is said of clusters and weights."""
        counted = "a row of weight w counts as w rows; weights='precision' takes weights for inverse variances"
        return [
            *cluster_note(self.clusters, self.t_freedom, list(self.names)),
            *([counted] if self.weights == "frequency" else []),
        ]

    def hypothesis(self, contrast: Any, value: Any = 0.0, *, level: float | None = None) -> LinearHypothesis:
        """Test linear hypotheses about the coefficients (Wald).

        Parameters
        ----------
        contrast : str, mapping of names to weights, array of weights, or a list of these
            `"x1"`, `{"x1": 1, "x2": -1}`, or a row per contrast; several are tested together.
        value : float or array, default=0
            What the hypotheses say.
        level : float, default=None
            Of the intervals; None: that of this table.

        Examples
        --------
        >>> import numpy as np
        >>> from novum.linear_model import LinearRegression
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> y = X @ [1.0, 1.0] + np.random.default_rng(2).normal(size=50)
        >>> test = LinearRegression().fit(X, y).inference().hypothesis({"x0": 1, "x1": -1})
        >>> test.reject(), test.df
        (False, (1, 47.0))
        """
        chosen = self.level if level is None else level
        return linear_hypothesis(self, contrast, value, chosen)

    def to_frame(self) -> Any:
        """Return the table as a pandas frame, a row per coefficient."""
        import pandas as pd

        columns = {
            "coef": self.coef,
            "standard_error": self.standard_error,
            self.symbol: self.statistic,
            "p": self.p_value,
            "lower": self.lower,
            "upper": self.upper,
        }
        if self.clusters is not None and self.t_freedom is not None:
            columns["df"] = self.t_freedom
        return pd.DataFrame(columns, index=self.names)

    def _lines(self) -> list[list[str]]:
        cells = zip(self.names, self.coef, self.standard_error, self.statistic, self.p_value, self.lower, self.upper)
        return [
            [
                name,
                number_text(b, ".6g"),
                number_text(se, ".4g"),
                number_text(t, ".3f"),
                shown_p(p),
                number_text(lo, ".6g"),
                number_text(hi, ".6g"),
            ]
            for name, b, se, t, p, lo, hi in cells
        ]

    def _header(self) -> list[str]:
        bounds = [f"[{num((1 - self.level) / 2):.3g}", f"{num((1 + self.level) / 2):.3g}]"]
        return ["", "coef", "std err", self.symbol, "p", *bounds]

    def _untold(self) -> list[str]:
        """Return the line on coefficients that the data do not determine."""
        names = [name for name, p in zip(self.names, self.p_value) if np.isnan(p)]
        return [f"{UNDEFINED} is undefined: the data do not determine {', '.join(names)}"] if names else []

    def _foot(self) -> list[str]:
        raise NotImplementedError(type(self).__name__)

    def _result_picture(self, ax: Any) -> None:
        place = np.arange(len(self.names))
        finite = (
            np.isfinite(self.coef) & np.isfinite(self.lower) & np.isfinite(self.upper)
        )  # others have a name and no mark
        coef, lower, upper = self.coef[finite], self.lower[finite], self.upper[finite]
        ax.errorbar(coef, place[finite], xerr=[coef - lower, upper - coef], fmt="o", capsize=4)
        ax.axvline(0, color=shade(ax, 0.7), linewidth=1)
        name_places(ax, "y", place, self.names)
        ax.set_xlabel(f"coefficient, {100 * self.level:g} % interval")

    def __repr__(self) -> str:
        rows = text_table([self._header(), *self._lines()], indent="", strip=False)
        return "\n".join([*rows, *self._untold(), *self._foot()])

    def _repr_html_(self) -> str:
        return html_table([self._header(), *self._lines()]) + html_paragraph([*self._untold(), *self._foot()])
