"""The kernel's own draws: normals and betas of all shapes, through what policies choose and bandits pay."""

import numpy as np
import pytest
from scipy.stats import beta, kstest, norm

from novum.bandits import BernoulliBandit, EpsilonGreedy, GaussianBandit, ThompsonSampling, simulate


def test_rewards_are_normal():
    found = simulate(GaussianBandit([2.0], scale=3.0), EpsilonGreedy(1.0), 1, n_runs=200_000, random_state=0).rewards[0]
    z = (found - 2.0) / 3.0
    assert kstest(z, norm.cdf).pvalue > 1e-4
    assert kstest(z[z > 2], lambda x: 1 - norm.sf(x) / norm.sf(2)).pvalue > 1e-4
    tail = np.mean(np.abs(z) > 3.5)
    assert tail == pytest.approx(2 * norm.sf(3.5), abs=5 * np.sqrt(2 * norm.sf(3.5) / 200_000))


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.3, 0.7), (4.0, 90.0), (250.0, 3.0), (1e4, 1e4)])
def test_first_choices_have_the_probabilities_of_beta_draws(prior):
    """After one pull of one of two arms the next arm is chosen with P(Beta(a + r, b + 1 - r) > Beta(a, b))."""
    runs = 100_000
    found = simulate(
        BernoulliBandit([1.0, 1.0]), ThompsonSampling(prior=prior), 2, n_runs=runs, n_points=1, random_state=1
    )
    stays = np.mean(found.pulls[0].max(axis=1) == 2)
    x = np.linspace(0, 1, 2_000_001)
    a, b = prior
    exact = np.trapezoid(beta.cdf(x, a, b)[1:-1] * beta.pdf(x[1:-1], a + 1, b), x[1:-1])
    assert stays == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / runs) + 2e-4)
