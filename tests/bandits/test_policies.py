"""Policies by their formulas: what they choose, and that the compiled runs follow the distribution of the played ones."""

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.exceptions import NotFittedError

from novum.bandits import (
    EXP3,
    KLUCB,
    UCB1,
    AdversarialBandit,
    BernoulliBandit,
    ContextualBandit,
    EpsilonGreedy,
    GaussianBandit,
    Greedy,
    LinUCB,
    Softmax,
    ThompsonSampling,
    simulate,
)
from novum.exceptions import ParameterError

BERNOULLI = BernoulliBandit([0.8, 0.6, 0.55, 0.2])
GAUSSIAN = GaussianBandit([0.5, 0.0, 0.3], scale=[0.7, 0.7, 0.2])
SWITCHING = AdversarialBandit(np.where(np.arange(120)[:, None] < 50, [0.2, 0.9, 0.4], [0.8, 0.1, 0.5]))
CONTEXTUAL = ContextualBandit([[1.0, 0.2, 0.0], [0.0, 1.0, 0.3], [-0.5, 0.4, 1.0]], noise=0.3)


class Played:
    """A policy that `simulate` does not know, so that it plays it in Python."""

    def __init__(self, policy, n_features=1, horizon=None):
        self.policy, self.n_features, self.horizon = policy, n_features, horizon

    def reset(self, n_arms):
        seed = Played.seeds = getattr(Played, "seeds", 0) + 1
        self.policy.reset(n_arms, n_features=self.n_features, horizon=self.horizon, random_state=seed)

    def select(self, context=None):
        return self.policy.select(context)

    def update(self, arm, reward, context=None):
        self.policy.update(arm, reward, context)


CASES = [
    (BERNOULLI, Greedy()),
    (BERNOULLI, EpsilonGreedy(0.2)),
    (GAUSSIAN, EpsilonGreedy(3.0, decay=0.7)),
    (BERNOULLI, Softmax(0.2)),
    (GAUSSIAN, Softmax(0.5, decay=0.3)),
    (BERNOULLI, UCB1()),
    (GAUSSIAN, UCB1(0.5)),
    (BERNOULLI, KLUCB()),
    (BERNOULLI, KLUCB(log_log=3.0)),
    (GAUSSIAN, KLUCB("gaussian", scale=0.7)),
    (BERNOULLI, ThompsonSampling()),
    (BERNOULLI, ThompsonSampling(prior=(0.5, 0.3))),
    (SWITCHING, ThompsonSampling()),
    (GAUSSIAN, ThompsonSampling("gaussian", scale=0.7)),
    (GAUSSIAN, ThompsonSampling("gaussian", prior=(1.0, 0.5))),
    (BERNOULLI, EXP3(0.2, learning_rate=0.3)),
    (SWITCHING, EXP3()),
    (SWITCHING, EXP3(anytime=True)),
    (CONTEXTUAL, LinUCB(0.7, ridge=0.5)),
    (CONTEXTUAL, UCB1()),
    (BERNOULLI, LinUCB()),
]


ITEMS = {
    UCB1: [("003", "ucb1")],
    Greedy: [("003", "greedy-bandit")],
    ThompsonSampling: [("003", "thompson")],
    EXP3: [("003", "exp3"), ("003", "exp3-bound"), ("003", "regret")],
}


def with_its_row(bandit, policy):
    """Return a case that carries the marks of its policy's items."""
    marks = [pytest.mark.notes(*item) for item in ITEMS.get(type(policy), [])]
    return pytest.param(bandit, policy, marks=marks)


@pytest.mark.parametrize(
    ("bandit", "policy"), [with_its_row(*case) for case in CASES], ids=lambda value: repr(value)[:40]
)
def test_compiled_runs_have_the_distribution_of_played_ones(bandit, policy):
    Played.seeds = 0
    width = bandit._contexts.shape[1]
    fast = simulate(bandit, policy, 120, n_runs=4000, n_points=2, random_state=1)
    slow = simulate(bandit, Played(policy, width, 120), 120, n_runs=150, n_points=2, random_state=2)
    for point in range(2):
        assert ks_2samp(fast.regret[0, :, point], slow.regret[0, :, point]).pvalue > 1e-3
    for arm in range(bandit.n_arms):
        assert ks_2samp(fast.pulls[0, :, arm], slow.pulls[0, :, arm]).pvalue > 1e-3
    assert ks_2samp(fast.rewards[0], slow.rewards[0]).pvalue > 1e-3


