"""Conjugate updates: the catalogued numbers, the definition by quadrature, streaming, batches, weights and homes."""

import numpy as np
import pytest
from artists import canvas, curve, curves
from scipy import integrate, stats
from scipy.special import betaln

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    NormalGamma,
    NormalInverseWishart,
    Poisson,
    StudentT,
    conjugate_pairs,
    conjugate_prior,
    posterior_sequence,
)
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
TOSSES = [1, 1, 0, 0, 0, 1, 1]

CASES = {  # a prior, its likelihood, data
    "Bernoulli": (Beta(2, 3), Bernoulli, np.array(TOSSES * 3)),
    "Binomial": (Beta(2, 3), Binomial(6, 0.5), np.array([2, 6, 0, 3, 4, 1])),
    "Categorical": (Dirichlet([1, 2, 0.5]), Categorical, np.array([0, 1, 1, 2, 2, 2, 0, 1])),
    "Multinomial": (
        Dirichlet([1, 2, 0.5]),
        Multinomial(4, [0.2, 0.3, 0.5]),
        np.array([[4, 0, 0], [1, 2, 1], [0, 1, 3]]),
    ),
    "Poisson": (Gamma(2, 1.5), Poisson, np.array([3, 1, 4, 1, 5, 0])),
    "Exponential": (Gamma(2, 1.5), Exponential, np.array([0.3, 1.2, 4.0, 0.1])),
    "precision": (Gamma(2, 1), Normal(mean=2.0), np.array([1.0, 2, 4, 1.5])),
    "mean": (Normal(0, 1), Normal(var=2.0), np.array([1.0, 2, 4, 3])),
    "vector": (
        MultivariateNormal([0, 0], [2, 1]),
        MultivariateNormal([0, 0], [[1, 0.5], [0.5, 2]]),
        np.array([[1.0, 2], [3, 1], [2, 0], [0, 1]]),
    ),
    "mean elsewhere": (Normal(-0.7, 1.5), Normal(var=2.0), np.array([1.0, 2, 4, 3])),
    "vector elsewhere": (
        MultivariateNormal([0.5, -1], [[2, 0.4], [0.4, 1]]),
        MultivariateNormal([0, 0], [[1, 0.5], [0.5, 2]]),
        np.array([[1.0, 2], [3, 1], [2, 0], [0, 1]]),
    ),
    "NormalGamma elsewhere": (NormalGamma(1.5, 2, 3, 0.7), Normal, np.array([1, 2, 4, 3.5, 2.2])),
    "NormalGamma": (NormalGamma(0, 1, 2, 1), Normal, np.array([1, 2, 4, 3.5, 2.2])),
    "NormalInverseWishart": (
        NormalInverseWishart([0, 0.5], 1.5, 4, [[2, 0.3], [0.3, 1]]),
        MultivariateNormal,
        np.array([[1.0, 2], [3, 1], [2, 0], [0, 1], [0.5, 0.7]]),
    ),
}


def parameters(distribution):
    return [np.asarray(value) for value in distribution._parameters().values()]


def close(first, second, rtol=1e-12):
    return type(first) is type(second) and all(
        np.allclose(a, b, rtol=rtol, atol=1e-13) for a, b in zip(parameters(first), parameters(second))
    )


@pytest.mark.notes("003", "conjugacy")
@pytest.mark.notes("000-a", "beta-bernoulli")
@pytest.mark.notes("002", "dist-beta")
@pytest.mark.notes("003", "beta-bernoulli")
def test_beta_bernoulli():
    for prior, posterior, share in (((1, 1), (5, 4), 5 / 9), ((2, 2), (6, 5), 6 / 11), ((10, 10), (14, 13), 14 / 27)):
        found = Beta(*prior).update(TOSSES, likelihood=Bernoulli)
        assert (found.a, found.b) == posterior and found.predictive().p == pytest.approx(share, rel=1e-15)
    assert np.exp(Beta(1, 1).log_evidence(TOSSES)) == pytest.approx(1 / 280, rel=1e-13)
    found = Beta(2, 2).update([7], likelihood=Binomial(10, 0.5))
    assert (found.a, found.b) == (9, 5)
    assert found.mean == pytest.approx(0.642857, abs=5e-7) and found.var == pytest.approx(0.015306, abs=5e-7)
    counts = stats.betabinom(10, 9, 5)
    assert np.allclose(found.predictive().prob(np.arange(11)), counts.pmf(np.arange(11)), rtol=1e-12)
    assert found.predictive().mean == pytest.approx(counts.mean()) and found.predictive().var == pytest.approx(
        counts.var()
    )
    one = Beta(1, 1).update([1]).update([0]).update([1])  # success: a + 1, failure: b + 1
    assert (one.a, one.b) == (3, 2)


