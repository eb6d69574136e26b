"""The models a study compares: a curated list, a baseline, and whatever else is asked for by name.

CURATED has one entry for each way to learn, not for each class: three linear regressions that differ in what they do with many
columns, not seven; nothing that was made to be read (FindS, rectangles), that wraps another (intervals, calibration) or that
wants counts. Its classes are novum's where novum has them, else scikit-learn's. Every name that is compared costs the others a
share of Holm's count, so a class is added here only for what none of the list does. `models=[...]` may name any classifier or
regressor of novum (`novum.base.discovery` finds them).

How simple a model is (SIMPLICITY) decides between models whose scores are within the tolerance of `novum.study.choose`. The
order goes by what a person has to read to follow one prediction: nothing (the baseline), a weighted sum, a table of means and
variances per class, a quadratic form per class, a small tree, the neighbours of a row, a kernel expansion, hundreds of trees, a
network.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier, DummyRegressor

from novum.base.discovery import all_estimators
from novum.exceptions import ParameterError
from novum.study.task import CLASSIFICATION

__all__ = ["SIMPLICITY", "Candidate", "candidates_for"]

SIMPLICITY = {  # rank of a family; SIMPLE_CLASSES has the exceptions
    "dummy": 0,
    "linear_model": 1,
    "naive_bayes": 2,
    "discriminant_analysis": 3,
    "decision_theory": 3,
    "tree": 5,
    "neighbors": 6,
    "graphical": 6,
    "svm": 7,
    "kernel_ridge": 7,
    "kernels": 7,
    "gaussian_process": 7,
    "ensemble": 8,
    "neural_network": 9,
}
SIMPLE_CLASSES = {"QuadraticDiscriminantAnalysis": 4}
UNKNOWN_RANK = 7
SCALED = {  # families whose result depends on the units of the columns
    *(
        "linear_model",
        "discriminant_analysis",
        "neighbors",
        "svm",
        "kernel_ridge",
        "kernels",
        "gaussian_process",
        "neural_network",
    ),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},  # columns that nearly repeat each other leave no inverse
    "KNeighborsClassifier": {"n_neighbors": 7},
    "KNeighborsRegressor": {"n_neighbors": 7},
    "DecisionTreeClassifier": {"max_depth": 5},
    "DecisionTreeRegressor": {"max_depth": 5},
    "RandomForestClassifier": {"n_estimators": 200},
    "RandomForestRegressor": {"n_estimators": 200},
    "AdaBoostClassifier": {"n_estimators": 200},
    "LogisticRegression": {"max_iter": 1000},  # the default of 100 stops short on tables of many columns
    "Lasso": {"alpha": 0.1},  # on scaled columns; the default of 1 is a strong penalty
    "ElasticNet": {"alpha": 0.1},
}
CURATED = {
    "classifier": (
        "linear_model.LogisticRegression",
        "naive_bayes.GaussianNB",
        "discriminant_analysis.LinearDiscriminantAnalysis",
        "discriminant_analysis.QuadraticDiscriminantAnalysis",
        "tree.DecisionTreeClassifier",
        "neighbors.KNeighborsClassifier",
        "ensemble.RandomForestClassifier",
        "ensemble.AdaBoostClassifier",
        "ensemble.HistGradientBoostingClassifier",
    ),
    "regressor": (
        "linear_model.LinearRegression",
        "linear_model.Ridge",
        "linear_model.Lasso",
        "tree.DecisionTreeRegressor",
        "neighbors.KNeighborsRegressor",
        "ensemble.RandomForestRegressor",
        "ensemble.ExtraTreesRegressor",
        "ensemble.HistGradientBoostingRegressor",
    ),
}
MOST_ROWS = {"neighbors": 100_000}  # of a family; every row that is asked about is compared with all others
SHORT = {"LinearDiscriminantAnalysis": "LDA", "QuadraticDiscriminantAnalysis": "QDA"}


class Candidate(NamedTuple):
    """A model to compare."""

    name: str
    by: str  # "novum", "scikit-learn" or "you"
    estimator: BaseEstimator
    simplicity: int
    scaled: bool
    baseline: bool = False


def family(cls: type) -> str:
    """Return the name of the public module a class belongs to, without its package."""
    return cls.__module__.split(".")[1] if "." in cls.__module__ else ""


def short_name(cls: type) -> str:
    """Return the name of a class as the leaderboard prints it."""
    name = cls.__name__
    for ending in ("Classifier", "Regressor"):
        name = name.removesuffix(ending) or name
    return SHORT.get(name, name.removeprefix("Hist") if name == "HistGradientBoosting" else name)


def make_candidate(cls: type, seed: int) -> Any:
    """Return an instance at its settings, or None if it needs arguments that nobody can guess."""
    try:
        estimator: Any = cls()
    except TypeError:
        return None
    known = estimator.get_params(deep=False)
    settings = {name: value for name, value in SETTINGS.get(cls.__name__, {}).items() if name in known}
    if "random_state" in known:
        settings["random_state"] = seed
    return estimator.set_params(**settings)


def curated(kind: str) -> Iterator[tuple[type, str]]:
    """Yield the classes of the curated list for a kind of estimator, with whose they are."""
    for path in CURATED[kind]:
        module, name = path.split(".")
        try:
            yield getattr(import_module(f"novum.{module}"), name), "novum"
        except (ImportError, AttributeError):
            yield getattr(import_module(f"sklearn.{module}"), name), "scikit-learn"


def candidate_of(cls: type, by: str, seed: int) -> Candidate | None:
    """Return the candidate of a class, None for one that cannot be made without arguments."""
    home, estimator = family(cls), make_candidate(cls, seed)
    return None if estimator is None else Candidate(short_name(cls), by, estimator, rank_of(cls), home in SCALED)


def rank_of(cls: type) -> int:
    """Return how simple the predictions of a class are to follow."""
    return SIMPLE_CLASSES.get(cls.__name__, SIMPLICITY.get(family(cls), UNKNOWN_RANK))


def named(kind: str, seed: int, models: Any, listed: list[Candidate]) -> list[Candidate]:
    """Return the candidates that were asked for by name: of the curated list, else any of novum's."""
    others = (candidate_of(cls, "novum", seed) for _, cls in all_estimators(kind))
    known = {candidate.name: candidate for candidate in others if candidate is not None}
    known |= {candidate.name: candidate for candidate in listed}
    for name in models:
        if name not in known:
            usual = ", ".join(candidate.name for candidate in listed)
            raise ParameterError(
                f"Study(models=...): {name!r} is no {kind} of novum; the usual ones are {usual}. "
                "Pass your own estimators as a dict of name to estimator."
            )
    return [known[name] for name in dict.fromkeys(models)]


