"""Draws from a drawn density: darts, weights and inverses against the density written out, areas and laws against integrals."""

from itertools import pairwise

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.integrate import quad
from scipy.stats import kstest, norm

CORNERS = [[-4, 0], [-2, 1], [0, 0.2], [0.5, 0.2], [1, 1.5], [1.5, 0.3], [3, 0.3], [3.5, 0.1], [4, 0]]
STATES = [{}, {"proposal": "normal", "width": 2.5, "seed": 4, "n": 60}, {"corners": CORNERS, "slack": 2.0, "n": 80}]


def density(s):
    """Return the line through the corners, piece by piece."""
    corners = sorted((x, max(h, 0.0)) for x, h in s.corners)

    def value(x):
        for (a, p), (b, q) in pairwise(corners):
            if a <= x < b:
                return p + (q - p) * (x - a) / (b - a)
        return corners[-1][1] if x == corners[-1][0] else 0.0

    return value


def area(s):
    xs = sorted(x for x, _ in s.corners)
    return sum(quad(density(s), a, b)[0] for a, b in pairwise(xs) if a < b)


def q(s, x):
    return np.full(np.shape(x), 1 / 8) if s.proposal == "uniform" else norm.pdf(x, scale=s.width)


@pytest.mark.parametrize("state", STATES)
def test_darts_are_kept_below_the_density(state):
    run = run_of("rejection", **state)
    s, p = run.state, density(run.state)
    grid = np.linspace(-4, 4, 801)
    k = s.slack * 1.001 * max(p(x) / q(s, x) for x in grid)
    points = run.last.arrays["points"].astype(float)
    kept = np.array([h < p(x) for x, h in points])
    assert (run.last.arrays["kept"] == np.where(kept, 2, 3)).all() and kept.sum() == s.n
    assert (points[:, 1] <= k * q(s, points[:, 0]) * (1 + 1e-6)).all()
    for frame in run.frames:
        assert frame.values["worth"] == pytest.approx(kept[: frame.n].mean(), rel=1e-12)
        assert frame.values["normalizer"] == pytest.approx(k * kept[: frame.n].mean(), rel=1e-9)
        assert frame.arrays["counts"].sum() == kept[: frame.n].sum()
    error = np.sqrt(kept.mean() * (1 - kept.mean()) / len(kept))
    assert abs(run.last.values["worth"] - area(s) / k) < 4 * error
    assert run.last.say[0] == "done"


def test_kept_darts_have_the_law_of_the_density():
    run = run_of("rejection", n=500)
    s, p = run.state, density(run.state)
    points = run.last.arrays["points"][run.last.arrays["kept"] == 2][:, 0].astype(float)
    knots = [-4, *sorted(x for x, _ in s.corners), 4]

    def below(x):
        return sum(quad(p, a, min(b, x))[0] for a, b in pairwise(knots) if a < min(b, x)) / area(s)

    assert kstest(points, np.vectorize(below)).pvalue > 1e-3


def test_more_dimensions_keep_less():
    run = run_of("rejection", dimensions=6)
    rates, grid = run.last.arrays["rates"], np.linspace(-4, 4, 801)
    one = area(run.state) / (run.state.slack * 1.001 * 8 * max(map(density(run.state), grid)))
    for d, rate in enumerate(rates, 1):  # 30 kept draws each
        assert rate is None or rate == pytest.approx(one**d, rel=4 / np.sqrt(30))
    assert len(rates) == 6 and rates[3] < 0.1 * rates[0]


@pytest.mark.parametrize("state", [{"n": 200}, {"proposal": "normal", "width": 3.0, "corners": CORNERS, "n": 50}])
def test_weights_are_density_over_proposal(state):
    run = run_of("rejection", method="importance", **state)
    s, p = run.state, density(run.state)
    for frame in (run.frames[4], run.last):
        x = frame.arrays["points"][:, 0].astype(float)
        w = np.array([p(one) for one in x]) / q(s, x)
        assert frame.arrays["areas"] == pytest.approx(w / w.max(), rel=1e-3, abs=1e-5)
        assert frame.values["worth"] == pytest.approx(w.sum() ** 2 / (w**2).sum() / frame.n, rel=1e-4)
        assert frame.values["normalizer"] == pytest.approx(w.mean(), rel=1e-4)


def test_the_inverse_of_the_distribution_function_is_looked_up():
    run = run_of("rejection", method="inverse", corners=CORNERS, n=400)
    s, p = run.state, density(run.state)
    u = np.random.default_rng(0).random(400)
    x = run.last.arrays["points"][:, 0].astype(float)
    for at in (0, 7, 150, 399):
        assert quad(p, -4, x[at], limit=400)[0] / area(s) == pytest.approx(u[at], abs=2e-4)
    assert run.last.values["normalizer"] == pytest.approx(area(s), rel=5e-3)


def test_a_density_of_zero_is_refused():
    assert refusal_of("rejection", corners=[[x, -1.0] for x, _ in CORNERS])[1] == "corners"