@pytest.mark.notes("000-a", "dirichlet-multinomial")
@pytest.mark.notes("002", "dist-dirichlet")
def test_dirichlet():
    days = np.array([0, 1, 1, 2, 2, 2, 0, 1])
    assert np.allclose(Dirichlet([1, 1, 1]).update(days).predictive().p, np.array([3, 4, 4]) / 11, rtol=1e-15)
    assert np.allclose(Dirichlet([2, 2, 2]).update(days).predictive().p, [2 / 7, 5 / 14, 5 / 14], rtol=1e-15)
    by_counts = Dirichlet([2, 2, 2]).update([[2, 3, 3]], likelihood=Multinomial(8, [1 / 3] * 3))
    assert by_counts.alpha.tolist() == [4, 5, 5]
    predictive = by_counts.predictive()
    wanted = stats.dirichlet_multinomial([4, 5, 5], 8)
    assert predictive.prob([2, 3, 3]) == pytest.approx(wanted.pmf([2, 3, 3]), rel=1e-12)
    assert np.allclose(predictive.mean, wanted.mean()) and np.allclose(predictive.var, wanted.var())
    assert predictive.prob([2, 3, 4]) == 0
    assert by_counts.predictive(Categorical).p == pytest.approx(np.array([4, 5, 5]) / 14)


@pytest.mark.notes("003", "conjugacy")
@pytest.mark.notes("000-a", "bayes-normal-mean")
@pytest.mark.notes("002", "conj-gauss-mean")
def test_mean_with_known_variance():
    posterior, steps = Normal(0, 1), []
    for x in (1.0, 2.0, 3.0):
        posterior = posterior.update([x], likelihood=Normal(var=1.0))
        steps.append((float(posterior.mean), float(posterior.var)))
    assert np.allclose(steps, [(0.5, 0.5), (1, 1 / 3), (1.5, 0.25)], rtol=1e-14)
    predictive = posterior.predictive()
    assert (predictive.mean, predictive.var) == (pytest.approx(1.5), pytest.approx(1.25))
    evidence = Normal(0, 1).log_evidence([1.0, 2, 3], Normal(var=1.0))
    assert np.exp(evidence) == pytest.approx(0.0026059375, abs=5e-11)
    assert close(Normal(0, 1).update([1.0, 2, 4], Normal(var=2.0)), Normal(1.4, 0.4))


@pytest.mark.notes("000-a", "bayes-mvn-mean")
def test_mean_vector_with_known_covariance():
    prior, known, X = CASES["vector"][0], CASES["vector"][1], [[1.0, 2], [3, 1], [2, 0]]
    found = prior.update(X, known)
    assert found.mean == pytest.approx([1.640288, 0.517986], abs=5e-7)
    assert np.allclose(found.cov, [[0.273381, 0.086331], [0.086331, 0.395683]], atol=5e-7)
    assert np.allclose(found.predictive().cov, found.cov + known.cov, rtol=1e-15)
    other = CASES["vector elsewhere"][0]
    prior_precision, precision = np.linalg.inv(other.cov), np.linalg.inv(known.cov)
    cov = np.linalg.inv(prior_precision + 3 * precision)
    assert np.allclose(other.update(X, known).cov, cov, rtol=1e-12)
    assert np.allclose(
        other.update(X, known).mean, cov @ (prior_precision @ other.mean + precision @ np.sum(X, axis=0)), rtol=1e-12
    )
    mean = np.zeros(6)  # the evidence is the density of all rows together
    cov = np.kron(np.eye(3), known.cov) + np.kron(np.ones((3, 3)), prior.cov)
    wanted = stats.multivariate_normal(mean, cov).logpdf(np.ravel(X))
    assert prior.log_evidence(X, known) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.notes("002", "conj-gauss-precision")
