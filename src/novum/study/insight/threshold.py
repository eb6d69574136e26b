r"""From which probability on the positive of two classes is to be said: measures along the threshold, and the best one.

Saying the positive class from a probability t on costs, with the costs c of true and said class and N rows,

    C(t) = 1/N sum_i c[y_i, 1{p_i >= t}]                                                                                   (1)

Every t between two neighbouring probabilities gives the same decisions, so all thresholds are tried by the middles between
them. Probabilities that are right make t* = (c[0,1] - c[0,0]) / (c[0,1] - c[0,0] + c[1,0] - c[1,1]) best. The threshold is
chosen on the rows of the training part, each predicted by a model that had not seen it, and reported with its measures on the rows
put away, which had no say; where there are no such rows the choice is made on the rows put away and said to be.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.report.numbers import counted, decimal
from novum.study.comparison.tuning import Judge
from novum.study.scoring.intervals import score_interval
from novum.study.scoring.measures import Measure, Predicted

__all__ = ["Thresholds", "best_threshold", "thresholds_of"]

SHOWN = 99  # thresholds of the picture
OF_DECISIONS = ("accuracy", "balanced_accuracy", "f1", "cost")


class Thresholds(NamedTuple):
    """Measures of the rows put away along the threshold."""

    positive: str
    at: np.ndarray  # thresholds
    found: np.ndarray  # share of the positive rows that are said to be: recall
    right: np.ndarray  # share of those said positive that are: precision
    score: np.ndarray  # of the measure the threshold is chosen for
    measure: str  # its title
    best: float
    best_score: float  # on the rows put away
    usual: float  # the threshold that the model decides by
    usual_score: float
    honest: bool  # whether other rows chose it
    sentence: str
    positives: np.ndarray  # rows of which `found` is a share, by threshold
    called: np.ndarray  # and `right`


def decision_measure(judge: Judge, measures: dict[str, Measure]) -> Measure:
    """Return the measure to choose by: the study's own if it judges decisions, else balanced accuracy."""
    return judge.measure if judge.measure.name in OF_DECISIONS else measures["balanced_accuracy"]


def decided(p: np.ndarray, threshold: float, positive: int) -> np.ndarray:
    """Return class numbers: the positive from the threshold on."""
    return np.where(p >= threshold, positive, 1 - positive)


def candidate_thresholds(p: np.ndarray) -> np.ndarray:
    """Return a threshold for every way to part the rows by probability, between 0 and 1."""
    values = np.unique(p)
    middles = (values[:-1] + values[1:]) / 2
    return np.unique(np.clip(np.concatenate([[0.0], middles, [np.nextafter(values[-1], 2.0)]]), 0.0, 1.0))


def best_threshold(measure: Measure, truth: np.ndarray, p: np.ndarray, positive: int, usual: float) -> float:
    """Return the threshold of the best score; of several, the one nearest to the usual."""
    tried = candidate_thresholds(p)
    if len(tried) > 2_000:  # as good as all of them, of as many rows
        tried = np.unique(np.quantile(tried, np.linspace(0, 1, 2_000)))
    scores = np.array([measure.better(measure.of(truth, decided(p, t, positive), None)) for t in tried])
    ties = tried[scores >= scores.max() - 1e-12]
    return float(ties[np.argmin(np.abs(ties - usual))])


def thresholds_of(
    judge: Judge,
    y: np.ndarray,
    said: Predicted,
    positive: int | None,
    label: str,
    measures: dict[str, Measure],
    other: tuple[np.ndarray, Predicted] | None = None,
) -> Thresholds | None:
    """Return the measures along the threshold, None where there are not two classes with probabilities.

    Parameters
    ----------
    y, said : the rows put away
    other : the rows to choose on, as (y, said); None: the rows put away
    """
    if judge.classes is None or len(judge.classes) != 2 or said.proba is None or not np.isfinite(said.proba).all():
        return None
    place = 1 if positive is None else positive
    measure = decision_measure(judge, measures)
    truth, p = np.searchsorted(judge.classes, y), said.proba[:, place]
    if len(np.unique(truth)) < 2:
        return None
    usual = usual_threshold(judge.costs, place)
    if other is not None and other[1].proba is not None and len(np.unique(other[0])) == 2:
        chosen_on = np.searchsorted(judge.classes, other[0]), np.asarray(other[1].proba)[:, place]
    else:
        other, chosen_on = None, (truth, p)
    best = best_threshold(measure, *chosen_on, place, usual)
    at = np.linspace(0.01, 0.99, SHOWN)
    is_positive = truth == place
    calls = p[None, :] >= at[:, None]
    hits = (calls & is_positive).sum(axis=1)
    right = np.where(calls.any(axis=1), hits / np.maximum(calls.sum(axis=1), 1), np.nan)
    score = np.array([measure.of(truth, decided(p, t, place), None) for t in at])
    scores = [measure.of(truth, decided(p, t, place), None) for t in (best, usual)]
    labels = Predicted(judge.classes[decided(p, best, place)], None)
    interval = score_interval(measure, y, labels, judge.classes, judge.seed)
    sentence = sentence_on(
        measure, label, best=best, usual=usual, scores=scores, interval=interval, n=len(y), honest=other is not None
    )
    return Thresholds(
        positive=label,
        at=at,
        found=hits / is_positive.sum(),
        right=right,
        score=score,
        measure=measure.title,
        best=best,
        best_score=scores[0],
        usual=usual,
        usual_score=scores[1],
        honest=other is not None,
        sentence=sentence,
        positives=np.full(SHOWN, is_positive.sum()),
        called=calls.sum(axis=1),
    )


def usual_threshold(costs: Any, positive: int) -> float:
    """Return the probability from which on the model says the positive class: a half, or t* of its costs."""
    if costs is None:
        return 0.5
    false_alarm = costs[1 - positive, positive] - costs[1 - positive, 1 - positive]
    missed = costs[positive, 1 - positive] - costs[positive, positive]
    return float(false_alarm / (false_alarm + missed)) if false_alarm + missed > 0 else 0.5


def sentence_on(
    measure: Measure,
    label: str,
    best: float,
    usual: float,
    scores: list[float],
    interval: Interval,
    n: int,
    honest: bool,
) -> str:
    """Return the choice in a sentence."""
    chosen = "chosen on other rows" if honest else "chosen on these rows, which flatters it"
    ends = f"95 % interval {measure.text(interval.lower)} to {measure.text(interval.upper)}"
    said = (
        f"{measure.title} is {measure.text(scores[0])} ({ends}) on the {counted(n, 'row')} put away, against"
        f" {measure.text(scores[1])}"
    )
    gains = measure.better(scores[0]) > measure.better(scores[1])
    keep = "" if gains else "; that is no gain, so the usual threshold may stay"
    choice = f"say {label} from a probability of {decimal(best)} on ({chosen})"
    return f"Best for {measure.title}: {choice}; {said} at {decimal(usual)}{keep}."
