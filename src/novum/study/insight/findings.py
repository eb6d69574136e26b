"""All that is found about a kept model, within its time: by fitting it again, and by asking it many times."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.study.comparison.clock import Clock, TimeIsUp, within
from novum.study.comparison.compare import Scores
from novum.study.comparison.fits import Rows
from novum.study.data.roles import some_rows
from novum.study.data.schema import Schema
from novum.study.final import KeptModel, fit_seconds
from novum.study.insight.calibrated import Calibrated, calibrated_rows
from novum.study.insight.curve import LearningCurve, learning_curve
from novum.study.insight.dependence import Dependence, partial_dependence
from novum.study.insight.explain import Explanation
from novum.study.insight.model_function import ModelFunction, frame_columns, model_function_of
from novum.study.insight.readable import Readable, read_model
from novum.study.insight.shapley import MOST_PLAYERS, shapley_values
from novum.study.insight.slices import Slices, find_slices
from novum.study.insight.threshold import Thresholds, thresholds_of
from novum.study.insight.unseen import Unseen, join_unseen, predict_folds
from novum.study.memory.conformal import Coverage, coverage_of, score_rows
from novum.study.scoring.measures import MEASURES, Predicted

__all__ = ["Attribution", "Findings", "column_order", "look_further"]

MOST_ROWS = 300  # that dependence is measured on
BACKGROUND = 24  # rows that attributions compare with
ATTRIBUTED = 120  # rows whose contributions are averaged
SHOWN = 6  # columns whose dependence is drawn
STAGES, STAGE_ROOM = 5, 0.1  # seconds after which a stage that does not look at the clock itself is ended
OTHERS = "(all other columns)"


class Attribution(NamedTuple):
    """How much a column adds to predictions, whichever way."""

    column: str
    mean: float  # of |phi| over rows
    interval: Interval  # by the rows


class Findings(NamedTuple):
    """What was found."""

    calibration: Calibrated | None
    thresholds: Thresholds | None
    slices: Slices
    curve: LearningCurve | None
    attributions: list[Attribution]  # largest first
    attributed: int  # rows
    exact: bool  # whether no contribution was sampled
    dependences: list[Dependence]
    readable: Readable | None
    coverages: list[Coverage]  # of the rows put away, by scores of the folds; empty where there are none
    scores: np.ndarray  # of all rows that a model had not seen
    folds: int
    order: list[str]  # columns of the table, most important first
    notes: list[str]  # what there was no time for
    unseen: Unseen | None = None  # predictions of rows by models that had not seen them


def look_further(
    rows: Rows,
    kept: KeptModel,
    scores: Scores,
    train: np.ndarray,
    held: np.ndarray,
    said: Predicted,
    explanation: Explanation,
    schema: Schema,
    positive: int | None,
    seconds: float,
    ordered: bool = False,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> Findings:
    """Return what can be found about a kept model in so many seconds.

    Parameters
    ----------
    rows : all rows of the study
    kept : the model, fitted on the training rows or on a share of them
    said : what it says of the rows put away
    ordered : whether the rows stand in the order of time
    """
    clock, judge = Clock(perf_counter(), max(0.0, seconds)), rows.judge
    train = some_rows(train, round(kept.share * len(train)), ordered, judge.seed)
    each = fit_seconds(scores, kept.leader.position, len(train))
    y, frame = rows.y[held], rows.frame.iloc[held].reset_index(drop=True)
    two = judge.classes is not None and len(judge.classes) == 2
    second = (1 if positive is None else positive) if two else None
    machine, groups = model_function_of(kept.model)._replace(classes=judge.classes), frame_columns(schema)
    order, notes = column_order(explanation, groups), []

    def stage(done: int, share: float, work: Callable[[float], Any]) -> Any:
        """Return what a stage found in its share of the time that is left; None where that was too short."""
        mine = share * (clock.left() or 0.0)
        try:
            with within(mine + STAGE_ROOM):
                return work(mine) if mine > 0 else None
        except TimeIsUp:
            return None
        finally:
            advance(done, STAGES)

    folds = stage(1, 0.45, lambda mine: predict_folds(rows, kept.parts, kept.changes, train, each, mine))
    if folds is None:
        notes.append("no time to fit the model by folds again: intervals and slices rest on the rows put away alone")
    curve = stage(
        2,
        0.4,
        lambda mine: learning_curve(
            rows,
            parts=kept.parts,
            changes=kept.changes,
            train=train,
            held=held,
            said=said,
            fit_seconds=each,
            seconds=mine,
            ordered=ordered,
        ),
    )
    if curve is None:
        notes.append("no time for a learning curve")
    elif kept.leader.simplicity == 0:
        curve = curve._replace(
            verdict="The baseline was kept, which looks at no column: more rows may help a model that does."
        )
    added = stage(
        3,
        0.6,
        lambda mine: attribute(
            machine,
            train=rows.frame.iloc[train],
            frame=frame,
            groups=groups,
            order=order,
            seed=judge.seed,
            seconds=mine,
            second=second,
        ),
    )
    attributions, count, exact = added or ([], 0, True)
    if not attributions:
        notes.append("no time for contributions of the columns")
    dependences = stage(4, 0.8, lambda mine: dependences_of(machine, frame, groups, order, second, judge.seed, mine))
    weight = None if rows.weight is None else rows.weight[train]
    readable = read_model(kept.model, rows.frame.iloc[train], rows.y[train], weight, second)
    label = "" if second is None else str(judge.classes[second])
    unseen = join_unseen(folds, held, said)
    found = Findings(
        calibration=calibrated_rows(judge, y, said, positive),
        thresholds=thresholds_of(
            judge, y, said, positive, label, MEASURES, (rows.y[folds.rows], folds.said) if folds else None
        ),
        slices=slices_of_unseen(rows, unseen, order, groups),
        curve=curve,
        attributions=attributions,
        attributed=count,
        exact=exact,
        dependences=dependences or [],
        readable=readable,
        coverages=coverages_of(rows, folds, y, said),
        scores=score_rows(rows.y[unseen.rows], unseen.said, judge.classes),
        folds=unseen.folds,
        order=order,
        notes=notes,
        unseen=unseen,
    )
    advance(STAGES, STAGES)
    return found


def column_order(explanation: Explanation, groups: dict[str, list[str]]) -> list[str]:
    """Return the columns of the table, those first whose parts lose most when they are shuffled."""
    loss = {importance.column: importance.mean for importance in explanation.importances}
    least = float("-inf")
    return sorted(groups, key=lambda name: -max(loss.get(part, least) for part in groups[name]))


def slices_of_unseen(rows: Rows, unseen: Unseen, order: list[str], groups: dict[str, list[str]]) -> Slices:
    """Return the slices of all rows that a model had not seen in which it errs more."""
    y, said = rows.y[unseen.rows], unseen.said
    wrong = rows.judge.classes is not None
    losses = (said.values != y).astype(np.float64) if wrong else np.abs(y - said.values)
    names = [part for name in order for part in groups[name]]
    return find_slices(rows.frame.iloc[unseen.rows], losses, wrong, names)


def coverages_of(rows: Rows, folds: Unseen | None, y: np.ndarray, said: Predicted) -> list[Coverage]:
    """Return how often intervals or sets by the scores of the folds hold the truth of the rows put away."""
    if folds is None:
        return []
    classes = rows.judge.classes
    return coverage_of(y, said, classes, score_rows(rows.y[folds.rows], folds.said, classes))


def players_in(order: list[str], groups: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the groups of frame columns that play one by one, and the others as one."""
    alone = order[:MOST_PLAYERS]
    players = {name: groups[name] for name in alone}
    rest = [part for name in order[len(alone) :] for part in groups[name]]
    return players | ({OTHERS: rest} if rest else {})