@pytest.mark.notes("002", "dist-poisson")
def test_precisions_and_rates():
    found = Gamma(2, 1).update([1.0, 2, 4], likelihood=Normal(mean=2.0))
    assert (found.shape, found.rate) == (3.5, 3.5)
    predictive = found.predictive()
    assert isinstance(predictive, StudentT) and (predictive.df, predictive.loc, predictive.scale) == (7, 2, 1)
    rate = Gamma(2, 1).update([3, 1, 2], likelihood=Poisson)
    assert (rate.shape, rate.rate) == (8, 4)
    wanted = stats.nbinom(8, 4 / 5)
    assert np.allclose(rate.predictive().prob(np.arange(20)), wanted.pmf(np.arange(20)), rtol=1e-12)
    assert rate.predictive().mean == pytest.approx(wanted.mean()) and rate.predictive().var == pytest.approx(
        wanted.var()
    )
    waiting = Gamma(3, 2).predictive(Exponential)
    wanted = stats.lomax(3, scale=2)
    assert waiting.log_prob(1.7) == pytest.approx(wanted.logpdf(1.7)) and waiting.var == pytest.approx(wanted.var())
    assert waiting.prob(-1.0) == 0 and Gamma(1, 1).predictive(Exponential).mean == np.inf


@pytest.mark.notes("002", "conj-normal-gamma")
def test_normal_gamma():
    x = [1, 2, 4, 3.5, 2.2]
    found = NormalGamma(0, 1, 2, 1).update(x)
    assert parameters(found) == pytest.approx([2.116667, 6, 4.5, 6.604167], abs=5e-7)
    assert NormalGamma(0, 1, 2, 1).log_evidence(x) == pytest.approx(-11.531489, abs=5e-7)
    mean, gap = np.mean(x), np.mean(x) - 1.5
    rate = 0.7 + (np.var(x) * 5 + 2 * 5 * gap**2 / 7) / 2
    elsewhere = NormalGamma(1.5, 2, 3, 0.7).update(x)
    assert parameters(elsewhere) == pytest.approx([(2 * 1.5 + 5 * mean) / 7, 7, 5.5, rate], rel=1e-12)
    assert close(found.predictive(), StudentT(9, found.center, np.sqrt(found.rate * 7 / (4.5 * 6))))
    far = NormalGamma(-1e6, 1e-3, 2, 1).update(np.array(x) + 1e9)  # digits stay where the prior is far away
    centred = np.array(x) - np.mean(x)
    gap = np.mean(x) + 1e9 + 1e6
    assert float(far.rate) == pytest.approx(1 + centred @ centred / 2 + 1e-3 * 5 * gap**2 / (2 * 5.001), rel=1e-13)


def test_normal_inverse_wishart():
    prior, _, X = CASES["NormalInverseWishart"]
    found = prior.update(X)
    n, mean = len(X), X.mean(0)
    scatter = (X - mean).T @ (X - mean)
    gap = mean - prior.center
    assert found.strength == 6.5 and found.df == 9
    assert np.allclose(found.center, (1.5 * prior.center + n * mean) / 6.5, rtol=1e-13)
    assert np.allclose(found.scale, prior.scale + scatter + 1.5 * n / 6.5 * np.outer(gap, gap), rtol=1e-13)
    wanted = MultivariateStudentT(8, found.center, found.scale * 7.5 / (6.5 * 8))
    assert close(found.predictive(), wanted)


