"""Every family against scipy.stats, against quadrature or sums over its outcomes, and against itself one by one."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Discrete,
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
    Uniform,
)
from novum.exceptions import DataError, ParameterError, ParameterTypeError

RNG = np.random.default_rng(0)
COV = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 0.7]])
SCALARS = [  # ours, scipy's with the same parameters, points inside and outside of the support
    (Normal(1.5, 4.0), st.norm(1.5, 2.0), np.r_[np.linspace(-9, 9, 31), 1.5 + 80.0, -1e6]),
    (Gamma(2.5, 0.7), st.gamma(2.5, scale=1 / 0.7), np.r_[np.linspace(0, 40, 21), 1e-300, -1.0, 1e5]),
    (Gamma(1.0, 3.0), st.gamma(1.0, scale=1 / 3.0), np.array([-1.0, 0.0, 1e-9, 2.0])),
    (Gamma(0.3, 3.0), st.gamma(0.3, scale=1 / 3.0), np.array([-1.0, 1e-9, 2.0, 90.0])),
    (Beta(2.0, 5.0), st.beta(2.0, 5.0), np.r_[-0.5, np.linspace(0, 1, 21), 1 - 1e-12, 1.5]),
    (Beta(0.5, 1.0), st.beta(0.5, 1.0), np.r_[-0.5, np.linspace(0.01, 1, 21), 1.5]),
    (Bernoulli(0.3), st.bernoulli(0.3), np.array([-1.0, 0, 0.5, 1, 2])),
    (Poisson(3.7), st.poisson(3.7), np.array([-1.0, 0, 0.5, 1, 2, 3, 10, 400])),
    (Binomial(7, 0.4), st.binom(7, 0.4), np.r_[-1.0, np.arange(8), 0.5, 8]),
    (Exponential(0.7), st.expon(scale=1 / 0.7), np.r_[-1.0, np.linspace(0, 30, 11), 1e4]),
    (Uniform(-2.0, 3.0), st.uniform(-2.0, 5.0), np.r_[-3.0, np.linspace(-2, 3, 11), 4.0]),
    (StudentT(3.5, 1.0, 2.0), st.t(3.5, 1.0, 2.0), np.r_[np.linspace(-9, 9, 31), 1e6, -1e9]),
    (StudentT(99.0), st.t(99.0), np.r_[np.linspace(-9, 9, 31), 40.0]),
]
names = [f"{type(ours).__name__}-{i}" for i, (ours, *_) in enumerate(SCALARS)]
ITEMS = {
    Normal: [
        pytest.mark.notes("000-a", "gaussian"),
        pytest.mark.notes("001", "gaussian-1d"),
        pytest.mark.notes("003", "gaussian"),
        pytest.mark.notes("004", "gaussian-density"),
    ],
    Gamma: [pytest.mark.notes("002", "dist-gamma"), pytest.mark.notes("000-a", "gamma-fn")],
    Beta: [pytest.mark.notes("000-a", "beta"), pytest.mark.notes("002", "dist-beta")],
    Bernoulli: [pytest.mark.notes("000-a", "bernoulli"), pytest.mark.notes("002", "dist-bernoulli")],
    Binomial: [pytest.mark.notes("000-a", "binomial"), pytest.mark.notes("002", "dist-binomial")],
    Poisson: [pytest.mark.notes("002", "dist-poisson")],
    StudentT: [pytest.mark.notes("000-a", "student-t"), pytest.mark.notes("002", "student-t")],
    Multinomial: [
        pytest.mark.notes("000-a", "multinomial"),
        pytest.mark.notes("001", "multinomial-distribution"),
        pytest.mark.notes("002", "dist-multinomial"),
    ],
    Categorical: [
        pytest.mark.notes("000-a", "categorical"),
        pytest.mark.notes("002", "dist-categorical"),
        pytest.mark.notes("003", "categorical-distribution"),
    ],
    Dirichlet: [pytest.mark.notes("000-a", "dirichlet"), pytest.mark.notes("002", "dist-dirichlet")],
    MultivariateNormal: [
        pytest.mark.notes("000-a", "mvn"),
        pytest.mark.notes("001", "gaussian-mv"),
        pytest.mark.notes("002", "mvn"),
        pytest.mark.notes("004", "multivariate-normal"),
    ],
}


def marks(model):
    return ITEMS.get(type(model), [])


MARKED = [pytest.param(*case, id=name, marks=marks(case[0])) for case, name in zip(SCALARS, names)]


def density_of(peer):
    return peer.logpdf if hasattr(peer.dist, "pdf") else peer.logpmf


@pytest.mark.parametrize("ours, peer, x", MARKED)
def test_density_cdf_and_moments_are_scipys(ours, peer, x):
    theirs = density_of(peer)
    assert_allclose(ours.log_prob(x), theirs(x), rtol=1e-13, atol=1e-14)
    assert_allclose(ours.prob(x), np.exp(theirs(x)), rtol=1e-12)
    assert_allclose(ours.cdf(x), peer.cdf(x), rtol=1e-13, atol=1e-300)
    q = np.array([0.0, 1e-12, 0.03, 0.5, 0.7, 0.999999, 1.0])
    inner = (
        slice(1, None) if isinstance(ours, Bernoulli | Binomial | Poisson) else slice(None)
    )  # scipy: -1 below every count
    assert_allclose(ours.quantile(q[inner]), peer.ppf(q[inner]), rtol=1e-12)
    assert np.isnan(ours.quantile([-0.1, 1.1])).all()
    assert_allclose([ours.mean, ours.var, ours.std], [peer.mean(), peer.var(), peer.std()], rtol=1e-13)
    assert_allclose(ours.entropy(), peer.entropy(), rtol=1e-9)
    assert np.isnan(ours.log_prob(np.nan)) and isinstance(ours.log_prob(0.5), float)
    assert (ours.log_prob(x[None]).shape, ours.batch_shape, ours.event_shape) == ((1, x.size), (), ())


@pytest.mark.parametrize("ours, peer, x", SCALARS, ids=names)
def test_points_outside_the_support_are_impossible(ours, peer, x):
    low, high = ours.support.low, ours.support.high
    outside = np.array([low - 1, high + 1])[np.isfinite([low, high])]
    assert (ours.log_prob(outside) == -np.inf).all()
    if ours.support.kind == "integers":
        assert ours.log_prob(0.5) == -np.inf


@pytest.mark.parametrize("ours, peer, x", SCALARS, ids=names)
def test_float32_and_integers_and_lists_are_taken(ours, peer, x):
    whole = np.array([0, 1, 1, 2])
    expected = ours.log_prob(whole.astype(float))
    for given in (whole, whole.astype(np.float32), whole.tolist(), whole.astype(np.int8)):
        assert_array_equal(ours.log_prob(given), expected)
    assert ours.log_prob(whole.astype(np.float32)).dtype == np.float64


@pytest.mark.parametrize("ours, peer, x", MARKED)
def test_draws_follow_the_distribution(ours, peer, x):
    drawn = ours.sample(4000, random_state=1)
    assert_array_equal(drawn[:100], ours.sample(100, random_state=1))
    assert ours.sample((2, 3), random_state=1).shape == (2, 3) and np.shape(ours.sample(random_state=0)) == ()
    assert abs(drawn.mean() - ours.mean) < 4 * ours.std / np.sqrt(4000)
    assert abs(drawn.var() / ours.var - 1) < 0.25
    if ours.support.kind == "reals":
        assert st.kstest(drawn, peer.cdf).pvalue > 1e-3
    else:
        count = np.bincount(drawn, minlength=4)[:4] / 4000
        assert np.abs(count - peer.pmf(np.arange(4))).max() < 0.03


def expectation(ours, function):
    """Return E[f(x)] by quadrature, or by the sum over the counts."""
    if ours.support.kind == "integers":
        k = np.arange(0, min(ours.support.high, 200) + 1, dtype=float)
        terms = np.where(ours.prob(k) > 0, ours.prob(k) * function(k), 0.0)
        return terms.sum()
    cuts = ours.quantile(np.array([0.0, 1e-8, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-8, 1.0]))
    return sum(
        quad(lambda v: ours.prob(v) * function(v), a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in pairwise(cuts)
    )


PAIRS = [
    (Normal(1.5, 4.0), Normal(-0.5, 1.3)),
    (Gamma(2.5, 0.7), Gamma(1.3, 1.9)),
    (Beta(2.0, 5.0), Beta(1.5, 0.8)),
    (Bernoulli(0.3), Bernoulli(0.9)),
    (Poisson(3.7), Poisson(1.2)),
    (Binomial(7, 0.4), Binomial(7, 0.8)),
    (Exponential(0.7), Exponential(2.5)),
    (Uniform(0.0, 1.0), Uniform(-1.0, 3.0)),
    (StudentT(6.0), StudentT(3.0, 1.0, 2.0)),
    (Normal(), StudentT(3.0)),
    (Gamma(2.5, 0.7), Exponential(1.0)),
]


@pytest.mark.parametrize("p, q", PAIRS, ids=[f"{type(p).__name__}-{type(q).__name__}" for p, q in PAIRS])
def test_entropy_and_divergence_by_quadrature(p, q):
    assert_allclose(p.entropy(), expectation(p, lambda x: -p.log_prob(x)), rtol=1e-9)
    assert_allclose(p.kl(q), expectation(p, lambda x: p.log_prob(x) - q.log_prob(x)), rtol=1e-9)
    assert_allclose(p.kl(p), 0.0, atol=1e-14)


def test_divergences_of_certain_outcomes():
    assert Bernoulli(0.0).kl(Bernoulli(0.4)) == -np.log(0.6) and np.isinf(Bernoulli(0.4).kl(Bernoulli(0.0)))
    p = Categorical([0.5, 0.5, 0.0])
    assert_allclose(p.kl(Categorical([0.25, 0.25, 0.5])), np.log(2), rtol=1e-15)
    assert np.isinf(Categorical([0.2, 0.3, 0.5]).kl(p)) and Categorical([1.0, 0.0]).entropy() == 0
    assert Poisson(0.0).log_prob(0) == 0 and Poisson(0.0).log_prob(1) == -np.inf
    with pytest.raises(
        ParameterError, match=r"Dirichlet.kl\(other=.*other must be a Dirichlet with event_shape \(2,\)"
    ):
        Dirichlet([1.0, 1]).kl(Dirichlet([1.0, 1, 1]))
    with pytest.raises(ParameterError, match=r"Normal.kl\(other=.*only distributions of numbers are integrated"):
        Normal().kl(Dirichlet([1.0, 1, 1]))


# ---------------------------------------------------------------------------------------------- batches, value objects


BATCHES = [
    Normal(RNG.normal(size=5), RNG.gamma(2, size=5)),
    Gamma(RNG.gamma(2, size=5) + 0.1, RNG.gamma(2, size=5)),
    Beta(RNG.gamma(2, size=5), RNG.gamma(2, size=5)),
    Bernoulli(RNG.uniform(size=5)),
    Poisson(RNG.gamma(2, size=5)),
    Binomial([3, 4, 5, 6, 7], RNG.uniform(size=5)),
    Exponential(RNG.gamma(2, size=5)),
    Uniform(RNG.normal(size=5), 9.0),
    StudentT(RNG.gamma(9, size=5), RNG.normal(size=5), RNG.gamma(2, size=5)),
    MultivariateStudentT(RNG.gamma(9, size=5), RNG.normal(size=(5, 2)), COV[:2, :2]),
    Multinomial(4, RNG.dirichlet([1, 1, 1], size=5)),
    Categorical(RNG.dirichlet([1, 1, 1], size=5)),
    Dirichlet(RNG.gamma(2, size=(5, 3)) + 0.1),
    MultivariateNormal(RNG.normal(size=(5, 2)), COV[:2, :2]),
    NormalGamma(RNG.normal(size=5), 1.0, 2.0, RNG.gamma(2, size=5)),
]


@pytest.mark.parametrize("model", [pytest.param(one, id=type(one).__name__, marks=marks(one)) for one in BATCHES])
def test_a_batch_is_a_loop(model):
    x = model.sample(7, random_state=5)
    assert x.shape == (7, *model.batch_shape, *model.event_shape)
    assert_allclose(model.log_prob(x), np.transpose([one.log_prob(x[:, j]) for j, one in enumerate(model)]), rtol=1e-12)
    across = model.log_prob(x[:, :1])  # rows of the first against all
    assert_allclose(across, np.transpose([one.log_prob(x[:, 0]) for one in model]), rtol=1e-12)
    lonely = [one.log_prob(x[0, 0]) for one in model]  # an outcome without axes: broadcast by NumPy, not by the kernels
    assert_allclose(model.log_prob(x[0, 0]), lonely, rtol=1e-12)
    assert_allclose(model.log_prob(x[:0, :1]), np.empty((0, 5)))
    assert_allclose(model.entropy(), [one.entropy() for one in model], rtol=1e-12)
    for name in ("mean", "var", "std", "mode"):
        assert_allclose(getattr(model, name), [getattr(one, name) for one in model], rtol=1e-14)
    if not isinstance(model, StudentT | MultivariateStudentT | Binomial):  # no closed form, or other numbers of trials
        turned = model[::-1]
        assert_allclose(model.kl(turned), [p.kl(q) for p, q in zip(model, turned)], rtol=1e-9, atol=1e-14)
    weight = RNG.uniform(size=(7, 5))
    shared = x[:, 0]
    sums = model.statistics(shared, weight)
    for j, one in enumerate(model):
        for mine, theirs in zip(plain(sums), plain(one.statistics(shared, weight[:, j]))):
            assert_allclose(mine[j], theirs, rtol=1e-12, atol=1e-12)
        for mine, theirs in zip(
            plain(model.statistics(x)), plain(one.statistics(x[:, j]))
        ):  # rows for each of the batch
            assert_allclose(mine[j], theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("model", BATCHES, ids=lambda model: type(model).__name__)
def test_batches_on_tensors(model):
    torch = pytest.importorskip("torch")
    x, weight = model.sample(7, random_state=5).astype(float), RNG.uniform(size=(7, 5))
    shared, owned = torch.tensor(x[:, :1]), torch.tensor(weight)
    assert_allclose(model.log_prob(shared).numpy(), model.log_prob(x[:, :1]), rtol=1e-12, atol=1e-12)
    assert_allclose(model.log_prob(torch.tensor(x)).numpy(), model.log_prob(x), rtol=1e-12, atol=1e-12)
    for mine, theirs in zip(plain(model.statistics(shared[:, 0], owned)), plain(model.statistics(x[:, 0], weight))):
        assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)


def plain(sums):
    """Return statistics as arrays, also the ends of an interval."""
    return [getattr(part, "value", part) for part in sums]


@pytest.mark.parametrize("model", BATCHES, ids=lambda model: type(model).__name__)
def test_distributions_are_values(model):
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and model != model[:1]
    first = model._parameter_names[0]
    with pytest.raises(AttributeError, match=f"{type(model).__name__}.{first} cannot be changed; make a new"):
        setattr(model, first, 1.0)
    with pytest.raises(AttributeError, match="no settable attribute 'anything'"):
        model.anything = 1
    with pytest.raises(ValueError, match="read-only"):
        getattr(model, first)[...] = 0.0
    assert repr(model).startswith(f"{type(model).__name__}({first}=")
    with pytest.raises(ParameterError, match="no batch to index"):
        model[0][0]


# ---------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Normal(0, -1), r"Normal\(var=-1\): var must be positive and finite"),
        (lambda: Normal([0, np.nan], 1), r"Normal\(mean\[1\]=nan\): mean must be finite"),
        (lambda: Normal("a", 1), r"Normal\(mean='a'\): mean must be a real number"),
        (lambda: Normal([1, 2], [1, 2, 3]), r"Normal: the parameters do not broadcast .*mean \(2,\), var \(3,\)"),
        (lambda: Bernoulli([0.5, 1.5]), r"Bernoulli\(p\[1\]=1.5\): p must be a probability, between 0 and 1"),
        (lambda: Categorical([0.5, 0.6]), r"Categorical\(p=...\): the probabilities add up to 1.1, .*divide them"),
        (lambda: Categorical([1.5, -0.5]), r"Categorical\(p\[1\]=-0.5\): p must be probabilities, zero or more"),
        (lambda: Gamma(0, 1), r"Gamma\(shape=0\): shape must be positive"),
        (lambda: Poisson(-2), r"Poisson\(rate=-2\): rate must be zero or more"),
        (lambda: Binomial(2.5, 0.5), r"Binomial\(n=2.5\): n must be a whole number"),
        (lambda: Uniform(1, 1), r"Uniform\(high=1\): high must be above low"),
        (lambda: StudentT(0), r"StudentT\(df=0\): df must be positive"),
        (lambda: MultivariateStudentT(1, 0, 1), "for numbers there is StudentT"),
        (lambda: Binomial(3, 0.5).kl(Binomial(4, 0.5)), "other must have the same number of trials"),
        (lambda: Discrete([1, 1]), "a value occurs twice"),
        (lambda: Discrete([1, 2], [1.0]), "2 values and 1 probabilities"),
        (lambda: Discrete(["a", "b"]).mean, "Discrete.mean: the values are words"),
        (lambda: Dirichlet([1.0]), r"Dirichlet\(alpha=\[1.0\]\): alpha needs two or more"),
        (
            lambda: MultivariateNormal([0, 0], [[1, 2], [2, 1]]),
            r"cov must be positive definite; its least eigenvalue is -1",
        ),
        (lambda: MultivariateNormal([0, 0], [[1, 1], [1, 1]]), "positive definite.*leave out dependent coordinates"),
        (lambda: MultivariateNormal([0, 0], [[1, 2], [0, 9]]), "must be finite and symmetric"),
        (lambda: MultivariateNormal([0, 0], np.eye(3)), r"cov has shape \(3, 3\); it must be a number, \(2,\)"),
        (lambda: MultivariateNormal(0, 1), "for numbers there is Normal"),
        (lambda: NormalInverseWishart([0, 0], 1, 0.5, 1.0), r"df=0.5\): df must be above d - 1 = 1"),
        (lambda: Normal().sample(-1), r"Normal.sample\(size=-1\): size must be a whole number"),
    ],
)
def test_parameters_outside_their_domain_are_named(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_types_are_distinguished_from_values():
    with pytest.raises(ParameterTypeError):
        Gamma(None, 1.0)
    with pytest.raises(DataError, match="Normal: x holds no numbers"):
        Normal().log_prob(["a", "b"])
