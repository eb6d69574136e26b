r"""What every row adds to the score of a model on the folds, so that two models can be compared row by row.

With T_f the score on fold f of F and u_i its influence value of row i among the n_f that judge it (novum.study.scoring.influence),
the mean of the folds moves with row i by

    g_i = sum_f u_i / (F n_f)                                                                                            (1)

summed over the folds that the row judges, one in every set. Of two models a and b, on the same rows, the difference of the means
has about the standard error

    s = sqrt(sum_i (g_i(a) - g_i(b))^2)                                                                                  (2)

It knows the chance of the rows and not that of the training parts; of the few folds of a comparison it is known far better than
the standard error by folds.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.study.scoring import influence
from novum.study.scoring.measures import Measure, Predicted, judge_rows

__all__ = ["error_of_difference", "influence_values", "row_values"]


def influence_values(measure: Measure, y: Any, predicted: Predicted, classes: Any) -> np.ndarray | None:
    """Return the u_i of a score, with mean zero; None for a measure that has none here."""
    truth, said = judge_rows(measure, y, predicted, classes)
    if measure.rows is not None:
        values = np.asarray(measure.rows(truth, said), dtype=np.float64)
        score = float(np.sqrt(values.mean())) if measure.root else 0.0
        return (values - values.mean()) / (2 * score if score > 0 else 1.0)
    positive = getattr(measure.whole, "keywords", {}).get("positive")
    if measure.name == "balanced_accuracy":
        return influence.balanced_influence(truth, said)
    if measure.name == "f1":
        return influence.f1_influence(truth, said, positive)
    if measure.name == "auc":
        return influence.area_influence(truth, said, positive)
    if measure.name == "average_precision":
        return influence.precision_influence(truth, said, positive)
    if measure.name == "r2" and np.ptp(truth) > 0:
        lost, off = (truth - said) ** 2, (truth - truth.mean()) ** 2
        return -(lost - lost.mean() * off / off.mean()) / off.mean()
    return None


def row_values(
    measure: Measure, y: np.ndarray, predicted: Sequence[Predicted | None], tests: Sequence[np.ndarray], classes: Any
) -> np.ndarray | None:
    """Return (1) of the rows, given what a model says of those that judge every fold; None where it is not known."""
    total = np.zeros(len(y))
    for said, test in zip(predicted, tests):
        u = None if said is None else influence_values(measure, y[test], said, classes)
        if u is None:
            return None
        total[test] += u / (len(tests) * len(test))
    return total


def error_of_difference(a: np.ndarray | None, b: np.ndarray | None) -> float:
    """Return (2); NaN where it is not known."""
    return float("nan") if a is None or b is None else float(np.sqrt(((a - b) ** 2).sum()))
