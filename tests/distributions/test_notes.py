"""The distributions of the notes, with their numbers (misprints corrected) and their claims."""

import math

import numpy as np
import pytest
import scipy.stats as st
from artists import canvas
from numpy.testing import assert_allclose
from scipy.special import betaln, digamma, gammaln

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Discrete,
    Gamma,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    Poisson,
    StudentT,
)
from novum.fold import add

RNG = np.random.default_rng(0)
COV = np.array([[2.0, 0.5], [0.5, 1.0]])
SKEWED = np.array([-1.0, -0.5, 0.0, 0.2, 0.4, 0.8, 1.0, 10.0])


@pytest.mark.notes("000-a", "discrete-rv")
def test_a_fair_die_and_the_rules_of_expectation():
    die = Discrete(np.arange(1, 7))
    assert_allclose([die.mean, die.var, die.std], [3.5, 35 / 12, math.sqrt(35 / 12)], rtol=1e-15)
    square = die.expect(lambda x: x**2)
    assert_allclose(die.var, square - die.mean**2, rtol=1e-14)  # minus: the notes print a second equality sign
    assert_allclose(die.expect(lambda x: 2 * x + 3), 2 * die.mean + 3, rtol=1e-15)
    assert_allclose(die.expect(lambda x: (2 * x - 7) ** 2), 4 * die.var, rtol=1e-14)
    sums = Discrete(np.arange(2, 13), np.convolve(np.ones(6), np.ones(6)) / 36)  # two independent dice
    assert_allclose([sums.mean, sums.var], [7.0, 2 * die.var], rtol=1e-14)
    assert_allclose(die.cdf([0, 1, 3.5, 6]), [0, 1 / 6, 0.5, 1], rtol=1e-15)
    assert list(die.quantile([0.0, 0.5, 1.0])) == [1, 3, 6]
    drawn = die.sample(6000, random_state=0)
    assert st.chisquare(np.bincount(drawn.astype(int))[1:]).pvalue > 1e-3
    assert list(Discrete([3, 1], [0.2, 0.8]).p) == [0.8, 0.2]  # values are kept in order
    batch = Discrete([0.0, 2.0], [[0.5, 0.5], [0.1, 0.9]])
    assert_allclose([*batch.mean, *batch.entropy()], [1.0, 1.8, *[one.entropy() for one in batch]], rtol=1e-15)
    assert_allclose(batch[0].kl(batch[1]), 0.5 * np.log(5) + 0.5 * np.log(5 / 9), rtol=1e-14)
    assert np.isinf(Discrete([0.0, 3.0]).kl(batch[0]))


@pytest.mark.notes("000-a", "bernoulli")
@pytest.mark.notes("002", "dist-bernoulli")
def test_bernoulli():
    model = Bernoulli(0.3)
    assert_allclose(model.prob([0, 1]), [0.7, 0.3], rtol=1e-15)
    assert_allclose([model.mean, model.var], [0.3, 0.21], rtol=1e-15)
    eta = model.natural_parameters()[0]
    assert_allclose(eta, np.log(0.3 / 0.7), rtol=1e-15)
    assert_allclose(np.exp(-model.log_partition()), 1 / (1 + np.exp(eta)), rtol=1e-15)  # g = sigma(-eta)


@pytest.mark.notes("000-a", "binomial")
@pytest.mark.notes("002", "dist-binomial")
def test_binomial_is_a_sum_of_bernoullis():
    model = Binomial(7, 0.5)
    assert_allclose([model.prob(4), model.mean, model.var], [0.2734375, 3.5, 1.75], rtol=1e-14)
    tosses = Bernoulli(0.3).sample((20000, 7), random_state=0).sum(axis=1)
    assert np.abs(np.bincount(tosses, minlength=8) / 20000 - Binomial(7, 0.3).prob(np.arange(8))).max() < 0.01
    assert_allclose(Binomial(1, 0.3).log_prob([0, 1]), Bernoulli(0.3).log_prob([0, 1]), rtol=1e-14)
    assert_allclose(np.exp(-Binomial(5, 0.3).log_partition()), 0.7**5, rtol=1e-14)  # g = (1 - mu)^N
    assert_allclose(Binomial.fit([3, 5, 4], n=6).p, 12 / 18, rtol=1e-15)


