"""Bayesian regression: the notes' numbers, the joint Gaussian by brute force, portions, scikit-learn's classes."""

import numpy as np
import pytest
from artists import canvas, curve, tick_words
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.linear_model import ARDRegression as PeerARD
from sklearn.linear_model import BayesianRidge as PeerRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import novum
from novum.datasets import make_sine
from novum.distributions import MixtureDistribution, Normal
from novum.exceptions import DataError, ParameterError
from novum.linear_model import (
    ARDRegression,
    BayesianLinearRegression,
    BayesianRidge,
    Ridge,
    compare_evidence,
    occam_factor,
)
from novum.preprocessing import GaussianBasis

LINE = np.array([[0.0], [1.0], [2.0]]), np.array([-0.3, 0.2, 0.7])
SETTING = {"alpha": 2.0, "beta": 25.0}


def make(n, p, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3
    return X, X @ (rng.normal(size=p) * (np.arange(p) % 2)) + noise * rng.normal(size=n) + 2, rng.uniform(0.5, 2, n)


@pytest.mark.notes("002", "bayes-linreg-isotropic")
def test_isotropic_prior_of_the_notes():
    model = BayesianLinearRegression(**SETTING).fit(*LINE)
    assert_allclose(model.mean_, [-0.263601, 0.470631], atol=5e-7)
    assert_allclose(model.covariance_, [[0.030573, -0.018055], [-0.018055, 0.018536]], atol=5e-7)
    tight = BayesianLinearRegression(1e12, 25.0).fit(*LINE)
    assert_allclose(tight.mean_, 0, atol=1e-9)
    loose = BayesianLinearRegression(1e-12, 25.0).fit(*LINE)
    assert_allclose(loose.mean_, [-0.3, 0.5], rtol=1e-9)


@pytest.mark.notes("002", "bayes-linreg")
@pytest.mark.notes("003", "bayesian-linear-regression")
def test_any_gaussian_prior_against_the_joint_normal():
    """The posterior is the conditional of the joint Gaussian of weights and targets."""
    X, y, _ = make(12, 3)
    rng = np.random.default_rng(1)
    A = rng.normal(size=(4, 4))
    m0, S0, beta = rng.normal(size=4), A @ A.T + np.eye(4), 1.7
    phi = np.column_stack([np.ones(12), X])
    total = phi @ S0 @ phi.T + np.eye(12) / beta
    gain = np.linalg.solve(total, phi @ S0).T
    model = BayesianLinearRegression(beta=beta, prior_mean=m0, prior_covariance=S0).fit(X, y)
    assert_allclose(model.mean_, m0 + gain @ (y - phi @ m0), rtol=1e-9)
    assert_allclose(model.covariance_, S0 - gain @ phi @ S0, atol=1e-10)
    assert_allclose(model.log_evidence_, multivariate_normal(phi @ m0, total).logpdf(y), rtol=1e-10)
    assert_allclose(model.posterior_.mean, model.mean_)
    # S_0 = tau I, m_0 = 0 without an intercept: ridge with lambda = sigma^2/tau
    plain = BayesianLinearRegression(alpha=0.5, beta=2.0, fit_intercept=False).fit(X, y)
    assert_allclose(plain.coef_, Ridge(0.25, fit_intercept=False).fit(X, y).coef_, rtol=1e-10)


@pytest.mark.notes("002", "plot-sequential-bayes")
@pytest.mark.notes("002", "bayes-linreg-sequential")
def test_point_by_point_equals_all_at_once():
    whole = BayesianLinearRegression(**SETTING).fit(*LINE)
    steps = BayesianLinearRegression(**SETTING)
    for x, t in zip(*LINE):
        steps.partial_fit([x], [t])
    assert_allclose(steps.mean_, whole.mean_, rtol=1e-12)
    assert_allclose(steps.covariance_, whole.covariance_, rtol=1e-12)
    assert_allclose(steps.log_evidence_, whole.log_evidence_, rtol=1e-12)
    one = BayesianLinearRegression(**SETTING).fit([LINE[0][0]], [-0.3])
    again = BayesianLinearRegression(beta=25.0, prior_mean=one.mean_, prior_covariance=one.covariance_)
    assert_allclose(again.fit(LINE[0][1:], LINE[1][1:]).mean_, whole.mean_, rtol=1e-12)
    X, y, _ = make(12, 2)
    portions = BayesianLinearRegression(**SETTING)
    for part in (slice(0, 5), slice(5, 9), slice(9, 12)):
        portions.partial_fit(X[part], y[part])
    ones = np.column_stack([np.ones(12), X])
    precision = 2.0 * np.eye(3) + 25.0 * ones.T @ ones
    assert_allclose(portions.mean_, np.linalg.solve(precision, 25.0 * ones.T @ y), rtol=1e-10)
    assert_allclose(portions.covariance_, np.linalg.inv(precision), rtol=1e-10)


@pytest.mark.notes("002", "plot-sequential-bayes")
def test_the_posterior_sharpens_around_the_line():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 1))
    t = -0.3 + 0.5 * x[:, 0] + 0.2 * rng.normal(size=200)
    volumes = []
    for n in (1, 2, 20, 200):
        model = BayesianLinearRegression(**SETTING).fit(x[:n], t[:n])
        volumes.append(np.linalg.det(model.covariance_))
    assert (np.diff(volumes) < 0).all()
    assert_allclose(model.mean_, [-0.3, 0.5], atol=0.05)
    lines = model.sample_weights(20_000, random_state=0)
    assert_allclose(lines.mean(0), model.mean_, atol=5 * np.sqrt(model.covariance_.max() / 20_000))
    assert_allclose(np.cov(lines.T), model.covariance_, rtol=0.05, atol=1e-5)