@pytest.mark.notes("002", "conjugate-generic")
@pytest.mark.parametrize("name", CASES)
def test_streaming_weights_and_the_chain_of_predictions(name):
    prior, likelihood, data = CASES[name]
    whole = prior.update(data, likelihood)
    parts = prior.update(data[:2], likelihood).update(data[2:])  # the likelihood is remembered
    assert close(whole, parts)
    weight = np.arange(len(data)) % 3
    assert close(
        prior.update(data, likelihood, sample_weight=weight), prior.update(np.repeat(data, weight, axis=0), likelihood)
    )
    chain, posterior = 0.0, prior  # p(x1, ..., xn) = prod p(x_i | x_1, ..., x_{i-1})
    for row in data:
        chain += float(posterior.predictive(likelihood).log_prob(row))
        posterior = posterior.update(row[None], likelihood)
    assert prior.log_evidence(data, likelihood) == pytest.approx(chain, rel=1e-11)


@pytest.mark.notes("002", "conjugate-generic")
def test_natural_parameters_add():
    for name in ("Bernoulli", "Poisson", "Exponential"):
        prior, likelihood, data = CASES[name]
        posterior = prior.update(data, likelihood)
        model = likelihood(0.5)
        total = np.sum(model.sufficient_statistics(data.astype(float))[0])
        moved = [float(a - b) for a, b in zip(posterior.natural_parameters(), prior.natural_parameters())]
        expected = {
            "Bernoulli": [total, len(data) - total],
            "Poisson": [total, -len(data)],
            "Exponential": [len(data), -data.sum()],
        }[name]
        assert moved == pytest.approx(expected, rel=1e-13)


@pytest.mark.notes("000-a", "bayes-normal-mean")
@pytest.mark.notes("000-a", "beta-bernoulli")
@pytest.mark.notes("002", "conj-gauss-mean")
@pytest.mark.notes("002", "conj-gauss-precision")
@pytest.mark.notes("003", "beta-bernoulli")
@pytest.mark.parametrize(
    "name", ["Bernoulli", "Binomial", "Poisson", "Exponential", "precision", "mean", "mean elsewhere"]
)
def test_posterior_and_evidence_by_quadrature(name):
    prior, likelihood, data = CASES[name]
    pair = next(p for p in conjugate_pairs if p.prior is type(prior) and p.likelihood in (likelihood, type(likelihood)))
    posterior = prior.update(data, likelihood)

    def joint(theta):
        return np.exp(np.sum(pair.bound(likelihood, theta).log_prob(data.astype(float))) + prior.log_prob(theta))

    low, high = (
        (0, 1)
        if isinstance(prior, Beta)
        else (posterior.mean - 12 * posterior.std, posterior.mean + 12 * posterior.std)
    )
    low = low if isinstance(prior, Normal) else max(low, 0)
    evidence = integrate.quad(joint, low, high, epsabs=0, epsrel=1e-10)[0]
    assert prior.log_evidence(data, likelihood) == pytest.approx(np.log(evidence), abs=1e-8)
    theta = float(pair.center(posterior)) * 0.9
    assert posterior.prob(theta) == pytest.approx(joint(theta) / evidence, rel=1e-8)


def test_batches_and_homes(tmp_path):
    import dask.array as da

    import novum

    x = RNG.poisson([1.0, 4.0], size=(50, 2)).astype(float)
    both = Gamma([1.0, 2.0], 1.0).update(x, Poisson)
    each = [Gamma(1.0, 1.0).update(x[:, 0], Poisson), Gamma(2.0, 1.0).update(x[:, 1], Poisson)]
    assert np.allclose(both.shape, [each[0].shape, each[1].shape]) and both.batch_shape == (2,)
    evidence = Gamma([1.0, 2.0], 1.0).log_evidence(x, Poisson)
    assert np.allclose(evidence, [Gamma(a, 1.0).log_evidence(x[:, j], Poisson) for j, a in enumerate((1.0, 2.0))])
    several = Normal([0.0, 5.0], 1.0).update(x[:, 0], Normal(var=2.0))  # two priors, the same data
    assert close(several[1], Normal(5.0, 1.0).update(x[:, 0], Normal(var=2.0)))
    assert np.shape(Normal([0.0, 5.0], 1.0).log_evidence(x[:, 0], Normal(var=2.0))) == (2,)
    X = RNG.normal(size=(200, 2))
    prior = CASES["NormalInverseWishart"][0]
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b", comments="")
    memory = prior.update(X)
    assert close(memory, prior.update(da.from_array(X, chunks=(60, 2))), rtol=1e-11)
    assert close(memory, prior.update(novum.scan(tmp_path / "x.csv")), rtol=1e-11)
    assert prior.log_evidence(da.from_array(X, chunks=(60, 2))) == pytest.approx(prior.log_evidence(X), rel=1e-11)