@pytest.mark.notes("000-a", "categorical")
@pytest.mark.notes("002", "dist-categorical")
@pytest.mark.notes("003", "categorical-distribution")
def test_categorical_in_indicators():
    die = Categorical(np.full(6, 1 / 6))
    one_hot = Multinomial(1, np.full(6, 1 / 6))
    assert_allclose(one_hot.prob(np.eye(6)), die.prob(np.arange(6)), rtol=1e-14)
    assert_allclose([die.var[0], die.cov[0, 1]], [5 / 36, -1 / 36], rtol=1e-14)
    p = np.array([0.2, 0.3, 0.5])
    assert_allclose(Categorical(p).cov, np.diag(p) - np.outer(p, p), rtol=1e-15)  # the notes print the diagonal alone
    assert_allclose(Categorical(p).natural_parameters()[0], np.log(p[:2] / p[2]), rtol=1e-15)
    labels = np.array([0, 2, 2, 1, 2])
    assert_allclose(Categorical.fit(labels).p, [0.2, 0.2, 0.6], rtol=1e-15)
    assert_allclose(Categorical.fit(labels).p, np.eye(3)[labels].mean(axis=0), rtol=1e-15)
    loaded = Categorical(p)
    assert_allclose(loaded.cdf([-1, 0, 1, 1.5, 2, 3]), [0, 0.2, 0.5, 0.5, 1, 1], rtol=1e-15)
    assert_allclose(loaded.sf([-1, 0, 1, 1.5, 2, 3]), [1, 0.8, 0.5, 0.5, 0, 0], rtol=1e-15)
    assert loaded.quantile([0.1, 0.2, 0.3, 0.5, 0.6]).tolist() == [0, 0, 1, 1, 2]


@pytest.mark.notes("000-a", "multinomial")
@pytest.mark.notes("002", "dist-multinomial")
@pytest.mark.notes("001", "multinomial-distribution")
def test_multinomial_counts():
    throws = Multinomial(6, np.full(6, 1 / 6))
    assert_allclose(throws.prob(np.ones(6)), math.factorial(6) / 6**6, rtol=1e-13)
    assert round(float(throws.prob(np.ones(6))), 6) == 0.015432
    p = np.array([0.2, 0.3, 0.5])
    model = Multinomial(4, p)
    assert_allclose(model.cov, 4 * (np.diag(p) - np.outer(p, p)), rtol=1e-15)
    assert_allclose(Multinomial(5, [0.3, 0.7]).log_prob([2, 3]), Binomial(5, 0.3).log_prob(2), rtol=1e-13)
    eta = model.natural_parameters()[0]
    assert_allclose(-model.log_partition(), -4 * np.log(1 + np.exp(eta).sum()), rtol=1e-14)
    word = np.array([3, 1, 1, 0, 0, 0])  # the factorial of the document's length: 5!/3! = 20, not 6!/3! = 120
    q = np.array([0.3, 0.2, 0.1, 0.2, 0.1, 0.1])
    assert_allclose(Multinomial(word.sum(), q).prob(word), 20 * np.prod(q**word), rtol=1e-13)


@pytest.mark.notes("000-a", "gaussian")
@pytest.mark.notes("001", "gaussian-1d")
@pytest.mark.notes("003", "gaussian")
@pytest.mark.notes("004", "gaussian-density")
def test_normal_numbers():
    model = Normal()
    assert_allclose(Normal(2, 9).kl(Normal(-1, 4)), 0.5 * (9 / 4 + 3**2 / 4 - 1 - np.log(9 / 4)), rtol=1e-14)
    assert round(float(model.prob(0.0)), 6) == 0.398942
    assert_allclose(model.cdf([1, 2]) - model.cdf([-1, -2]), [0.682689, 0.954500], atol=5e-7)
    assert_allclose(Normal(2, 9).prob(5.0), np.exp(-0.5) / np.sqrt(2 * np.pi * 9), rtol=1e-15)
    x = Normal(1.0, 4.0).sample(500, random_state=0)
    assert_allclose([Normal.fit(x).mean, Normal.fit(x).var], [x.mean(), x.var()], rtol=1e-12)
    shifted = Normal.fit(x + 3.0)  # N(m, v) + c is N(m + c, v)
    assert_allclose([shifted.mean, shifted.var], [Normal.fit(x).mean + 3, Normal.fit(x).var], rtol=1e-12)