@pytest.mark.notes("002", "plot-predictive-band")
@pytest.mark.notes("002", "bayes-linreg-predictive")
@pytest.mark.notes("003", "posterior-predictive")
def test_predictive_distribution_of_the_notes():
    model = BayesianLinearRegression(**SETTING).fit(*LINE)
    mean, std = model.predict([[1.5]], return_std=True)
    assert_allclose([mean[0], std[0] ** 2], [0.442345, 0.058115], atol=5e-7)
    whole = model.predict_distribution([[1.5], [9.0]])
    assert_allclose(whole.mean[0], mean[0])
    assert whole.var[1] > whole.var[0] > 1 / 25  # wider away from the data, never below the noise
    X, y, _ = make(12, 3)
    rng = np.random.default_rng(1)
    A, new = rng.normal(size=(4, 4)), rng.normal(size=(5, 3))
    m0, S0 = rng.normal(size=4), A @ A.T + np.eye(4)
    phi, ahead = np.column_stack([np.ones(12), X]), np.column_stack([np.ones(5), new])
    gain = np.linalg.solve(phi @ S0 @ phi.T + np.eye(12) / 1.7, phi @ S0 @ ahead.T).T
    any_prior = BayesianLinearRegression(beta=1.7, prior_mean=m0, prior_covariance=S0).fit(X, y)
    distribution = any_prior.predict_distribution(new)
    assert_allclose(distribution.mean, ahead @ m0 + gain @ (y - phi @ m0), rtol=1e-8)
    assert_allclose(distribution.var, 1 / 1.7 + np.diag(ahead @ S0 @ ahead.T - gain @ phi @ S0 @ ahead.T), rtol=1e-8)
    fewer = BayesianLinearRegression(**SETTING).fit(LINE[0][:2], LINE[1][:2])
    grid = np.linspace(-3, 5, 40)[:, None]
    assert (model.predict(grid, return_std=True)[1] <= fewer.predict(grid, return_std=True)[1] + 1e-15).all()


