"""Intervals: every one from Student's, the normal or Wilson's formula; coverage and rejections counted again."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy import stats

STATES = [
    {},
    {"distribution": "skewed", "n": 5, "samples": 200, "seed": 2},
    {"distribution": "uniform", "test": "z", "n": 3, "level": 0.8, "effect": 0.5},
    {"distribution": "coin", "p": 0.2, "n": 15, "effect": -0.3},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("intervals", **request.param)


def samples(s):
    """Return the samples as the scene says that they are drawn, (samples, n)."""
    generator = np.random.default_rng(s.seed)
    draw = {
        "normal": lambda: generator.normal(size=s.n),
        "uniform": lambda: generator.uniform(size=s.n),
        "skewed": lambda: generator.exponential(size=s.n),
        "coin": lambda: (generator.random(s.n) < s.p).astype(float),
    }[s.distribution]
    return np.array([draw() for _ in range(s.samples)])


def facts(s):
    return {
        "normal": (0.0, 1.0),
        "uniform": (0.5, 12**-0.5),
        "skewed": (1.0, 1.0),
        "coin": (s.p, (s.p - s.p**2) ** 0.5),
    }[s.distribution]


def expected(s):
    """Return means, ends and p-values of all samples."""
    X, (mean, deviation) = samples(s), facts(s)
    m, claimed = X.mean(axis=1), mean - s.effect * deviation
    if s.distribution == "coin":
        z = stats.norm.ppf((1 + s.level) / 2)
        center = (m + z**2 / (2 * s.n)) / (1 + z**2 / s.n)
        half = z / (1 + z**2 / s.n) * np.sqrt(m * (1 - m) / s.n + z**2 / (4 * s.n**2))
        score = (m - claimed) / np.sqrt(claimed * (1 - claimed) / s.n)
        return m, center - half, center + half, 2 * stats.norm.sf(np.abs(score))
    if s.test == "z":
        error, statistic = np.full(len(X), deviation / np.sqrt(s.n)), stats.norm()
    else:
        error, statistic = X.std(axis=1, ddof=1) / np.sqrt(s.n), stats.t(s.n - 1)
    half = statistic.ppf((1 + s.level) / 2) * error
    return m, m - half, m + half, 2 * statistic.sf(np.abs((m - claimed) / error))


def test_intervals_and_p_values_by_their_formulas(run):
    s, last = run.state, run.last
    m, low, high, p = expected(s)
    assert last.arrays["middle"] == pytest.approx(m, rel=1e-12, abs=1e-15)
    assert last.arrays["low"] == pytest.approx(low, rel=1e-9, abs=1e-12)
    assert last.arrays["high"] == pytest.approx(high, rel=1e-9, abs=1e-12)
    assert [frame.say[1]["p"] for frame in run.frames[:100]] == pytest.approx(p[:100], rel=1e-8, abs=1e-12)
    hit = (low <= facts(s)[0]) & (facts(s)[0] <= high)
    for frame in run.frames:
        assert frame.values["coverage"] == hit[: frame.n].mean()
        assert frame.values["rejected"] == (p[: frame.n] <= 1 - s.level).mean()
        assert frame.say[0] == ("held" if hit[frame.n - 1] else "missed")
    assert last.arrays["p_counts"].sum() == s.samples


def test_the_power_is_that_of_the_test():
    s = run_of("intervals", effect=0.8, n=12, samples=10)
    statistic, shift = stats.t(11), 0.8 * np.sqrt(12)
    critical = statistic.ppf(0.975)
    exact = stats.nct.sf(critical, 11, shift) + stats.nct.cdf(-critical, 11, shift)
    assert s.last.values["power"] == pytest.approx(exact, rel=1e-6)


def test_few_skewed_values_are_covered_less():
    skewed = run_of("intervals", distribution="skewed", n=5, samples=200).last
    assert skewed.say[1]["to"] < 0.95
    missed = np.array(skewed.arrays["hit"]) == 0
    assert (np.array(skewed.arrays["high"])[missed] < 1).mean() > 0.9  # nearly all of them lie below the mean


def test_a_hypothesis_that_is_no_probability_is_refused():
    assert refusal_of("intervals", distribution="coin", p=0.9, effect=2.0)[1] == "effect"
