"""What a proposal tells: the same draws and decisions as a step, and the log ratio written out."""

import numpy as np
import pytest

from novum.sampling import MetropolisHastings


class Drift:
    """A proposal that is not symmetric."""

    def sample(self, x, rng):
        return 0.5 * x + rng.normal(size=x.shape)

    def log_prob(self, new, old):
        return -0.5 * float(((new - 0.5 * old) ** 2).sum())


def log_prob(x):
    return -float(np.abs(x).sum())


@pytest.mark.parametrize(
    "walk",
    [
        MetropolisHastings(log_prob, scale=2.0, adapt=False),
        MetropolisHastings(log_prob, scale=[[1.0, 0.5], [0.5, 2.0]], adapt=False),
        MetropolisHastings(log_prob, Drift()),
        MetropolisHastings(log_prob, lambda x, rng: x + rng.uniform(-1, 1, 2)),
    ],
)
def test_a_proposal_is_the_step_with_the_same_draws(walk):
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    x = y = np.array([1.0, -2.0])
    taken = 0
    for _ in range(200):
        found = walk.propose(y, other)
        ratio = log_prob(found.proposed) - log_prob(y)
        if isinstance(walk.proposal, Drift):
            ratio += walk.proposal.log_prob(y, found.proposed) - walk.proposal.log_prob(found.proposed, y)
        assert found.log_ratio == pytest.approx(ratio, rel=1e-12, abs=1e-12)
        assert found.accepted or found.log_ratio < 0
        x, y = walk.step(x, one), found.state
        assert (x == y).all() and (y == found.proposed).all() == found.accepted
        taken += found.accepted
    assert 20 < taken < 200


def test_a_proposal_outside_the_support_is_refused():
    walk = MetropolisHastings(lambda x: 0.0 if x[0] > 0 else -np.inf, lambda x, rng: -x)
    found = walk.propose(np.array([1.0]), np.random.default_rng(0))
    assert found.log_ratio == -np.inf and not found.accepted and found.state[0] == 1.0