@pytest.mark.notes("002", "plot-equivalent-kernel")
@pytest.mark.notes("002", "equivalent-kernel")
def test_predictions_weigh_the_targets():
    model = BayesianLinearRegression(**SETTING).fit(*LINE)
    weights = model.equivalent_kernel([[1.5]], LINE[0])
    assert_allclose(weights, [[0.087265, 0.331006, 0.574747]], atol=5e-7)
    assert_allclose(weights.sum(), 0.993019, atol=5e-7)
    assert_allclose(weights @ LINE[1], 0.442345, atol=5e-7)
    assert_allclose(model.predict([[1.5]]), weights @ LINE[1], rtol=1e-12)
    bumps = make_pipeline(GaussianBasis(9, width=0.1), BayesianLinearRegression(1e-3, 25.0))
    x, t = make_sine(200, random_state=0, return_X_y=True)
    bumps.fit(x, t)
    grid = bumps[0].transform(np.linspace(0, 1, 50)[:, None])
    kernel = bumps[1].equivalent_kernel(grid, grid)
    assert_allclose(kernel, kernel.T, atol=1e-12)  # cov[y(x1), y(x2)] = k / beta
    assert kernel[25].argmax() in (24, 25, 26)  # local


@pytest.mark.notes("002", "evidence-linreg")
@pytest.mark.notes("003", "marginal-likelihood")
def test_evidence_and_its_maximum():
    x, t = LINE
    phi = np.column_stack([np.ones(3), x])
    joint = multivariate_normal(np.zeros(3), phi @ phi.T / 2 + np.eye(3) / 25)
    assert_allclose(BayesianLinearRegression(**SETTING).fit(x, t).log_evidence_, -1.715664, atol=5e-7)
    assert_allclose(BayesianLinearRegression(**SETTING).fit(x, t).log_evidence_, joint.logpdf(t), rtol=1e-12)
    X, y, _ = make(60, 4)
    learned = BayesianLinearRegression(optimize=True, tol=1e-12, max_iter=5000).fit(X, y)

    def loss(log_precisions):
        return -BayesianLinearRegression(*np.exp(log_precisions)).fit(X, y).log_evidence_

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12, "maxiter": 2000})
    assert_allclose(np.log([learned.alpha_, learned.beta_]), best.x, atol=1e-5)
    assert_allclose(learned.log_evidence_, -best.fun, rtol=1e-10)
    assert (np.diff(list(learned.history_)) > -1e-9).all()


@pytest.mark.notes("002", "plot-evidence-over-datasets")
@pytest.mark.notes("002", "bayes-model-comparison")
def test_bayes_factors_and_model_probabilities():
    from scipy.special import betaln

    coins = compare_evidence({"fair": 10 * np.log(0.5), "any": betaln(8, 4)})
    assert_allclose(np.exp(coins.log_evidence), [9.765625e-4, 7.575758e-4], rtol=1e-6)
    assert_allclose(coins.bayes_factor("fair", "any"), 1.289063, atol=5e-7)
    assert_allclose(coins.probability[0], 0.563140, atol=5e-7)
    assert_allclose(compare_evidence({"fair": 10 * np.log(0.5), "any": betaln(8, 4)}, prior=[0, 1]).probability, [0, 1])
    # evidence is a distribution over data sets: over all 0..10 heads (as one sequence each, times their number) it adds up to one
    heads = np.arange(11)
    ways = np.exp(-betaln(heads + 1, 11 - heads)) / 11
    simple, flexible = ways * 0.5**10, ways * np.exp(betaln(heads + 1, 11 - heads))
    assert_allclose([simple.sum(), flexible.sum()], 1)
    assert simple[5] > flexible[5] and flexible[0] > simple[0]  # the simple model bets on few data sets


@pytest.mark.notes("003", "marginal-likelihood")
@pytest.mark.notes("002", "plot-evidence-vs-order")
def test_evidence_prefers_a_cubic_for_a_sine():
    x, t = make_sine(30, noise=0.2, random_state=2, return_X_y=True)
    models = {
        str(order): make_pipeline(
            PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(5e-3, 25.0)
        ).fit(2 * x - 1, t)
        for order in range(1, 9)
    }
    found = compare_evidence(models)
    ax = found.plot(canvas())
    place, height = curve(ax)
    for order in range(1, 9):  # the joint normal of the targets under each order
        phi = np.vander(2 * x[:, 0] - 1, order + 1)
        distribution = multivariate_normal(np.zeros(30), phi @ phi.T / 5e-3 + np.eye(30) / 25)
        assert_allclose(height[order - 1], distribution.logpdf(t), rtol=1e-5)
    assert place.tolist() == list(range(8)) and tick_words(ax) == [str(order) for order in range(1, 9)]
    assert found.best == "3" and height.argmax() == 2
    assert "probability" in repr(found) and "<table>" in found._repr_html_()


