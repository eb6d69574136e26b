r"""Linear hypotheses about coefficients: contrasts, and several of them at once.

R b = r,   W = (R b - r)' (R V R')^{-1} (R b - r),   k the rank of R V R'                                               (17)
F = W/k ~ F(k, degrees of freedom),  or W ~ chi^2(k) where the table has z instead of t; by cluster as (3) of `clusters`
one contrast:  estimate R b, standard error sqrt(R V R'), t or z = (R b - r)/error, interval R b -+ quantile error      (18)

With V = C C' and S the lengths of the rows of R C, W is the squared length of (S^{-1} R C)^+ S^{-1} (R b - r): the rank is that of
a matrix with rows of length one, so that the units of columns take no part in it, and nothing is squared before it is inverted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.tables import text_table
from novum.runtime.checks import check_level, check_significance

__all__ = ["LinearHypothesis", "linear_hypothesis"]

DEPENDENT = 1e-13  # share of the largest singular value of S^{-1} R C below which a direction is no test of its own
REPEATED = 1e-10  # what is left of a contrast, of its length, where those before it say the same


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

    def reject(self, significance: float = 0.05) -> bool:
        """Return whether the hypotheses are rejected together, with that probability of an error where they hold."""
        return bool(self.p_value <= check_significance("LinearHypothesis.reject", significance))

    def __repr__(self) -> str:
        ends = [f"[{num((1 - self.level) / 2):.3g}", f"{num((1 + self.level) / 2):.3g}]"]
        rows = zip(self.contrast, self.estimate, self.value, self.standard_error, self.lower, self.upper)
        cells = [[name, *(f"{num(number):.6g}" for number in numbers)] for name, *numbers in rows]
        shown = text_table([["", "estimate", "hypothesis", "std err", *ends], *cells], indent="", strip=False)
        df = ", ".join(f"{num(d):.6g}" for d in self.df)
        p = "p < .001" if self.p_value < 0.001 else f"p = {num(self.p_value):.3f}"
        fewer = f"{len(self.contrast)} contrasts, of which the data tell {self.df[0]:g} apart"
        note = [fewer] if self.df[0] < len(self.contrast) else []
        return "\n".join([*shown, *note, f"{self.symbol}({df}) = {num(self.statistic):.6g}, {p}"])


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


def distinct(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return which contrasts say something that those before them do not; raise where two contradict each other."""
    size = np.abs(R).max(axis=0)
    scaled = R[:, size > 0] / size[size > 0]
    length = np.linalg.norm(scaled, axis=1)
    scaled, value = scaled / length[:, None], r / length
    basis, at = np.zeros((0, scaled.shape[1])), np.zeros(0)
    kept: list[int] = []
    for i, (row, target) in enumerate(zip(scaled, value)):
        along = np.linalg.lstsq(basis.T, row, rcond=None)[0] if kept else np.zeros(0)
        if np.linalg.norm(row - along @ basis) > REPEATED:
            kept.append(i)
            basis, at = np.vstack([basis, row]), np.append(at, target)
        elif abs(target - along @ at) > REPEATED * (abs(target) + np.abs(along) @ np.abs(at)):
            raise ParameterError(
                f"hypothesis: contrast {i + 1} is made of those before it, and its value {r[i]:g} contradicts theirs."
            )
    return np.array(kept)


def wald(R: np.ndarray, gap: np.ndarray, factor: np.ndarray) -> tuple[float, int]:
    """Return W of (17) and its k; V = factor factor' is never multiplied out, nor are units of columns compared."""
    half = R @ factor
    unit = np.linalg.norm(half, axis=1)
    informative = unit > 0
    if not informative.any():
        return np.nan, 0
    U, s, _ = np.linalg.svd(half[informative] / unit[informative, None], full_matrices=False)
    used = s > DEPENDENT * s[0]
    along = U[:, used].T @ (gap[informative] / unit[informative])
    return float(((along / s[used]) ** 2).sum()), int(used.sum())


def f_test(statistic: float, k: int, freedom: float, clustered: int) -> tuple[float, tuple[float, float]]:
    """Return F and its degrees of freedom; (3) of `clusters` for so many `clustered` contrasts."""
    if not clustered:
        return statistic / k, (k, freedom)
    second = freedom - k + 1
    if k < clustered or not second > 0:
        raise DataError(
            f"hypothesis: the clusters are too few to test {clustered} hypotheses together; test fewer at once."
        )
    return statistic * second / (freedom * k), (k, second)


def linear_hypothesis(table: Any, hypothesis: Any, value: Any, level: float) -> LinearHypothesis:
    """Return (17) and (18) for the coefficients of a table, which are compared with a normal distribution where it has z."""
    from scipy import stats

    check_level("hypothesis", level)
    names, coef, factor = list(table.names), table.coef, table.factor
    freedom = None if table.t_freedom is None else table._contrast_freedom
    by_cluster = table.clusters is not None and table.clusters.kind != "CR1"
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
    estimate, error = R @ coef, np.linalg.norm(R @ factor, axis=1)
    if not np.isfinite(error).all():
        raise DataError(
            "hypothesis: the data do not determine these coefficients, so that nothing can be concluded about them."
        )
    own = distinct(R, r)
    statistic, k = wald(R[own], (estimate - r)[own], factor)
    if k == 0:
        raise DataError("hypothesis: these contrasts have no variance; the data do not determine them.")
    df: tuple[float, ...] = (k,)
    if freedom is None:
        half = stats.norm.ppf((1 + level) / 2) * error
        p = stats.chi2.sf(statistic, k)
    else:
        half = stats.t.ppf((1 + level) / 2, [freedom(row[None]) for row in R]) * error
        statistic, df = f_test(statistic, k, freedom(R[own]), len(own) if by_cluster else 0)
        p = stats.f.sf(statistic, *df)
    return LinearHypothesis(
        contrast=[name for name, _ in rows],
        estimate=estimate,
        value=r,
        standard_error=error,
        lower=estimate - half,
        upper=estimate + half,
        statistic=statistic,
        df=df,
        p_value=float(p),
        symbol="chi2" if freedom is None else "F",
        level=level,
    )
