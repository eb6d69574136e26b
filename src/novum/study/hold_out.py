"""The judgement of a kept model on rows that nobody has seen: every measure with its interval."""

from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.report.result import result
from novum.study.comparison.fits import Rows
from novum.study.comparison.tuning import predict_rows
from novum.study.data.task import target_shape
from novum.study.scoring.intervals import FEW_DECIDE, deciding_rows, score_interval
from novum.study.scoring.measures import MEASURES, Predicted, measure_for

__all__ = ["HoldOut", "judge_held_out"]


@result
class HoldOut(NamedTuple):
    """The kept model on the rows that were put away."""

    score: float
    interval: Interval
    y: Any
    predicted: Any
    proba: Any = None  # (rows, classes), where the model gives probabilities
    every: dict[str, tuple[float, Interval]] = {}  # all measures by name, with their intervals
    few: dict[str, float] = {}  # measures whose interval fewer rows decide than can be trusted, with their number


def judge_held_out(
    rows: Rows,
    held: np.ndarray,
    model: Any,
    *,
    positive: int | None,
    by_class: bool,
) -> tuple[HoldOut, Predicted]:
    """Return the scores of a model on the rows put away, by all measures that fit it, and its predictions of them.

    `by_class` says that the rows were put away class by class, which makes intervals of shares narrower.
    """
    judge, y = rows.judge, rows.y[held]
    weight = None if rows.weight is None else rows.weight[held]
    said = predict_rows(judge, model, rows.frame.iloc[held])
    measure, share = judge.measure, len(held) / len(rows.y) if by_class else None
    others = [
        one.name
        for one in MEASURES.values()
        if one.kind == judge.kind and one.name != measure.name and (said.proba is not None or not one.proba)
        if not one.nonnegative or target_shape(rows.y)
    ]
    judged = [measure, *(measure_for(measure.kind, name, positive) for name in others)]
    every = {
        one.name: (
            one.score(y, said, judge.classes, weight),
            score_interval(one, y, said, judge.classes, judge.seed, weight, share=share),
        )
        for one in judged
    }
    deciding = {one.name: deciding_rows(one, y, said, judge.classes, weight) for one in judged}
    few = {name: count for name, count in deciding.items() if count < FEW_DECIDE}
    return HoldOut(*every[measure.name], y, said.values, said.proba, every, few), said