@pytest.mark.notes("002", "bayes-model-averaging")
def test_predictions_are_averaged_over_models():
    x, t = make_sine(20, noise=0.2, random_state=3, return_X_y=True)
    models = {
        str(order): make_pipeline(
            PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(5e-3, 25.0)
        ).fit(x, t)
        for order in (1, 3, 4)
    }
    found = compare_evidence(models)
    mean, std = found.predict(x[:5], return_std=True)
    parts = [model.predict(x[:5], return_std=True) for model in models.values()]
    for i in range(5):
        mixture = MixtureDistribution(found.probability, [Normal(m[i], s[i] ** 2) for m, s in parts])
        assert_allclose([mean[i], std[i]], [float(mixture.mean), float(mixture.std)], rtol=1e-9)
    certain = compare_evidence(models, prior=[0, 1, 0])  # one model alone: selection
    assert_allclose(certain.predict(x[:5]), models["3"].predict(x[:5]), rtol=1e-12)
    with pytest.raises(ParameterError, match="given as numbers"):
        compare_evidence({"a": 1.0}).predict(x)


@pytest.mark.notes("002", "model-combination-likelihood")
def test_one_model_made_all_the_data_or_each_point_chose_its_own():
    """Averaging: log sum_h p(h) prod_n p(x_n | h); combination: sum_n log sum_z p(z) p(x_n | z)."""
    data, share, parts = np.array([-1.0, 1.0, 1.2]), np.array([0.4, 0.6]), Normal([-1.0, 1.0], [0.25, 0.25])
    log_prob = parts.log_prob(data[:, None])  # (n, k)
    averaging = np.log((share * np.exp(log_prob.sum(axis=0))).sum())
    combination = MixtureDistribution(share, parts).log_prob(data).sum()
    assert_allclose(combination, np.log((share * np.exp(log_prob)).sum(axis=1)).sum(), rtol=1e-12)
    evidence = compare_evidence({"left": log_prob[:, 0].sum(), "right": log_prob[:, 1].sum()}, prior=share)
    assert_allclose(averaging, np.logaddexp(*(evidence.log_evidence + np.log(share))), rtol=1e-12)
    each = share * np.exp(log_prob.sum(axis=0))
    assert_allclose(evidence.probability, each / each.sum(), rtol=1e-12)  # which model made them all
    assert_allclose(evidence.bayes_factor("right", "left"), np.exp(log_prob.sum(axis=0) @ [-1, 1]), rtol=1e-12)
    assert combination > averaging + 5  # the points lie on both sides: no single component made them all


@pytest.mark.notes("002", "evidence-width-approx")
def test_the_occam_factor_is_the_penalty_of_a_wide_prior():
    """One weight, flat prior of width W, Gaussian likelihood of n points: the evidence is fit plus log(posterior width / W)."""
    n, wide = 400, 50.0
    t = np.random.default_rng(0).normal(size=n)
    at_peak = -0.5 * n * np.log(2 * np.pi) - 0.5 * ((t - t.mean()) ** 2).sum()
    grid = np.linspace(-wide / 2, wide / 2, 400_001)
    log_likelihood = -0.5 * n * np.log(2 * np.pi) - 0.5 * (((t - t.mean()) ** 2).sum() + n * (t.mean() - grid) ** 2)
    exact = np.log(np.trapezoid(np.exp(log_likelihood - at_peak), grid) / wide) + at_peak
    assert_allclose(at_peak + occam_factor(np.sqrt(2 * np.pi / n), wide, 1), exact, rtol=1e-9)
    assert occam_factor(1.0, 10.0, 3) == 3 * occam_factor(1.0, 10.0, 1)