def candidates_for(task: str, n_rows: int, seed: int, models: Any = None) -> list[Candidate]:
    """Return the candidates for a task, the simple ones first: stopped early, a study has them and the baseline.

    Parameters
    ----------
    task : {"classification", "regression"}
    n_rows : int
        Rows to train on; of the usual list, learners that are too slow for so many are left out.
    seed : int
        Their random_state.
    models : list of str, dict of estimators or None
        Names to compare instead of the usual list, or estimators of your own by name.
    """
    classify = task == CLASSIFICATION
    dummy: Any = DummyClassifier(strategy="prior") if classify else DummyRegressor()
    title = "baseline (most frequent)" if classify else "baseline (mean)"
    baseline = Candidate(title, "scikit-learn", dummy, SIMPLICITY["dummy"], scaled=False, baseline=True)
    if isinstance(models, dict):
        return [baseline, *(given(name, model) for name, model in models.items())]
    kind = "classifier" if classify else "regressor"
    listed = [c for c in (candidate_of(cls, by, seed) for cls, by in curated(kind)) if c is not None]
    if models is not None:
        found = named(kind, seed, models, listed)
    else:
        found = [c for c in listed if n_rows <= MOST_ROWS.get(family(type(c.estimator)), n_rows)]
    return [baseline, *sorted(found, key=lambda candidate: candidate.simplicity)]


def given(name: str, estimator: Any) -> Candidate:
    """Return the candidate for an estimator of the user's."""
    return Candidate(str(name), "you", estimator, rank_of(type(estimator)), scaled=True)