@pytest.mark.notes("000-a", "beta")
@pytest.mark.notes("002", "dist-beta")
def test_beta_numbers():
    model = Beta(2.0, 5.0)
    assert_allclose([model.var, model.prob(0.5)], [0.025510, 0.9375], atol=5e-7)
    x = np.linspace(0.05, 0.95, 7)
    a, b = 2.3, 3.1
    u = np.array([np.log(x), np.log(1 - x)])  # the notes print 1/x for the second, and h = 1
    form = -np.log(x * (1 - x)) + a * u[0] + b * u[1] - Beta(a, b).log_partition()
    assert_allclose(form, Beta(a, b).log_prob(x), rtol=1e-13)
    assert round(float(Beta(a, b).prob(0.37)), 3) == 1.81
    posterior = Beta(2 + 7, 2 + 3)
    assert_allclose([posterior.mean, posterior.var], [0.642857, 0.015306], atol=5e-7)
    one, other = Beta(2.0, 3.5), Beta(0.8, 4.0)
    psi = digamma([2.0, 3.5, 5.5])
    apart = betaln(0.8, 4.0) - betaln(2.0, 3.5) + (2.0 - 0.8) * psi[0] + (3.5 - 4.0) * psi[1] + (4.8 - 5.5) * psi[2]
    assert_allclose(one.kl(other), apart, rtol=1e-12)


@pytest.mark.notes("000-a", "mvn")
@pytest.mark.notes("001", "gaussian-mv")
@pytest.mark.notes("002", "mvn")
@pytest.mark.notes("004", "multivariate-normal")
def test_multivariate_normal_numbers():
    model = MultivariateNormal([0.0, 0.0], COV)
    x = np.array([2.0, 1.0])
    assert_allclose(x @ model.precision @ x, 2.285714, atol=5e-7)
    assert round(float(model.prob(x)), 6) == 0.038368
    literal = np.exp(-0.5 * x @ np.linalg.inv(COV) @ x) / (2 * np.pi * np.sqrt(np.linalg.det(COV)))  # |C|^(-1/2)
    assert_allclose(model.prob(x), literal, rtol=1e-14)
    step = 1e-6
    gradient = [
        (MultivariateNormal(e, COV).prob(x) - MultivariateNormal(-e, COV).prob(x)) / (2 * step)
        for e in step * np.eye(2)
    ]
    assert_allclose(gradient, model.prob(x) * model.precision @ x, rtol=1e-8)


@pytest.mark.notes("000-a", "dirichlet")
@pytest.mark.notes("002", "dist-dirichlet")
def test_dirichlet_numbers():
    model = Dirichlet([2.0, 3.0, 5.0])
    assert model.log_prob([-0.25, 0.5, 0.75]) == -np.inf and Dirichlet([3.0, 3.0]).log_prob([1.5, -0.5]) == -np.inf
    assert (Dirichlet([[3.0, 3], [3, 5]]).log_prob([1.5, -0.5]) == -np.inf).all()  # against several by NumPy
    assert_allclose(model.var, [0.014545, 0.019091, 0.022727], atol=5e-7)
    assert_allclose(model.cov[np.triu_indices(3, 1)], [-0.005455, -0.009091, -0.013636], atol=5e-7)
    assert_allclose(model.prob([0.2, 0.3, 0.5]), 8.505, atol=5e-4)
    assert_allclose(Dirichlet([2.0, 5.0]).log_prob([0.4, 0.6]), Beta(2, 5).log_prob(0.4), rtol=1e-13)
    assert_allclose(model.mode, [1 / 7, 2 / 7, 4 / 7], rtol=1e-14)
    near = model.mode + 1e-3 * np.array([[1, -1, 0], [-1, 1, 0], [0, 1, -1], [0, -1, 1], [1, 0, -1], [-1, 0, 1]])
    assert (model.log_prob(near) < model.log_prob(model.mode)).all()
    assert_allclose(model.mean, [0.2, 0.3, 0.5], rtol=1e-15)


