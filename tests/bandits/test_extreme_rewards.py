"""Policies fed from logs and with extreme rewards: an arm, or an error in words; never NaN."""

import numpy as np
import pytest

from novum.bandits import EXP3, KLUCB, UCB1, EpsilonGreedy, Greedy, LinUCB, Softmax, ThompsonSampling
from novum.exceptions import DataError

POLICIES = [
    EpsilonGreedy(0.3),
    Greedy(),
    Softmax(0.1),
    Softmax(1e-300, decay=2.0),
    UCB1(),
    KLUCB(),
    KLUCB("gaussian"),
    ThompsonSampling(),
    ThompsonSampling("gaussian"),
    ThompsonSampling("gaussian", prior=(0.0, 1e-3), scale=1e3),
    LinUCB(),
    EXP3(0.0, learning_rate=5.0),
    EXP3(anytime=True),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: repr(p))
@pytest.mark.parametrize("seed", range(2))
def test_a_log_in_any_order(policy, seed):
    rng = np.random.default_rng(seed)
    game = policy.reset(4, random_state=seed)
    own = (0.0, 1.0) if policy._needs_bounded else (1.0, -1.0, 1e300, -1e300, 5e-324, 0.0)
    for _ in range(300):
        game.update(
            int(rng.choice(4, p=[0.85, 0.15, 0, 0]) if rng.random() < 0.9 else rng.integers(4)), rng.choice(own)
        )
        assert game.select() in range(4)
        if hasattr(game, "probabilities"):
            p = game.probabilities()
            assert np.isfinite(p).all()
            assert p.sum() == pytest.approx(1)


def test_arms_that_a_log_lacks_come_first():
    for policy in (EpsilonGreedy(0.0), Softmax(), UCB1(), KLUCB()):
        game = policy.reset(3, random_state=0)
        for _ in range(10):
            game.update(1, 1.0)
        assert game.select() == 0
        game.update(0, 0.0)
        assert game.select() == 2


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: repr(p))
def test_what_is_no_reward_is_refused_and_forgotten(policy):
    game = policy.reset(2, random_state=0)
    for bad in (np.inf, -np.inf, np.nan):
        with pytest.raises(ValueError, match="reward"):
            game.update(0, bad)
    if policy._needs_bounded or "scale" in repr(policy):  # a wide scale makes them small
        return
    game.update(0, 1.7e308)
    with pytest.raises(DataError, match="would leave all bounds; divide the rewards by a constant"):
        game.update(0, 1.7e308)
    assert game.round == 1
    assert game.select() in (0, 1)
