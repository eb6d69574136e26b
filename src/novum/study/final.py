"""The kept model: fitted on the rows it is judged with, then on all rows, and put into the form that is saved.

Where time is short, the models of the folds are there already: of parts that there is no time to fit, their mean is kept. Of a
table that was compared on a sample, the model that is best is fitted on as many rows as there is time for, though on no fewer than
in the folds that made it the best.
"""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from novum.decision_theory import LossMatrixClassifier
from novum.report.numbers import counted, num
from novum.study.comparison.blend import Blend, Combination
from novum.study.comparison.board import LAST_FITS, last_seconds
from novum.study.comparison.calibration import tempered
from novum.study.comparison.choose import WORSE, Leader, choose
from novum.study.comparison.clock import TimeIsUp, within
from novum.study.comparison.compare import EnsembleMember, Scores, models_of, parts_of
from novum.study.comparison.fits import FittedCandidate, Rows, fit_candidate
from novum.study.comparison.isotonic import Curve, curved, helpful_curves
from novum.study.comparison.stack import Stack
from novum.study.comparison.tuning import Judge
from novum.study.data.roles import some_rows
from novum.study.scoring.measures import Measure

__all__ = ["KeptModel", "affordable", "fit_again", "fit_kept", "fit_seconds", "keep", "model_to_save"]

FIRST_SHARE = 0.5  # of the time left, for the fit that is judged
ENOUGH = 0.5  # of the rows: a model that there is time to fit on so many comes before a better one on fewer
NEARLY_AS_FAST = 3.0  # times the fastest's seconds: where there is time for none, the best of these is kept
SMALL_PART = 0.03
ENOUGH_TIME = 0.8  # of the time left, for a fit on all rows
MANY_MORE = 1.75  # times the rows of a fold: a model of all rows is better than the mean of those of the folds
OF_ORDER = ("auc", "average_precision")  # measures of the order of rows
MOST_SLOW = 0.6  # of the weight of parts that there is no time to fit, where others are fitted
MOST_MODELS = 15  # of folds, whose mean is kept: it is explained and served, too
FEW_MORE = 2.0  # times the rows of the folds: all are taken
LEAST_SECONDS = 1.0  # that a fit gets, however little is left


class KeptModel(NamedTuple):
    """The row of the leaderboard that is kept, and its model fitted on the training rows."""

    leader: Leader
    reason: str
    parts: list[EnsembleMember]
    model: Any
    changes: list[dict[str, Any]]
    share: float  # of the rows that it was fitted on
    temperature: float = 1.0  # of its probabilities
    curves: list[Curve] = []  # of its probabilities
    fixed: dict[int, list[FittedCandidate]] = {}  # parts of which the models of the folds are kept
    of_folds: bool = False  # whether the comparison fitted it, or parts of it, since there was no time for another


def calibrated(kept: KeptModel, scores: Scores, measure: Measure) -> KeptModel:
    """Return a kept model with its probabilities at the temperature that the folds found, or along their curves."""
    if not scores.temperatures:
        return kept
    temperature = scores.temperatures[kept.leader.position]
    reason, curves = kept.reason, curves_of(kept, scores, temperature, measure)
    if curves:
        reason += "; its probabilities are calibrated (isotonic)"
        return kept._replace(model=curved(kept.model, curves), curves=curves, reason=reason)
    if temperature != 1.0:
        reason += f"; its probabilities are calibrated (temperature {num(temperature):.2f})"
    return kept._replace(model=tempered(kept.model, temperature), temperature=temperature, reason=reason)


