"""Tables and functions of one's own, and mixtures: that they are distributions, and what follows from them."""

import math

import numpy as np
import pytest
import scipy.stats as st
from numpy.testing import assert_allclose

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Continuous,
    Discrete,
    Exponential,
    Gamma,
    MixtureDistribution,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
    Uniform,
)
from novum.exceptions import DataError, ParameterError
from novum.information import differential_entropy, kl_divergence

PEERS = [
    (st.norm(1.5, 2.0), (-np.inf, np.inf), ()),
    (st.norm(300.0, 0.01), (-np.inf, np.inf), (299.9, 300.0, 300.1)),
    (st.gamma(2.5), (0.0, np.inf), ()),
    (st.beta(0.5, 0.5), (0.0, 1.0), ()),
    (st.expon(scale=3.0), (0.0, np.inf), ()),
    (st.t(3.0), (-np.inf, np.inf), ()),
    (st.uniform(2.0, 3.0), (2.0, 5.0), ()),
    (st.laplace(0.3), (-np.inf, np.inf), (0.3,)),
    (st.gumbel_l(-2.0), (-np.inf, np.inf), ()),
]


@pytest.mark.notes("000-a", "continuous-rv")
@pytest.mark.parametrize("peer, support, points", PEERS, ids=[peer.dist.name for peer, *_ in PEERS])
def test_all_that_follows_from_a_density(peer, support, points):
    model = Continuous(peer.pdf, support, points=points)
    q = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999])
    x = peer.ppf(q)
    loose = 100 if peer.dist.name == "beta" else 1  # infinite at 1, where the floats are 1e-16 apart
    assert_allclose(model.cdf(x), q, rtol=1e-9 * loose, atol=1e-12)
    assert_allclose(model.quantile(q), x, rtol=1e-8 * loose, atol=1e-10)
    assert_allclose(model.interval(x[1], x[3]), 0.49, rtol=1e-9 * loose)
    rtol = 1e-4 if peer.dist.name == "t" else 1e-8 * loose  # the variance of t(3) hangs on its farthest tail
    assert_allclose([model.mean, model.var], [peer.mean(), peer.var()], rtol=rtol, atol=1e-10)
    assert_allclose(model.entropy(), peer.entropy(), rtol=1e-7 * loose)
    assert_allclose(model.log_prob(x), peer.logpdf(x), rtol=1e-13)
    assert st.kstest(model.sample(1000, random_state=0), peer.cdf).pvalue > 1e-3
    assert list(model.cdf([-np.inf, np.inf])) == [0, 1]
    assert (model.quantile(0.0), model.quantile(1.0)) == support


@pytest.mark.notes("000-a", "continuous-rv")
def test_a_density_is_the_derivative_of_its_cdf():
    model = Continuous(cdf=st.norm(1.0, 2.0).cdf)
    x = np.array([-3.0, 0.0, 1.0, 2.5])
    assert_allclose(model.prob(x), st.norm(1.0, 2.0).pdf(x), rtol=1e-9)
    assert_allclose([model.mean, model.var], [1.0, 4.0], rtol=1e-6)
    ramp = Continuous(cdf=lambda x: x**2, support=(0.0, 1.0))
    assert_allclose([ramp.prob(0.3), ramp.cdf(0.5), ramp.cdf(-1.0), ramp.cdf(2.0)], [0.6, 0.25, 0, 1], rtol=1e-9)
    flat = Continuous(cdf=lambda x: np.clip(x, 0, 1) ** 2, support=(0.0, 1.0))
    assert_allclose(flat.prob([1e-4, 0.9999]), [2e-4, 1.9998], rtol=1e-9)  # steps do not leave the support


@pytest.mark.notes("001", "distribution-check")
@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: Continuous(lambda x: np.exp(-(x**2))),
            "integrates to 1.77245385, not to 1; divide by it, or give normalize",
        ),
        (
            lambda: Continuous(lambda x: 1.5 - 2 * np.abs(x), (-1.0, 1.0)),
            r"the density is -0.\d+ at x=.*must be zero or more",
        ),
        (lambda: Continuous(lambda x: 1 / x, (0.0, 1.0)), "integrates to infinity, or does not settle"),
        (lambda: Continuous(lambda x: 0.0 * x), "integrates to 0, not to 1"),
        (lambda: Continuous(cdf=lambda x: 0.5 + 0.0 * x), "the cdf goes from 0.5 to 0.5"),
        (
            lambda: Continuous(cdf=lambda x: np.clip(x + np.sin(9 * x) / 5, 0, 1), support=(0, 1.2)),
            "the cdf falls near",
        ),
        (lambda: Continuous(st.norm.pdf, (1.0, 0.0)), "support must be"),
        (lambda: Continuous(), "give either a density or a cdf"),
        (lambda: Continuous(3.0), "density must be a function"),
        (lambda: Continuous(st.norm.pdf, points=[np.inf]), "points must be numbers inside the support"),
        (lambda: Discrete([1, 2], [0.5, 0.6]), "add up to 1.1"),
        (lambda: Discrete([1, 2], [1.5, -0.5]), "must be probabilities"),
    ],
)
def test_what_is_no_distribution_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.notes("001", "distribution-check")
def test_what_is_a_distribution_is_taken():
    assert_allclose(Discrete([1, 2, 3], [0.2, 0.3, 0.5]).prob([1, 2, 3]).sum(), 1.0, rtol=1e-15)
    half = Continuous(lambda x: np.exp(-(x**2)), normalize=True)
    assert_allclose(half.prob(0.0), 1 / np.sqrt(np.pi), rtol=1e-12)
    assert_allclose(half.var, 0.5, rtol=1e-9)
    one_by_one = Continuous(lambda x: math.exp(-x) if x > 0 else 0.0, (0.0, np.inf))  # a function of numbers
    assert_allclose(one_by_one.mean, 1.0, rtol=1e-9)