def attribute(
    machine: ModelFunction,
    train: Any,
    frame: Any,
    groups: dict[str, list[str]],
    order: list[str],
    seed: int,
    seconds: float,
    second: int | None,
) -> tuple[list[Attribution], int, bool]:
    """Return the mean contribution of the columns over as many rows put away as there is time for."""
    start, rng = perf_counter(), np.random.default_rng(seed)
    behind = train.iloc[np.sort(rng.choice(len(train), min(BACKGROUND, len(train)), replace=False))]
    chosen = frame.iloc[rng.permutation(len(frame))[:ATTRIBUTED]]
    players = players_in(order, groups)
    places = machine.places(frame, players)
    background, matrices = machine.matrices(behind), machine.matrices(chosen)
    found: list[np.ndarray] = []
    exact, size = True, 1
    while len(found) < len(chosen):
        done, spent = len(found), perf_counter() - start
        if spent > seconds or (done and spent + spent / done * size > seconds):
            break
        some = [X[done : done + size] for X in matrices]
        one = shapley_values(machine, some, background, places, orders=2, seed=seed + done, most_exact=6_000)
        sizes = np.abs(one.values)  # of two classes one speaks for both; of more, their mean
        found += list(sizes.mean(axis=2) if second is None else sizes[:, :, second])
        exact, size = one.exact, 2 * size if one.exact else 1  # what is drawn is drawn row by row
    if len(found) < 2:
        return [], 0, True
    every = np.array(found)
    mean, error = every.mean(axis=0), every.std(axis=0, ddof=1) / np.sqrt(len(every))
    ends = [Interval(max(0.0, float(m - 1.96 * e)), float(m + 1.96 * e)) for m, e in zip(mean, error)]
    made = [Attribution(name, float(m), end) for name, m, end in zip(players, mean, ends)]
    return sorted(made, key=lambda one: -one.mean), len(found), exact


def dependences_of(
    machine: ModelFunction,
    frame: Any,
    groups: dict[str, list[str]],
    order: list[str],
    output: int | None,
    seed: int,
    seconds: float,
) -> list[Dependence]:
    """Return the dependence on the most important columns, as many as there is time for."""
    start = perf_counter()
    rows = np.sort(np.random.default_rng(seed).permutation(len(frame))[:MOST_ROWS])
    some = frame.iloc[rows].reset_index(drop=True)
    matrices, found = machine.matrices(some), []
    for name in [name for name in order if not groups[name][-1].endswith(" (words)")][:SHOWN]:
        if perf_counter() - start > seconds:
            break
        places = [at[0] for at in machine.places(some, {name: groups[name]})]
        one = partial_dependence(machine, matrices, some, name, groups[name], places, output)
        found += [one] if one is not None else []
    return found
