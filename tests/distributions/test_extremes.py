"""Every family against mpmath, for parameters from 1e-8 to 1e12 on a seeded grid."""

import numpy as np
import pytest

from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    Gamma,
    MixtureDistribution,
    Normal,
    Poisson,
    StudentT,
    Uniform,
)
from novum.exceptions import DataWarning, ParameterError

mp = pytest.importorskip("mpmath")
mpf = mp.mpf
mp.mp.dps = 60

rng = np.random.default_rng(20)


PAIRS = [(float(a), float(b)) for a, b in 10 ** rng.uniform(-8, 12, (12, 2))]
RATES = [float(r) for r in 10 ** rng.uniform(-8, 12, 12)]
TRIALS = [(int(n), float(p)) for n, p in zip(10 ** rng.uniform(0, 12, 12), 10 ** rng.uniform(-8, -0.01, 12))]
PLACES = (1e-6, 0.03, 0.4, 0.8, 0.999)


def close(ours, theirs, rel=1e-10, absolute=1e-10):
    theirs = float(theirs)
    assert ours == pytest.approx(theirs, rel=rel, abs=absolute), (ours, theirs)


def logs(below, above):
    """Return the logarithms of two probabilities that add up to one, each from the smaller."""
    first = mp.log(below) if below < 0.5 else mp.log1p(-above)
    return first, (mp.log(above) if above < 0.5 else mp.log1p(-below))


def log_gamma_density(x, a, r):
    x, a, r = mpf(x), mpf(a), mpf(r)
    return a * mp.log(r) - mp.loggamma(a) + (a - 1) * mp.log(x) - r * x


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


@pytest.mark.parametrize("a, r", PAIRS)
def test_gamma(a, r):
    distribution, A, R = Gamma(a, r), mpf(a), mpf(r)
    close(distribution.mean, A / R)
    close(distribution.var, A / R**2)
    close(distribution.mode, max(A - 1, 0) / R)
    close(distribution.entropy(), A - mp.log(R) + mp.loggamma(A) + (1 - A) * mp.digamma(A), absolute=1e-10)
    for q in PLACES:
        x = float(distribution.quantile(q))
        if x > 1e-300:
            close(distribution.log_prob(x), log_gamma_density(x, a, r), rel=1e-11, absolute=1e-9)
    other = Gamma(a * 1.3, r * 0.7)
    B, S = mpf(float(other.shape)), mpf(float(other.rate))
    kl = (A - B) * mp.digamma(A) - mp.loggamma(A) + mp.loggamma(B) + B * mp.log(R / S) + A * (S - R) / R
    close(distribution.kl(other), kl, rel=1e-9, absolute=1e-12)


@pytest.mark.parametrize("a, b", PAIRS)
def test_beta(a, b):
    distribution, A, B = Beta(a, b), mpf(a), mpf(b)
    close(distribution.mean, A / (A + B), absolute=0)
    close(distribution.var, A * B / ((A + B) ** 2 * (A + B + 1)), absolute=0)
    entropy = log_beta(A, B) - (A - 1) * mp.digamma(A) - (B - 1) * mp.digamma(B) + (A + B - 2) * mp.digamma(A + B)
    close(distribution.entropy(), entropy, rel=1e-11, absolute=1e-10)
    x = float(distribution.mean)
    if 1e-300 < x < 1 - 1e-9:
        X = mpf(x)
        want = (A - 1) * mp.log(X) + (B - 1) * mp.log(1 - X) - log_beta(A, B)
        close(distribution.log_prob(x), want, rel=1e-11, absolute=1e-8)
    other = Beta(a * 1.5, b * 0.6)
    C, D = mpf(float(other.a)), mpf(float(other.b))
    kl = log_beta(C, D) - log_beta(A, B) + (A - C) * mp.digamma(A) + (B - D) * mp.digamma(B)
    kl += (C - A + D - B) * mp.digamma(A + B)
    close(distribution.kl(other), kl, rel=1e-8, absolute=1e-12)


@pytest.mark.parametrize(
    "a, b, mode",
    [
        (1, 0.5, 1),
        (0.5, 1, 0),
        (0.5, 2, 0),
        (2, 0.5, 1),
        (1, 1, 0.5),
        (3, 2, 2 / 3),
        (2, 1, 1),
        (1, 3, 0),
        (0.2, 0.4, 0),
    ],
)
def test_beta_mode(a, b, mode):
    assert Beta(a, b).mode == pytest.approx(mode)