def curves_of(kept: KeptModel, scores: Scores, temperature: float, measure: Measure) -> list[Curve]:
    """Return the curves that the probabilities of a single kept model need by the folds; none where a temperature does as well."""
    place = kept.leader.position
    single = isinstance(kept.model, Pipeline) and place not in scores.joint and kept.leader.simplicity > 0
    if not single or not scores.truth or measure.name in OF_ORDER:
        return []
    folds = [f for f, fold in enumerate(scores.folds) if fold.repeat == 0]
    said = [scores.predicted[place][f] for f in folds]
    parts = [(one.proba, *scores.truth[f]) for f, one in zip(folds, said) if one is not None and one.proba is not None]
    if len(parts) < len(folds):
        return []
    ratio = sum(len(scores.folds[f].test) for f in folds) / sum(len(scores.folds[f].train) for f in folds)
    return helpful_curves(parts, ratio, temperature)


def growth_of(scores: Scores, n_rows: int) -> float:
    """Return how many times the rows of the folds so many rows are."""
    return n_rows / float(np.mean([len(fold.train) for fold in scores.folds]))


def affordable(leaders: list[Leader], scores: Scores, left: float | None, growth: float = 1.0) -> list[Leader]:
    """Return the rows of the leaderboard that there is time to fit; some fast ones if there is for none.

    Of a table that was compared on a sample, those are preferred that there is time to fit on enough of its rows, unless they are
    shown to be worse than the best.
    """
    if left is None:
        return leaders
    for times in (ENOUGH * growth, 1.0) if growth > FEW_MORE else (1.0,):
        fine = [one for one in leaders if last_seconds(scores.last[one.position], times) <= left]
        if any(one.simplicity and (times == 1.0 or one.verdict != WORSE) for one in fine):
            return fine
    real = [leader for leader in leaders if leader.simplicity] or leaders
    fast = NEARLY_AS_FAST * min(scores.last[leader.position] for leader in real)
    return [leader for leader in real if scores.last[leader.position] <= fast]


def fit_seconds(scores: Scores, position: int, n_rows: int) -> float:
    """Return about how long a fit of a candidate on so many rows takes."""
    return float(scores.last[position] * max(1.0, growth_of(scores, n_rows)))


def share_of_rows(scores: Scores, position: int, n_rows: int, left: float | None) -> float:
    """Return the share of the rows that the last fits have time for; at least as many as in the folds."""
    compared = float(np.mean([len(fold.train) for fold in scores.folds]))
    if left is None or n_rows <= FEW_MORE * compared:
        return 1.0
    last = scores.last[position]
    if LAST_FITS * last * n_rows / compared <= LEAST_SECONDS:  # nobody waits for that
        return 1.0
    able = compared * left / max(LAST_FITS * last, 1e-9)
    return float(np.clip(able / n_rows, min(1.0, compared / n_rows), 1.0))


def keep(leaders: list[Leader], scores: Scores, rows: Rows, train: np.ndarray, **how: Any) -> KeptModel:
    """Choose a row of the leaderboard, fit its model (`choose_and_fit`) and calibrate its probabilities."""
    return calibrated(choose_and_fit(leaders, scores, rows, train, **how), scores, rows.judge.measure)