def test_draws_of_a_predictive_distribution():
    for name in ("Binomial", "Multinomial", "Poisson", "Exponential"):
        prior, likelihood, data = CASES[name]
        posterior = prior.update(np.concatenate([data] * 3), likelihood)
        predictive = posterior.predictive()
        drawn = predictive.sample(20_000, random_state=1)
        assert np.allclose(drawn.mean(axis=0), predictive.mean, atol=4 * np.max(predictive.std) / 140)
        assert np.allclose(drawn.var(axis=0), predictive.var, rtol=0.15)
        assert np.shape(predictive.sample(random_state=0)) == np.shape(drawn[0])
    with pytest.raises(ParameterError, match="it is for Binomial"):
        type(predictive)(Gamma(1, 1), Normal())


@pytest.mark.notes("002", "conjugate-generic")
@pytest.mark.notes("000-a", "conjugate-registry")
@pytest.mark.notes("002", "conjugate-table")
@pytest.mark.notes("003", "conjugacy")
def test_the_table():
    lines = str(conjugate_pairs).splitlines()
    assert len(lines) == 12
    assert lines[0].split() == ["likelihood", "unknown", "known", "prior", "posterior", "predictive"]
    assert conjugate_pairs._repr_html_().count("<tr>") == 12
    table = {(pair.likelihood, pair.unknown): pair.prior for pair in conjugate_pairs}
    assert table[Multinomial, "p"] is table[Categorical, "p"] is Dirichlet and table[Binomial, "p"] is Beta
    assert table[Normal, "mean"] is Normal and table[Normal, "precision"] is Gamma and table[Poisson, "rate"] is Gamma
    assert table[MultivariateNormal, "mean"] is MultivariateNormal
    assert conjugate_prior(Bernoulli).prior is Beta and conjugate_prior(Normal(var=2), "precision").prior is Gamma
    with pytest.raises(
        ParameterError, match=r"say which parameters are unknown: \['precision', 'mean', 'mean and precision'\]"
    ):
        conjugate_prior(Normal)
    with pytest.raises(ParameterError, match="it has no conjugate prior here; there are pairs for Bernoulli"):
        conjugate_prior(StudentT)


@pytest.mark.parametrize(
    ("prior", "likelihood", "message"),
    [
        (Normal(0, 1), None, r"Normal.update: likelihood is missing; give likelihood=Normal\(var=...\)"),
        (Normal(0, 1), Normal, r"var must be known; give likelihood=Normal\(var=...\)"),
        (Beta(1, 1), Binomial, r"n must be known; give likelihood=Bernoulli or Binomial\(n=...\)"),
        (Beta(1, 1), Poisson, "is no partner of this prior"),
        (Gamma(1, 1), Bernoulli, r"give likelihood=Poisson or Exponential or Normal\(mean=...\)"),
    ],
)
def test_errors_name_the_partners(prior, likelihood, message):
    with pytest.raises(ParameterError, match=message):
        prior.update([1.0, 0.0], likelihood)


def test_a_prior_of_several_likelihoods_needs_a_choice():
    for ask in (Gamma(1, 1).update, Gamma(1, 1).log_evidence, lambda _: Gamma(1, 1).predictive()):
        with pytest.raises(
            ParameterError, match=r"missing; give likelihood=Poisson or Exponential or Normal\(mean=...\)"
        ):
            ask([2.0, 3.0])
    assert close(Gamma(1, 1).update([2], Poisson).update([3]), Gamma(6, 3))  # remembered
    assert close(Beta(1, 1).update([1, 0, 1]), Beta(3, 2))  # one partner of which nothing has to be known