@pytest.mark.parametrize("rate", RATES)
def test_poisson(rate):
    distribution, R = Poisson(rate), mpf(rate)
    for x in {0, 1, int(rate), int(rate + 3 * rate**0.5), int(max(rate - 2 * rate**0.5, 0))}:
        close(distribution.log_prob(x), x * mp.log(R) - R - mp.loggamma(mpf(x) + 1), rel=1e-11, absolute=1e-9)
    if rate > 1e4:
        want = mp.log(2 * mp.pi * mp.e * R) / 2 - 1 / (12 * R) - 1 / (24 * R**2) - 19 / (360 * R**3)
        close(distribution.entropy(), want, rel=1e-12)
    else:
        terms = [x * mp.log(R) - R - mp.loggamma(x + 1) for x in range(int(rate + 40 * rate**0.5 + 40))]
        close(distribution.entropy(), -sum(mp.e**t * t for t in terms), rel=1e-11, absolute=0)
    other = Poisson(rate * 1.01)
    S = mpf(float(other.rate))
    close(distribution.kl(other), R * mp.log(R / S) + S - R, rel=1e-9, absolute=0)


@pytest.mark.parametrize("n, p", TRIALS)
def test_binomial(n, p):
    distribution, N, P = Binomial(n, p), mpf(n), mpf(p)
    close(distribution.mean, N * P)
    close(distribution.var, N * P * (1 - P))
    for x in {0, 1, int(n * p), min(n, int(n * p + 3 * (n * p) ** 0.5))}:
        want = (
            mp.loggamma(N + 1)
            - mp.loggamma(mpf(x) + 1)
            - mp.loggamma(N - x + 1)
            + x * mp.log(P)
            + (N - x) * mp.log(1 - P)
        )
        close(distribution.log_prob(x), want, rel=1e-11, absolute=2e-9)
    assert np.isfinite(distribution.entropy())
    Q = mpf(float(p * 0.9))
    close(
        distribution.kl(Binomial(n, p * 0.9)),
        N * (P * mp.log(P / Q) + (1 - P) * mp.log((1 - P) / (1 - Q))),
        rel=1e-9,
        absolute=0,
    )


def test_one_of_a_billion():
    want = mp.binomial(10**9, 1) * mpf(1e-9) * (1 - mpf(1e-9)) ** (10**9 - 1)
    assert Binomial(10**9, 1e-9).prob(1) == pytest.approx(float(want), rel=1e-14)


@pytest.mark.parametrize("df", [0.05, *RATES])
def test_student(df):
    distribution, V = StudentT(df, 0.0, 2.0), mpf(df)
    half = (V + 1) / 2
    entropy = half * (mp.digamma(half) - mp.digamma(V / 2)) + mp.log(V) / 2 + log_beta(V / 2, mpf(1) / 2) + mp.log(2)
    close(distribution.entropy(), entropy, rel=1e-11)
    for x in (0.0, 1.5, 30.0, 1e6):
        want = -half * mp.log1p(mpf(x) ** 2 / 4 / V) - log_beta(V / 2, mpf(1) / 2) - mp.log(V) / 2 - mp.log(2)
        close(distribution.log_prob(x), want, rel=1e-11, absolute=1e-9)


def beta_head(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


@pytest.mark.parametrize("x", [1e-200, 1e-20, 0.01, 1.0, 3.0, 40.0, 800.0, 5000.0])
@pytest.mark.parametrize("a", [0.01, 0.5, 3.0, 120.0])
def test_gamma_tails(a, x):
    distribution = Gamma(a, 1.0)
    below, above = mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, mp.inf, regularized=True)
    log_below, log_above = logs(below, above)
    close(distribution.log_cdf(x), log_below, rel=1e-11, absolute=0)
    close(distribution.log_sf(x), log_above, rel=1e-11, absolute=0)
    close(distribution.sf(x), above, rel=1e-11, absolute=1e-300)