def choose_and_fit(
    leaders: list[Leader],
    scores: Scores,
    rows: Rows,
    train: np.ndarray,
    *,
    prefer: str,
    ordered: bool,
    until: float | None,
    surely: float | None = None,
) -> KeptModel:
    """Choose a row of the leaderboard and fit its model; one whose fit takes longer than it may makes room for another.

    Parameters
    ----------
    until : float or None
        Time of `perf_counter` at which the fit on these rows and another on all rows should be done.
    surely : float or None
        When even the last try of a model must end, and the model of a fold is kept instead.
    """
    first, why = choose(leaders, rows.judge.measure, prefer)
    if not first.simplicity:  # by what was measured: the clock never keeps the baseline
        why = why if len(leaders) > 1 else "no other model has finished its folds"
        parts = parts_of(scores, first.position)
        return KeptModel(first, why, parts, *fit_kept(rows, parts, train), 1.0)
    growth = growth_of(scores, len(train))
    left = None if until is None else max(0.0, until - time.perf_counter())
    able, late = [one for one in leaders if one.simplicity], ""
    there = growth <= FEW_MORE and has_models(scores, first.position)
    if there and left is not None and last_seconds(scores.last[first.position], growth) > left:
        every = growth_of(scores, len(rows.y))
        most = ENOUGH_TIME * left / every
        once = [
            one for one in able if scores.last[one.position] <= most and nearly(one, leaders[0], rows.judge.measure)
        ]
        parts, slow = parts_of(scores, first.position), slow_parts(scores, first.position, left, growth)
        weights = np.array([part.weight for part in parts])
        if weights[slow].sum() <= MOST_SLOW * weights.sum():
            reason = f"{why}; of {in_words(parts, slow)} the mean of the models of its folds, since there was no time for a fit"
            fixed = {i: models_of(scores, first.position)[i] for i in slow}
            try:
                with within(max(left, LEAST_SECONDS)):
                    model, changes = fit_kept(rows, parts, train, seconds=left, fixed=fixed)
                return KeptModel(first, reason, parts, model, changes, 1.0, fixed=fixed, of_folds=True)
            except TimeIsUp:
                return of_the_folds(leaders, scores, rows, train, prefer)
        if first in once or not once or every < MANY_MORE:
            return of_the_folds(leaders, scores, rows, train, prefer)
        able = once  # all rows are worth more than the last bit of score
    while True:
        left = None if until is None else max(0.0, until - time.perf_counter())
        able = affordable(able, scores, left, growth)
        leader, reason = choose(able, rows.judge.measure, prefer, leaders)
        if leaders[0] not in able:
            reason = f"the best of those that there was time for; {leaders[0].name} would take longer than was left"
        parts = parts_of(scores, leader.position)
        share = share_of_rows(scores, leader.position, len(train), left)
        some = some_rows(train, round(share * len(train)), ordered, rows.judge.seed)
        if len(some) < len(train):
            reason += f"; fitted on {len(some):,} of the {counted(len(train), 'row')}, for which there was time"
        spare = growth <= FEW_MORE and has_models(scores, leader.position)
        last_try = not spare and (len(able) == 1 or late == leader.name)
        seconds = None if left is None else max(FIRST_SHARE * left, LEAST_SECONDS)
        if last_try:
            seconds = None if surely is None else max(surely - time.perf_counter(), LEAST_SECONDS)
        try:
            with within(seconds):
                model, changes = fit_kept(rows, parts, some, seconds=left)
            return KeptModel(leader, reason, parts, model, changes, share)
        except TimeIsUp:
            late = leader.name
            if last_try or spare:
                return of_the_folds(leaders, scores, rows, train, prefer)
            able = [one for one in able if one is not leader and one.seconds < leader.seconds] or able


def slow_parts(scores: Scores, position: int, left: float, growth: float) -> list[int]:
    """Return which parts there is no time to fit on `growth` times the rows of the folds, after those that are quicker."""
    took = np.array([np.mean([one.seconds for one in models]) for models in models_of(scores, position)])
    order = np.argsort(took, kind="stable")
    return sorted(i for i, sum_of in zip(order.tolist(), np.cumsum(took[order])) if last_seconds(sum_of, growth) > left)


def in_words(parts: list[EnsembleMember], chosen: list[int]) -> str:
    """Return the names of some parts."""
    return " and ".join(dict.fromkeys(parts[i].candidate.name for i in chosen))


def nearly(leader: Leader, best: Leader, measure: Measure) -> bool:
    """Return whether a model is as good as the best but for a small part of its error, or of what a share lacks."""
    error = 1.0 - best.mean if measure.higher_is_better else best.mean
    return measure.better(best.mean) - measure.better(leader.mean) <= SMALL_PART * abs(error)


def has_models(scores: Scores, position: int) -> bool:
    """Return whether a model of a fold was kept for every part of a row of the leaderboard."""
    models = models_of(scores, position)
    return bool(models) and all(models)


