"""Random rewards: what is paid has the distribution of the table, in every way a process is simulated."""

import gymnasium
import numpy as np
import pytest
from scipy.stats import chisquare

from novum.reinforcement import MDP, MonteCarloPrediction, Policy, QLearning
from novum.teaching import blackjack

END = "end"
STEPS = 1500  # of every pair


def random_rewards(rng, discount=1.0):
    """Return a process whose pairs lead to few states with many different rewards, and its table."""
    table = {}
    for s in range(4):
        table[s] = {}
        for a in range(2):
            targets = rng.choice([0, 1, 2, 3, END], size=8)
            probabilities = rng.dirichlet(np.ones(8))
            pays = rng.integers(-3, 4, size=8) * 0.5
            table[s][a] = [
                (float(p), int(t) if t != END else END, float(r)) for p, t, r in zip(probabilities, targets, pays)
            ]
            table[s][a][0] = (table[s][a][0][0], END, table[s][a][0][2])
    return MDP(table, {END: 0.25}, terminal=[END], discount=discount, initial=0), table


def distribution_of(outcomes, discount):
    distribution = {}
    for p, t, r in outcomes:
        key = (t, round(r + (discount * 0.25 if t == END else 0.0), 9))
        distribution[key] = distribution.get(key, 0.0) + p
    return distribution


@pytest.mark.parametrize("seed", range(2))
def test_steps_are_paid_by_the_table(seed):
    rng = np.random.default_rng(seed)
    mdp, table = random_rewards(rng, discount=0.9)
    for s, row in table.items():
        for a, outcomes in row.items():
            distribution = distribution_of(outcomes, 0.9)
            counts = dict.fromkeys(distribution, 0)
            mdp.reset(seed=seed)
            for _ in range(STEPS):
                mdp.state = s
                after, reward, _, _, _ = mdp.step(a)
                counts[mdp.states[after], round(reward, 9)] += 1
            expected = np.array(list(distribution.values())) * STEPS
            big = expected > 5
            seen = np.array(list(counts.values()))
            rest = (seen[~big].sum() + 5, expected[~big].sum() + 5)
            test = chisquare(np.append(seen[big], rest[0]), np.append(expected[big], rest[1]), sum_check=False)
            assert test.pvalue > 1e-5
            listed = {}
            for p, t, r, _ in mdp.P[s][a]:
                key = (mdp.states[t], round(r, 9))
                listed[key] = listed.get(key, 0.0) + p
            assert listed == pytest.approx(distribution)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_variances_of_returns(seed, discount):
    mdp, _ = random_rewards(np.random.default_rng(seed), discount)
    found = mdp.evaluate()
    returns = mdp.simulate(n_episodes=200_000, random_state=seed, max_steps=10_000).values
    variance = returns.var(ddof=1)
    fourth = ((returns - returns.mean()) ** 4).mean()
    assert abs(returns.mean() - found.values[0]) < 5 * np.sqrt(variance / len(returns))
    assert abs(variance - found.variances[0]) < 5 * np.sqrt((fourth - variance**2) / len(returns))
    assert found.variances[-1] == 0
    if discount < 1:
        survivor = mdp.survival().evaluate()
        np.testing.assert_allclose(survivor.values[:5], found.values, rtol=1e-12, atol=1e-14)
        paid = mdp.survival().simulate(n_episodes=200_000, random_state=seed).values
        assert abs(paid.var() - survivor.variances[0]) < 0.02 * survivor.variances[0]


def test_gymnasium_tables_and_named_cases():
    coin = MDP({0: {"a": [(0.5, "t", 0.0), (0.5, "t", 10.0)]}}, terminal=["t"])
    paid, counts = np.unique(coin.simulate(n_episodes=10_000).values, return_counts=True)
    assert paid.tolist() == [0.0, 10.0]
    assert abs(counts[0] - 5000) < 300
    assert coin.evaluate().variances.tolist() == [25.0, 0.0]
    assert np.unique(blackjack().simulate(n_episodes=20_000).values).tolist() == [-1.0, 0.0, 1.0]

    class Coin(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(1)
        P = {0: {0: [(0.25, 1, 4.0, True), (0.75, 1, 0.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}

        def reset(self, **options):
            return 0, {}

        def step(self, action):
            return 1, 0.0, True, False, {}

    made = MDP.from_gymnasium(Coin(), discount=1.0).replaced(initial=np.array([1.0, 0.0]))
    assert np.unique(made.simulate(n_episodes=1000).values).tolist() == [0.0, 4.0]
    assert made.evaluate().variances[0] == pytest.approx(3.0)


def test_swings_that_never_rest_have_no_variance():
    walk = MDP({0: {"on": [(0.5, 0, 1.0), (0.5, 0, -1.0)]}, 1: {"on": [(1.0, 0, 2.0)]}})
    found = walk.evaluate()
    assert found.values.tolist() == [0.0, 2.0]
    assert np.isinf(found.variances).all()


def test_outcomes_that_never_happen_are_no_ways():
    mdp = MDP({0: {"a": [(1.0, 1, 0.0), (0.0, 0, 5.0)]}, 1: {"a": [(1.0, "t", -1.0)]}}, terminal=["t"])
    assert len(mdp.model.next) == 2
    assert mdp.evaluate().values.tolist() == [-1.0, -1.0, 0.0]


def test_monte_carlo_varies_as_the_variance_says():
    mdp, _ = random_rewards(np.random.default_rng(7))
    found = mdp.evaluate()
    returns = [mdp.simulate(n_episodes=200, random_state=k) for k in range(300)]
    inside = [r.low <= found.start <= r.high for r in returns]
    assert np.std([r.mean for r in returns]) == pytest.approx(np.sqrt(found.variances[0] / 200), rel=0.12)
    assert 0.91 < np.mean(inside) < 0.98
    learned = MonteCarloPrediction(2000, random_state=0).fit(mdp, Policy.uniform(mdp))
    assert abs(learned.values_[0] - found.values[0]) < 5 * np.sqrt(found.variances[0] / 2000)


def test_maximisation_bias():
    """Sutton and Barto's example 6.7: ten arms with mean -0.1 and standard deviation 1 behind the wrong turn."""
    deviates = np.linspace(-1.65, 1.65, 12) - 0.1
    arms = {k: [(1 / 12, END, float(r)) for r in deviates] for k in range(10)}
    table = {"A": {0: [(1.0, END, 0.0)], 1: [(1.0, "B", 0.0)]}, "B": arms}
    mdp = MDP(table, terminal=[END], initial="A", actions=range(10))
    shared = {"learning_rate": 0.1, "exploration": 1.0, "discount": 1.0, "n_runs": 40, "random_state": 0}
    turn = (slice(None), mdp.state_number("A"), 1)
    plain = QLearning(2000, **shared).fit(mdp).run_values_[turn]
    double = QLearning(2000, double=True, **shared).fit(mdp).run_values_[turn]
    assert plain.mean() > 0.1  # the truth is -0.1
    assert -0.25 < double.mean() < 0.05
