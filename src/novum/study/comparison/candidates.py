"""The models a study compares: those that stand for it, a baseline, and whatever else is requested by name.

A class stands by its tag `_candidacy` (novum.base.candidacy), which has its rank, the settings of the first try and the few others
that are worth trying; what was made to be read, wraps another or repeats one of the list has no tag. `models=[...]` may
name any classifier or regressor of novum.

How simple a model is, its rank, decides between models whose scores are within the tolerance of `novum.study.comparison.choose`.
The order goes by what a person has to read to follow one prediction: nothing (the baseline), a weighted sum, a table of means and
variances per class, a quadratic form per class, a small tree, the neighbours of a row, a kernel expansion, hundreds of trees, a
network, several of these together. Every classifier gives probabilities: one that has none of its own gets a sigmoid of its
decisions, fitted by folds.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.preprocessing import StandardScaler

from novum.base.candidacy import Candidacy, candidacy_of, settings_for
from novum.base.discovery import all_estimators
from novum.base.sklearn_base import BaseEstimator
from novum.exceptions import ParameterError
from novum.linear_model import LogTargetRegressor
from novum.study.data.task import AMOUNTS, CLASSIFICATION, COUNTS

__all__ = ["ENSEMBLE_RANK", "STACK_RANK", "Candidate", "TargetShape", "candidates_for", "model_of", "shape_of"]

FAMILIES = (
    *("linear_model", "naive_bayes", "discriminant_analysis", "tree", "neighbors", "svm", "gaussian_process"),
    *("ensemble", "neural_network"),
)
UNKNOWN = Candidacy(rank=7, scaled=True)  # of a class without a tag
ENSEMBLE_RANK, STACK_RANK = 10, 11
CALIBRATION_FOLDS = 3
SMEARING_FOLDS = 3  # of LogTargetRegressor
SHORT = {
    "LinearDiscriminantAnalysis": "LDA",
    "QuadraticDiscriminantAnalysis": "QDA",
    "HistGradientBoosting": "GradientBoosting",
}
OF_THE_MIDDLE = ("mae", "median_error", "rmsle")  # measures that no correction for the mean helps
LOSSES = {"Poisson": "poisson", "gamma": "gamma"}  # of boosting, by what its name adds


class TargetShape(NamedTuple):
    """What is known of a numeric target that is never below 0 and whose spread grows with its mean."""

    shape: str  # COUNTS or AMOUNTS
    positive: bool  # whether it is never 0
    middle: bool  # whether the measure is one of the middle, not of the mean


def shape_of(task: Any, measure: str) -> TargetShape | None:
    """Return what is known of the target of a task that is judged by a measure; None where it has no special shape."""
    return TargetShape(task.shape, bool((task.y > 0).all()), measure in OF_THE_MIDDLE) if task.shape else None


class Candidate(NamedTuple):
    """A model to compare."""

    name: str
    by: str  # "novum", "scikit-learn" or "you"
    estimator: BaseEstimator | None  # None for the ensemble of others
    simplicity: int
    scaled: bool
    baseline: bool = False
    candidacy: Candidacy | None = None
    tuned: bool = False  # whether its settings are others than those of the first try
    change: dict[str, Any] = {}  # of the settings of the first try
    log_target: str = ""  # "mean" or "middle": what predictions of the logarithm of the target are brought back to


def short_name(cls: type) -> str:
    """Return the name of a class as the leaderboard prints it."""
    name = cls.__name__
    for ending in ("Classifier", "Regressor"):
        name = name.removesuffix(ending) or name
    return SHORT.get(name, name)


def of_shape(listed: list[Candidate], shape: TargetShape | None) -> list[Candidate]:
    """Return the candidates for a target of some shape: with those that are for it, without those that are for others.

    Of counts Poisson models; of amounts gamma models, or Tweedie's where some are 0; of both the logarithm of the target.
    """
    wanted = (
        "" if shape is None else COUNTS if shape.shape == COUNTS else AMOUNTS if shape.positive else f"{AMOUNTS} and 0"
    )
    found = [c for c in listed if c.candidacy is None or not c.candidacy.shapes or wanted in c.candidacy.shapes]
    if shape is None:
        return found
    by_name = {candidate.name: candidate for candidate in listed}
    boosting, ridge = by_name.get("GradientBoosting"), by_name.get("Ridge")
    if boosting is not None:
        loss = "gamma" if wanted == AMOUNTS else "Poisson"
        model = clone(boosting.estimator).set_params(loss=LOSSES[loss])
        found.append(boosting._replace(name=f"{boosting.name} ({loss})", estimator=model))
    center = "middle" if shape.middle else "mean"
    found += [
        one._replace(name=f"{one.name} (log target)", log_target=center) for one in (boosting, ridge) if one is not None
    ]
    return found


def standing(kind: str) -> Iterator[tuple[type, Candidacy]]:
    """Yield the classes that stand for a study, with their tags."""
    for family in FAMILIES:
        try:
            module: Any = import_module(f"novum.{family}")
        except ImportError:  # a family that is not there, or needs a package that is not
            continue
        for name in module.__all__:
            cls = getattr(module, name)
            tag = candidacy_of(cls) if isinstance(cls, type) else None
            if tag is not None and (kind == "classifier") == bool(is_classifier(cls())):
                yield cls, tag


def candidate_of(cls: Any, tag: Candidacy, seed: int) -> Candidate | None:
    """Return the candidate of a class, None for one that cannot be made without arguments."""
    try:
        estimator: Any = cls()
    except TypeError:
        return None
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    return Candidate(short_name(cls), "novum", estimator, tag.rank, tag.scaled, candidacy=tag)


def model_of(candidate: Candidate, change: dict[str, Any], y: np.ndarray) -> Any:
    """Return an unfitted model of a candidate for some rows, with a change of its settings and penalties in their units."""
    estimator: Any = clone(candidate.estimator)
    if candidate.candidacy is not None:
        deviation = float(np.std(y)) if y.dtype.kind == "f" else 1.0
        settings = settings_for(candidate.candidacy, change, len(y), deviation or 1.0)
        known = estimator.get_params(deep=False)
        estimator.set_params(**{name: clone_value(v) for name, v in settings.items() if name in known})
        if candidate.log_target:
            return LogTargetRegressor(estimator, to_mean=candidate.log_target == "mean", cv=SMEARING_FOLDS)
        if candidate.candidacy.standard_target and is_regressor(estimator):
            return TransformedTargetRegressor(estimator, transformer=StandardScaler())
    if candidate.by == "novum" and is_classifier(estimator) and not hasattr(estimator, "predict_proba"):
        fewest = int(np.unique(y, return_counts=True)[1].min())
        estimator = CalibratedClassifierCV(estimator, ensemble=False, cv=max(2, min(CALIBRATION_FOLDS, fewest)))
    return estimator


def clone_value(value: Any) -> Any:
    """Return a setting that no other model shares."""
    return clone(value) if hasattr(value, "get_params") else value


def named(kind: str, seed: int, models: Any, listed: list[Candidate]) -> list[Candidate]:
    """Return the candidates that were requested by name: of the usual list, else any of novum's."""
    known = {candidate.name: candidate for candidate in listed}
    if set(models) - set(known):
        others = (candidate_of(cls, candidacy_of(cls) or UNKNOWN, seed) for _, cls in all_estimators(kind))
        known = {candidate.name: candidate for candidate in others if candidate is not None} | known
    for name in models:
        if name not in known:
            usual = ", ".join(candidate.name for candidate in listed)
            raise ParameterError.of(
                "Study",
                f"{name!r} is no {kind} of novum; the usual ones are {usual}. "
                "Pass your own estimators as a dict of name to estimator.",
                models=...,
            )
    return [known[name] for name in dict.fromkeys(models)]