@pytest.mark.parametrize("x", [1e-200, 1e-30, 1e-3, 0.4, 0.9])
@pytest.mark.parametrize("a, b", [(0.1, 0.1), (2.0, 3.0), (50.0, 2.0), (300.0, 700.0)])
def test_beta_tails(a, b, x):
    distribution = Beta(a, b)
    log_below, log_above = logs(beta_head(a, b, x), mp.betainc(b, a, 0, 1 - mpf(x), regularized=True))
    close(distribution.log_cdf(x), log_below, rel=1e-10, absolute=0)
    close(distribution.log_sf(x), log_above, rel=1e-10, absolute=1e-300)


@pytest.mark.parametrize("df", [0.5, 3.0, 100.0])
@pytest.mark.parametrize("z", [0.3, 5.0, 1e3, 1e8])
def test_student_tails(df, z):
    V, Z = mpf(df), mpf(z)
    above = mp.betainc(V / 2, mpf(1) / 2, 0, V / (V + Z**2), regularized=True) / 2
    distribution = StudentT(df)
    close(distribution.log_sf(z), mp.log(above), rel=1e-11, absolute=0)
    close(distribution.log_cdf(-z), mp.log(above), rel=1e-11, absolute=0)
    if above > 1e-300:
        close(distribution.isf(float(above)), Z, rel=1e-9, absolute=0)
        close(distribution.quantile(float(above)), -Z, rel=1e-9, absolute=0)


def test_normal_exponential_uniform_tails():
    for z in (-50.0, -3.0, 0.1, 9.0, 60.0):
        above = mp.erfc(mpf(z) / mp.sqrt(2)) / 2
        want = logs(mp.erfc(-mpf(z) / mp.sqrt(2)) / 2, above)[1]
        close(Normal(2.0, 4.0).log_sf(2 + 2 * z), want, rel=1e-12, absolute=1e-300)
        close(Normal(2.0, 4.0).log_cdf(2 - 2 * z), want, rel=1e-12, absolute=1e-300)
    assert Normal().isf(1e-300) == pytest.approx(37.0470962993612, rel=1e-12)
    assert Exponential(2.0).log_sf(1e4) == -2e4 and Exponential(2.0).isf(1e-300) == pytest.approx(150 * np.log(10))
    assert Exponential(2.0).log_cdf(1e-200) == pytest.approx(np.log(2e-200))
    assert Uniform(0.0, 4.0).sf(1.0) == 0.75 and Uniform(0.0, 4.0).isf(0.25) == 3.0
    assert Uniform(0.0, 4.0).log_cdf(1e-200) == pytest.approx(np.log(2.5e-201))
    assert Bernoulli(1e-20).log_cdf(0) == pytest.approx(-1e-20) and Bernoulli(0.25).isf([0.2, 0.3]).tolist() == [
        1.0,
        0.0,
    ]


@pytest.mark.parametrize("rate", [0.01, 3.0, 200.0])
@pytest.mark.parametrize("x", [0, 5, 60, 900])
def test_poisson_tails(rate, x):
    distribution = Poisson(rate)
    above = mp.gammainc(x + 1, 0, rate, regularized=True)
    log_below, log_above = logs(mp.gammainc(x + 1, rate, mp.inf, regularized=True), above)
    close(distribution.log_sf(x), log_above, rel=1e-10, absolute=1e-300)
    close(distribution.log_cdf(x), log_below, rel=1e-10, absolute=1e-300)
    for q in (0.3, 1e-5, 1e-100):
        least = int(distribution.isf(q))
        assert distribution.sf(least) <= q and (least == 0 or distribution.sf(least - 1) > q)


@pytest.mark.parametrize(
    "n, p, x", [(1000, 0.5, 0), (1000, 0.5, 990), (10**9, 1e-9, 3), (10**9, 1e-9, 60), (50, 0.9, 10)]
)
def test_binomial_tails(n, p, x):
    distribution = Binomial(n, p)
    probabilities = [mp.binomial(n, k) * mpf(p) ** k * (1 - mpf(p)) ** (n - k) for k in range(x + 1)]
    more = [mp.binomial(n, k) * mpf(p) ** k * (1 - mpf(p)) ** (n - k) for k in range(x + 1, min(n, x + 900) + 1)]
    log_below, log_above = logs(mp.fsum(probabilities), mp.fsum(more))
    close(distribution.log_sf(x), log_above, rel=1e-9, absolute=1e-300)
    close(distribution.log_cdf(x), log_below, rel=1e-9, absolute=1e-300)
    least = int(distribution.isf(1e-12))
    assert distribution.sf(least) <= 1e-12 and distribution.sf(least - 1) > 1e-12


