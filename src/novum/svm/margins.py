"""What the optimality conditions say of every training row of a classifier for two classes.

functional margin  m_i = y_i d(x_i),   geometric margin  m_i / |w|,   width between the margins  2 / |w|               (1)
slack  s_i = max(0, 1 - m_i)                                                                                          (2)
primal  |w|^2 / 2 + sum_i C_i s_i,   dual  sum_i a_i - |w|^2 / 2,   gap  primal - dual >= 0                             (3)
a_i = 0: m_i >= 1      0 < a_i < C_i: m_i = 1      a_i = C_i: m_i <= 1                                                 (4)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.report.result import Result

__all__ = ["MarginReport", "examine"]

ROLES = ("outside", "on the margin", "inside the margin", "wrong")
NEAR = 10.0  # times tol: how far a margin of one may be off


@dataclass(repr=False)
class MarginReport(Result):
    """Roles of the rows and the objectives: see `SVC.kkt_report`.

    Attributes
    ----------
    role : array of str
        "outside" the margin, "on the margin", "inside the margin" or "wrong" side.
    multiplier, functional_margin, geometric_margin, slack : arrays of shape (n_samples,)
    width : float
        Distance between the two margins, 2 / |w|.
    primal, dual, gap, violation : float
    """

    role: NDArray[np.str_]
    multiplier: NDArray[np.float64]
    functional_margin: NDArray[np.float64]
    geometric_margin: NDArray[np.float64]
    slack: NDArray[np.float64]
    width: float
    primal: float
    dual: float
    gap: float
    violation: float

    def counts(self) -> dict[str, int]:
        """Return how many rows play each role."""
        return {role: int((self.role == role).sum()) for role in ROLES}


def examine(model: Any, X: Any, y: Any, sample_weight: Any) -> MarginReport:
    """Return (1) to (4) for the rows that `model` was fitted to."""
    owner = type(model).__name__
    if len(model.classes_) != 2:
        raise DataError(
            f"{owner}.kkt_report tells of one machine, and {len(model.classes_)} classes have one per pair. Fit two of them."
        )
    decision = np.asarray(model.decision_function(X))
    label = np.asarray(y)
    if len(label) != model.shape_fit_[0] or not np.isin(label, model.classes_).all():
        raise DataError(
            f"{owner}.kkt_report: give the X and y of the fit, {model.shape_fit_[0]} rows of its two classes."
        )
    sign = np.where(label == model.classes_[1], 1.0, -1.0)
    signed = np.zeros(len(sign))
    signed[model.support_] = -model._dual_coef_[0]
    multiplier = signed * sign
    weight = model.class_weight_[np.searchsorted(model.classes_, label)]
    weight = weight if sample_weight is None else weight * np.asarray(sample_weight, dtype=np.float64)
    C = getattr(model, "C", None)
    bound = weight * C if C is not None else np.full(len(sign), np.inf)
    intercept = float(model.intercept_[0])
    square = max(float(signed @ (decision - intercept)), 0.0)
    margin = sign * decision
    slack = np.maximum(0.0, 1 - margin)
    finite = np.where(slack > 0, bound, 0.0)
    primal, dual = square / 2 + float(finite @ slack), float(multiplier.sum()) - square / 2
    near = NEAR * model.tol
    role = np.where(
        margin < 0, ROLES[3], np.where(margin < 1 - near, ROLES[2], np.where(margin <= 1 + near, ROLES[1], ROLES[0]))
    )
    norm = np.sqrt(square)
    with np.errstate(divide="ignore", invalid="ignore"):
        geometric, width = margin / norm, float(2 / norm) if norm else np.inf
    return MarginReport(
        role, multiplier, margin, geometric, slack, width, primal, dual, primal - dual, float(model.kkt_violation_[0])
    )
