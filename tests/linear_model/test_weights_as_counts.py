"""Weights count rows in every table of every linear model: whole weights are repeated rows; `weights="precision"` is the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import ParameterError
from novum.linear_model import GammaRegressor, LinearRegression, LogisticRegression, PoissonRegressor, TweedieRegressor

NUMBERS = (
    "n_rows",
    "degrees_of_freedom",
    "noise_variance",
    "r_squared",
    "adjusted_r_squared",
    "f_statistic",
    "f_p_value",
    "log_likelihood",
    "aic",
    "bic",
    "dispersion",
    "deviance",
    "null_deviance",
    "pearson",
    "likelihood_ratio",
    "likelihood_ratio_p_value",
    "null_log_likelihood",
    "pseudo_r_squared",
)
COLUMNS = ("coef", "standard_error", "statistic", "p_value", "lower", "upper", "covariance")


def models(rng, X):
    eta = 0.3 + X @ np.linspace(0.6, -0.4, X.shape[1])
    three = (eta[:, None] * [0, 1, -1] + rng.gumbel(size=(len(X), 3))).argmax(axis=1)
    yield LinearRegression(), eta + rng.normal(size=len(X)), ("classical", "HC0", "HC1", "HC2", "HC3", "cluster", "CR1")
    yield LogisticRegression(C=np.inf, tol=1e-12), (eta + rng.logistic(size=len(X)) > 0).astype(int), None
    yield LogisticRegression(C=np.inf, tol=1e-12), three, None
    yield PoissonRegressor(alpha=0), rng.poisson(np.exp(eta)), None
    yield GammaRegressor(alpha=0), rng.gamma(2.0, np.exp(eta)), None
    yield TweedieRegressor(power=1.5, alpha=0), rng.poisson(np.exp(eta)) * rng.gamma(2.0, 1.0, len(X)), None


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")  # what is compared is not where the fit ends
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_whole_weights_are_repeated_rows(seed, intercept):
    rng = np.random.default_rng([seed, 11])
    X, w, groups = rng.normal(size=(90, 2)), rng.integers(0, 5, 90), rng.integers(0, 9, 90)
    again = np.repeat(np.arange(90), w)
    for model, y, kinds in models(rng, X):
        model.set_params(fit_intercept=intercept)
        once = type(model)(**model.get_params()).fit(X, y, sample_weight=w)
        often = type(model)(**model.get_params()).fit(X[again], y[again])
        for kind in kinds or ("classical", "HC0", "cluster", "CR1"):
            clustered = kind in ("cluster", "CR1")
            a = once.inference(X, y, w, covariance=kind, groups=groups if clustered else None)
            b = often.inference(X[again], y[again], covariance=kind, groups=groups[again] if clustered else None)
            for name in COLUMNS:
                assert_allclose(
                    getattr(a, name), getattr(b, name), rtol=1e-7, atol=1e-10, err_msg=f"{model} {kind} {name}"
                )
            for name in set(NUMBERS) & set(vars(b)):
                assert_allclose(
                    getattr(a, name), getattr(b, name), rtol=1e-8, atol=1e-10, err_msg=f"{model} {kind} {name}"
                )
            if clustered:
                assert_allclose(a.t_freedom, b.t_freedom, rtol=1e-8)
            assert "counts as w rows" in repr(a) and "counts as w rows" not in repr(b)
        if isinstance(model, LogisticRegression):
            for method in ("profile", "firth"):
                a, b = once.inference(X, y, w, method=method), often.inference(X[again], y[again], method=method)
                assert_allclose(
                    np.r_[a.lower, a.upper, a.p_value], np.r_[b.lower, b.upper, b.p_value], rtol=1e-6, atol=1e-8
                )
        if isinstance(model, LinearRegression):
            for interval in ("confidence", "prediction"):
                a, b = (m.predict(X[:5], interval=interval) for m in (once, often))
                assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-10)


def test_whole_weights_of_least_squares_to_the_last_digits():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, w = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4, 3), rng.integers(1, 6, 40)
        y = X[:, 0] + rng.normal(size=40)
        again = np.repeat(np.arange(40), w)
        a = LinearRegression().fit(X, y, sample_weight=w).inference()
        b = LinearRegression().fit(X[again], y[again]).inference()
        for name in ("standard_error", "p_value", "log_likelihood", "aic", "bic", "noise_variance"):
            assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10, atol=1e-300)


def test_the_other_meaning_is_requested_by_name():
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(90, 2)), rng.uniform(0.2, 3, 90)
    for model, y, _ in models(rng, X):
        model.fit(X, y, sample_weight=w)
        found = model.inference(X, y, w, weights="precision")
        assert found.n_rows == 90 and "counts as w rows" not in repr(found)
        with pytest.raises(ParameterError, match="weights='count'"):
            model.inference(X, y, w, weights="count")
    y = np.exp(X[:, 0]) * rng.gamma(2, 1, 90)
    model = GammaRegressor(alpha=0).fit(X, y, sample_weight=w)
    twice = GammaRegressor(alpha=0).fit(X, y, sample_weight=2 * w)
    for kind in ("classical", "HC0"):  # precisions have no scale where the dispersion is estimated
        a = model.inference(X, y, w, weights="precision", covariance=kind)
        b = twice.inference(X, y, 2 * w, weights="precision", covariance=kind)
        assert_allclose(a.standard_error, b.standard_error, rtol=1e-6, atol=1e-12)


@pytest.mark.peer
@pytest.mark.parametrize("distribution", ["poisson", "gamma", "normal"])
def test_statsmodels_freq_weights_and_var_weights(distribution):
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(120, 2)), rng.integers(1, 5, 120).astype(float)
    mean = np.exp(0.2 + X @ [0.5, -0.3])
    model, family, y = {
        "poisson": (PoissonRegressor(alpha=0), sm.families.Poisson(), rng.poisson(mean)),
        "gamma": (GammaRegressor(alpha=0), sm.families.Gamma(sm.families.links.Log()), rng.gamma(2.0, mean / 2)),
        "normal": (TweedieRegressor(power=0, alpha=0), sm.families.Gaussian(), rng.normal(mean)),
    }[distribution]
    model.fit(X, y, sample_weight=w)
    for weights, name in (("frequency", "freq_weights"), ("precision", "var_weights")):
        peer = sm.GLM(y, sm.add_constant(X), family=family, **{name: w}).fit(tol=1e-14, maxiter=200)
        ours = model.inference(X, y, w, weights=weights)
        assert_allclose(ours.standard_error, peer.bse, rtol=1e-7)
        assert ours.dispersion == pytest.approx(peer.scale, rel=1e-8)
        assert ours.degrees_of_freedom == pytest.approx(peer.df_resid)
        assert ours.deviance == pytest.approx(peer.deviance, rel=1e-8)