def test_expectations_that_quadrature_missed():
    assert Beta(0.1, 0.1).expect(lambda x: x) == pytest.approx(0.5, rel=1e-12)
    assert Beta(0.1, 0.1).expect(np.log) == pytest.approx(float(mp.digamma(0.1) - mp.digamma(0.2)), rel=1e-12)
    assert Gamma(0.5, 1.0).expect(np.log) == pytest.approx(float(mp.digamma(0.5)), rel=1e-12)
    assert Normal(1e9, 1.0).expect(lambda x: (x - 1e9) ** 2) == pytest.approx(1, rel=1e-6)
    assert StudentT(2.0).kl(Normal()) == np.inf and np.isnan(StudentT(1.0).expect(lambda x: x))
    assert StudentT(2.5).expect(lambda x: x**2) == pytest.approx(5, rel=1e-8)
    assert Normal().expect(lambda x: (x > 1) * 1.0) == pytest.approx(Normal().sf(1.0), rel=1e-10)


@pytest.mark.parametrize("shape", [1e-3, 0.3, 5.0, 1e6, 1e12])
@pytest.mark.parametrize("rate", [1e-8, 1.0, 1e12])
def test_moments_by_quadrature(shape, rate):
    distribution = Gamma(shape, rate)
    assert distribution.expect(lambda x: x) == pytest.approx(shape / rate, rel=1e-9)
    center = shape / rate
    assert distribution.expect(lambda x: (x - center) ** 2) == pytest.approx(shape / rate**2, rel=1e-8)


@pytest.mark.parametrize("far", [1e2, 1e6, 1e12])
@pytest.mark.parametrize("narrow", [1e-4, 1.0, 1e4])
def test_far_components(far, narrow):
    parts = Normal([0.0, far * (1 + narrow)], [1.0, narrow**2])
    mixture = MixtureDistribution([0.25, 0.75], parts)
    mean = 0.75 * far * (1 + narrow)
    assert mixture.expect(lambda x: x) == pytest.approx(mean, rel=1e-12)
    apart = 0.25 * parts[0].entropy() + 0.75 * parts[1].entropy() - 0.25 * np.log(0.25) - 0.75 * np.log(0.75)
    coarse = far * (1 + narrow) / narrow > 1.1e10  # floats are wide beside that component: its entropy is refused
    if coarse:
        with pytest.warns(DataWarning, match="cannot be determined"):
            assert np.isnan(mixture.entropy())
    elif far >= 1e6:
        assert mixture.entropy() == pytest.approx(apart, abs=1e-7)
    if far >= 1e6:
        assert parts[0].kl(mixture) == pytest.approx(-np.log(0.25), rel=1e-9)
    assert mixture.kl(mixture) == 0


def test_mixture_tails():
    mixture = MixtureDistribution([0.25, 0.75], Normal([0.0, 1.0], 1.0))
    want = mp.log(mp.erfc(60 / mp.sqrt(2)) / 8 + 3 * mp.erfc(59 / mp.sqrt(2)) / 8)
    close(mixture.log_sf(60.0), want, rel=1e-12)
    assert mixture.sf(mixture.isf(1e-100)) == pytest.approx(1e-100, rel=1e-9)
    assert mixture.sf(0.3) + mixture.cdf(0.3) == pytest.approx(1, rel=1e-15)
    counts = MixtureDistribution([0.5, 0.5], Poisson([1.0, 1e6]))
    assert counts.expect(lambda x: x) == pytest.approx(500000.5, rel=1e-10)
    assert counts.entropy() == pytest.approx(
        np.log(2) + 0.5 * (Poisson(1.0).entropy() + Poisson(1e6).entropy()), rel=1e-9
    )


def test_what_cannot_be_determined_is_refused():
    with pytest.warns(DataWarning, match="still moves where the numbers of the machine end"):
        assert np.isnan(Beta(1e-3, 1.0).expect(np.log))
    with pytest.warns(DataWarning, match="still moves where the numbers of the machine end"):
        assert np.isnan(Beta(0.1, 0.1).expect(lambda x: np.log1p(-x)))
    with pytest.raises(ParameterError, match=r"Poisson.expect: .* counts matter"):
        Poisson(1e14).expect(lambda x: x)
