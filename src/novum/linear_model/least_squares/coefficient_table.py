"""Coefficients with their uncertainty as a table: how every inference of a linear model prints."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

__all__ = ["CoefficientTable", "shown"]


UNTOLD = "?"  # in the place of a number that does not exist


def shown(value: float, form: str) -> str:
    """Return a number as the table prints it."""
    return UNTOLD if np.isnan(value) else format(value, form)


def shown_p(p: float) -> str:
    """Return a p-value as the table prints it."""
    return shown(p, ".3f") if not p < 0.001 else "<.001"


@dataclass(frozen=True, repr=False)
class CoefficientTable:
    """A row per coefficient. Prints as a table; `to_frame()` gives the rows."""

    names: list[str]
    coef: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray
    covariance_type: str
    level: float

    symbol: ClassVar[str] = "t"  # of the statistic

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
        return pd.DataFrame(columns, index=self.names)

    def _lines(self) -> list[list[str]]:
        cells = zip(self.names, self.coef, self.standard_error, self.statistic, self.p_value, self.lower, self.upper)
        return [
            [name, f"{b:.6g}", shown(se, ".4g"), shown(t, ".3f"), shown_p(p), shown(lo, ".6g"), shown(hi, ".6g")]
            for name, b, se, t, p, lo, hi in cells
        ]

    def _header(self) -> list[str]:
        bounds = [f"[{(1 - self.level) / 2:.3g}", f"{(1 + self.level) / 2:.3g}]"]
        return ["", "coef", "std err", self.symbol, "p", *bounds]

    def _untold(self) -> list[str]:
        """Return the line on coefficients that the data do not determine."""
        names = [name for name, p in zip(self.names, self.p_value) if np.isnan(p)]
        return [f"{UNTOLD} cannot be told: the data do not determine {', '.join(names)}"] if names else []

    def _foot(self) -> list[str]:
        raise NotImplementedError(type(self).__name__)

    def __repr__(self) -> str:
        table = [self._header(), *self._lines()]
        widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
        rows = [
            "  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]) for row in table
        ]
        return "\n".join([*rows, *self._untold(), *self._foot()])

    def _repr_html_(self) -> str:
        from html import escape

        def cells(row: Any, tag: Any) -> Any:
            return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)

        body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in self._lines())
        foot = "<br>".join(map(escape, [*self._untold(), *self._foot()]))
        return f"<table><tr>{cells(self._header(), 'th')}</tr>{body}</table><p>{foot}</p>"
