"""The scores of a classification and of a regression, with the interval that fits each; see novum.evaluation.scores.predictions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.intervals.area import area, area_interval, overlap_doubt
from novum.evaluation.intervals.coverage import class_doubts, doubt_notes, share_doubt, warn_of_doubts
from novum.evaluation.intervals.proportion import effective_counts, share_interval
from novum.evaluation.scores.confusion import confusion_cells, f_scores, ratio
from novum.evaluation.scores.custom_scores import own_scores
from novum.evaluation.scores.evaluation_result import ALIASES, ClassScores, Evaluation, Score
from novum.evaluation.scores.prediction_input import PredictionInput
from novum.evaluation.scores.probabilities import PROBABILITY_SCORES, probability_sums
from novum.evaluation.scores.regression import regression_sums
from novum.evaluation.scores.settings import Settings
from novum.evaluation.scores.statistics import Areas, Cells, RowSums, intervals
from novum.exceptions import DataError

__all__ = ["classification_scores", "regression_scores"]

AREAS = ("roc_auc", "average_precision", "pr_auc")


def bootstrap_intervals(
    statistic: RowSums | Cells | Areas, settings: Settings, doubts: dict[str, str] | None = None
) -> dict[str, Score]:
    """Return every statistic with its BCa interval, and enter what speaks against them."""
    found = intervals(statistic, settings.level, settings.n_resamples, settings.seed)
    if doubts is not None:
        doubts |= {name: doubt for name, (_, _, doubt) in found.items()}
    return {name: Score(value, *ends, "bca") for name, (value, ends, _) in found.items()}


def share(hits: NDArray, among: NDArray, weight: NDArray | None, settings: Settings) -> Score:
    """Return the share of hits among some rows, as a proportion."""
    own = None if weight is None else weight[among]
    mass = np.ones(len(hits)) if weight is None else weight
    value = ratio(mass[among & hits].sum(), mass[among].sum(), settings.zero_division)
    return Score(
        float(value), *share_interval(hits[among], own, settings.level, settings.proportion), settings.proportion
    )


def label_scores(given: PredictionInput, settings: Settings, doubts: dict[str, str]) -> dict[str, Score]:
    """Return the scores of predicted labels."""
    truth, predicted, positive = given.truth, given.predicted, given.positive
    assert predicted is not None and given.classes is not None
    cells = confusion_cells(
        truth,
        predicted,
        len(given.classes),
        given.weight,
        positive=positive,
        beta=settings.beta,
        zero_division=settings.zero_division,
        cost=given.cost,
    )
    anything = np.ones(given.n, bool)
    right = share(truth == predicted, anything, given.weight, settings)
    looked_at = {"accuracy": (truth == predicted, anything), "error": (truth != predicted, anything)}
    shares = {"accuracy": right, "error": Score(1 - right.value, 1 - right.upper, 1 - right.lower, right.method)}
    if positive is not None:
        real, said = truth == positive, predicted == positive
        shares["precision"] = share(real, said, given.weight, settings)
        shares["recall"] = share(said, real, given.weight, settings)
        shares["specificity"] = share(~said, ~real, given.weight, settings)
        looked_at |= {"precision": (real, said), "recall": (said, real), "specificity": (~said, ~real)}
    others = [name for name in cells.names if name not in shares]
    drawn = bootstrap_intervals(cells, settings, doubts) if settings.needs(*others) else {}
    for name, (hits, among) in looked_at.items():
        weight = None if given.weight is None else given.weight[among]
        doubts[name] = share_doubt(*effective_counts(hits[among], weight), settings.proportion, settings.level)
    return {name: shares.get(name) or drawn[name] for name in cells.names if name in shares or name in drawn}


def ranking_scores(
    given: PredictionInput, settings: Settings, notes: list[str], doubts: dict[str, str]
) -> dict[str, Score]:
    """Return the areas under ROC and PR curves, one class against the rest on average where there are several."""
    scores = given.proba if given.proba is not None else given.score
    if scores is None or not settings.needs(*AREAS):
        return {}
    assert given.classes is not None
    if given.positive is not None:
        one = scores if scores.ndim == 1 else scores[:, given.positive]
        positive, scores = (given.truth == given.positive)[:, None], one[:, None]
    else:
        positive = given.truth[:, None] == np.arange(len(given.classes))
    there = positive.any(axis=0) & ~positive.all(axis=0)
    if not there.any():
        notes.append("areas under ROC and PR curves need rows of at least two classes")
        return {}
    if not there.all() and given.positive is None:
        notes.append("areas are means over the classes that occur")
    statistic = Areas(positive[:, there], scores[:, there], given.weight, settings.needs("average_precision", "pr_auc"))
    if given.positive is None:
        return bootstrap_intervals(statistic, settings, doubts)
    found = area(positive[:, 0], scores[:, 0], given.weight)
    ends = area_interval(positive[:, 0], found, given.weight, settings.level)
    first = {"roc_auc": Score(found.value, *ends, "delong")}
    drawn = bootstrap_intervals(statistic, settings, doubts) if statistic.precision else {}
    doubts["roc_auc"] = overlap_doubt(positive[:, 0], found, given.weight, settings.level)
    return {**drawn, **first}


def head_scores(given: PredictionInput, settings: Settings) -> dict[str, Score]:
    """Return the precision among the rows of the k largest scores; a tie at the border counts in proportion."""
    found: dict[str, Score] = {}
    scores = given.proba if given.proba is not None else given.score
    for k in settings.k:
        if scores is None or given.positive is None:
            raise DataError(f"evaluate_predictions(k={k}): precision at k needs y_proba or y_score of two classes.")
        if k > given.n:
            raise DataError(f"evaluate_predictions(k={k}): there are only {given.n} rows of positive weight.")
        one = scores if scores.ndim == 1 else scores[:, given.positive]
        border = np.partition(one, given.n - k)[given.n - k]
        hit = given.truth == given.positive
        above, tied = one > border, one == border
        hits = hit[above].sum() + (k - above.sum()) * hit[tied].mean()
        ends = share_interval(np.arange(k) < round(hits), None, settings.level, settings.proportion)
        found[f"precision_at_{k}"] = Score(float(hits / k), *ends, settings.proportion)
    return found


def class_scores(given: PredictionInput, settings: Settings) -> tuple[ClassScores, ...]:
    """Return precision, recall, F and accuracy of every class against the rest."""
    truth, predicted = given.truth, given.predicted
    assert predicted is not None and given.classes is not None
    k = len(given.classes)

    def function(S: NDArray) -> NDArray:
        return f_scores(S.reshape(*S.shape[:-1], k, k), settings.beta, settings.zero_division)

    names = tuple(map(str, range(k)))
    f_score = bootstrap_intervals(Cells(names, truth * k + predicted, k * k, given.weight, function), settings)
    mass = np.bincount(truth, given.weight, minlength=k)
    rows = []
    for i, label in enumerate(given.classes.tolist()):
        real, said = truth == i, predicted == i
        precision, recall = share(real, said, given.weight, settings), share(said, real, given.weight, settings)
        accuracy = share(real == said, np.ones(given.n, bool), given.weight, settings)
        rows.append(ClassScores(label, float(mass[i]), precision, recall, f_score[str(i)], accuracy))
    return tuple(rows)


def warned_doubts(scores: dict[str, Score], doubts: dict[str, str]) -> list[str]:
    """Warn of intervals that may cover less than they say, and return the same as notes."""
    there = {name: doubts.get(name, "") for name, score in scores.items() if np.isfinite(score.lower)}
    warn_of_doubts("evaluate_predictions", there)
    return doubt_notes(there)


def requested_scores(scores: dict[str, Score], settings: Settings, given: PredictionInput) -> dict[str, Score]:
    """Return the scores requested, with those of the user's own."""
    if settings.requested is None:
        return scores
    heads = {name: score for name, score in scores.items() if name.startswith("precision_at_")}
    found: dict[str, Score] = {}
    for name, function in settings.requested.items():
        short = ALIASES.get(name, name)
        if function is None and short in scores:
            found[short] = scores[short]
        else:
            found[name] = own_scores(name, function, given, settings, tuple(scores))
    return {**found, **heads}


