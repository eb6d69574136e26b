"""ML, MAP, grids and distributions of the mean: closed forms, standard errors, identifiability, evidence by conjugacy."""

import numpy as np
import pytest
from artists import canvas, curve, curves
from scipy import stats

from novum.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    MultivariateNormal,
    Normal,
    NormalGamma,
    Poisson,
    conjugate_prior,
    maximum_a_posteriori,
    maximum_likelihood,
    posterior_grid,
    rank_by_likelihood,
)
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.teaching import chebyshev_bound, entropy_curve, mean_paths, sample_mean, standardized_means

RNG = np.random.default_rng(7)
X = RNG.normal(3.0, 2.0, size=40)
TOSSES = np.array([1, 1, 0, 0, 0, 1, 1])


def normal(x, mean, var):
    return Normal(mean, var).log_prob(x)


@pytest.mark.notes("000-a", "mle")
@pytest.mark.notes("001", "mle-generic")
@pytest.mark.notes("002", "mle")
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e5])
def test_maximum_likelihood_of_a_normal_in_any_unit(scale):
    x = X * scale
    found = maximum_likelihood(normal, x, {"mean": x[0], "var": scale**2}, bounds={"var": (0, None)})
    closed = Normal.fit(x)
    n = len(x)
    assert found.parameters == pytest.approx({"mean": float(closed.mean), "var": float(closed.var)}, rel=1e-7)
    errors = {"mean": float(np.sqrt(closed.var / n)), "var": float(closed.var * np.sqrt(2 / n))}
    assert found.standard_errors == pytest.approx(errors, rel=1e-5)
    assert found.value == pytest.approx(closed.log_prob(x).sum(), rel=1e-12) and found.identifiable
    assert found.aic == pytest.approx(4 - 2 * found.value) and found.bic == pytest.approx(
        2 * np.log(n) - 2 * found.value
    )
    low, high = found.interval(0.95)["mean"]
    assert (low + high) / 2 == pytest.approx(closed.mean, rel=1e-7)
    assert high - low == pytest.approx(2 * 1.959964 * errors["mean"], rel=1e-5)


@pytest.mark.notes("000-a", "mle")
def test_maximum_likelihood_without_a_closed_form():
    x = stats.gumbel_r(1.0, 2.0).rvs(300, random_state=0)
    found = maximum_likelihood(
        lambda x, t: stats.gumbel_r(t[0], t[1]).logpdf(x), x, [0.0, 1.0], bounds=[None, (0, None)]
    )
    wanted = stats.gumbel_r.fit(x)
    assert found.parameters == pytest.approx(wanted, rel=1e-5) and isinstance(found.parameters, np.ndarray)
    assert found.interval().shape == (2, 2)
    weight = RNG.integers(0, 3, size=300)
    by_weight = maximum_likelihood(
        lambda x, rate: Exponential(rate).log_prob(x),
        np.abs(x),
        {"rate": 1.0},
        bounds={"rate": (0, 50)},
        sample_weight=weight,
    )
    assert by_weight.parameters["rate"] == pytest.approx(weight.sum() / (weight @ np.abs(x)), rel=1e-8)
    assert by_weight.n == weight.sum()
    assert by_weight.standard_errors["rate"] == pytest.approx(
        by_weight.parameters["rate"] / np.sqrt(weight.sum()), rel=1e-6
    )


def test_parameters_that_the_data_cannot_tell_apart():
    with pytest.warns(DataWarning, match="not identified"):
        found = maximum_likelihood(lambda x, a, b: Normal(a + b, 4.0).log_prob(x), X, {"a": 0.0, "b": 0.0})
    assert not found.identifiable and "not identified" in repr(found)
    assert abs(found.flat_direction[0] + found.flat_direction[1]) < 1e-4  # a up, b down
    assert found.parameters["a"] + found.parameters["b"] == pytest.approx(X.mean(), abs=1e-5)
    flat = found.profile("a", [-3.0, 0.0, 3.0])
    assert np.abs(flat.log_likelihood).max() < 1e-8
    with pytest.raises(ParameterError, match="no standard error"):
        found.profile("a")
    with pytest.warns(DataWarning, match="nothing"):
        maximum_likelihood(lambda x, mean, nothing: Normal(mean, 4.0).log_prob(x), X, {"mean": 0.0, "nothing": 1.0})
    with pytest.warns(DataWarning, match="not identified"):  # a scale and its reciprocal
        maximum_likelihood(
            lambda x, a, b: Normal(0.0, a * b).log_prob(x),
            X,
            {"a": 1.0, "b": 2.0},
            bounds={"a": (0, None), "b": (0, None)},
        )