def test_expectations_and_divergences_of_functions():
    laplace = Continuous(lambda x: 0.5 * np.exp(-np.abs(x)), points=[0.0])
    assert_allclose(laplace.expect(np.abs), 1.0, rtol=1e-10)
    assert_allclose(laplace.mode, 0.0, atol=1e-6)
    assert_allclose(Normal().kl(Continuous(st.norm(1.0, 2.0).pdf)), Normal().kl(Normal(1.0, 4.0)), rtol=1e-10)
    cauchy = Continuous(st.cauchy.pdf)
    assert np.isnan(cauchy.mean) and np.isinf(Normal().kl(Beta(2.0, 2.0)))
    assert Beta(2.0, 2.0).kl(Normal()) > 0
    assert_allclose(Poisson(3.0).expect(lambda k: k * (k - 1)), 9.0, rtol=1e-12)
    p, q = st.binom(3, 0.5).pmf(range(4)), st.poisson(1.5).pmf(range(4))
    assert_allclose(Binomial(3, 0.5).kl(Poisson(1.5)), p @ np.log(p / q), rtol=1e-12)
    with pytest.raises(ParameterError, match=r"Normal.expect: .*index the batch"):
        Normal([0.0, 1.0]).expect(np.abs)
    assert repr(cauchy).startswith("Continuous(density=pdf, support=(-inf, inf)")
    assert cauchy != Continuous(st.cauchy.pdf) and cauchy == cauchy
    with pytest.raises(ParameterError, match="Continuous has no fit"):
        Continuous.fit([1.0, 2.0])


def test_words_and_numbers_do_not_mix():
    with pytest.raises(DataError, match="the values of the table"):
        Discrete(["a", "b"]).log_prob([1.0])


# ---------------------------------------------------------------------------------------------- mixtures


@pytest.mark.notes("002", "latent-marginal")
def test_a_discrete_latent_is_summed_out():
    weights, parts = np.array([0.2, 0.5, 0.3]), Normal([-1.0, 0.0, 3.0], [1.0, 0.5, 2.0])
    model = MixtureDistribution(weights, parts)
    listed = MixtureDistribution(weights, list(parts))
    x = np.linspace(-4, 6, 21)
    brute = sum(w * st.norm(m, np.sqrt(v)).pdf(x) for w, m, v in zip(weights, parts.mean, parts.var))
    for one in (model, listed):
        assert_allclose(one.prob(x), brute, rtol=1e-13)
        assert_allclose(one.posterior(x), parts.prob(x[:, None]) * weights / brute[:, None], rtol=1e-12)
        square = one.expect(lambda v: v * v)
        assert_allclose([one.mean, one.var], [one.expect(lambda v: v), square - one.mean**2], rtol=1e-9)
        assert_allclose(one.cdf(one.quantile([0.01, 0.5, 0.99])), [0.01, 0.5, 0.99], rtol=1e-10)
        drawn = one.sample(4000, random_state=0)
        assert st.kstest(drawn, one.cdf).pvalue > 1e-3
        assert_allclose(drawn[:50], one.sample(50, random_state=0), rtol=0)
        assert one.n_parameters == 8
    chosen = MixtureDistribution.from_latent(Discrete([0.0, 5.0], [0.4, 0.6]), lambda z: Normal(z, 1.0))
    assert_allclose(chosen.mean, 3.0, rtol=1e-14)
    by_count = MixtureDistribution.from_latent(Poisson(2.0), lambda n: Normal(n, 0.1 + n))
    assert_allclose([by_count.mean, by_count.var], [2.0, 0.1 + 2.0 + 2.0], rtol=1e-12)
    assert -np.inf < model.mode < 1 and model.log_prob(model.mode) >= model.log_prob(x).max()


