"""Families of vectors, and of means with precisions, against scipy.stats and by their definitions."""

import numpy as np
import pytest
import scipy.stats as st
from draws import averages_to
from numpy.testing import assert_allclose, assert_array_equal

from novum.distributions import (
    Categorical,
    Dirichlet,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    NormalGamma,
    NormalInverseWishart,
    StudentT,
    linear_gaussian,
)
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(3)
COV = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 0.7]])


@pytest.mark.notes("000-a", "mvn")
@pytest.mark.notes("001", "gaussian-mv")
@pytest.mark.notes("002", "mvn")
@pytest.mark.notes("004", "multivariate-normal")
def test_multivariate_normal_is_scipys():
    mean = np.array([1.0, -2.0, 0.5])
    ours, peer = MultivariateNormal(mean, COV), st.multivariate_normal(mean, COV)
    x = RNG.normal(size=(50, 3)) * 3
    assert_allclose(ours.log_prob(x), peer.logpdf(x), rtol=1e-13)
    assert_allclose(ours.log_prob(x[0]), peer.logpdf(x[0]), rtol=1e-13)
    assert_allclose(ours.log_prob(mean + 80 * np.eye(3)[0]), peer.logpdf(mean + 80 * np.eye(3)[0]), rtol=1e-13)
    assert_allclose(ours.entropy(), peer.entropy(), rtol=1e-14)
    assert_allclose(ours.cov @ ours.precision, np.eye(3), atol=1e-15)
    assert ours.n_parameters == 9 and ours.event_shape == (3,) and ours.batch_shape == ()
    drawn = ours.sample(20000, random_state=0)
    assert averages_to(drawn, mean)
    assert_allclose(np.cov(drawn.T), COV, atol=0.06)
    assert_array_equal(MultivariateNormal(mean, 2.0).cov, 2 * np.eye(3))
    assert_array_equal(MultivariateNormal(mean, [1.0, 2, 3]).var, [1.0, 2, 3])


@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 20, 33])
def test_batches_of_multivariate_normals_are_what_each_of_them_says(d):
    k = 4
    root = RNG.normal(size=(k, d, d))
    model = MultivariateNormal(RNG.normal(size=(k, d)), root @ root.swapaxes(1, 2) + np.eye(d))
    x = RNG.normal(size=(30, d)) * 3
    together = model.log_prob(x[:, None])
    assert together.shape == (30, k)
    alone = [st.multivariate_normal(m, c).logpdf(x) for m, c in zip(model.mean, model.cov)]
    assert_allclose(together, np.transpose(alone), rtol=1e-12)
    assert_allclose(model.log_prob(x[:k]), np.diag(together[:k]), rtol=1e-13)
    assert_allclose(model.kl(model[0])[1], model[1].kl(model[0]), rtol=1e-12)
    assert_allclose(model.entropy()[2], model[2].entropy(), rtol=1e-14)
    assert_array_equal(model.sample(3, random_state=0).shape, (3, k, d))
    assert len(model) == k


def test_divergence_of_multivariate_normals_by_its_formula():
    p, q = MultivariateNormal([0.0, 1, 2], COV), MultivariateNormal([1.0, 0, 0], COV + np.eye(3))
    gap, other = q.mean - p.mean, np.linalg.inv(q.cov)
    determinants = np.log(np.linalg.det(q.cov) / np.linalg.det(p.cov))
    assert_allclose(p.kl(q), 0.5 * (np.trace(other @ p.cov) + gap @ other @ gap - 3 + determinants), rtol=1e-13)


@pytest.mark.notes("000-a", "dirichlet")
@pytest.mark.notes("002", "dist-dirichlet")
def test_dirichlet_is_scipys():
    alpha = np.array([2.0, 3.0, 5.0])
    ours = Dirichlet(alpha)
    x = ours.sample(500, random_state=3)
    assert_allclose(
        ours.log_prob(x), [st.dirichlet.logpdf(row / row.sum(), alpha) for row in x], rtol=1e-11, atol=1e-12
    )
    assert_allclose(ours.entropy(), st.dirichlet.entropy(alpha), rtol=1e-13)
    assert_allclose(ours.mean, st.dirichlet.mean(alpha), rtol=1e-15)
    assert_allclose(ours.cov, st.dirichlet.cov(alpha), rtol=1e-14)
    assert_allclose(np.diag(ours.cov), ours.var, rtol=1e-14)
    assert_allclose(ours.mode, (alpha - 1) / 7, rtol=1e-15)
    assert ours.log_prob([0.5, 0.5, 0.5]) == -np.inf and ours.log_prob([1.2, -0.1, -0.1]) == -np.inf
    assert ours.log_prob([0.0, 0.5, 0.5]) == -np.inf
    assert_allclose(Dirichlet([1.0, 1, 1]).log_prob([0.0, 0.5, 0.5]), np.log(2), rtol=1e-15)
    many = ours.sample(20000, random_state=4)
    assert averages_to(many, ours.mean)
    assert_allclose(np.cov(many.T), ours.cov, atol=0.0006)
    assert_allclose(many.sum(1), 1.0, rtol=1e-14)
    tiny = Dirichlet([1e-3, 1e-3]).sample(200, random_state=0)
    assert np.isfinite(tiny).all() and 0.3 < (tiny[:, 0] > 0.5).mean() < 0.7