@pytest.mark.notes("002", "evidence-linreg")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n, p", [(60, 5), (30, 50), (400, 20)])
def test_bayesian_ridge_equals_scikit_learn(n, p, fit_intercept):
    X, y, w = make(n, p, noise=1.0)
    options = {"fit_intercept": fit_intercept, "compute_score": True}
    for weight in (None, w):
        ours = BayesianRidge(**options).fit(X, y, sample_weight=weight)
        peer = PeerRidge(**options).fit(X, y, sample_weight=weight)
        assert ours.n_iter_ == peer.n_iter_
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-8, atol=1e-10)
        assert_allclose([ours.alpha_, ours.lambda_], [peer.alpha_, peer.lambda_], rtol=1e-8)
        assert_allclose(ours.sigma_, peer.sigma_, rtol=1e-7, atol=1e-12)
        assert_allclose(
            ours.scores_[:-1], peer.scores_[:-1], rtol=1e-6
        )  # its last one mixes old weights and new precisions
        assert_allclose(ours.predict(X, return_std=True), peer.predict(X, return_std=True), rtol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n, p", [(60, 5), (40, 60), (400, 20)])
def test_relevance_determination_equals_scikit_learn(n, p, fit_intercept):
    X, y, _ = make(n, p, noise=1.0)
    options = {"fit_intercept": fit_intercept, "max_iter": 20}
    ours, peer = ARDRegression(**options).fit(X, y), PeerARD(**options).fit(X, y)
    assert ours.n_iter_ == peer.n_iter_ and ours.sigma_.shape == peer.sigma_.shape
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-5, atol=1e-6)
    assert_allclose(ours.predict(X, return_std=True), peer.predict(X, return_std=True), rtol=1e-5)


def test_homes_and_portions_agree(tmp_path):
    X, y, _ = make(500, 4)
    np.save(tmp_path / "d.npy", np.column_stack([X, y]))
    for cls in (BayesianLinearRegression, BayesianRidge, ARDRegression):
        memory = cls().fit(X, y)
        scan = novum.scan(tmp_path / "d.npy", target=4)
        file = cls().fit(scan)
        assert_allclose(file.coef_, memory.coef_, rtol=1e-9)
        assert_allclose(memory.predict_distribution(X[:5]).mean, memory.predict(X[:5]), rtol=1e-9)
        with pytest.raises(DataError, match="takes data in memory"):
            memory.predict(scan, return_std=True)
    parts = BayesianLinearRegression(optimize=True)
    for start in range(0, 500, 100):
        parts.partial_fit(X[start : start + 100], y[start : start + 100])
    assert_allclose(parts.mean_, BayesianLinearRegression(optimize=True).fit(X, y).mean_, rtol=1e-9)


@pytest.mark.deep
@pytest.mark.parametrize("cls", [BayesianLinearRegression, BayesianRidge, ARDRegression])
def test_tensors_agree(cls):
    torch = pytest.importorskip("torch")
    X, y, _ = make(300, 4)
    model = cls().fit(torch.from_numpy(X), torch.from_numpy(y))
    assert_allclose(model.coef_, cls().fit(X, y).coef_, rtol=1e-9)
    _, std = model.predict(torch.from_numpy(X), return_std=True)
    assert isinstance(std, torch.Tensor)
    assert_allclose(std.numpy(), model.predict(X, return_std=True)[1], rtol=1e-10)


def test_errors_name_the_way_out():
    X, y, _ = make(20, 2)
    with pytest.raises(ParameterError, match="give 3 finite numbers, the intercept first"):
        BayesianLinearRegression(prior_mean=[0.0, 1.0]).fit(X, y)
    with pytest.raises(ParameterError, match="not positive definite"):
        BayesianLinearRegression(prior_covariance=np.zeros((3, 3))).fit(X, y)
    with pytest.raises(ParameterError, match="symmetric 3 x 3"):
        BayesianLinearRegression(prior_covariance=np.eye(2)).fit(X, y)
    with pytest.raises(ParameterError, match="optimize=True"):
        BayesianLinearRegression(optimize=True, prior_mean=np.zeros(3)).fit(X, y)
    with pytest.raises(DataError, match="fit one model per column"):
        BayesianRidge().fit(X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match="no log evidence"):
        compare_evidence({"a": Ridge()})
    with pytest.raises(ParameterError, match="add up to one"):
        compare_evidence({"a": 1.0, "b": 2.0}, prior=[0.2, 0.2])
    with pytest.raises(ParameterError, match="there is no model"):
        compare_evidence({"a": 1.0}).bayes_factor("a", "b")
