r"""How the model does for groups of rows: measures with intervals, gaps with tests, calibration, by a column that was named.

Each row was predicted by a model that had not seen it: the rows put away, and those of the training part by folds. A group is
compared with all other rows, by shares or by means (novum.study.insight.gaps). Of two classes the shares are

    right           said rightly                            said         said to be positive
    found           of positive rows, said to be            false alarm  of other rows, said to be positive
    right if said   of those said to be positive, such that are

of more classes the first alone; of numbers the means are the error (prediction less truth) and its size. All p-values of all
columns are adjusted together by Holm's method, so a gap is named by chance in at most one table of twenty. Whether probabilities
hold in a group is tested by drawing outcomes with the very probabilities that were said: the expected calibration error of the
group against those of the draws, likewise adjusted. Rows count alike, whatever their weights.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from novum.evaluation import holm
from novum.evaluation.intervals.proportion import Interval
from novum.exceptions import DataError
from novum.report.numbers import counted, num
from novum.study.data.table import BOOL, DATE, OTHER, TEXT, Column
from novum.study.insight.calibrated import calibrated_rows
from novum.study.insight.gaps import Gap, mean_gap, share_gap
from novum.study.insight.slices import range_words
from novum.study.scoring.intervals import score_interval
from novum.study.scoring.measures import Measure, Predicted, probability

__all__ = ["Fairness", "GroupScore", "compare_groups", "groups_of"]

LEAST_ROWS, FEW_ROWS = 10, 50  # of a group that is measured at all, and of one whose intervals are wide
MOST_GROUPS, MOST_VALUES = 12, 8  # that are told apart; different numbers that are groups of their own
LEVEL = 0.05
DRAWS = 999
MISSING, OTHERS = "(missing)", "(others)"


class GroupScore(NamedTuple):
    """The model in one group."""

    group: str
    rows: int
    score: float
    interval: Interval
    said: float  # mean probability of the positive class, or mean prediction; NaN of more classes
    truth: float  # share of the positive class, or mean
    error: float  # expected calibration error; NaN without probabilities
    error_p: float  # adjusted; NaN likewise


class Fairness(NamedTuple):
    """What was found about the groups of one column."""

    column: str
    used: bool  # whether the model learned from it
    scores: list[GroupScore]
    gaps: list[Gap]  # least p-value first
    tests: int  # adjusted together, of all columns
    rows: int
    shares: bool  # whether the values compared are shares
    small: list[tuple[str, int]]  # groups too small to be measured
    few: list[tuple[str, int]]  # groups with wide intervals
    measure: Measure

    def sentence(self) -> str:
        """Return the most that can be said in a line."""
        text = self.measure.text
        known = [one for one in self.scores if one.score == one.score]
        if len(known) < 2:
            return f"{self.column}: fewer than two groups have {LEAST_ROWS} rows; nothing can be compared"
        low, high = (f(known, key=lambda one: one.score) for f in (min, max))
        ends = f"{text(low.score)} ({low.group:.24}) to {text(high.score)} ({high.group:.24})"
        line = f"{self.column}: {self.measure.title} from {ends}"
        shown = [gap for gap in self.gaps if gap.p_value <= LEVEL]
        if not shown:
            tests = counted(self.tests, "test")
            return f"{line}; no gap is shown in {tests} (Holm), which is no proof that there is none"
        gap = shown[0]
        ends = f"{num(gap.interval.lower):+.3g} to {num(gap.interval.upper):+.3g}"
        more = f", and {counted(len(shown) - 1, 'gap')} more" if len(shown) > 1 else ""
        return (
            f"{line}; {gap.group:.24} against the others: {gap.what} {num(gap.difference):+.3g} ({ends}),"
            f" p {probability(gap.p_value)}{more}"
        )


def groups_of(column: Column) -> np.ndarray:
    """Return the group of every row of a column: its level, its number or a quarter of the numbers, its year."""
    if column.kind == OTHER or column.values is None:
        raise DataError(f"--fair {column.name}: holds {column.type}, which makes no groups.")
    missing = column.missing
    found = np.full(len(missing), MISSING, dtype=object)
    if column.kind == TEXT:
        found[~missing] = column.values[~missing]
    elif column.kind == BOOL:
        found[~missing] = np.where(column.values[~missing] > 0, "true", "false")
    elif column.kind == DATE:
        found[~missing] = column.values[~missing].astype("datetime64[Y]").astype(str)
    else:
        values = column.values[~missing]
        different = np.unique(values)
        if len(different) <= MOST_VALUES:
            found[~missing] = [f"{num(v):.6g}" for v in values]
        else:
            ends = np.concatenate([[-np.inf], np.unique(np.quantile(values, [0.25, 0.5, 0.75])), [np.inf]])
            names = np.array([range_words("", low, high).strip() for low, high in pairwise(ends)], dtype=object)
            found[~missing] = names[np.searchsorted(ends[1:-1], values, side="left")]
    levels, counts = np.unique(found.astype(str), return_counts=True)
    if len(levels) > MOST_GROUPS:
        kept = set(levels[np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1]])
        found = np.array([one if one in kept else OTHERS for one in found], dtype=object)
    return found.astype(str)


def compare_groups(
    columns: list[tuple[Column, bool]],
    y: np.ndarray,
    said: Predicted,
    judge: Any,
    positive: int | None,
) -> list[Fairness]:
    """Return what was found about every column.

    Parameters
    ----------
    columns : list of (column, whether the model learned from it), of the rows
    y, said : truth of the rows, and what models that had not seen them say
    """
    found: list[Fairness] = []
    every: list[Gap] = []
    errors: list[float] = []
    for column, used in columns:
        groups = groups_of(column)
        names, counts = np.unique(groups, return_counts=True)
        measured = [str(name) for name, count in zip(names, counts) if count >= LEAST_ROWS]
        scores = [score_of(name, groups == name, y, said, judge, positive) for name in measured]
        compared = measured[:1] if len(measured) == 2 == len(names) else measured if len(names) > 1 else []
        gaps = [gap for name in compared for gap in gaps_of(name, groups == name, y, said, judge, positive)]
        every += gaps
        errors += [one.error_p for one in scores]
        small = [(str(name), int(count)) for name, count in zip(names, counts) if count < LEAST_ROWS]
        few = [(one.group, one.rows) for one in scores if one.rows < FEW_ROWS]
        shares = judge.classes is not None
        one = Fairness(
            column=column.name,
            used=used,
            scores=scores,
            gaps=gaps,
            tests=0,
            rows=len(y),
            shares=shares,
            small=small,
            few=few,
            measure=judge.measure,
        )
        found.append(one)
    p_gaps: Iterator[float] = iter(holm([gap.p_value for gap in every]) if every else [])
    known = [p for p in errors if p == p]
    p_errors: Iterator[float] = iter(holm(known) if known else [])
    return [adjusted(one, p_gaps, p_errors, len(every)) for one in found]


def adjusted(one: Fairness, p_gaps: Iterator[float], p_errors: Iterator[float], tests: int) -> Fairness:
    """Return what was found about a column with adjusted p-values."""
    gaps = sorted((gap._replace(p_value=float(next(p_gaps))) for gap in one.gaps), key=lambda gap: gap.p_value)
    scores = [s._replace(error_p=float(next(p_errors))) if s.error_p == s.error_p else s for s in one.scores]
    return one._replace(gaps=gaps, scores=scores, tests=tests)


def score_of(
    name: str, inside: np.ndarray, y: np.ndarray, said: Predicted, judge: Any, positive: int | None
) -> GroupScore:
    """Return the model in one group."""
    part, truth = part_of(said, inside), y[inside]
    nothing = float("nan")
    try:
        score = judge.measure.score(truth, part, judge.classes)
        interval = score_interval(judge.measure, truth, part, judge.classes, judge.seed)
    except (ValueError, IndexError, ZeroDivisionError):  # a measure that needs classes which the group has not
        score, interval = nothing, Interval(nothing, nothing)
    error = p = mean = share = nothing
    if judge.classes is None:
        mean, share = float(np.mean(part.values)), float(np.mean(truth))
    elif len(judge.classes) == 2:
        k = 1 if positive is None else positive
        share = float(np.mean(truth == judge.classes[k]))
        mean = float(np.mean(part.proba[:, k])) if part.proba is not None else nothing
    calibrated = calibrated_rows(judge, truth, part, positive)
    if calibrated is not None:
        error = float(calibrated.curve.expected_error)
        proba = np.asarray(part.proba)
        q = proba[:, 1 if positive is None else positive] if calibrated.two else proba.max(axis=1)
        p = calibration_p(q, calibrated.curve.edges, error, judge.seed)
    return GroupScore(name, int(inside.sum()), float(score), interval, said=mean, truth=share, error=error, error_p=p)


def calibration_p(q: np.ndarray, edges: np.ndarray, error: float, seed: int) -> float:
    """Return the p-value of the question whether outcomes come with the probabilities q that were said."""
    rng, bins = np.random.default_rng(seed), len(edges) - 1
    place = np.clip(np.searchsorted(edges, q, side="right") - 1, 0, bins - 1)
    above = 0
    for _ in range(DRAWS):
        gap = (rng.random(len(q)) < q) - q
        above += np.abs(np.bincount(place, gap, minlength=bins)).sum() / len(q) >= error - 1e-12
    return (1 + above) / (1 + DRAWS)


def part_of(said: Predicted, inside: np.ndarray) -> Predicted:
    """Return the predictions of some rows."""
    return Predicted(said.values[inside], None if said.proba is None else said.proba[inside])


def gaps_of(
    name: str, inside: np.ndarray, y: np.ndarray, said: Predicted, judge: Any, positive: int | None
) -> list[Gap]:
    """Return a group compared with all other rows in every respect that both have rows for; p-values as they are."""
    if judge.classes is None:
        off = np.asarray(said.values, dtype=np.float64) - y
        return [
            mean_gap(name, what, v[inside], v[~inside])
            for what, v in (("error", off), ("size of the error", np.abs(off)))
        ]
    right, found = said.values == y, []
    respects = [("right", right, np.ones(len(y), dtype=bool))]
    if len(judge.classes) == 2:
        label = judge.classes[1 if positive is None else positive]
        truth, called = y == label, said.values == label
        respects += [
            (f"said {label}", called, np.ones(len(y), dtype=bool)),
            (f"{label} found", called, truth),
            (f"false alarm {label}", called, ~truth),
            (f"right if said {label}", truth, called),
        ]
    for what, hits, of in respects:
        here, there = hits[inside & of], hits[~inside & of]
        if len(here) >= LEAST_ROWS and len(there) >= LEAST_ROWS:
            found.append(share_gap(name, what, here, there))
    return found
