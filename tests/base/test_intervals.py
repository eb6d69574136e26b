"""`predict(X, interval=..., level=...)` is one answer for all models that know how uncertain they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from novum.base.intervals import IntervalPrediction, mixture_interval
from novum.ensemble import BayesianModelAveraging, MixtureOfExperts
from novum.evaluation import ConformalRegressor
from novum.exceptions import ParameterError
from novum.gaussian_process import GaussianProcessRegressor, SparseGaussianProcessRegressor
from novum.kernels import RBF, White
from novum.linear_model import ARDRegression, BayesianLinearRegression, BayesianRidge, LinearRegression, Ridge

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (300, 1))
Y = 1.5 * X[:, 0] + RNG.normal(size=300)
NEW = RNG.uniform(-2, 2, (4000, 1))
TARGET = 1.5 * NEW[:, 0] + RNG.normal(size=4000)

BOTH = [
    LinearRegression(),
    BayesianRidge(),
    ARDRegression(),
    BayesianLinearRegression(optimize=True),
    GaussianProcessRegressor(RBF(2.0) + White(1.0)),
    SparseGaussianProcessRegressor(RBF(2.0), n_inducing=20, random_state=0),
]
NEW_TARGETS_ONLY = [
    Ridge(),
    BayesianModelAveraging([("a", BayesianRidge()), ("b", ARDRegression())]),
    MixtureOfExperts(n_experts=2, random_state=0),
    ConformalRegressor(LinearRegression(), random_state=0),
]


def name_of(model):
    return type(model).__name__


@pytest.mark.parametrize("model", [*BOTH, *NEW_TARGETS_ONLY], ids=name_of)
def test_intervals_hold_their_share_of_new_targets(model):
    model.fit(X, Y)
    for level in (0.8, 0.95):
        found = model.predict(NEW, interval="prediction", level=level)
        assert isinstance(found, IntervalPrediction)
        assert_allclose(found.value, model.predict(NEW), rtol=1e-6, atol=1e-9)
        assert abs(np.mean((found.lower <= TARGET) & (found.upper >= TARGET)) - level) < 0.04
    with pytest.raises(ParameterError, match="interval='both'"):
        model.predict(NEW, interval="both")
    with pytest.raises(ParameterError, match="level"):
        model.predict(NEW, interval="prediction", level=1.5)


@pytest.mark.parametrize("model", BOTH, ids=name_of)
def test_confidence_is_narrower_than_prediction(model):
    model.fit(X, Y)
    mean, new = (model.predict(NEW[:50], interval=kind) for kind in ("confidence", "prediction"))
    assert (mean.upper - mean.lower < 0.6 * (new.upper - new.lower)).all()
    truth = 1.5 * NEW[:50, 0]
    assert ((mean.lower <= truth) & (truth <= mean.upper)).mean() > 0.5
    with pytest.raises(ParameterError, match="not both"):
        model.predict(NEW[:2], return_std=True, interval="prediction")


@pytest.mark.parametrize("model", NEW_TARGETS_ONLY, ids=name_of)
def test_who_has_no_interval_for_the_mean_says_so(model):
    with pytest.raises(ParameterError, match="for new targets only"):
        model.fit(X, Y).predict(NEW, interval="confidence")


def test_bayesian_intervals_are_those_of_the_predictive_distribution():
    model = BayesianRidge().fit(X, Y)
    found, distribution = model.predict(NEW, interval="prediction", level=0.9), model.predict_distribution(NEW)
    assert_allclose(found.lower, distribution.quantile(0.05), rtol=1e-9)
    assert_allclose(found.upper, distribution.quantile(0.95), rtol=1e-9)


def test_quantiles_of_mixtures_solve_their_equation():
    share, means, stds = RNG.dirichlet(np.ones(3), 40), RNG.normal(size=(40, 3)), RNG.uniform(0.1, 2, (40, 3))
    found = mixture_interval(np.zeros(40), share, means, stds, 0.9)
    for end, q in ((found.lower, 0.05), (found.upper, 0.95)):
        assert_allclose((share * stats.norm.cdf(end[:, None], means, stds)).sum(axis=1), q, rtol=1e-9)
