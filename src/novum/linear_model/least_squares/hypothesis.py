r"""Linear hypotheses about coefficients: contrasts, and several of them at once.

R b = r,   W = (R b - r)' (R V R')^{-1} (R b - r),   k the rank of R V R'                                               (17)
F = W/k ~ F(k, degrees of freedom),  or W ~ chi^2(k) where the table has z instead of t
one contrast:  estimate R b, standard error sqrt(R V R'), t or z = (R b - r)/error, interval R b -+ quantile error      (18)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.tables import text_table

__all__ = ["LinearHypothesis", "linear_hypothesis"]

DEPENDENT = 1e-10  # share of the largest eigenvalue of R V R' below which a direction is no test of its own


@dataclass(frozen=True, repr=False)
class LinearHypothesis(Result):
    """The test of linear hypotheses, and every contrast with its interval."""

    contrast: list[str]
    estimate: np.ndarray
    value: np.ndarray  # that the hypothesis gives it
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    statistic: float
    df: tuple[float, ...]
    p_value: float
    symbol: str  # F or chi2
    level: float

    def _result_scalars(self) -> dict[str, Any]:
        return {"statistic": self.statistic, "p_value": self.p_value}

    def reject(self, level: float = 0.05) -> bool:
        """Return whether the hypotheses are rejected together at a level of significance."""
        return bool(self.p_value <= level)

    def __repr__(self) -> str:
        ends = [f"[{num((1 - self.level) / 2):.3g}", f"{num((1 + self.level) / 2):.3g}]"]
        rows = zip(self.contrast, self.estimate, self.value, self.standard_error, self.lower, self.upper)
        cells = [[name, *(f"{num(number):.6g}" for number in numbers)] for name, *numbers in rows]
        shown = text_table([["", "estimate", "hypothesis", "std err", *ends], *cells], indent="", strip=False)
        df = ", ".join(f"{num(d):.6g}" for d in self.df)
        p = "p < .001" if self.p_value < 0.001 else f"p = {num(self.p_value):.3f}"
        return "\n".join([*shown, f"{self.symbol}({df}) = {num(self.statistic):.6g}, {p}"])


def contrast_row(hypothesis: Any, names: list[str]) -> tuple[str, np.ndarray]:
    """Return one contrast as words and as a row of weights."""
    row = np.zeros(len(names))
    if isinstance(hypothesis, str):
        hypothesis = {hypothesis: 1.0}
    if isinstance(hypothesis, Mapping):
        for name, weight in hypothesis.items():
            if name not in names:
                raise ParameterError(f"hypothesis: there is no coefficient {name!r}; there are {', '.join(names)}.")
            row[names.index(name)] = float(weight)
    else:
        given = np.asarray(hypothesis, dtype=np.float64)
        if given.shape != row.shape:
            raise ParameterError(
                f"hypothesis: a contrast needs {counted(len(names), 'weight')}, one per coefficient; got shape {given.shape}."
            )
        row = given
    if not row.any() or not np.isfinite(row).all():
        raise ParameterError("hypothesis: a contrast needs finite weights, not all zero.")
    parts = [(f"{w:+g} " if abs(w) != 1 else "+ " if w > 0 else "- ") + name for name, w in zip(names, row) if w]
    return " ".join(parts).removeprefix("+ "), row


def linear_hypothesis(
    names: list[str],
    coef: np.ndarray,
    covariance: np.ndarray,
    freedom: float | None,
    hypothesis: Any,
    value: Any,
    level: float,
) -> LinearHypothesis:
    """Return (17) and (18); `freedom` is None where the coefficients are compared with a normal law."""
    from scipy import stats

    if not 0 < level < 1:
        raise ParameterError(f"hypothesis: level={level!r} must lie between 0 and 1, e.g. level=0.95.")
    single = isinstance(hypothesis, str | Mapping) or (
        not isinstance(hypothesis, np.ndarray)
        and isinstance(hypothesis, Sequence)
        and len(hypothesis) > 0
        and all(isinstance(item, int | float) for item in hypothesis)
    )
    if isinstance(hypothesis, np.ndarray):
        single = hypothesis.ndim == 1
    rows = [contrast_row(one, names) for one in ([hypothesis] if single else hypothesis)]
    if not rows:
        raise ParameterError("hypothesis: give at least one contrast.")
    R = np.array([row for _, row in rows])
    r = np.broadcast_to(np.asarray(value, dtype=np.float64), (len(R),)).astype(np.float64)
    estimate, V = R @ coef, R @ covariance @ R.T
    if not np.isfinite(V).all():
        raise DataError(
            "hypothesis: the data do not determine these coefficients, so that nothing can be told about them."
        )
    values, vectors = np.linalg.eigh(V)
    used = values > DEPENDENT * max(values[-1], 0.0)
    k = int(used.sum())
    if k == 0:
        raise DataError("hypothesis: these contrasts have no spread; the data do not tell them.")
    gap = vectors[:, used].T @ (estimate - r)
    wald = float((gap**2 / values[used]).sum())
    error = np.sqrt(np.diag(V))
    law = stats.norm if freedom is None else stats.t(freedom)
    half = law.ppf((1 + level) / 2) * error
    statistic = wald if freedom is None else wald / k
    p = stats.chi2.sf(wald, k) if freedom is None else stats.f.sf(statistic, k, freedom)
    return LinearHypothesis(
        [name for name, _ in rows], estimate, r, error, estimate - half, estimate + half, statistic,
        (k,) if freedom is None else (k, freedom), float(p), "chi2" if freedom is None else "F", level,
    )  # fmt: skip
