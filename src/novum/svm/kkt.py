"""What the optimality conditions say of every training row of a fitted machine.

Classifier for two classes, m_i = y_i d(x_i):
    slack  s_i = max(0, 1 - m_i)                                                                                          (1)
    primal  |w|^2 / 2 + sum_i C_i s_i,    dual  sum_i a_i - |w|^2 / 2                                                      (2)
    a_i = 0: m_i >= 1       0 < a_i < C_i: m_i = 1       a_i = C_i: m_i <= 1                                               (3)
Regressor, r_i = y_i - f(x_i):
    slack  s_i = max(0, |r_i| - e)                                                                                        (4)
    primal  |w|^2 / 2 + sum_i C_i s_i,    dual  sum_i y_i b_i - e sum_i |b_i| - |w|^2 / 2                                  (5)
    b_i = 0: |r_i| <= e     0 < |b_i| < C_i: |r_i| = e   |b_i| = C_i: |r_i| >= e, b_i with the sign of r_i                 (6)

The gap between primal and dual bounds the distance of both from the optimum.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import row_weights
from novum.runtime.typing import Fittable, Rows, RowWeights, Target
from novum.svm.classification import SVC
from novum.svm.regression import SVR

__all__ = ["MarginConditions", "kkt_report"]

OF_CLASSIFIER = ("outside the margin", "on the margin", "inside the margin", "wrong side")
OF_REGRESSOR = ("inside the tube", "on its border", "outside the tube")


@dataclass(repr=False)
class MarginConditions(Result):
    """Roles of the rows, objectives and gap: see `kkt_report`.

    Attributes
    ----------
    role : array of str
    multiplier : array of shape (n_samples,)
        a of (3); for a regressor b of (6), positive where the row lies above the function.
    margin : array of shape (n_samples,)
        m of (3), or the residual r of (6).
    slack : array of shape (n_samples,)
    bound : array of shape (n_samples,)
        C of every row: where |multiplier| reaches it, the row is bounded.
    norm : float
        |w|; half the strip between the margins is 1 / |w| wide.
    primal, dual, gap : float
    violation : float
        Largest violation of (3) or (6), in units of m or r.
    """

    role: NDArray[np.str_]
    multiplier: NDArray[np.float64]
    margin: NDArray[np.float64]
    slack: NDArray[np.float64]
    bound: NDArray[np.float64]
    norm: float
    primal: float
    dual: float
    gap: float
    violation: float

    def counts(self) -> dict[str, int]:
        """Return how many rows play each role."""
        names, count = np.unique(self.role, return_counts=True)
        return dict(zip(names.tolist(), count.tolist(), strict=True))


def kkt_report(model: Fittable, X: Rows, y: Target, sample_weight: RowWeights = None) -> MarginConditions:
    """Return the role of every row of the fit with its multiplier and slack, both objectives and their gap.

    Parameters
    ----------
    model : fitted SVC of two classes, or SVR
    X, y, sample_weight
        What it was fitted to.

    Examples
    --------
    >>> from novum.svm import SVC, kkt_report
    >>> X, y = [[0, 0], [1, 0], [0, 1], [2, 2], [3, 2], [2, 3], [0.5, 0.5]], [-1, -1, -1, 1, 1, 1, 1]
    >>> report = kkt_report(SVC(kernel="linear", C=0.1).fit(X, y), X, y)
    >>> report.counts(), round(report.primal, 3)
    ({'inside the margin': 3, 'on the margin': 3, 'wrong side': 1}, 0.44)
    """
    if not isinstance(model, SVC | SVR):
        raise DataError(f"kkt_report: takes a fitted SVC or SVR, got {type(model).__name__}.")
    check_is_fitted(model)
    target = np.asarray(y)
    if target.shape != (model.shape_fit_[0],):
        raise DataError(
            f"kkt_report: {type(model).__name__} was fitted to {counted(model.shape_fit_[0], 'row')}, and y has "
            f"the shape {target.shape}."
            " Give the X and y of the fit."
        )
    weight = row_weights("kkt_report", sample_weight, len(target))
    bound = model.C * (np.ones(len(target)) if weight is None else weight)
    signed = np.zeros(len(target))
    if isinstance(model, SVR):
        signed[model.support_] = model._dual_coef_[0]
        return of_regressor(model, signed, target.astype(np.float64), bound, np.asarray(model.predict(X)))
    if len(model.classes_) != 2 or not np.isin(target, model.classes_).all():
        raise DataError(
            f"kkt_report: reports on one machine, and this SVC has {counted(len(model.classes_), 'class')} "
            f"{model.classes_.tolist()}. Fit two"
            " of them, and give their labels as y."
        )
    signed[model.support_] = -model._dual_coef_[0]  # positive for the second class
    bound = bound * model.class_weight_[np.searchsorted(model.classes_, target)]
    sign = np.where(target == model.classes_[1], 1.0, -1.0)
    return of_classifier(model, signed, sign, bound, np.asarray(model.decision_function(X)))


def priced(bound: NDArray[np.float64], slack: NDArray[np.float64], tol: float) -> float:
    """Return sum C_i s_i; a hard bound has slack of rounding only."""
    hard = np.isinf(bound)
    return float(np.where(hard, 0.0, bound) @ slack) if (slack[hard] <= 10 * tol).all() else np.inf


def report_of(
    rows: tuple[NDArray, NDArray, NDArray, NDArray, NDArray],
    square: float,
    reward: float,
    off: NDArray[np.float64],
    tol: float,
) -> MarginConditions:
    """Return the report of rows (role, multiplier, margin, slack, bound) with |w|^2 = `square`; `off` breaks (3) or (6)."""
    _, _, _, slack, bound = rows
    primal, dual = square / 2 + priced(bound, slack, tol), reward - square / 2
    return MarginConditions(*rows, float(np.sqrt(square)), primal, dual, primal - dual, max(0.0, float(off.max())))


def of_classifier(
    model: Any, signed: NDArray, sign: NDArray, bound: NDArray, decision: NDArray[np.float64]
) -> MarginConditions:
    """Return the report of (1) to (3)."""
    multiplier, margin = signed * sign, sign * decision
    slack = np.maximum(0.0, 1 - margin)
    square = max(float(signed @ (decision - model.intercept_[0])), 0.0)
    free = (multiplier > 0) & (multiplier < bound)
    off = np.where(multiplier <= 0, 1 - margin, np.where(free, np.abs(margin - 1), margin - 1))
    wrong, inside = margin < 0, (multiplier >= bound) & (margin < 1)
    on = free | (np.abs(margin - 1) <= model.tol)
    role = np.select([wrong, on, inside], [OF_CLASSIFIER[3], OF_CLASSIFIER[1], OF_CLASSIFIER[2]], OF_CLASSIFIER[0])
    return report_of((role, multiplier, margin, slack, bound), square, float(multiplier.sum()), off, model.tol)


def of_regressor(
    model: Any, signed: NDArray, y: NDArray, bound: NDArray, fitted: NDArray[np.float64]
) -> MarginConditions:
    """Return the report of (4) to (6)."""
    residual, width = y - fitted, float(model.epsilon)
    size = np.abs(residual)
    slack = np.maximum(0.0, size - width)
    square = max(float(signed @ (fitted - model.intercept_[0])), 0.0)
    reward = float(signed @ y) - width * float(np.abs(signed).sum())
    active = np.abs(signed)
    free = (active > 0) & (active < bound)
    outward = np.sign(signed) * residual
    off = np.where(active <= 0, size - width, np.where(free, np.abs(outward - width), width - outward))
    on = free | (np.abs(size - width) <= model.tol)
    role = np.select([on, size > width], [OF_REGRESSOR[1], OF_REGRESSOR[2]], OF_REGRESSOR[0])
    return report_of((role, signed, residual, slack, bound), square, reward, off, model.tol)
