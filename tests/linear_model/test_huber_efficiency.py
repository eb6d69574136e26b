"""What the pages say of Huber's loss under normal noise with the scale estimated beside: 88.9 % at 1.35, 95 % at 1.596."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from novum.linear_model import HuberRegressor


def scale_and_efficiency(epsilon):
    """Return s of the population, and the efficiency of the line: from their definitions, by quadrature."""

    def cut(c):
        return integrate.quad(lambda z: min(z * z, c * c) * stats.norm.pdf(z), -12, 12, points=[-c, c])[0]

    scale = optimize.brentq(lambda s: cut(epsilon * s) / s**2 - 1, 0.05, 1.0)
    return scale, (2 * stats.norm.cdf(epsilon * scale) - 1) ** 2 / cut(epsilon * scale)


def test_the_figures_of_the_pages():
    assert scale_and_efficiency(1.35) == pytest.approx((0.681, 0.889), abs=5e-4)
    assert 1.35 * scale_and_efficiency(1.35)[0] == pytest.approx(0.920, abs=5e-4)
    assert scale_and_efficiency(1.596)[1] == pytest.approx(0.95, abs=5e-5)
    noise = np.random.default_rng(0).normal(size=40_000)
    model = HuberRegressor(alpha=0).fit(np.random.default_rng(1).normal(size=(40_000, 1)), noise)
    assert model.scale_ == pytest.approx(0.681, abs=0.01)