@pytest.mark.notes("000-a", "gamma-fn")
def test_the_recursion_of_the_gamma_function_inside_the_densities():
    x = np.array([0.3, 1.0, 4.5])
    assert_allclose(gammaln(x + 1), np.log(x) + gammaln(x), rtol=1e-14)
    # Gamma(a + 1) = a Gamma(a) in the normalising constants: p_{a+1}(x) = p_a(x) x b / a
    assert_allclose(Gamma(3.5, 2.0).prob(x), Gamma(2.5, 2.0).prob(x) * x * 2.0 / 2.5, rtol=1e-13)
    assert_allclose(Gamma(1.0, 1.0).log_partition(), 0.0, atol=1e-15)  # Gamma(1) = 1
    assert_allclose(Beta(3.0, 2.0).prob(0.3), Beta(2.0, 2.0).prob(0.3) * 0.3 * 4 / 2, rtol=1e-13)


@pytest.mark.notes("000-a", "student-t")
@pytest.mark.notes("002", "student-t")
def test_student_numbers():
    assert_allclose(StudentT([1.0, 9.0, 1000.0]).prob(0.0), [0.318310, 0.388035, 0.398843], atol=5e-7)
    assert_allclose(StudentT(1e12).prob(SKEWED), Normal().prob(SKEWED), rtol=1e-8)
    a, b = 1.5, 2.0  # tau ~ Gamma(a, b), x ~ N(m, 1/tau): nu = 2a, lambda = a/b
    assert round(float(StudentT(2 * a, 0.3, np.sqrt(b / a)).prob(1.4)), 6) == 0.187627
    vector = MultivariateStudentT(5.0, [0.0, 0.0], COV)
    literal = math.gamma(3.5) / (
        math.gamma(2.5) * np.pi * 5 * np.sqrt(np.linalg.det(COV))
    )  # Gamma(nu/2) below, not Gamma(d/2)
    assert_allclose(vector.prob([0.0, 0.0]), literal, rtol=1e-14)
    robust = StudentT.fit(SKEWED)
    assert_allclose([robust.loc, robust.scale, robust.df], [0.243974, 0.521675, 1.004328], atol=5e-7)
    plain = Normal.fit(SKEWED)
    assert_allclose([plain.mean, plain.std], [1.3625, 3.321121], atol=5e-7)
    assert_allclose([robust.log_prob(SKEWED).sum(), plain.log_prob(SKEWED).sum()], [-15.003, -20.954], atol=5e-4)
    q = np.array([1e-40, 1e-9, 0.02, 0.3])
    for nu in (0.5, 1.0, 4.0):  # far out too, and the same on both sides
        t = StudentT(nu)
        assert_allclose(t.cdf(t.quantile(q)), q, rtol=1e-10)
        assert_allclose(t.quantile(1 - q[1:]), -t.quantile(q[1:]), rtol=1e-6)


@pytest.mark.notes("000-a", "student-t")
@pytest.mark.notes("002", "plot-student-vs-gauss")
def test_an_outlier_moves_the_normal_and_hardly_the_student():
    clean = SKEWED[:-1]
    moved = abs(Normal.fit(SKEWED).mean - Normal.fit(clean).mean)
    assert moved > 10 * abs(StudentT.fit(SKEWED).loc - StudentT.fit(clean).loc)
    family = StudentT([1.0, 3.0, 30.0])
    for line, nu in zip(family.plot(canvas()).lines, (1, 3, 30), strict=True):
        x, height = line.get_data()
        np.testing.assert_allclose(height, st.t.pdf(x, nu), rtol=1e-9)
        assert f"{nu}" in line.get_label() and x[0] < -3 and x[-1] > 3
    bell, tail = Normal.fit(SKEWED).plot(canvas()).lines[0], StudentT.fit(SKEWED).plot(canvas()).lines[0]
    middle = {name: line.get_xdata()[line.get_ydata().argmax()] for name, line in (("n", bell), ("t", tail))}
    assert abs(middle["t"] - np.median(clean)) < abs(middle["n"] - np.median(clean))  # the peaks that are drawn
    far = family.log_prob(6.0)
    assert (np.diff(far) < 0).all() and (np.diff(family.log_prob(0.0)) > 0).all()  # fatter tails, lower peaks


