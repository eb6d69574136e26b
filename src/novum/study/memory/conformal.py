r"""Intervals of numbers and sets of classes that hold the truth with a stated probability, from scores of unseen rows.

    numbers   s_i = |y_i - f(x_i)|       f(x) -+ q                                                                         (1)
    classes   s_i = 1 - p_{y_i}(x_i)     {y: 1 - p_y(x) <= q}, and the most probable class in any case                      (2)

with q the k-th smallest score, k = ceil((m + 1) level) of m. For a model that has seen none of the m rows the probability is at
least the level (split conformal prediction, `novum.evaluation.conformal`). The scores of a study are those of the rows put away
and, where there was time, of the training rows by folds; the saved model is fitted on all of them. That makes the probability
nearly the level instead of surely: the coverage that the report measures, of rows put away by scores of the folds alone, shows
how nearly.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.evaluation import clopper_pearson_interval
from novum.evaluation.conformal.base import conformal_quantile
from novum.evaluation.intervals.proportion import Interval
from novum.study.scoring.measures import Predicted

__all__ = ["Coverage", "coverage_of", "score_rows", "sets_of", "widths_of"]

LEVELS = (0.5, 0.8, 0.9, 0.95)
ROUNDING = 1e-12  # of probabilities: equal scores must compare as equal


class Coverage(NamedTuple):
    """How often intervals or sets held the truth."""

    level: float
    measured: float
    interval: Interval  # of the share, that of Clopper and Pearson
    size: float  # mean width of an interval, or mean number of classes of a set


def score_rows(y: np.ndarray, said: Predicted, classes: Any) -> np.ndarray:
    """Return the scores of (1) or (2) of rows, sorted."""
    if classes is None:
        return np.sort(np.abs(np.asarray(y, dtype=np.float64) - said.values))
    if said.proba is None:
        return np.empty(0)
    return np.sort(1.0 - said.proba[np.arange(len(y)), np.searchsorted(classes, y)])


def widths_of(scores: np.ndarray, level: float) -> float:
    """Return q: half the width of an interval, or the largest score of a class in a set."""
    return conformal_quantile(np.asarray(scores, dtype=np.float64), level)


def sets_of(proba: np.ndarray, scores: np.ndarray, level: float) -> np.ndarray:
    """Return which classes the set of every row holds."""
    sets = 1.0 - proba <= widths_of(scores, level) + ROUNDING
    sets[np.arange(len(proba)), np.argmax(proba, axis=1)] = True
    return sets


def coverage_of(
    y: np.ndarray, said: Predicted, classes: Any, scores: np.ndarray, levels: tuple[float, ...] = LEVELS
) -> list[Coverage]:
    """Return the coverage of rows by intervals or sets from scores of other rows, at every level that these allow."""
    found = []
    for level in levels:
        q = widths_of(scores, level)
        if not np.isfinite(q) or (classes is not None and said.proba is None):
            continue
        if classes is None:
            inside, size = np.abs(y - said.values) <= q + ROUNDING * (1 + abs(q)), 2 * q
        else:
            sets = sets_of(np.asarray(said.proba), scores, level)
            inside, size = sets[np.arange(len(y)), np.searchsorted(classes, y)], float(sets.sum(axis=1).mean())
        hits = int(inside.sum())
        found.append(Coverage(level, hits / len(y), clopper_pearson_interval(hits, len(y)), float(size)))
    return found