def classification_scores(given: PredictionInput, settings: Settings) -> Evaluation:
    """Return the evaluation of a classification."""
    assert given.classes is not None
    if settings.requested is not None:
        settings = settings._replace(requested={ALIASES.get(n, n): f for n, f in settings.requested.items()})
    scores: dict[str, Score] = {}
    notes, k = list(given.notes), len(given.classes)
    doubts: dict[str, str] = {}
    confusion: NDArray | None = None
    classes: tuple[ClassScores, ...] = ()
    if given.predicted is not None:
        scores |= label_scores(given, settings, doubts)
        confusion = np.bincount(given.truth * k + given.predicted, given.weight, minlength=k * k).reshape(k, k)
        confusion = confusion.astype(np.int64) if given.weight is None else confusion
        classes = class_scores(given, settings) if settings.requested is None else ()
        if given.positive is not None and not (given.predicted == given.positive).any():
            notes.append(f"nothing is predicted positive: precision is 0/0, set to {settings.zero_division:g}")
    scores |= ranking_scores(given, settings, notes, doubts)
    if given.proba is not None and settings.needs(*PROBABILITY_SCORES):
        sums = probability_sums(given.truth, given.proba, given.weight, given.positive, settings.n_bins)
        scores |= bootstrap_intervals(sums, settings, doubts)
    scores |= head_scores(given, settings)
    shown = requested_scores(scores, settings, given)
    drawn = [name for name, score in shown.items() if score.method == "bca" and name not in PROBABILITY_SCORES]
    present = np.bincount(given.truth, minlength=k)
    doubts = class_doubts(doubts, drawn, int(present[present > 0].min()), settings.level)
    notes += warned_doubts(shown, doubts)
    positive: Any = None if given.positive is None else given.classes[given.positive]
    best = given.proba if given.proba is not None else given.score
    return Evaluation(
        scores=shown,
        task="classification",
        n=given.n,
        level=settings.level,
        classes=given.classes,
        positive=positive.item() if hasattr(positive, "item") else positive,
        confusion=confusion,
        per_class=classes,
        notes=tuple(notes),
        _ranked=(given.truth, best, given.weight),
    )


def regression_scores(given: PredictionInput, settings: Settings) -> Evaluation:
    """Return the evaluation of a regression."""
    if settings.k:
        raise DataError(f"evaluate_predictions(k={settings.k[0]}): precision at k is for a classification.")
    assert given.predicted is not None
    sums = regression_sums(given.truth, given.predicted, given.weight)
    if settings.requested is not None:
        settings = settings._replace(requested={ALIASES.get(n, n): f for n, f in settings.requested.items()})
    doubts: dict[str, str] = {}
    scores = bootstrap_intervals(sums, settings, doubts) if settings.needs(*sums.names) else {}
    if given.log_density is not None:
        w = np.ones(given.n) if given.weight is None else given.weight
        density = RowSums(("log_likelihood",), (w * given.log_density)[None], lambda S: S)
        scores |= bootstrap_intervals(density, settings, doubts)
    notes: tuple[str, ...] = ()
    if "pearson" in scores and np.isnan(scores["pearson"].value):
        notes = ("the correlation does not exist: y or y_pred is constant",)
    shown = requested_scores(scores, settings, given)
    notes += tuple(warned_doubts(shown, doubts))
    return Evaluation(shown, "regression", given.n, settings.level, notes=notes + given.notes)