@pytest.mark.notes("003", "ucb1")
def test_ucb1_adds_the_width_of_its_interval():
    policy = UCB1().reset(3, random_state=0)
    for arm, reward, n in [(0, 0.5, 10), (1, 0.25, 80), (2, 1.0, 9)]:
        for _ in range(n):
            policy.update(arm, reward)
    assert policy.round == 99
    widths = np.sqrt(2 * np.log(100) / np.array([10, 80, 9]))
    assert np.sqrt(2 * np.log(100) / 10) == pytest.approx(0.9597052, abs=5e-8)
    np.testing.assert_allclose(policy.bounds(), [0.5, 0.25, 1.0] + widths, rtol=1e-14)
    assert policy.select() == 2
    means = [0.9, 0.8, 0.5]
    found = simulate(BernoulliBandit(means), UCB1(), 5000, n_runs=400, random_state=0)
    assert 90 < found.final_regret.mean() < 100  # the catalogue's simulation: 94


@pytest.mark.notes("003", "greedy-bandit")
def test_greedy_may_stay_with_a_bad_arm():
    policy = Greedy().reset(3, random_state=0)
    for reward in (0.0, 1.0, 0.5):
        policy.update(policy.select(), reward)
    assert policy.counts.tolist() == [1, 1, 1] and policy.select() == 1
    policy.update(1, 0.0)
    policy.update(1, 0.0)
    assert policy.means.tolist() == [0.0, 1 / 3, 0.5] and policy.select() == 2
    found = simulate(BernoulliBandit([0.9, 0.8, 0.5]), Greedy(), 5000, n_runs=2000, random_state=0).final_regret[0]
    assert 80 < found.mean() < 190 and found.std() > found.mean()
    assert (found > 450).mean() > 0.15  # locked on the second arm: 5000 times 0.1


@pytest.mark.notes("003", "thompson")
def test_thompson_counts_successes_and_failures():
    policy = ThompsonSampling().reset(2, random_state=0)
    for reward in (1, 1, 0, 1):
        policy.update(1, reward)
    assert policy.wins.tolist() == [1, 4] and policy.losses.tolist() == [1, 2]
    assert policy.posterior(1).mean == pytest.approx(4 / 6)
    share = np.mean([policy.select() for _ in range(4000)])
    assert share == pytest.approx(1 - 1 / 3, abs=4 * np.sqrt(2 / 9 / 4000))  # P(Beta(4, 2) > U) = E Beta(4, 2)
    found = simulate(BernoulliBandit([0.9, 0.8, 0.5]), ThompsonSampling(), 5000, n_runs=1000, random_state=0)
    assert 11 < found.final_regret.mean() < 16


@pytest.mark.notes("003", "exp3")
def test_exp3_by_hand():
    policy = EXP3(0.1, learning_rate=0.1).reset(3, random_state=0)
    policy.update(1, 1.0)
    assert np.exp(policy.log_weights).round(6).tolist() == [1, 1.349859, 1]
    np.testing.assert_allclose(policy.probabilities(), [0.302001, 0.395997, 0.302001], atol=5e-7)
    w, beta, eta = np.array([1, np.exp(0.3), 1]), 0.1, 0.1
    p = (1 - beta) * w / w.sum() + beta / 3
    policy.update(0, 0.5)
    w[0] *= np.exp(eta * 0.5 / p[0])
    np.testing.assert_allclose(policy.probabilities(), (1 - beta) * w / w.sum() + beta / 3, rtol=1e-13)
    steady = EXP3(anytime=True).reset(3, random_state=0)
    steady.update(2, 0.25)
    w = np.exp(np.sqrt(np.log(3) / (3 * 2)) * np.array([0, 0, -0.75 / (1 / 3)]))
    np.testing.assert_allclose(steady.probabilities(), w / w.sum(), rtol=1e-13)
    drawn = np.bincount([policy.select() for _ in range(20_000)], minlength=3) / 20_000
    np.testing.assert_allclose(drawn, policy.probabilities(), atol=0.015)


