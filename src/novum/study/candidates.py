"""The models a study compares: every classifier or regressor of novum, scikit-learn's where novum has none yet, a baseline.

novum's own are found by looking (`novum.base.discovery`), so a family that is added takes part at once and takes the place
of scikit-learn's class of the same name. SETTINGS gives the few that should differ from the defaults.

How simple a model is (SIMPLICITY) decides between models whose scores cannot be told apart. The order goes by what a
person has to read to follow one prediction: nothing (the baseline), a weighted sum, a table of means and variances per
class, a quadratic form per class, a small tree, the neighbours of a row, a kernel expansion, hundreds of trees, a network.
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
STAND_INS = {  # scikit-learn's classes, for the families that novum does not have yet
    "classifier": (
        "linear_model.LogisticRegression",
        "discriminant_analysis.LinearDiscriminantAnalysis",
        "discriminant_analysis.QuadraticDiscriminantAnalysis",
        "neighbors.KNeighborsClassifier",
        "tree.DecisionTreeClassifier",
        "ensemble.RandomForestClassifier",
        "ensemble.AdaBoostClassifier",
        "ensemble.HistGradientBoostingClassifier",
    ),
    "regressor": (
        "linear_model.Lasso",
        "linear_model.ElasticNet",
        "neighbors.KNeighborsRegressor",
        "tree.DecisionTreeRegressor",
        "ensemble.RandomForestRegressor",
        "ensemble.HistGradientBoostingRegressor",
    ),
}
# Not for a table of any columns: learners for counts, binary or categorical columns or several targets only, searches over
# others, combinations of models that one chooses, parts of ensembles, and what another candidate does better or as well.
NOT_FOR_TABLES = {
    *("MultinomialNB", "BernoulliNB", "CategoricalNB", "ComplementNB", "LogisticRegressionCV", "RidgeCV", "LassoCV"),
    *(
        "ElasticNetCV",
        "OneClassSVM",
        "MultiTaskLasso",
        "MultiTaskElasticNet",
        "MultiTaskLassoCV",
        "MultiTaskElasticNetCV",
    ),
    *("JointTableClassifier", "MixedNB", "GenerativeClassifier", "BayesOptimalClassifier", "LossMatrixClassifier"),
    *("LeastSquaresClassifier", "Perceptron", "SGDClassifier", "SGDRegressor"),
    *("RidgeClassifierCV", "BayesianModelAveraging", "MixtureOfExperts", "ExtraTreeClassifier", "ExtraTreeRegressor"),
    *("RadiusNeighborsClassifier", "RadiusNeighborsRegressor", "NadarayaWatson"),
    *("BayesianNetworkClassifier", "TreeAugmentedNB"),
}
MOST_ROWS = {"svm": 5_000, "gaussian_process": 1_000, "kernel_ridge": 5_000}  # cost grows with the square or cube
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


def made(cls: type, seed: int) -> Any:
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


def classes_for(kind: str) -> Iterator[tuple[type, str]]:
    """Yield the classes that serve a kind of estimator, with whose they are."""
    ours = {name: cls for name, cls in all_estimators(kind) if name not in NOT_FOR_TABLES}
    yield from ((cls, "novum") for cls in ours.values())
    for path in STAND_INS[kind]:
        module, name = path.split(".")
        if name not in ours:
            yield getattr(import_module(f"sklearn.{module}"), name), "scikit-learn"


def candidates_for(task: str, n_rows: int, seed: int, models: Any = None) -> list[Candidate]:
    """Return the candidates for a task, the simple ones first: stopped early, a study has them and the baseline.

    Parameters
    ----------
    task : {"classification", "regression"}
    n_rows : int
        Rows to train on; learners that are too slow for so many are left out.
    seed : int
        Their random_state.
    models : list of str, dict of estimators or None
        Names from the leaderboard to compare instead of all, or estimators of your own by name.
    """
    classify = task == CLASSIFICATION
    dummy: Any = DummyClassifier(strategy="prior") if classify else DummyRegressor()
    title = "baseline (most frequent)" if classify else "baseline (mean)"
    baseline = Candidate(title, "scikit-learn", dummy, SIMPLICITY["dummy"], scaled=False, baseline=True)
    if isinstance(models, dict):
        return [baseline, *(given(name, model) for name, model in models.items())]
    found = []
    for cls, by in classes_for("classifier" if classify else "regressor"):
        home, estimator = family(cls), made(cls, seed)
        if estimator is None or n_rows > MOST_ROWS.get(home, n_rows):
            continue
        rank = SIMPLE_CLASSES.get(cls.__name__, SIMPLICITY.get(home, UNKNOWN_RANK))
        found.append(Candidate(short_name(cls), by, estimator, rank, home in SCALED))
    if models is not None:
        known = [candidate.name for candidate in found]
        unknown = [name for name in models if name not in known]
        if unknown:
            raise ParameterError(f"Study(models=...): {unknown[0]!r} is not among {', '.join(known)}.")
        found = [candidate for candidate in found if candidate.name in models]
    return [baseline, *sorted(found, key=lambda candidate: candidate.simplicity)]


def given(name: str, estimator: Any) -> Candidate:
    """Return the candidate for an estimator of the user's."""
    home = family(type(estimator))
    rank = SIMPLE_CLASSES.get(type(estimator).__name__, SIMPLICITY.get(home, UNKNOWN_RANK))
    return Candidate(str(name), "you", estimator, rank, scaled=True)