def test_hard_starts_and_ends():
    x = RNG.normal(1000.0, 3.0, size=50)
    for start in ({"mean": 0.0, "var": 1e-3}, {"mean": -1e5, "var": 1e9}):  # steps that overflow on the way are no harm
        found = maximum_likelihood(normal, x, start, bounds={"var": (0, None)})
        assert found.parameters == pytest.approx({"mean": x.mean(), "var": x.var()}, rel=1e-8)
    with pytest.warns(DataWarning, match="p runs to its bound, so there is no maximum inside"):
        found = maximum_likelihood(lambda x, p: Bernoulli(p).log_prob(x), np.ones(10), {"p": 0.5}, bounds={"p": (0, 1)})
    assert found.parameters["p"] == pytest.approx(1, abs=1e-4) and not found.identifiable
    z = np.r_[RNG.normal(-3, 1, 40), RNG.normal(3, 1, 60)]

    def pair(x, a, b, w):
        return np.logaddexp(np.log(w) + Normal(a, 1.0).log_prob(x), np.log1p(-w) + Normal(b, 1.0).log_prob(x))

    found = maximum_likelihood(pair, z, {"a": -1.0, "b": 1.0, "w": 0.5}, bounds={"w": (0, 1)})
    assert found.identifiable and found.parameters["w"] == pytest.approx(0.4, abs=0.02)


def test_profile():
    found = maximum_likelihood(normal, X, {"mean": 0.0, "var": 1.0}, bounds={"var": (0, None)})
    profile = found.profile("mean", [2.0, 3.0, float(X.mean())])
    n = len(X)
    wanted = [-n / 2 * np.log(np.mean((X - m) ** 2) / X.var()) for m in (2.0, 3.0, X.mean())]
    assert profile.log_likelihood == pytest.approx(wanted, abs=1e-8)
    assert len(found.profile("var").values) == 25 and profile.plot().get_xlabel() == "mean"


