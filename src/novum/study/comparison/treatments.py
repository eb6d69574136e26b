r"""How to read the columns that can be read in several ways: decided by validation in a training part, once for a family of models.

A family is what looks at columns alike: linear models that take sparse rows, other models that depend on units, boosted trees that
know categories, other trees. A quick model of the family is fitted on folds of the training part for every reading, one question
after the other (categories, ids, texts); after the first fold the two best go on, and of these the best mean of the study's own
measure is taken, the first named where they are equal.
Up to 2,000 training rows the rows that judge the result have no say in it; beyond, the question is asked once, of the rows that are
compared (never of those put away). A table with one reading asks nothing and pays nothing.

Whole numbers are tried where the mean target of equal numbers tells more than the numbers do as amounts:

    R2_levels > R2_parts + .01                                                                              (1)

of two halves of the rows, each predicted from the other; parts are sixteen equal shares of the rows in the order of the numbers.
"""

from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from novum.base.candidacy import Candidacy
from novum.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from novum.linear_model import LogisticRegression, Ridge
from novum.study.comparison.pipelines import (
    CODES,
    CODES_AND_TARGET,
    NATIVE,
    NATIVE_AND_TARGET,
    ONE_HOT,
    PLAIN,
    TARGET,
    Treatment,
    columns_for,
    many_levels,
    text_columns,
    with_native,
)
from novum.study.comparison.tuning import Judge, fit_model, predict_rows
from novum.study.data.task import CLASSIFICATION

__all__ = [
    "BOOSTING",
    "LINEAR",
    "SCALED",
    "TIME_SHARE",
    "TREES",
    "choose_treatment",
    "family_of",
    "id_columns",
    "readings",
]

LINEAR, SCALED, BOOSTING, TREES = "linear", "scaled", "boosting", "trees"
READINGS = {  # of categories
    LINEAR: (ONE_HOT, TARGET),
    SCALED: (ONE_HOT, TARGET),
    BOOSTING: (NATIVE_AND_TARGET, NATIVE, TARGET, ONE_HOT),
    TREES: (TARGET, CODES_AND_TARGET, ONE_HOT, CODES),
}
TEXTS = {
    LINEAR: ("n-grams", "words"),
    SCALED: ("components", "words"),
    BOOSTING: ("components", "words"),
    TREES: ("components", "words"),
}
FOLDS, FINALISTS = 3, 2  # readings that go on after the first fold
MOST_ROWS, MOST_ROWS_OF_TEXTS = 20_000, 5_000  # that readings are compared on: a sample has fewer rows of every level
QUICK_TREES = 10
FEWEST_LEVELS, ROWS_OF_A_LEVEL = 3, 3.0  # of series; rows of each, on average
ROWS_OF_AN_ID = 1.5  # on average: what the means of few rows are worth, validation tells
PARTS, GAIN = 16, 0.01  # of (1)
MOST_IDS = 4
ALONE, MOST_KEYS = 0.95, 2  # share of the rows of a series that are alone at their time; keys of series that are tried
SMOOTHING = 5.0  # rows by which the mean of a level is drawn to that of all
TIME_SHARE = 0.25  # of a fit's seconds


def family_of(candidate: Any) -> str:
    """Return what a candidate's columns are read for."""
    estimator = candidate.estimator
    if not candidate.scaled:
        return BOOSTING if "max_bins" in estimator.get_params(deep=False) and candidate.by == "novum" else TREES
    if candidate.by == "novum" and candidate.candidacy is not None and not candidate.log_target:
        tag = candidate.candidacy
        early = tag.order < Candidacy(tag.rank).order
        return LINEAR if tag.rank == 1 and early and get_tags(estimator).input_tags.sparse else SCALED
    return SCALED


def quick_model(family: str, kind: str, seed: int) -> Any:
    """Return a model that stands for a family, in milliseconds."""
    classify = kind == CLASSIFICATION
    if family in (LINEAR, SCALED):
        return LogisticRegression(max_iter=300) if classify else Ridge(alpha=1.0)
    if family == BOOSTING:
        boosting = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor
        return boosting(max_iter=40, learning_rate=0.2, min_samples_leaf=10, early_stopping=False, random_state=seed)
    forest = RandomForestClassifier if classify else RandomForestRegressor
    return forest(n_estimators=QUICK_TREES, min_samples_leaf=2, random_state=seed)