def test_exp3_never_overflows():
    table = np.zeros((40_000, 2))
    table[:30_000, 0] = table[30_000:, 1] = 1.0
    found = simulate(
        AdversarialBandit(table), [EXP3(0.3), EXP3(0.3, learning_rate=5.0)], 40_000, n_runs=4, random_state=0
    )
    assert np.isfinite(found.regret).all()
    assert (found.final_regret < 10_000).all()


def test_kl_bounds_solve_their_equation():
    import mpmath

    policy = KLUCB().reset(4, random_state=0)
    for arm, (wins, n) in enumerate([(3, 10), (0, 5), (999, 1000), (1, 2)]):
        for k in range(n):
            policy.update(arm, float(k < wins))
    with mpmath.workdps(40):
        for q, p, n in zip(policy.bounds(), policy.means, policy.counts):
            p, q = mpmath.mpf(float(p)), mpmath.mpf(float(q))
            kl = (p * mpmath.log(p / q) if p else 0) + (1 - p) * mpmath.log((1 - p) / (1 - q))
            assert float(kl * n) == pytest.approx(np.log(policy.round + 1), rel=1e-9)


def test_linucb_is_ridge_regression_per_arm():
    rng = np.random.default_rng(0)
    policy = LinUCB(0.8, ridge=0.3).reset(2, n_features=3, random_state=0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    for x, r in zip(X, y):
        policy.update(1, r, x)
    x = rng.normal(size=3)
    A = 0.3 * np.eye(3) + X.T @ X
    expected = x @ np.linalg.inv(A) @ X.T @ y + 0.8 * np.sqrt(x @ np.linalg.inv(A) @ x)
    np.testing.assert_allclose(policy.bounds(x), [0.8 * np.linalg.norm(x) / np.sqrt(0.3), expected], rtol=1e-10)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EpsilonGreedy(-1).reset(2), "EpsilonGreedy"),
        (lambda: Softmax(0).reset(2), "temperature"),
        (lambda: UCB1(float("nan")).reset(2), "exploration"),
        (lambda: KLUCB("poisson").reset(2), "likelihood"),
        (lambda: ThompsonSampling(prior=(0, 1)).reset(2), "prior"),
        (lambda: ThompsonSampling(prior=3).reset(2), "prior"),
        (lambda: EXP3(2.0).reset(2), "exploration"),
        (lambda: EXP3(0.1, anytime=True).reset(2), "anytime"),
        (lambda: EXP3().reset(3), "horizon"),
        (lambda: LinUCB(ridge=0).reset(2), "ridge"),
        (lambda: UCB1().reset(0), "n_arms"),
        (lambda: UCB1().reset(2).update(2, 1.0), "2 arms"),
        (lambda: UCB1().reset(2).update(0, float("inf")), "reward"),
        (lambda: ThompsonSampling().reset(2).update(0, 3.0), "reward"),
    ],
)
def test_bad_parameters_are_named(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_a_policy_must_be_in_a_game():
    with pytest.raises(NotFittedError, match="reset"):
        UCB1().select()


def test_kl_bounds_at_the_extremes():
    from novum.bandits.upper_bounds import bernoulli_divergence, bernoulli_upper

    p, c = (part.ravel() for part in np.meshgrid([0.0, 1e-12, 0.3, 0.999999, 1.0], [0.0, 1e-12, 1e-3, 1.0, 40.0]))
    q = bernoulli_upper(p, c)
    assert (q >= p).all() and (q <= 1).all()
    for mean, room, bound in zip(p, c, q):
        if mean < bound < 1 - 1e-6 and room > 1e-6:
            assert bernoulli_divergence(mean, bound) == pytest.approx(room, rel=1e-6)