@pytest.mark.notes("000-a", "map-estimation")
@pytest.mark.notes("002", "map")
def test_maximum_a_posteriori():
    def coin(x, p):
        return Bernoulli(p).log_prob(x)

    for prior, wanted in ((Beta(2, 2), 5 / 9), (Beta(1, 1), 4 / 7)):
        found = maximum_a_posteriori(coin, TOSSES, prior, {"p": 0.3})
        assert found.parameters["p"] == pytest.approx(wanted, rel=1e-9)
        assert float(Bernoulli.fit(TOSSES, prior=prior).p) == pytest.approx(wanted, rel=1e-14)
    days = np.repeat([0, 1, 2], [2, 3, 3])
    closed = Categorical.fit(days, prior=Dirichlet([2, 2, 2]))
    assert np.allclose(closed.p, np.array([3, 4, 4]) / 11, rtol=1e-14)
    prior = {"mean": Normal(0, 1)}  # a flat prior of the variance
    found = maximum_a_posteriori(normal, X, prior, {"mean": 0.0, "var": 1.0}, bounds={"var": (0, None)})
    by_hand = maximum_a_posteriori(
        normal, X, lambda mean, var: -0.5 * mean**2, {"mean": 0.0, "var": 1.0}, bounds={"var": (0, None)}
    )
    assert found.parameters == pytest.approx(by_hand.parameters, rel=1e-7)
    two = {"mean": Normal(1.0, 0.5), "var": Gamma(3.0, 0.5)}  # priors of both, and one of a vector's entries
    found2 = maximum_a_posteriori(normal, X, two, {"mean": 0.0, "var": 1.0})
    by_sum = maximum_a_posteriori(
        normal,
        X,
        lambda mean, var: stats.norm(1, np.sqrt(0.5)).logpdf(mean) + stats.gamma(3, scale=2).logpdf(var),
        {"mean": 0.0, "var": 1.0},
        bounds={"var": (0, None)},
    )
    assert found2.parameters == pytest.approx(by_sum.parameters, rel=1e-6)
    entries = maximum_a_posteriori(lambda x, t: Normal(t[0] + t[1], 4.0).log_prob(x), X, Normal(0, 1), [0.0, 0.0])
    assert entries.parameters == pytest.approx([X.sum() / 4 / (20 + 1)] * 2, rel=1e-7)
    v = found.parameters["var"]  # precisions add
    assert found.parameters["mean"] == pytest.approx(X.mean() * 40 / v / (40 / v + 1), rel=1e-7)
    # a Gaussian prior on weights is ridge regression
    A, beta, alpha = RNG.normal(size=(30, 2)), 4.0, 3.0
    y = A @ [1.0, -2.0] + RNG.normal(size=30) / 2
    found = maximum_a_posteriori(
        lambda _, w: Normal(A @ w, 1 / beta).log_prob(y), None, MultivariateNormal([0, 0], 1 / alpha), [0.0, 0.0]
    )
    ridge = np.linalg.solve(A.T @ A + alpha / beta * np.eye(2), A.T @ y)
    assert found.parameters == pytest.approx(ridge, rel=1e-8)
    assert np.allclose(found.covariance, np.linalg.inv(beta * A.T @ A + alpha * np.eye(2)), rtol=1e-6)
    vector = maximum_a_posteriori(lambda x, t: Normal(t[0], 4.0).log_prob(x), X, Normal(0, 1), [0.0])
    assert vector.parameters[0] == pytest.approx(X.sum() / 4 / (10 + 1), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": {"mean": "a", "var": 1.0}}, "start must be numbers"),
        ({"start": {"mean": np.nan, "var": 1.0}}, "one finite number per parameter"),
        (
            {"start": {"mean": 0.0, "var": -1.0}, "bounds": {"var": (0, None)}},
            r"start of var is -1, not inside its bounds \(0, inf\)",
        ),
        ({"start": {"mean": 0.0, "var": 1.0}, "bounds": {"sd": (0, 1)}}, "there is no parameter 'sd'"),
        ({"start": {"mean": 0.0, "var": 1.0}, "bounds": {"var": (1, 0)}}, r"must be \(low, high\)"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ParameterError, match=message):
        maximum_likelihood(normal, X, **arguments)


def test_bad_densities():
    with pytest.raises(DataError, match="one number per observation"):
        maximum_likelihood(lambda x, mean: Normal(mean, 1.0).log_prob(x).sum(), X, {"mean": 0.0})
    with pytest.raises(DataError, match="not finite at the start"):
        maximum_likelihood(
            lambda x, high: np.where(x < high, -np.log(high), -np.inf), X, {"high": 1.0}, bounds={"high": (0, None)}
        )
    with pytest.raises(ParameterError, match="a prior by name needs a start by name"):
        maximum_a_posteriori(normal, X, {"mu": Normal()}, {"mean": 0.0, "var": 1.0})
    with pytest.raises(ParameterError, match="give a mapping by name"):
        maximum_a_posteriori(normal, X, Normal(), {"mean": 0.0, "var": 1.0})
    with pytest.raises(ParameterError, match="prior must be a distribution"):
        maximum_a_posteriori(normal, X, 3, {"mean": 0.0, "var": 1.0})


@pytest.mark.notes("002", "bayes-rule")
@pytest.mark.notes("000-a", "bayes-estimation")
@pytest.mark.notes("002", "posterior-predictive")
def test_a_grid_is_the_conjugate_posterior():
    found = posterior_grid(
        lambda x, p: Bernoulli(p).log_prob(x), TOSSES, {"p": np.linspace(0, 1, 4001)}, prior=Beta(2, 2)
    )
    exact = Beta(2, 2).update(TOSSES)
    assert found.log_evidence == pytest.approx(Beta(2, 2).log_evidence(TOSSES), abs=1e-9)
    assert found.mean["p"] == pytest.approx(float(exact.mean), abs=1e-9)
    assert found.std["p"] == pytest.approx(float(exact.std), abs=1e-8) and found.mode["p"] == pytest.approx(
        5 / 9, abs=2e-4
    )
    assert found.interval("p", 0.9) == pytest.approx(exact.quantile([0.05, 0.95]), abs=1e-6)
    assert np.allclose(found.density[1:-1], exact.prob(found.grid["p"][1:-1]), atol=1e-6)
    assert found.predictive(np.array([0, 1])) == pytest.approx([5 / 11, 6 / 11], abs=1e-8)
    assert abs(found.sample(4000, random_state=0)["p"].mean() - 6 / 11) < 0.01
    axes = found.plot()
    assert [line.get_label() for line in axes.lines] == ["prior", "posterior"] and "log-evidence" in repr(found)


@pytest.mark.notes("003", "bayes-workflow")
def test_two_parameters_on_a_grid():
    x = X[:12]
    grid = {"mean": np.linspace(-2, 8, 81), "precision": np.linspace(1e-3, 2.5, 91)}
    prior = NormalGamma(0.0, 1.0, 2.0, 3.0)
    found = posterior_grid(
        lambda x, mean, precision: Normal(mean, 1 / precision).log_prob(x),
        x,
        grid,
        prior=lambda mean, precision: prior.log_prob([mean, precision]),
    )
    exact = prior.update(x)
    assert found.log_evidence == pytest.approx(prior.log_evidence(x), abs=1e-5)
    assert found.mean == pytest.approx({"mean": float(exact.mean[0]), "precision": float(exact.mean[1])}, abs=1e-4)
    new = np.array([-1.0, 2.0, 5.0])
    assert found.predictive(new) == pytest.approx(exact.predictive().prob(new), rel=1e-4)
    one = found.marginal("mean")
    assert one.names == ("mean",) and one.density.shape == (81,) and one.weights.sum() == pytest.approx(1)
    assert found.plot().get_ylabel() == "precision"
    # decide by the least expected loss: the posterior mean for squares, a lower quantile where overshooting costs more
    actions = np.linspace(0, 6, 601)
    squared = found.expectation(lambda mean, precision: (actions - mean) ** 2)
    assert actions[squared.argmin()] == pytest.approx(found.mean["mean"], abs=0.01)
    dear = found.expectation(lambda mean, precision: np.where(actions > mean, 9.0, 1.0) * np.abs(actions - mean))
    assert actions[dear.argmin()] == pytest.approx(found.interval("mean", 0.8)[0], abs=0.07)  # half a step of the grid
    with pytest.raises(ParameterError, match="a marginal has lost parameters"):
        one.predictive(new)
    with pytest.raises(ParameterError, match="the parameters are mean, precision"):
        found.marginal("sd")


def test_flat_priors_and_bad_grids():
    p = np.linspace(0, 1, 2001)
    flat = posterior_grid(lambda x, p: Bernoulli(p).log_prob(x), TOSSES, {"p": p})
    assert flat.log_evidence == pytest.approx(Beta(1, 1).log_evidence(TOSSES), abs=1e-6)
    named = posterior_grid(lambda x, p: Bernoulli(p).log_prob(x), TOSSES, {"p": p}, prior={"p": Beta(1, 1)})
    assert named.log_evidence == pytest.approx(flat.log_evidence)
    with pytest.raises(ParameterError, match="at least two increasing values"):
        posterior_grid(normal, X, {"mean": [1.0, 0.0], "var": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="which are not on the grid"):
        posterior_grid(lambda x, p: Bernoulli(p).log_prob(x), TOSSES, {"p": p}, prior={"q": Beta(1, 1)})
    with pytest.raises(DataError, match="impossible everywhere on the grid"):
        posterior_grid(lambda x, p: Bernoulli(p).log_prob(x), TOSSES, {"p": [0.0, 1.0]})


def test_distributions_of_the_mean():
    distribution = sample_mean(Gamma(2.0, 0.5), 25)
    assert (distribution.mean, distribution.var) == (4, pytest.approx(8 / 25))
    model = Poisson(3.0)
    paths = mean_paths(model, 3000, 20, random_state=1)
    assert paths.means.shape == (3000, 20)
    share = (np.abs(paths.means[-1] - 3) >= 0.1).mean()
    assert share <= chebyshev_bound(model, 3000, 0.1) + 0.3 and chebyshev_bound(model, 3000, 0.1) == pytest.approx(0.1)
    assert chebyshev_bound(model, 1, 0.1) == 1
    distance = [standardized_means(Exponential(2.0), n, 4000, random_state=0).distance for n in (1, 10, 200)]
    assert distance[0] > distance[1] > distance[2] and distance[2] < 0.03
    assert distance[0] == pytest.approx(
        stats.kstest(standardized_means(Exponential(2.0), 1, 4000, 0).values, "norm").statistic
    )
    assert paths.plot().get_xscale() == "log" and standardized_means(model, 5, random_state=0).plot().patches
    with pytest.raises(DataError, match="finite mean and variance"):
        sample_mean(Normal([0, 1], 1), 3)


@pytest.mark.notes("003", "fig-three-gaussians")
def test_the_likeliest_of_three_normals():
    x = np.array([-0.4, 0.1, 0.3, 0.8])
    candidates = {"left": Normal(-2, 1), "centred": Normal(0, 1), "right": Normal(3, 0.5)}
    found = rank_by_likelihood(x, candidates)
    assert found.best == "centred" and found.names[1] == "left"
    assert found.log_likelihood == pytest.approx([candidates[name].log_prob(x).sum() for name in found.names])
    assert found.probability.sum() == pytest.approx(1)
    ax = found.plot(canvas())
    totals = []
    for (label, line), (name, mean, std) in zip(
        curves(ax).items(), (("centred", 0, 1), ("left", -2, 1), ("right", 3, np.sqrt(0.5)))
    ):
        totals.append(stats.norm.logpdf(x, mean, std).sum())
        assert label == f"{name}: {totals[-1]:.1f}"
        np.testing.assert_allclose(line[:, 1], stats.norm.pdf(line[:, 0], mean, std), rtol=1e-10)
    np.testing.assert_allclose(found.probability, np.exp(totals) / np.exp(totals).sum(), rtol=1e-9)
    np.testing.assert_array_equal(curve(ax, 3), [x, np.zeros(4)])  # the data below the curves
    low, high = curve(ax)[0][[0, -1]]
    assert low < -0.4 - 0.6 and high > 0.8 + 0.6  # half the range of the data on either side, and all of the curves
    for mean, std in ((0, 1), (-2, 1), (3, np.sqrt(0.5))):
        assert stats.norm.cdf([low, high], mean, std) == pytest.approx([0, 1], abs=0.005)
    weighted = rank_by_likelihood([-2.0, 3.0], candidates, sample_weight=[0, 1])
    assert weighted.best == "right"
    with pytest.raises(ParameterError, match="no batch"):
        rank_by_likelihood(x, {"two": Normal([0, 1], 1)})
    with pytest.raises(ParameterError, match="candidates is empty"):
        rank_by_likelihood(x, {})


def test_names_that_the_density_does_not_have():
    def log_density(x, mean, var=1.0):
        return Normal(mean, var).log_prob(x)

    with pytest.raises(ParameterError, match=r"maximum_likelihood\(start=...\): .* no parameter 'm'; .*: mean, var"):
        maximum_likelihood(log_density, X, start={"m": 10.0})
    with pytest.raises(ParameterError, match=r"log_density needs 'mean', which start lacks"):
        maximum_likelihood(log_density, X, start={"var": 10.0})
    with pytest.raises(ParameterError, match=r"posterior_grid\(grid=...\): log_density has no parameter 'm'"):
        posterior_grid(log_density, X, {"m": [1.0, 2.0]})
    assert maximum_likelihood(log_density, X, start={"mean": 1.0}).parameters["mean"] == pytest.approx(X.mean())
    free = maximum_likelihood(lambda x, **theta: log_density(x, **theta), X, start={"mean": 1.0})
    assert free.parameters["mean"] == pytest.approx(X.mean())


def test_what_is_printed_can_be_read():
    found = rank_by_likelihood([0.1, 0.2], {"left": Normal(-2), "middle": Normal(0)})
    assert repr(found).splitlines()[0] == "LikelihoodRanking from 2 observations"
    assert repr(found).splitlines()[1].startswith("  middle: log-likelihood -1.86")
    with pytest.raises(ParameterError, match=r"'g': .*must be a distribution; fit the family first, Gamma.fit\(data\)"):
        rank_by_likelihood([0.1, 0.2], {"g": Gamma})
    assert repr(conjugate_prior(Poisson)) == (
        "ConjugatePair: Poisson with unknown rate; prior Gamma, posterior Gamma(shape + sum x, rate + n), predictive"
        " negative binomial"
    )
    assert repr(Normal.fit(1e9 + np.array([1.0, 2, 3]))) == "Normal(mean=1.000000002e+09, var=0.66666667)"
    assert repr(entropy_curve()) == "EntropyCurve of 401 probabilities: entropy in bits, at most 1; .plot() draws it"