@pytest.mark.notes("000-a", "mle-gaussian")
def test_normal_by_maximum_likelihood():
    x = np.array([1.0, 2, 3, 4, 10])
    model = Normal.fit(x)
    assert model.mean == 4 and model.var == 10  # divided by n; 12.5 would be unbiased
    assert round(float(model.log_prob(x).sum()), 6) == -12.851155
    sigma = model.std
    score = ((x - model.mean) / model.var).sum(), (-1 / sigma + (x - model.mean) ** 2 / sigma**3).sum()
    assert_allclose(score, 0, atol=1e-14)
    step = 1e-5
    slope = (Normal(4 + step, 10).log_prob(x) - Normal(4 - step, 10).log_prob(x)).sum() / (2 * step)
    assert abs(slope) < 1e-8


@pytest.mark.notes("000-a", "mle-gaussian-mv")
def test_multivariate_normal_by_maximum_likelihood():
    X = np.array([(0, 0), (2, 0), (0, 2), (2, 2), (1, 1)], float)
    model = MultivariateNormal.fit(X)
    assert_allclose(model.mean, [1, 1], rtol=1e-15)
    assert_allclose(model.cov, 0.8 * np.eye(2), atol=1e-15)
    assert round(float(model.log_prob(X).sum()), 6) == -13.073668
    Y = RNG.normal(size=(40, 3)) @ [[2.0, 0, 0], [0.5, 1, 0], [-1, 0.3, 0.2]] + [1, 2, 3]
    w = RNG.integers(0, 4, 40)
    found, counted = MultivariateNormal.fit(Y), MultivariateNormal.fit(Y, sample_weight=w)
    assert_allclose(found.mean, Y.mean(axis=0), rtol=1e-13)
    assert_allclose(found.cov, np.cov(Y.T, bias=True), rtol=1e-11)
    assert_allclose(counted.cov, np.cov(Y.T, fweights=w, bias=True), rtol=1e-11)
    assert_allclose(found.log_prob(Y), st.multivariate_normal(Y.mean(axis=0), np.cov(Y.T, bias=True)).logpdf(Y))