def readings(
    frame: Any,
    y: np.ndarray,
    family: str,
    classify: bool,
    seed: int,
    numbers_only: frozenset[str] = frozenset(),
    time: str = "",
) -> list[tuple[str, list[Any]]]:
    """Return the questions of a table: fields of a treatment with their answers, the first of which is usual."""
    numbers, categories, words = text_columns(frame)
    numbers = [name for name in numbers if name not in numbers_only]
    found: list[tuple[str, list[Any]]] = []
    if many_levels(frame, categories):
        found.append(("categories", list(READINGS[family])))
    if words:
        found.append(("texts", list(TEXTS[family])))
    if time and not classify:
        found.append(
            ("lags", [(), (time,), *((time, key) for key in keys_of_series(frame, time, [*categories, *numbers]))])
        )
    if ids := id_columns(frame, numbers, y, classify, seed):
        found.append(("ids", [(), ids]))
    return found


def choose_treatment(
    frame: Any,
    y: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray | None,
    judge: Judge,
    family: str,
    seconds: float | None = None,
    numbers_only: frozenset[str] = frozenset(),
) -> Treatment:
    """Return the reading that does best on folds of these rows.

    Parameters
    ----------
    rows : int array
        Their numbers in the study, by which groups and times are known.
    seconds : float or None
        Of the fit that asks; a share of them is for this.
    numbers_only : frozenset of str
        Columns that stay numbers: those with a limit.
    """
    until = None if seconds is None else perf_counter() + TIME_SHARE * seconds
    frame, y, rows, weight = sample_of(frame, y, rows, weight, MOST_ROWS, judge.seed)
    questions = readings(frame, y, family, judge.kind == CLASSIFICATION, judge.seed, numbers_only, judge.time)
    chosen = PLAIN
    for field, answers in questions:
        chosen = chosen._replace(**{field: answers[0]})
    texts = text_columns(frame)[2]
    for field, answers in questions:
        options = [chosen._replace(**{field: answer}) for answer in answers]
        if field == "texts":
            asked = sample_of(frame, y, rows, weight, MOST_ROWS_OF_TEXTS, judge.seed)
        else:  # texts have no say in how other columns are read, and take long
            asked = (frame.drop(columns=texts), y, rows, weight)
        chosen = best_of(options, *asked, judge, family, until)
    return chosen


def sample_of(
    frame: Any, y: np.ndarray, rows: np.ndarray, weight: np.ndarray | None, most: int, seed: int
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray | None]:
    """Return at most so many of the rows."""
    if len(y) <= most:
        return frame, y, rows, weight
    some = np.sort(np.random.default_rng(seed).choice(len(y), most, replace=False))
    return frame.iloc[some], y[some], rows[some], None if weight is None else weight[some]


def best_of(
    options: list[Treatment],
    frame: Any,
    y: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray | None,
    judge: Judge,
    family: str,
    until: float | None,
) -> Treatment:
    """Return the treatment that does best on folds of some rows, as far as there is time."""
    totals = dict.fromkeys(options, 0.0)
    for fold, (train, test) in enumerate(judge.split(rows, FOLDS)):
        scores: dict[Treatment, float] = {}
        for option in options:
            if until is not None and perf_counter() > until:
                break
            scores[option] = fold_score(
                frame, y, weight=weight, judge=judge, family=family, treatment=option, train=train, test=test
            )
        if len(scores) < len(
            options
        ):  # a fold that not all have says nothing of who is best, unless it is the only one
            return max(scores, key=lambda one: scores[one]) if scores and fold == 0 else options[0]
        totals = {option: totals[option] + scores[option] for option in options}
        options = sorted(options, key=lambda one: -totals[one])[:FINALISTS]  # of equals the first named
    return options[0]


