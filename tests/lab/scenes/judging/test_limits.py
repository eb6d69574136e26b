"""Means of draws: shares counted again, the three inequalities and the limit by their formulas, shells of cubes."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.stats import norm

STATES = [
    {},
    {"distribution": "uniform", "epsilon": 0.05, "most": 120, "seed": 3},
    {"distribution": "arcsine", "delta": 0.3, "most": 50},
]
STATES.append({"p": 0.02, "epsilon": 0.03, "dimensions": 14})
FACTS = {"uniform": (0.5, 1 / 12), "arcsine": (0.5, 1 / 8)}


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("limits", **request.param)


def facts(s):
    return FACTS.get(s.distribution, (s.p, s.p * (1 - s.p)))


def draws(s):
    generator, size = np.random.default_rng(s.seed), (300, s.most)
    if s.distribution == "arcsine":
        return generator.beta(0.5, 0.5, size)
    u = generator.random(size)
    return u if s.distribution == "uniform" else (u < s.p) * 1.0


def test_shares_are_counted(run):
    s, (mean, _) = run.state, facts(run.state)
    sums = np.cumsum(draws(s), axis=1)
    for frame in run.frames:
        far = np.abs(sums[:, frame.n - 1] / frame.n - mean)
        clear = np.abs(far - s.epsilon) > 1e-12  # a mean at the very edge is a matter of rounding
        low, high = (far[clear] > s.epsilon).sum() / 300, ((far > s.epsilon) | ~clear).sum() / 300
        assert low - 1e-12 <= frame.values["share"] <= high + 1e-12
        assert np.array(frame.arrays["means"])[:, 1] == pytest.approx(sums[:8, frame.n - 1] / frame.n, rel=1e-6)


def test_bounds_by_their_formulas(run):
    s, (mean, v) = run.state, facts(run.state)
    c = max(mean, 1 - mean)
    for frame in run.frames:
        n, e = frame.n, s.epsilon
        assert frame.values["chebyshev"] == pytest.approx(min(1, v / (n * e**2)), rel=1e-12)
        assert frame.values["hoeffding"] == pytest.approx(min(1, 2 * np.exp(-2 * n * e**2)), rel=1e-12)
        assert frame.values["bernstein"] == pytest.approx(
            min(1, 2 * np.exp(-n * e**2 / (2 * v + 2 * c * e / 3))), rel=1e-12
        )
        assert frame.values["normal"] == pytest.approx(2 * norm.sf(e * np.sqrt(n / v)), rel=1e-9, abs=1e-15)
        names = ("chebyshev", "hoeffding", "bernstein")
        assert frame.values["tightest"] == min(frame.values[name] for name in names) == frame.values[frame.say[0]]
        assert frame.values["share"] <= frame.values["tightest"] + 4 * np.sqrt(0.25 / 300)


def test_shells_of_cubes(run):
    s = run.state
    assert run.last.values["shell_here"] == pytest.approx(1 - (1 - s.thickness) ** s.dimensions, rel=1e-9)
    assert run.last.arrays["side"][9] == pytest.approx(0.1**0.1, rel=1e-6)
    assert run.last.arrays["shell"][13] > 0.5 or s.thickness != 0.05  # 14 dimensions are enough for the question


def test_the_lines_are_the_radii():
    run = run_of("limits")
    lines = run.last.arrays["lines"]
    tube = [line for line in lines if line["role"] == "margin"]
    for line, radius in zip(
        tube[::2], (lambda n: np.sqrt(0.21 / (n * 0.05)), lambda n: np.sqrt(np.log(2 / 0.05) / (2 * n)))
    ):
        for n, y in line["p"][20:]:
            assert y == pytest.approx(0.3 + radius(n), rel=1e-9)


def test_a_deviation_that_cannot_be_is_refused():
    assert refusal_of("limits", distribution="uniform", epsilon=0.5)[1] == "epsilon"