def test_categorical_is_its_table():
    p = np.array([[0.2, 0.3, 0.5], [0.1, 0.0, 0.9]])
    model = Categorical(p)
    codes = np.array([0, 2, 1, 2])
    with np.errstate(divide="ignore"):
        assert_array_equal(model.log_prob(codes[:, None]), np.log(model.p[:, codes].T))
    assert_array_equal(Categorical(p[0]).log_prob([-1, 3, 0.5]), [-np.inf] * 3)
    assert_allclose(model.entropy(), [st.entropy(row) for row in p], rtol=1e-15)
    assert_allclose(model.cov[0], np.diag(p[0]) - np.outer(p[0], p[0]), rtol=1e-15)
    drawn = model.sample(5000, random_state=0)
    assert_allclose(np.bincount(drawn[:, 0]) / 5000, p[0], atol=0.02)
    assert not (drawn[:, 1] == 1).any() and drawn.dtype == np.int64
    assert list(model.mode) == [2, 2]


@pytest.mark.notes("000-a", "multinomial")
@pytest.mark.notes("001", "multinomial-distribution")
@pytest.mark.notes("002", "dist-multinomial")
def test_multinomial_is_scipys():
    p = np.array([0.2, 0.3, 0.5])
    ours, peer = Multinomial(5, p), st.multinomial(5, p)
    x = np.array([[5, 0, 0], [1, 2, 2], [0, 0, 5], [1, 1, 1], [2, 2, 2], [-1, 3, 3]])
    assert_allclose(ours.log_prob(x), peer.logpmf(x), rtol=1e-13)
    assert ours.log_prob([0.5, 0.5, 4]) == -np.inf
    assert_allclose(ours.entropy(), peer.entropy(), rtol=1e-12)
    assert_allclose(ours.cov, peer.cov(), rtol=1e-15)
    grid = np.array([(i, j, 5 - i - j) for i in range(6) for j in range(6 - i)])
    assert_allclose(ours.prob(grid).sum(), 1.0, rtol=1e-14)
    assert tuple(ours.mode) in {tuple(row) for row in grid[ours.prob(grid) > ours.prob(grid).max() * (1 - 1e-12)]}
    drawn = ours.sample(20000, random_state=0)
    assert averages_to(drawn, ours.mean) and (drawn.sum(1) == 5).all()
    assert_allclose(np.cov(drawn.T), ours.cov, atol=0.04)
    zero = Multinomial(2, [0.5, 0.5, 0.0])
    assert_allclose(zero.log_prob([[1, 1, 0], [1, 0, 1]]), [np.log(0.5), -np.inf], rtol=1e-14)
    for n, q in [(7, [0.1, 0.2, 0.7]), (3, [0.3, 0.3, 0.4]), (4, [0.25, 0.25, 0.5])]:
        grid = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
        model = Multinomial(n, q)
        assert_allclose(model.log_prob(model.mode), model.log_prob(grid).max(), rtol=1e-12)


def test_multivariate_student_is_scipys():
    ours = MultivariateStudentT(4.5, [1.0, -2.0, 0.5], COV)
    peer = st.multivariate_t(ours.loc, COV, df=4.5)
    x = np.r_[RNG.normal(size=(20, 3)) * 5, [[1e5, 0, 0]]]
    assert_allclose(ours.log_prob(x), peer.logpdf(x), rtol=1e-13)
    assert_allclose(ours.entropy(), peer.entropy(), rtol=1e-12)
    assert_allclose(ours.cov, COV * 4.5 / 2.5, rtol=1e-15)
    drawn = ours.sample(20000, random_state=0)
    assert averages_to(drawn, ours.loc)
    length = np.einsum("ni,ij,nj->n", drawn - ours.loc, np.linalg.inv(COV), drawn - ours.loc) / 3
    assert st.kstest(length, st.f(3, 4.5).cdf).pvalue > 1e-3
    line = MultivariateStudentT(3.0, [0.5], 4.0)
    assert_allclose(line.log_prob([[2.0]]), StudentT(3.0, 0.5, 2.0).log_prob([2.0]), rtol=1e-14)
    near = MultivariateStudentT(1e8, [1.0, -2.0, 0.5], COV)
    assert_allclose(near.log_prob(x[:5]), MultivariateNormal(ours.loc, COV).log_prob(x[:5]), rtol=1e-5)


@pytest.mark.parametrize("df", [1e-2, 3.0, 59.0, 61.0, 1e4, 1e7, 1e12])
def test_students_constant_keeps_its_digits(df):
    from mpmath import mp, mpf

    with mp.workdps(40):
        nu = mpf(df)
        exact = mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(mp.pi * nu) / 2
    assert_allclose(StudentT(df).log_prob(0.0), float(exact), rtol=1e-13)


