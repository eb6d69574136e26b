"""Expectations by the order of the tail, divergences of heavy tails, and quantiles far out, against mpmath."""

import warnings

import mpmath as mp
import numpy as np
import pytest

from novum.distributions import Beta, Exponential, Gamma, MixtureDistribution, Normal, StudentT, Uniform
from novum.exceptions import DataWarning


def student_mean(df, scale, f):
    """Return E f(|x|) of a Student t, f in mpmath, over x = e^y."""
    a = mp.mpf(df)
    c = mp.gamma((a + 1) / 2) / mp.gamma(a / 2) / mp.sqrt(a * mp.pi) / scale

    def g(y):
        x = mp.e**y
        return 2 * f(x) * c * (1 + (x / scale) ** 2 / a) ** (-(a + 1) / 2) * x

    far = 60 / min(df, 1)
    return mp.quad(g, [*np.arange(-60, 20, 4.0), *np.linspace(20, far, 8), *np.linspace(1.3 * far, 4 * far, 8)])


SLOW = [
    (lambda x: np.log1p(x**2), lambda x: mp.log1p(x**2)),
    (lambda x: np.log(np.log(x**2 + np.e)), lambda x: mp.log(mp.log(x**2 + mp.e))),
    (lambda x: x**2 / (1 + x**2), lambda x: x**2 / (1 + x**2)),
    (lambda x: np.sqrt(np.log1p(x**4)), lambda x: mp.sqrt(mp.log1p(x**4))),
    (lambda x: np.abs(x) ** 0.2, lambda x: x ** mp.mpf("0.2")),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("numpy_f, exact_f", SLOW)
def test_slow_functions_of_heavy_tails(seed, numpy_f, exact_f):
    rng = np.random.default_rng(seed)
    df, scale = float(rng.uniform(0.4, 2.5)), float(10 ** rng.uniform(-3, 3))
    found = StudentT(df, 0.0, scale).expect(numpy_f)
    assert found == pytest.approx(float(student_mean(df, scale, exact_f)), rel=1e-10)
    mixed = MixtureDistribution([0.25, 0.75], [StudentT(df, 0.0, scale), Normal(5.0, 1e-24)])
    assert mixed.expect(numpy_f) == pytest.approx(0.25 * found + 0.75 * float(numpy_f(5.0)), rel=1e-9)


@pytest.mark.parametrize("df", [0.3, 1.0, 1.7, 3.0])
def test_the_order_of_a_power_decides(df):
    distribution = StudentT(df)
    for share in (0.5, 0.9, 0.99, 0.999):
        p = df * share
        a = mp.mpf(df) / 2
        exact = (
            mp.mpf(df) ** (p / 2) * mp.gamma((p + 1) / 2) * mp.gamma(a - p / 2) / mp.gamma(mp.mpf(1) / 2) / mp.gamma(a)
        )
        assert distribution.expect(lambda x, p=p: np.abs(x) ** p) == pytest.approx(float(exact), rel=1e-9)
    for share in (1.0, 1.001, 1.5):
        assert distribution.expect(lambda x, p=df * share: np.abs(x) ** p) == np.inf
        assert distribution.expect(lambda x, p=df * share: -(np.abs(x) ** p)) == -np.inf


def test_powers_of_logarithms():
    distribution = StudentT(1.0)
    whole = distribution.expect(lambda x: np.abs(x) / (1 + np.log1p(np.abs(x))) ** 2)
    body = mp.quad(
        lambda y: 2 * mp.e ** (2 * y) / (1 + mp.log1p(mp.e**y)) ** 2 / mp.pi / (1 + mp.e ** (2 * y)),
        [*np.arange(-60, 60, 4.0), 60],
    )
    assert whole == pytest.approx(float(body + 2 / mp.pi / 61), rel=1e-6)
    assert distribution.expect(lambda x: np.abs(x) / np.sqrt(1 + np.log1p(np.abs(x)))) == np.inf
    with pytest.warns(DataWarning, match="cannot be determined"):
        assert np.isnan(
            distribution.expect(lambda x: np.abs(x) / (1 + np.log1p(np.abs(x))))
        )  # 1/s: at the edge of convergence


def test_overflow_is_not_infinity():
    soft = lambda x: np.log(1 + np.exp(x))  # noqa: E731
    exact = mp.quad(lambda x: mp.log1p(mp.e**x) * mp.e ** (-x / 10) / 10, [0, 5, 20, 100, 400, 2000])
    assert Exponential(0.1).expect(soft) == pytest.approx(float(exact), rel=1e-12)
    with pytest.warns(DataWarning, match="cannot be determined"):
        assert np.isnan(Exponential(0.001).expect(soft))  # half of the mass is beyond the overflow
    assert Normal().expect(lambda x: np.where(x > 3, np.inf, 0.0)) == np.inf  # infinite without overflow
    assert StudentT(2.1, 0.0, 1e100).expect(lambda x: x**2) == pytest.approx(21e200, rel=1e-10)
    assert StudentT(2.1, 0.0, 1e100).kl(Normal()) == pytest.approx(10.5e200, rel=1e-10)
    np.testing.assert_allclose(StudentT(1.0).log_prob([1e200, -1e300]), -np.log(np.pi) - 2 * np.log([1e200, 1e300]))


def log_student(df, loc, scale):
    a = mp.mpf(df)
    c = mp.loggamma((a + 1) / 2) - mp.loggamma(a / 2) - mp.log(a * mp.pi) / 2 - mp.log(scale)
    return lambda x: c - (a + 1) / 2 * mp.log1p(((x - loc) / scale) ** 2 / a)


@pytest.mark.parametrize("seed", range(6))
def test_divergences_of_heavy_tails(seed):
    rng = np.random.default_rng(seed)
    (df, other), loc, scale = rng.uniform(0.6, 6, 2), float(rng.normal()), float(10 ** rng.uniform(-1, 1))
    p, q = log_student(df, 0, 1), log_student(other, loc, scale)

    def g(y, sign):
        x = sign * mp.e**y
        return mp.e ** (p(x) + y) * (p(x) - q(x))

    places = [*np.arange(-50, 24, 2.0), *np.arange(30, 330, 30.0)]
    exact = float(sum(mp.quad(lambda y, sign=sign: g(y, sign), places) for sign in (-1, 1)))
    assert StudentT(df).kl(StudentT(other, loc, scale)) == pytest.approx(exact, rel=1e-9)
    found = StudentT(df).kl(Normal(loc, scale))
    assert found == np.inf if df <= 2 else np.isfinite(found)
    assert StudentT(df).kl(Gamma(2.0, 1.0)) == np.inf and StudentT(df).kl(Uniform(-1e9, 1e9)) == np.inf


def relative_error(x, q, tail):
    """Return by how much x misses the quantile, from the value and the slope of the exact tail."""
    x = mp.mpf(float(x))
    here, beside = mp.log(tail(x)), mp.log(tail(x * (1 + mp.mpf(10) ** -8)))
    return float(abs((here - mp.log(q)) / ((beside - here) * 10**8)))


@pytest.mark.parametrize("seed", range(8))
def test_quantiles_far_out(seed):
    rng = np.random.default_rng(seed)
    q = 10.0 ** -rng.uniform([250, 150, 80, 31, 5, 0.1], [300, 200, 140, 60, 20, 2])
    with mp.workdps(40), warnings.catch_warnings():
        warnings.simplefilter("error")
        a, b = 10 ** rng.uniform(-1.5, 3, 2)
        k, df = 10 ** rng.uniform(-1.5, 4), 10 ** rng.uniform(0.3, 4)
        for probability in q:
            low, high = Beta(a, b).quantile(probability), Beta(a, b).isf(probability)
            if 1e-300 < low < 1 - 1e-4:
                assert relative_error(low, probability, lambda x: mp.betainc(a, b, 0, x, regularized=True)) < 1e-11
            if 1e-300 < high < 1 - 1e-4:
                assert relative_error(high, probability, lambda x: mp.betainc(b, a, 0, 1 - x, regularized=True)) < 1e-11
            assert 0 <= low <= high + 1 and high <= 1
            low, high = Gamma(k, 2.0).quantile(probability), Gamma(k, 2.0).isf(probability)
            if low > 1e-300:
                assert relative_error(low, probability, lambda x: mp.gammainc(k, 0, 2 * x, regularized=True)) < 1e-11
            if high > 1e-300:
                assert (
                    relative_error(high, probability, lambda x: mp.gammainc(k, 2 * x, mp.inf, regularized=True)) < 1e-11
                )
            far = StudentT(df).isf(min(probability, 0.4))
            tail = lambda x: mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + x * x), regularized=True) / 2  # noqa: E731
            assert relative_error(far, min(probability, 0.4), tail) < 1e-11


@pytest.mark.parametrize("seed", range(6))
def test_divergence_of_a_beta_with_an_infinite_end(seed):
    a, b, v = 10 ** np.random.default_rng(seed).uniform(-1, 1, 3)
    distribution = Beta(a, b)
    exact = (
        0.5 * np.log(2 * np.pi * v)
        - distribution.entropy()
        + 0.5 * (distribution.var + (distribution.mean - 0.3) ** 2) / v
    )
    assert distribution.kl(Normal(0.3, v)) == pytest.approx(float(exact), rel=1e-10)
    assert distribution.kl(Uniform(0.1, 2.0)) == np.inf and distribution.kl(Uniform(0.0, 1.0)) == pytest.approx(
        -float(distribution.entropy())
    )
