"""The bits of a result do not depend on how many threads there are; they may exceed the processors."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from novum.cluster import KMeans
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from novum.linear_model import LinearRegression, LogisticRegression
from novum.mixture import GaussianMixture
from novum.neighbors import KNeighborsClassifier
from novum.runtime import threads as counting
from novum.svm import SVC, SVR

COUNTS = (1, 2, 3, 5, 16)


def table(n, d, classes=2):
    return make_classification(n, d, n_informative=d // 2, n_classes=classes, flip_y=0.1, random_state=0)


def least_squares(_):
    X, _ = table(120_000, 24)
    rng = np.random.default_rng(0)
    model = LinearRegression().fit(X, X @ rng.normal(size=24) + rng.normal(size=len(X)))
    return model.coef_, model.intercept_


def k_means(_):
    X, _ = table(60_000, 10)
    model = KMeans(8, n_init=1, max_iter=5, tol=0, random_state=0).fit(X)
    return model.cluster_centers_, model.labels_, model.inertia_


def mixture(_):
    X, _ = table(40_000, 10)
    model = GaussianMixture(4, max_iter=3, random_state=0).fit(X)
    return model.means_, model.covariances_, model.lower_bound_


def logistic(_):
    model = LogisticRegression().fit(*table(60_000, 24))
    return model.coef_, model.intercept_


def several_classes(_):
    model = LogisticRegression().fit(*table(40_000, 16, 3))
    return model.coef_, model.intercept_


def boosting(_):
    X, y = table(60_000, 18)
    model = HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5, random_state=0).fit(X, y)
    return model._nodes, model._root, model.decision_function(X)


def boosting_few_columns(_):
    X, y = table(30_000, 5)
    model = HistGradientBoostingRegressor(
        max_iter=4, max_leaf_nodes=None, max_depth=7, max_features=0.6, random_state=0
    )
    return model.fit(X, y)._nodes, model.predict(X)


def boosting_categories(_):
    X, y = table(20_000, 8)
    X[:, 3] = np.digitize(X[:, 3], np.linspace(-2, 2, 20))
    X[::7, 1] = np.nan
    model = HistGradientBoostingRegressor(
        max_iter=4, categorical_features=[3], loss="absolute_error", random_state=0
    ).fit(X, y)
    return model._nodes, model._sets, model.predict(X)


def support_vectors(_):
    model = SVC().fit(*table(10_000, 12))  # enough for blocks
    return model.dual_coef_, model.support_, model.intercept_


def support_vector_pairs(_):
    model = SVC().fit(*table(2_000, 8, 4))
    return model.dual_coef_, model.support_, model.intercept_


def support_vector_regression(_):
    X, y = table(5_000, 8)
    model = SVR().fit(X, X[:, 0] + 0.1 * y)
    return model.dual_coef_, model.support_, model.intercept_


def brute_neighbours(count):
    X, y = table(9_000, 32)
    return KNeighborsClassifier(5, algorithm="brute", n_jobs=count).fit(X[:8_000], y[:8_000]).kneighbors(X[8_000:])


def forest(count):
    X, y = table(5_000, 12)
    return (RandomForestClassifier(6, random_state=0, n_jobs=count).fit(X, y).predict_proba(X),)


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@pytest.mark.parametrize(
    "fit",
    [
        least_squares,
        k_means,
        mixture,
        logistic,
        several_classes,
        boosting,
        boosting_few_columns,
        boosting_categories,
        support_vectors,
        support_vector_pairs,
        support_vector_regression,
        brute_neighbours,
        forest,
    ],
)
def test_bits_do_not_depend_on_the_number_of_threads(fit, monkeypatch):
    monkeypatch.setattr(counting, "_openmp_limit", lambda: None)
    found = []
    for count in COUNTS:
        monkeypatch.setattr(counting, "_processors", lambda count=count: count)
        found.append(fit(count))
    for count, other in zip(COUNTS[1:], found[1:]):
        for one, two in zip(found[0], other, strict=True):
            assert np.array_equal(one, two), count