def test_moments_that_do_not_exist():
    assert np.isnan(StudentT(1.0).mean) and np.isnan(StudentT(1.0).var) and np.isinf(StudentT(2.0).var)
    assert np.isinf(NormalGamma(0.0, 1.0, 1.0, 1.0).var[0])
    assert np.isnan(NormalInverseWishart([0.0, 0], 1.0, 2.5, 1.0).mean[1:]).all()
    assert np.isnan(NormalInverseWishart([0.0, 0], 1.0, 1.5, 1.0).mean).all()
    assert np.isnan(NormalGamma(0.0, 1.0, 0.5, 1.0).mean).tolist() == [True, False]


def test_normal_gamma_is_a_normal_given_a_gamma():
    model = NormalGamma([0.5, 1.0], 3.0, 2.5, [1.5, 2.0])
    mu, tau = 0.7, 1.3
    expected = st.norm(model.center, 1 / np.sqrt(3 * tau)).logpdf(mu) + st.gamma(2.5, scale=1 / model.rate).logpdf(tau)
    assert_allclose(model.log_prob([mu, tau]), expected, rtol=1e-13)
    assert model.log_prob([0.0, -1.0])[0] == -np.inf
    drawn = model[0].sample(20000, random_state=0)
    assert averages_to(drawn, model[0].mean)
    assert_allclose(drawn.var(0), model[0].var, rtol=0.1)
    assert averages_to(-model[0].log_prob(drawn), model[0].entropy())
    other = NormalGamma(0.0, 1.0, 2.0, 2.0)
    assert averages_to(model[0].log_prob(drawn) - other.log_prob(drawn), model[0].kl(other))


def test_normal_inverse_wishart_is_a_normal_given_an_inverse_wishart():
    model = NormalInverseWishart([0.5, -1.0], 2.0, 9.0, [[2.0, 0.5], [0.5, 1.0]])
    cov, mu = np.array([[1.0, 0.2], [0.2, 0.4]]), np.array([0.3, 0.1])
    x = np.vstack([mu, cov])
    expected = st.multivariate_normal(model.center, cov / 2).logpdf(mu) + st.invwishart(9, model.scale).logpdf(cov)
    assert_allclose(model.log_prob(x), expected, rtol=1e-13)
    assert model.log_prob(np.vstack([mu, -cov])) == -np.inf
    drawn = model.sample(20000, random_state=0)
    assert averages_to(drawn, model.mean)
    assert_allclose(drawn.var(0), model.var, rtol=0.1)
    assert averages_to(-model.log_prob(drawn), model.entropy())
    other = NormalInverseWishart([0.0, 0.0], 1.0, 5.0, np.eye(2))
    assert averages_to(model.log_prob(drawn) - other.log_prob(drawn), model.kl(other))
    assert_allclose(model.log_prob(drawn[:5])[2], model.log_prob(drawn[2]), rtol=1e-14)
    batch = NormalInverseWishart(np.zeros((3, 2)), [1.0, 2, 3], 5.0, np.eye(2))
    assert_allclose(batch.log_prob(x), [one.log_prob(x) for one in batch], rtol=1e-14)
    assert batch.sample(4, random_state=0).shape == (4, 3, 3, 2)


def test_shapes_that_do_not_fit_are_reported():
    plane = MultivariateNormal([0, 0], np.eye(2))
    for x in (1.0, [[1.0], [2.0]], [1, 2, 3]):
        with pytest.raises(DataError, match=r"MultivariateNormal.log_prob: x has shape .*; it must be \(..., 2\)"):
            plane.log_prob(x)
    with pytest.raises(DataError, match=r"Normal.log_prob: x has shape \(3,\); .* batch \(2,\): x\[:, None\]"):
        Normal([0, 1]).log_prob([1, 2, 3])
    with pytest.raises(DataError, match="Normal: x is None; give a number"):
        Normal().log_prob(None)
    with pytest.raises(ParameterError, match=r"Categorical.kl\(other=.*has 3 outcomes, this one 2; list the same"):
        Categorical([0.5, 0.5]).kl(Categorical([0.3, 0.3, 0.4]))
    with pytest.raises(ParameterError, match=r"MultivariateNormal.product\(other=Normal.* with event_shape \(2,\)"):
        plane.product(Normal())
    with pytest.raises(DataError, match=r"affine: A has shape \(1, 3\); its last axes must be \(any, 2\)"):
        plane.affine([[1, 1, 1]])
    with pytest.raises(ParameterError, match=r"Normal.sample\(size=1.5\): size must be a whole number"):
        Normal().sample(1.5)
    with pytest.raises(
        ParameterError, match=r"linear_gaussian\(prior=Normal.*MultivariateNormal\(\[mean\], \[\[var\]\]\)"
    ):
        linear_gaussian(Normal(0, 1), 2.0, Normal(0, 1), 3.0)
    with pytest.raises(ParameterError, match=r"linear_gaussian\(noise=Normal"):
        linear_gaussian(plane, [[1, 2]], Normal(), [1.0])
    with pytest.raises(DataError, match=r"linear_gaussian: y has shape \(2,\); its last axes must be \(1\)"):
        linear_gaussian(plane, [[1, 2]], 1.0, [1.0, 2.0])
