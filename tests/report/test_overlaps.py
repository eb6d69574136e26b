"""Nothing is covered, clipped or unnamed in the pictures of results and estimators; `drawings/faults.py` finds what is."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from drawings.faults import faults_of
from matplotlib import pyplot as plt
from report.result_calls import CALLS, made
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.utils import get_tags

from novum.cluster import AgglomerativeClustering, KMeans
from novum.decomposition import PCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.ensemble import AdaBoostRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from novum.gaussian_process import GaussianProcessRegressor
from novum.linear_model import ARDRegression, BayesianRidge, Lasso, LinearRegression, LogisticRegression
from novum.mixture import GaussianMixture
from novum.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB
from novum.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novum.svm import SVC, SVR
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

NO_PICTURE = {"Multinomial", "NormalInverseWishart"}  # they say so themselves
ESTIMATORS = [
    LogisticRegression(),
    LinearRegression(),
    Lasso(),
    ARDRegression(),
    BayesianRidge(),
    GaussianNB(),
    BernoulliNB(),
    CategoricalNB(),
    ComplementNB(),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    DecisionTreeClassifier(),
    DecisionTreeRegressor(max_leaf_nodes=40),
    RandomForestClassifier(5, random_state=0),
    AdaBoostRegressor(n_estimators=4),
    HistGradientBoostingClassifier(max_iter=3),
    KNeighborsClassifier(),
    KNeighborsRegressor(),
    KMeans(3, random_state=0),
    AgglomerativeClustering(3),
    GaussianMixture(2, random_state=0),
    PCA(),
    SVC(),
    SVR(),
    GaussianProcessRegressor(alpha=1.0),
]


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


def some_quickly(cases, every):
    """Return all cases, those that are not drawn every day marked as slow."""
    return [case if k % every == 0 else pytest.param(case, marks=pytest.mark.slow) for k, case in enumerate(cases)]


@pytest.mark.parametrize("name", some_quickly([name for name in CALLS if name not in NO_PICTURE], 4))
def test_results(name):
    ax = made(name).plot()
    assert not faults_of(np.ravel(getattr(ax, "ax_", ax))[0].figure)


def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def wide():
    """Return a table of many columns with long names, all between 0 and 4."""
    data = load_breast_cancer(as_frame=True)
    X = data.data[:60]
    return 4 * (X - X.min()) / (X.max() - X.min()), data.target_names[data.target][:60]


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged", "ignore::novum.exceptions.DataWarning")
@pytest.mark.parametrize("table", [iris, pytest.param(wide, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_estimators(model, table):
    X, y = table()
    X = X.astype(int) if isinstance(model, CategoricalNB) else X
    target = X.sum(axis=1).to_numpy() if get_tags(model).estimator_type == "regressor" else y
    fitted = type(model)(**model.get_params()).fit(X, target)
    assert not faults_of(fitted.plot(X, target).figure)
    if not isinstance(model, (AgglomerativeClustering, HistGradientBoostingClassifier, SVC, SVR, PCA)):
        assert not faults_of(fitted.plot().figure)