@pytest.mark.notes("002", "latent-marginal")
def test_a_continuous_latent_is_integrated_out():
    x = np.array([-3.0, 0.0, 0.5, 4.0])
    student = MixtureDistribution.from_latent(Gamma(2.0, 2.0), lambda tau: Normal(0.5, 1 / tau))
    assert_allclose(student.log_prob(x), StudentT(4.0, 0.5, 1.0).log_prob(x), rtol=1e-9)
    wide = MixtureDistribution.from_latent(Normal(1.0, 2.0), lambda m: Normal(m, 3.0))
    assert_allclose(wide.log_prob(x), Normal(1.0, 5.0).log_prob(x), rtol=1e-11)
    counts = MixtureDistribution.from_latent(Gamma(2.0, 1.5), lambda r: Poisson(r))
    assert_allclose(counts.log_prob([0, 3, 9]), st.nbinom(2.0, 1.5 / 2.5).logpmf([0, 3, 9]), rtol=1e-10)
    assert (
        np.abs(np.bincount(counts.sample(5000, random_state=0), minlength=3)[:3] / 5000 - counts.prob([0, 1, 2])).max()
        < 0.03
    )
    latent = MultivariateNormal([0.0, 0.0], np.eye(2))
    averaged = MixtureDistribution.from_latent(latent, lambda z: Normal(z.sum(axis=1), 1.0), random_state=0)
    assert_allclose(averaged.prob(0.0), Normal(0.0, 3.0).prob(0.0), rtol=0.05)


def test_mixtures_of_vectors_counts_and_families():
    plane = MixtureDistribution([0.3, 0.7], MultivariateNormal([[0.0, 0], [3.0, 1]], [[1.0, 0.2], [0.2, 1.0]]))
    drawn = plane.sample(20000, random_state=1)
    assert_allclose(drawn.mean(0), plane.mean, atol=0.05)
    assert_allclose(np.cov(drawn.T), plane.cov, atol=0.1)
    assert_allclose(np.diag(plane.cov), plane.var, rtol=1e-14)
    with pytest.raises(ParameterError, match="it exists for numbers"):
        plane.cdf([0.0, 0.0])
    mixed = MixtureDistribution([0.5, 0.5], [Normal(0, 1), StudentT(3.0, 5.0)])
    assert_allclose(mixed.prob(1.0), 0.5 * st.norm.pdf(1) + 0.5 * st.t(3, 5).pdf(1), rtol=1e-14)
    counts = MixtureDistribution([0.5, 0.5], Poisson([1.0, 8.0]))
    assert_allclose(
        counts.quantile([0.1, 0.5, 0.9]), [next(k for k in range(99) if counts.cdf(k) >= q) for q in (0.1, 0.5, 0.9)]
    )
    assert_allclose(counts.entropy(), -sum(counts.prob(k) * counts.log_prob(k) for k in range(99)), rtol=1e-12)
    with pytest.raises(ParameterError, match="give k weights and k components"):
        MixtureDistribution([0.5, 0.5], Normal([0.0, 1, 2]))
    with pytest.raises(ParameterError, match="components must be distributions"):
        MixtureDistribution([0.5, 0.5], [1, 2])
    with pytest.raises(ParameterError, match="over outcomes of one shape"):
        MixtureDistribution([0.5, 0.5], [Normal(), plane])
    with pytest.raises(ParameterError, match="MixtureDistribution has no fit"):
        MixtureDistribution.fit([1.0, 2.0])
    assert mixed == MixtureDistribution([0.5, 0.5], [Normal(0, 1), StudentT(3.0, 5.0)]) and hash(mixed) is not None


@pytest.mark.deep
def test_mixtures_on_tensors():
    torch = pytest.importorskip("torch")
    model = MixtureDistribution([0.2, 0.8], Normal([0.0, 2.0], 1.0))
    x = torch.linspace(-3, 3, 7, dtype=torch.float64)
    assert_allclose(model.log_prob(x).numpy(), model.log_prob(x.numpy()), rtol=1e-13)
    assert_allclose(model.posterior(x).numpy(), model.posterior(x.numpy()), rtol=1e-13)


def test_densities_and_probabilities_do_not_mix():
    for p, q in ((Poisson(3.0), Normal(3, 3)), (Normal(3, 3), Poisson(3.0)), (Discrete([0, 1]), Gamma(1.0, 1.0))):
        assert p.kl(q) == np.inf
    assert Poisson([1.0, 2.0]).kl(Normal()).tolist() == [np.inf, np.inf]
    assert 0 < Poisson(1.0).kl(Poisson(2.0)) < np.inf and 0 < Binomial(3, 0.5).kl(Poisson(2.0)) < np.inf
    message = r"Normal \(a density\), Poisson \(probabilities\): densities and probabilities cannot be added"
    with pytest.raises(ParameterError, match=message):
        MixtureDistribution([0.5, 0.5], [Normal(), Poisson(1.0)])
    with pytest.raises(ParameterError, match=r"differential_entropy\(p=Poisson.* use `entropy`"):
        differential_entropy(Poisson(3.0))
    assert kl_divergence(Poisson(3.0), Normal(3, 3)) == np.inf


def test_nan_has_no_cumulative_probability():
    for model in (
        Bernoulli(0.3),
        Binomial(3, 0.5),
        Poisson(2.0),
        Discrete([0, 1]),
        Normal(),
        Gamma(1.0, 1.0),
        Beta(2, 2),
        Uniform(0, 1),
        Exponential(1.0),
        StudentT(3.0),
    ):
        assert np.isnan(model.cdf(np.nan)) and np.isnan(model.cdf([0.5, np.nan])[1]), model