def of_the_folds(leaders: list[Leader], scores: Scores, rows: Rows, train: np.ndarray, prefer: str) -> KeptModel:
    """Return the mean of the models of the folds, where there was no time to fit any on more rows.

    Where none was kept (a study that goes on, or one on a cluster), the one that is chosen is fitted as in the folds, which took a
    known time.
    """
    there = [one for one in leaders if has_models(scores, one.position)]
    real = any(one.simplicity for one in there)
    leader, reason = choose(there if real else leaders, rows.judge.measure, prefer, leaders)
    parts = parts_of(scores, leader.position)
    n = len(scores.folds[0].train)
    changes = [part.candidate.change for part in parts]
    if real:
        most = max(1, MOST_MODELS // len(parts))
        models = [some[:most] for some in models_of(scores, leader.position)]
        what = "the model of a fold" if max(map(len, models)) == 1 else "the mean of the models of its folds"
        reason += f"; {what}, of {n:,} rows each, since there was no time for a fit"
        return KeptModel(leader, reason, parts, together(models, parts), changes, 1.0, of_folds=True)
    reason += f"; fitted on {n:,} rows as in a fold, since there was no time for more"
    model, changes = fit_kept(rows, parts, some_rows(train, n, False, rows.judge.seed))
    return KeptModel(leader, reason, parts, model, changes, n / len(train), of_folds=True)


def together(models: list[list[FittedCandidate]], parts: list[EnsembleMember]) -> Pipeline | Combination:
    """Return one model of all models of all parts: their weighted mean, or what the second layer makes of them; one as it is.

    Models of one part share its weight. The first of every part come first, in the order of the parts.
    """
    pipelines, weights = [], []
    for turn in range(max(map(len, models))):
        for some, part in zip(models, parts):
            if turn < len(some):
                pipelines.append(some[turn].pipeline)
                weights.append(part.weight / len(some))
    if parts[0].bias is not None:
        return Stack(pipelines, weights, list(parts[0].bias))
    return pipelines[0] if len(pipelines) == 1 else Blend(pipelines, weights)


def fit_kept(
    rows: Rows,
    parts: list[EnsembleMember],
    train: np.ndarray,
    changes: list[dict[str, Any]] | None = None,
    seconds: float | None = None,
    fixed: dict[int, list[FittedCandidate]] | None = None,
) -> tuple[Any, list[dict[str, Any]]]:
    """Return the kept model fitted on some rows, and the changes of its first settings; those of its parts unless they are given.

    Parts in `fixed` are taken as they are.

    What a fit warns about was noted when its candidate was compared.
    """
    each = None if seconds is None else FIRST_SHARE * seconds / len(parts)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        given: list[Any] = [None for _ in parts] if changes is None else list(changes)
        fitted = [
            (fixed or {}).get(i) or [fit_candidate(rows, part.candidate, train, change, each, whole=True)]
            for i, (part, change) in enumerate(zip(parts, given))
        ]
    return together(fitted, parts), [models[0].change for models in fitted]


def fit_again(rows: Rows, kept: KeptModel, *, ordered: bool, until: float | None) -> Any:
    """Return the kept model fitted on all rows, or on as large a share of them as before; None where the time was too short."""
    every = np.arange(len(rows.y))
    some = some_rows(every, round(kept.share * len(every)), ordered, rows.judge.seed)
    left = None if until is None else max(until - time.perf_counter(), LEAST_SECONDS / 4)
    try:
        with within(left):
            model, _ = fit_kept(rows, kept.parts, some, kept.changes, fixed=kept.fixed)
            return curved(tempered(model, kept.temperature), kept.curves)
    except TimeIsUp:
        return None


def model_to_save(model: Any, judge: Judge) -> Pipeline:
    """Return one pipeline whatever was kept: it decides by the costs, where there are any."""
    if judge.costs is not None:
        decider = LossMatrixClassifier(model, loss=judge.costs, fitted=True)
        return Pipeline([("model", decider.fit(np.zeros((1, 1)), judge.classes[:1]))])
    return model if isinstance(model, Pipeline) else Pipeline([("model", model)])