def candidates_for(
    task: str, n_rows: int, seed: int, models: Any = None, n_columns: int = 0, shape: TargetShape | None = None
) -> list[Candidate]:
    """Return the candidates for a task: the baseline, those that are soon among the best, then the others, simple ones first.

    Stopped early, a study has the first of them.

    Parameters
    ----------
    task : {"classification", "regression"}
    n_rows : int
        Rows to train on; of the usual list, learners that are too slow for so many are left out.
    seed : int
        Their random_state.
    models : list of str, dict of estimators or None
        Names to compare instead of the usual list, or estimators of your own by name.
    n_columns : int
        Columns to train on; likewise.
    shape : TargetShape or None
        Of the numbers to predict; None: of no special one.
    """
    classify = task == CLASSIFICATION
    dummy: Any = DummyClassifier(strategy="prior") if classify else DummyRegressor()
    title = "baseline (most frequent)" if classify else "baseline (mean)"
    baseline = Candidate(title, "scikit-learn", dummy, 0, scaled=False, baseline=True)
    if isinstance(models, dict):
        return [baseline, *(given(name, model) for name, model in models.items())]
    kind = "classifier" if classify else "regressor"
    listed = [c for c in (candidate_of(cls, tag, seed) for cls, tag in standing(kind)) if c is not None]
    listed = of_shape(listed, shape)
    if models is not None:
        found = named(kind, seed, models, listed)
    else:
        found = [c for c in listed if c.candidacy is None or bears(c.candidacy, n_rows, n_columns)]
    return [
        baseline,
        *sorted(found, key=lambda candidate: (order_of(candidate), candidate.simplicity, slowness(candidate))),
    ]


def order_of(candidate: Candidate) -> int:
    """Return the place of a class among those that are compared."""
    return UNKNOWN.order if candidate.candidacy is None else candidate.candidacy.order


def slowness(candidate: Candidate) -> float:
    """Return a number that is larger for a class that bears fewer rows."""
    most = candidate.candidacy.most_rows if candidate.candidacy else None
    return 1 / most if most else 0.0


def bears(tag: Candidacy, n_rows: int, n_columns: int) -> bool:
    """Return whether a class is fast enough for so many rows and columns."""
    return n_rows <= (tag.most_rows or n_rows) and n_columns <= (tag.most_columns or n_columns)


def given(name: str, estimator: Any) -> Candidate:
    """Return the candidate for an estimator of the user's."""
    tag = candidacy_of(type(estimator)) or UNKNOWN
    return Candidate(str(name), "you", estimator, tag.rank, scaled=True)
