r"""How a prediction moves with one column: partial dependence, and the curves of single rows around it.

    ICE_i(v) = f(x_i with its column set to v),     PD(v) = mean of ICE_i(v) over rows                                     (1)

with Student's interval for the mean over rows like these.

The values v of a number are some that occur, from its 2.5 to its 97.5 per cent point, so that the model predicts nothing far
from what it saw; of a category they are its most frequent levels. A band holds the middle 80 % of the rows' curves: where these
rise and fall together with their mean, the column acts alike on all rows. Where columns go together, some of the rows of (1)
cannot occur (Friedman 2001; Goldstein et al. 2015).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from novum.report.result import result
from novum.study.insight.model_function import ModelFunction, mixed_rows

__all__ = ["Dependence", "partial_dependence"]

GRID = 16  # values of a number
MOST_LEVELS = 10
BAND = (0.1, 0.9)


@result
class Dependence(NamedTuple):
    """The partial dependence of a prediction on a column."""

    column: str
    values: list[Any]  # numbers or levels
    mean: np.ndarray  # PD
    lower: np.ndarray  # the band
    upper: np.ndarray
    curves: np.ndarray  # ICE of some rows, (rows, values)
    numeric: bool
    output: int  # the class it is about, as its place
    days: bool = False  # whether the numbers are counts of days
    half_width: np.ndarray | None = None  # of the 95 % interval of PD, over rows

    def _result_columns(self) -> dict[str, Any]:
        half = np.full(len(self.mean), np.nan) if self.half_width is None else self.half_width
        ends = {"lower": self.mean - half, "upper": self.mean + half}
        return {"value": self.values, "mean": self.mean, **ends, "rows 10 %": self.lower, "rows 90 %": self.upper}

    def _result_caption(self) -> str:
        return f"Partial dependence on {self.column}"


def grid_rows(cells: Any, numeric: bool) -> np.ndarray:
    """Return rows whose cells make the grid of a column, in order."""
    if numeric:
        known = np.flatnonzero(~np.isnan(np.asarray(cells, dtype=np.float64)))
        ordered = known[np.argsort(np.asarray(cells, dtype=np.float64)[known], kind="stable")]
        values, first = np.unique(np.asarray(cells, dtype=np.float64)[ordered], return_index=True)
        if len(values) <= GRID:
            return ordered[first]
        picked = ordered[np.round(np.linspace(0.025, 0.975, GRID) * (len(ordered) - 1)).astype(int)]
        return picked[np.unique(np.asarray(cells, dtype=np.float64)[picked], return_index=True)[1]]
    _, first, counts = np.unique(np.asarray(cells).astype(str), return_index=True, return_counts=True)
    return first[np.argsort(-counts, kind="stable")[:MOST_LEVELS]]


def partial_dependence(
    machine: ModelFunction,
    matrices: list[np.ndarray],
    frame: Any,
    column: str,
    parts: list[str],
    places: list[np.ndarray],
    output: int | None = None,
    shown: int = 50,
) -> Dependence | None:
    """Return (1) over rows, or None for a column with fewer than two values.

    Parameters
    ----------
    matrices : of the rows of the frame
    parts : columns of the frame that the column of the table became; the last of them orders the values
    places : matrix columns of the column, per member
    output : int or None
        Which output; None: the one that moves most.
    """
    main = frame[parts[-1]]
    numeric = main.dtype.kind != "O"
    chosen = grid_rows(main.to_numpy(), numeric)
    if len(chosen) < 2:
        return None
    queries = mixed_rows(
        [np.tile(X, (len(chosen), 1)) for X in matrices],
        [np.repeat(X[chosen], len(X), axis=0) for X in matrices],
        places,
    )
    curves = machine.values(queries).reshape(len(chosen), len(frame), -1).swapaxes(0, 1)  # (rows, values, outputs)
    k = int(np.argmax(np.ptp(curves.mean(axis=0), axis=0))) if output is None else output
    curves = curves[:, :, k]
    mean = curves.mean(axis=0)
    lower, upper = np.quantile(curves, BAND, axis=0)
    values, n = main.to_numpy()[chosen], len(curves)
    error = curves.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(mean), np.nan)
    labels = [float(v) for v in values] if numeric else ["(missing)" if v != v else str(v) for v in values]
    return Dependence(
        column=column,
        values=labels,
        mean=mean,
        lower=lower,
        upper=upper,
        curves=curves[:shown],
        numeric=numeric,
        output=k,
        days=len(parts) > 1,
        half_width=error * float(student.ppf(0.975, max(1, n - 1))),
    )