def test_data_outside_the_likelihood_are_refused():
    with pytest.raises(DataError, match=r"Beta.update: x holds 2.0 \(row 2.*Bernoulli is a distribution of"):
        Beta(1, 1).update([0, 1, 2])
    with pytest.raises(DataError, match=r"Gamma.log_evidence: x holds -1.0 .*Poisson is a distribution of counts"):
        Gamma(1, 1).log_evidence([3, -1], Poisson)
    message = r"Dirichlet.update: x holds 3.0 .*whole numbers 0 to 2. Count more outcomes \(.*entries of a prior\)"
    with pytest.raises(DataError, match=message):
        Dirichlet([1, 1, 1]).update([3])
    assert betaln(5, 4) == pytest.approx(Beta(1, 1).log_evidence(TOSSES))


@pytest.mark.notes("000-a", "fig-bayes-mean")
def test_the_posterior_of_a_mean_sharpens():
    x = RNG.normal(1.0, 2.0, size=200)
    sizes = (0, 1, 5, 20, 200)
    found = posterior_sequence(Normal(0, 4), x, sizes, likelihood=Normal(var=4.0))
    assert [float(p.std) for p in found.posteriors] == pytest.approx([np.sqrt(4 / (1 + n)) for n in sizes])
    assert close(found.posteriors[-1], Normal(0, 4).update(x, Normal(var=4.0)))
    drawn = curves(found.plot(canvas()))
    assert list(drawn) == ["prior", "n = 1", "n = 5", "n = 20", "n = 200"]
    for n, line in zip(
        sizes, drawn.values()
    ):  # prior and noise have the same variance: the mean of n + 1 numbers, one of them 0
        expected = stats.norm.pdf(line[:, 0], x[:n].sum() / (n + 1), np.sqrt(4 / (n + 1)))
        np.testing.assert_allclose(line[:, 1], expected, rtol=1e-9, atol=1e-300)
    ax = posterior_sequence(Normal(-3, 9), x, (0, 1, 7), likelihood=Normal(var=4.0)).plot(canvas())
    ends = curve(ax)[0][[0, -1]]
    np.testing.assert_allclose(ends[0], -3 - 4 * 3, rtol=1e-12)  # four deviations of the widest, the prior
    for n, line in zip((0, 1, 7), curves(ax).values()):  # precisions add up, means by their precisions
        precision = 1 / 9 + n / 4
        expected = stats.norm.pdf(line[:, 0], (-3 / 9 + x[:n].sum() / 4) / precision, precision**-0.5)
        np.testing.assert_allclose(line[:, 1], expected, rtol=1e-9, atol=1e-300)
    prior, known, X = CASES["vector"]
    ax = posterior_sequence(prior, X, (0, 2, 4), known).plot(canvas())
    for k, n in enumerate((0, 2, 4)):
        precision = np.linalg.inv(prior.cov) + n * np.linalg.inv(known.cov)
        pull = np.linalg.solve(prior.cov, prior.mean) + np.linalg.solve(known.cov, np.sum(X[:n], axis=0))
        center = np.linalg.solve(precision, pull)
        gap = np.column_stack(curve(ax, 2 * k)) - center
        np.testing.assert_allclose(
            np.einsum("ni,ij,nj->n", gap, precision, gap), 1, rtol=1e-8
        )  # one standard deviation
        np.testing.assert_allclose(np.ravel(curve(ax, 2 * k + 1)), center, rtol=1e-8)
    assert posterior_sequence(Beta(1, 1), TOSSES, (0, 7)).plot().get_xlim()[0] > -0.1
    with pytest.raises(ParameterError, match="give increasing numbers from 0 to 7"):
        posterior_sequence(Beta(1, 1), TOSSES, (3, 8))
    with pytest.raises(ParameterError, match="vectors of two"):
        posterior_sequence(*[CASES["NormalInverseWishart"][i] for i in (0, 2)], (0, 2)).plot()


@pytest.mark.deep
def test_tensors_update_too():
    torch = pytest.importorskip("torch")
    for name in ("Poisson", "mean", "NormalInverseWishart", "Multinomial"):
        prior, likelihood, data = CASES[name]
        tensor = torch.tensor(data, dtype=torch.float64)
        assert close(prior.update(tensor, likelihood), prior.update(data, likelihood))
        assert prior.log_evidence(tensor, likelihood) == pytest.approx(prior.log_evidence(data, likelihood), rel=1e-12)