def fold_score(
    frame: Any,
    y: np.ndarray,
    *,
    weight: np.ndarray | None,
    judge: Judge,
    family: str,
    treatment: Treatment,
    train: np.ndarray,
    test: np.ndarray,
) -> float:
    """Return how well the quick model of a family does on a fold with a treatment; -inf where the rows do not bear it."""
    learned, judged = (None, None) if weight is None else (weight[train], weight[test])
    try:
        columns = columns_for(frame.iloc[train], family in (LINEAR, SCALED), treatment, judge.seed)
        X = columns.fit_transform(frame.iloc[train], y[train])
        model = with_native(quick_model(family, judge.kind, judge.seed), columns)
        said = predict_rows(
            judge, fit_model(model, X, y[train], learned), columns.transform(frame.iloc[test]), scored_only=True
        )
        value = judge.criterion(y[test], said, judged)
    except Exception:  # whatever a model raises on these rows: another reading is taken
        return -np.inf
    return value if np.isfinite(value) else -np.inf


def id_columns(frame: Any, numbers: list[str], y: np.ndarray, classify: bool, seed: int) -> tuple[str, ...]:
    """Return the columns of whole numbers for which (1) holds, those first for which it holds by most."""
    target = np.asarray(y, dtype=np.float64)[:, None] if not classify else np.empty(0)
    if classify:
        codes = np.unique(y, return_inverse=True)[1]
        target = np.eye(codes.max() + 1)[codes]
    half = np.random.default_rng(seed).permutation(len(y)) % 2
    gains = {}
    dates = [str(name).removesuffix(" (year)") for name in numbers if str(name).endswith(" (year)")]
    counts_of_days = {f"{date} (day)" for date in dates}  # days to come are all new
    for name in (name for name in numbers if name not in counts_of_days):
        x = frame[name].to_numpy()
        known = x[~np.isnan(x)]
        if not len(known) or (known != np.floor(known)).any():
            continue
        values, level, counts = np.unique(x, return_inverse=True, return_counts=True)
        if not FEWEST_LEVELS <= len(values) <= len(y) / ROWS_OF_AN_ID:
            continue
        middle = np.cumsum(counts) - counts / 2  # of the rows with a number, in the order of the numbers
        part = (middle * PARTS / len(y)).astype(np.intp)[level]
        gain = explained(level, target, half) - explained(part, target, half)
        if gain > GAIN:
            gains[name] = gain
    return tuple(sorted(gains, key=lambda name: -gains[name])[:MOST_IDS])


def keys_of_series(frame: Any, time: str, names: list[str]) -> list[str]:
    """Return the columns whose levels are series of their own: nearly every row is the only one of its level at its time."""
    n, times = len(frame), frame[time]
    if times.nunique() > n / ROWS_OF_A_LEVEL * (ROWS_OF_A_LEVEL - 1):  # one series
        return []
    found = []
    for name in names:
        levels = frame[name].nunique()
        if (
            name == time
            or not FEWEST_LEVELS <= levels <= n / ROWS_OF_A_LEVEL
            or (frame[name].dtype.kind == "f" and levels > n**0.75)
        ):
            continue
        if frame[[time, name]].duplicated().mean() < 1 - ALONE:
            found.append(name)
    return found[:MOST_KEYS]


def explained(level: np.ndarray, target: np.ndarray, half: np.ndarray) -> float:
    """Return the share of the target's variance that the means of levels explain, each half of the rows by the other's."""
    lost = total = 0.0
    for side in (0, 1):
        learn, judge = half == side, half != side
        mean = target[learn].mean(axis=0)
        size = level.max() + 1
        counts = np.bincount(level[learn], minlength=size)[:, None]
        sums = np.stack([np.bincount(level[learn], column, minlength=size) for column in target[learn].T], axis=1)
        means = (sums + SMOOTHING * mean) / (counts + SMOOTHING)
        lost += float(((target[judge] - means[level[judge]]) ** 2).sum())
        total += float(((target[judge] - mean) ** 2).sum())
    return 1.0 - lost / total if total > 0 else 0.0