@pytest.mark.notes("000-a", "sufficient-statistics")
@pytest.mark.notes("002", "expfam-mle")
@pytest.mark.parametrize(
    "family, x",
    [
        (Normal, RNG.normal(size=60)),
        (MultivariateNormal, RNG.normal(size=(60, 2))),
        (Bernoulli, RNG.integers(0, 2, 60).astype(float)),
        (Categorical, RNG.integers(0, 3, 60).astype(float)),
        (Poisson, RNG.poisson(3, 60).astype(float)),
        (Gamma, RNG.gamma(3, size=60)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_a_stream_is_learned_from_its_sums_alone(family, x):
    whole = family.fit(x)
    for expected, u in zip(whole.mean_statistics(), whole.sufficient_statistics(x)):
        assert_allclose(expected, u.mean(axis=0), rtol=1e-9, atol=1e-12)  # the likeliest has the means of the data
    kept = None
    for portion in np.array_split(x, 7):  # the portions are forgotten
        part = whole.statistics(portion)
        kept = part if kept is None else add(kept, part)
    again = whole.from_statistics(kept)
    for mine, theirs in zip(again._parameters().values(), whole._parameters().values()):
        assert_allclose(mine, theirs, rtol=1e-10)
    order = RNG.permutation(len(x))
    for mine, theirs in zip(whole.statistics(x), whole.statistics(x[order])):
        assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)  # order is not in the statistics


@pytest.mark.notes("000-a", "mle-bernoulli")
@pytest.mark.notes("001", "bernoulli-mle")
@pytest.mark.notes("000-a", "map-estimation")
def test_bernoulli_by_maximum_likelihood_and_posterior_mode():
    tosses = np.array([1, 1, 0, 0, 0, 1, 1])
    model = Bernoulli.fit(tosses)
    assert_allclose([model.p, model.prob(tosses).prod()], [4 / 7, 6912 / 823543], rtol=1e-14)
    assert round(float(model.log_prob(tosses).sum()), 6) == -4.780357
    curve = Bernoulli(np.linspace(0.001, 0.999, 999)).log_prob(tosses[:, None]).sum(axis=0)
    assert abs(np.linspace(0.001, 0.999, 999)[curve.argmax()] - 4 / 7) < 1e-3
    assert Bernoulli.fit([0, 0]).p == 0 and Bernoulli.fit([1.0]).log_prob(0) == -np.inf  # log 0
    assert_allclose(Bernoulli.fit(tosses, prior=Beta(2, 2)).p, 5 / 9, rtol=1e-15)
    assert_allclose(Bernoulli.fit(tosses, prior=Beta(1, 1)).p, 4 / 7, rtol=1e-15)
    days = np.repeat([0, 1, 2], [2, 3, 3])
    assert_allclose(Categorical.fit(days, prior=Dirichlet([2, 2, 2])).p, [3 / 11, 4 / 11, 4 / 11], rtol=1e-15)


@pytest.mark.notes("000-a", "mle-categorical")
def test_weather_by_maximum_likelihood():
    days = list("RCCSSSRC")
    table = Discrete.fit(days)
    assert list(table.values) == ["C", "R", "S"]
    assert_allclose(table.p, [3 / 8, 1 / 4, 3 / 8], rtol=1e-15)
    assert round(float(table.log_prob(days).sum()), 6) == -8.657564
    model = Categorical([1 / 3] * 3)
    counted = model.from_statistics(model.statistics([0, 1, 2], [2.0, 3.0, 3.0]))  # from the counts
    assert_allclose(counted.p, [1 / 4, 3 / 8, 3 / 8], rtol=1e-15)


@pytest.mark.notes("002", "dist-poisson")
def test_poisson_in_natural_form():
    model = Poisson(4.0)
    assert_allclose([model.natural_parameters()[0], model.log_partition()], [np.log(4), 4], rtol=1e-15)
    assert_allclose(Poisson.fit([2, 3, 7]).rate, 4.0, rtol=1e-15)
    assert model.mean == model.var == 4.0
    assert [Poisson(rate).mode for rate in (0.3, 2.5, 7.9)] == [0, 2, 7]


@pytest.mark.notes("002", "dist-gamma")
def test_gamma_in_natural_form():
    a, b, x = 2.5, 1.5, 0.8
    eta1, eta2 = Gamma(a, b).natural_parameters()
    g = (-eta2) ** (eta1 + 1) / math.gamma(eta1 + 1)  # Gamma(a), where the notes print Gamma(x)
    assert_allclose(Gamma(a, b).prob(x), g * np.exp(eta1 * np.log(x) + eta2 * x), rtol=1e-14)
    assert_allclose(Gamma(a, b).prob(x), b**a * x ** (a - 1) * np.exp(-b * x) / math.gamma(a), rtol=1e-14)


@pytest.mark.notes("002", "dist-gaussian-expfam")
def test_normal_in_natural_form():
    m, v, x = 0.7, 2.3, 1.9
    eta1, eta2 = Normal(m, v).natural_parameters()
    g = (-2 * eta2) ** 0.5 * np.exp(eta1**2 / (4 * eta2))  # power +1/2: the notes print -1/2
    assert_allclose(Normal(m, v).prob(x), (2 * np.pi) ** -0.5 * g * np.exp(eta1 * x + eta2 * x**2), rtol=1e-14)
    mean, point = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    first, second = MultivariateNormal(mean, COV).natural_parameters()
    g = np.linalg.det(-2 * second) ** 0.5 * np.exp(0.25 * first @ np.linalg.inv(second) @ first)
    form = g * np.exp(first @ point + point @ second @ point) / (2 * np.pi)
    assert_allclose(MultivariateNormal(mean, COV).prob(point), form, rtol=1e-13)
    back = MultivariateNormal.from_natural(first, second)
    assert_allclose(back.cov, COV, rtol=1e-13)
