"""Numbers that leave the range of floating point are refused by name, in a fit and in a prediction, never handed on as NaN."""

import numpy as np
import pytest

from novum.cluster import KMeans
from novum.decomposition import PCA, FactorAnalysis, ProbabilisticPCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.ensemble import AdaBoostClassifier, HistGradientBoostingRegressor
from novum.exceptions import DataError, ParameterError, UnknownCategory
from novum.linear_model import (
    ARDRegression,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
)
from novum.mixture import GaussianMixture
from novum.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from novum.neighbors import KernelDensity, NearestNeighbors
from novum.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
y = rng.integers(3, size=600)
number = X @ [1.0, 2.0, 3.0]


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, np.float32(np.nan)])
@pytest.mark.parametrize(
    "model", [GaussianNB(), LinearRegression(), ARDRegression(), Lasso(), LassoCV(), LogisticRegression()], ids=repr
)
def test_one_weight_for_all_rows(model, weight):
    with pytest.raises(DataError, match=type(model).__name__):
        model.fit(X, y, sample_weight=weight)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    "model",
    [
        RidgeCV(alphas=[np.nan]),
        RidgeCV(alphas={}),
        LassoCV(alphas=[np.nan]),
        ElasticNetCV(cv=[]),
        GaussianNB(priors=[np.nan] * 3),
        LinearDiscriminantAnalysis(priors=[np.inf, 0, 0]),
        GaussianNB(var_smoothing=np.inf),
        AdaBoostClassifier(learning_rate=np.inf),
        HistGradientBoostingRegressor(learning_rate=np.inf),
        LogisticRegression(class_weight={0: -1.0}),
        LogisticRegression(class_weight={0: np.nan}),
        DecisionTreeClassifier(class_weight=[1]),
    ],
    ids=repr,
)
def test_parameters_that_are_no_numbers(model):
    with pytest.raises(ParameterError, match=f"parameter of {type(model).__name__} must be"):
        model.fit(X, y)


def test_infinity_where_it_has_a_meaning():
    assert np.isfinite(LogisticRegression(C=np.inf).fit(X, y).coef_).all()
    assert NearestNeighbors(p=np.inf, radius=np.inf).fit(X).kneighbors(X[:1])[0][0, 0] == 0


@pytest.mark.parametrize("cls", [MultinomialNB, BernoulliNB, ComplementNB, CategoricalNB])
def test_pseudo_counts_that_overflow(cls):
    with pytest.raises(ParameterError, match=rf"alpha=1e\+308 is too large.*{cls.__name__}"):
        cls(alpha=1e308).fit(np.abs(X).astype(int), y)
    assert np.isfinite(cls(alpha=10**30).fit(np.abs(X).astype(int), y).class_log_prior_).all()


def test_a_fit_that_overflows_names_the_parameter():
    with pytest.raises(DataError, match=r"GaussianNB: the fit left the range.*var_smoothing=1e\+308.*var_"):
        GaussianNB(var_smoothing=1e308).fit(X * 1e10, y)


@pytest.mark.parametrize("row", [0, 255, 256, 400, 599])
@pytest.mark.parametrize(
    "model",
    [GaussianNB(), QuadraticDiscriminantAnalysis(), Ridge(), LogisticRegression(), KMeans(3), GaussianMixture(2)],
    ids=repr,
)
def test_one_huge_number_in_any_row(model, row):
    spoiled = X.copy()
    spoiled[row, 1] = 1e160
    with pytest.raises(DataError, match=rf"{type(model).__name__}: X holds numbers up to 1e\+160"):
        model.fit(spoiled, y)


def test_kmeans_of_huge_numbers():
    with pytest.raises(DataError, match="KMeans: X holds numbers up to"):
        KMeans(3).fit(X * 1e155)
    assert np.isfinite(KMeans(3, random_state=0).fit(X * 1e130).inertia_)


@pytest.mark.parametrize(
    "model", [GaussianNB(), QuadraticDiscriminantAnalysis(), KMeans(3), GaussianMixture(2), KernelDensity()], ids=repr
)
def test_rows_too_far_to_judge(model):
    model.fit(X, y)
    for method in ("predict_proba", "predict", "transform", "score_samples"):
        if hasattr(model, method):
            with pytest.raises(DataError, match=rf"{type(model).__name__}: X holds numbers up to 1e\+200"):
                getattr(model, method)([[1e200, 0, 0]])


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), LogisticRegression()], ids=repr)
def test_linear_models_answer_far_rows(model):
    assert np.isfinite(
        model.fit(X, number if not isinstance(model, LogisticRegression) else y).predict([[1e200, 0, 0]])
    ).all()


def test_categories_that_the_fit_did_not_see():
    model = CategoricalNB().fit(np.abs(X).astype(int), y)
    with pytest.raises(UnknownCategory, match="CategoricalNB did not see") as caught:
        model.predict([[1e300, 0, 0]])
    assert isinstance(caught.value, IndexError | ValueError)


@pytest.mark.parametrize("model", [GaussianNB(), Ridge(), KMeans(3, random_state=0)], ids=repr)
def test_masked_cells_are_missing(model):
    masked = np.ma.masked_array(X, mask=X > 2)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(masked, y)
    whole = np.ma.masked_array(X, mask=False)
    assert np.array_equal(model.fit(whole, y).predict(X), model.fit(X, y).predict(X))


def test_errors_of_users_own_code_stay_what_they_are():
    def metric(a, b):
        return {}["missing"]

    with pytest.raises(KeyError, match="missing"):
        NearestNeighbors(metric=metric, algorithm="brute").fit(X).kneighbors(X[:2])


@pytest.mark.parametrize("model", [PCA(2), FactorAnalysis(2), ProbabilisticPCA(2)], ids=repr)
def test_densities_of_rows_too_far_to_judge(model):
    rows = np.random.default_rng(0).normal(size=(50, 4))
    model.fit(rows)
    far = np.vstack([rows[:2], np.full(4, 1e200)])
    for method in (model.score_samples, model.score):
        with pytest.raises(DataError, match=rf"{type(model).__name__}: X holds numbers up to 1e\+200"):
            method(far)
    assert np.isfinite(model.transform(far)).all()
