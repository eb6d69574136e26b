"""Planning against QuantEcon's modified policy iteration at the same certified gap; control against a loop over Gymnasium.

A size of planning is the number of states; the quality is the largest Bellman residual of the values. QuantEcon is compiled before
it is timed, and the making of each library's own model is left out; mdpsolver, ten to a hundred times slower here, is not
in the run. A size of control is the number of episodes; the quality is what the greedy policy is worth at the start.
"""

import warnings

import gymnasium
import numpy as np
import scipy.sparse

from benchmarks.harness import Case
from novum.reinforcement import MDP, QLearning, modified_policy_iteration
from novum.reinforcement.model import Model
from novum.teaching import garnet

TOL = 1e-3


def process(following, probability, reward, discount):
    """Return a process of arrays (n, m, b), (m, b) or (n, m, b), (n, m)."""
    n, m, b = following.shape
    model = Model(
        m,
        np.arange(0, n * m + 1, m, dtype=np.int64),
        np.tile(np.arange(m, dtype=np.int32), n),
        np.ascontiguousarray(reward, dtype=float).ravel(),
        np.arange(0, n * m * b + 1, b, dtype=np.int64),
        following.astype(np.int32).ravel(),
        np.broadcast_to(probability, following.shape).ravel().copy(),
        None,
        np.zeros(n, bool),
    )
    return MDP.from_model(model, discount=discount, initial=np.full(n, 1 / n))


def grid(n, discount):
    """Return a square grid with slips, -1 a step, and a corner where one rests."""
    side = int(n**0.5)
    row, column = np.divmod(np.arange(side * side), side)
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))
    ends = [np.clip(row + r, 0, side - 1) * side + np.clip(column + c, 0, side - 1) for r, c in moves]
    following = np.stack([np.stack([ends[a], ends[(a + 1) % 4], ends[(a + 3) % 4]], axis=1) for a in range(4)], axis=1)
    following[-1] = side * side - 1
    reward = np.full((side * side, 4), -1.0)
    reward[-1] = 0
    return process(following, np.array([0.8, 0.1, 0.1]), reward, discount)


def corridor(n, discount):
    """Return a corridor with noisy steps and random rewards: it mixes in n^2 steps."""
    s = np.arange(n)
    one = np.stack([np.maximum(s - 1, 0), s, np.minimum(s + 1, n - 1)], axis=1)
    reward = 0.1 * np.random.default_rng(0).normal(size=(n, 2))
    return process(np.stack([one, one], axis=1), np.array([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]]), reward, discount)


def with_peers(mdp):
    """Return a process with the models of the peers."""
    from quantecon.markov import DiscreteDP

    model = mdp.model
    matrix = scipy.sparse.csr_matrix(
        (model.probability, model.next, model.start), shape=(model.n_pairs, model.n_states)
    )
    state = np.repeat(np.arange(model.n_states), np.diff(model.first))
    theirs = DiscreteDP(model.reward, matrix, mdp.discount, state, model.action.astype(int))
    return mdp, theirs


def by_quantecon(data):
    found = data[1].solve(method="modified_policy_iteration", epsilon=TOL, max_iter=1_000_000)
    return np.asarray(found.v)


def ours(data):
    return modified_policy_iteration(data[0], tol=TOL).values


def residual(values, data):
    return float(np.abs(data[0].residual(np.ascontiguousarray(values))).max())


def plan_case(name, make, rows):
    return Case(
        f"planning, {name}",
        lambda n: with_peers(make(n)),
        {"novum": ours, "QuantEcon": by_quantecon},
        residual,
        rows,
        {"QuantEcon": 1.0},
    )


def by_hand(data):
    """Q-learning as a tutorial writes it, over a Gymnasium environment."""
    mdp, name, episodes = data
    env = gymnasium.make(name)
    rng = np.random.default_rng(0)
    q = np.zeros((mdp.n_states, mdp.n_actions))
    for episode in range(episodes):
        state, _ = env.reset(seed=episode)
        over = False
        while not over:
            greedy = rng.random() >= 1 - 0.9 * episode / episodes
            action = int(np.argmax(q[state])) if greedy else int(rng.integers(mdp.n_actions))
            following, reward, ended, cut, _ = env.step(action)
            q[state, action] += 0.1 * (reward + 0.99 * (0 if ended else q[following].max()) - q[state, action])
            state, over = following, ended or cut
    return q


def by_agent(data):
    mdp, _, episodes = data
    return QLearning(episodes, learning_rate=0.1, random_state=0, max_steps=200).fit(mdp).action_values_


def worth(q, data):
    mdp = data[0]
    return float(mdp.evaluate(mdp.greedy(np.nan_to_num(q, nan=-np.inf))).start)


def control_case(name, rows):
    def make(n):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return MDP.from_gymnasium(name, discount=0.99), name, n

    contestants = {"novum": by_agent, "a loop over Gymnasium": by_hand}
    return Case(f"Q-learning, {name}", make, contestants, worth, rows, {"a loop over Gymnasium": 100.0})


CASES = [
    plan_case("Garnet", lambda n: garnet(n, 4, 5, discount=0.99), (1000, 10_000, 100_000, 1_000_000)),
    plan_case("grid", lambda n: grid(n, 0.99), (900, 10_000, 90_000)),
    plan_case("grid, long horizon", lambda n: grid(n, 0.999), (900, 10_000, 90_000)),
    plan_case("corridor", lambda n: corridor(n, 0.999), (1000, 10_000, 100_000)),
    control_case("FrozenLake-v1", (500, 1000, 2000)),
    control_case("Taxi-v4", (50, 100, 200)),
]
