"""Simulated bandits against SMPyBandits and MABWiser: the same policy, arms, runs and rounds; the quality is the mean regret.

A size is the number of rounds of each of 40 runs. SMPyBandits is driven by its own `choice` and `getReward`, MABWiser by
`predict` and `partial_fit`, round by round, as a simulation must: the next arm depends on the last reward.
"""

import contextlib
import io
import warnings

import numpy as np
import scipy.special

from benchmarks.harness import Case
from novum.bandits import KLUCB, UCB1, BernoulliBandit, EpsilonGreedy, ThompsonSampling, simulate

RUNS = 40
MEANS = {3: np.array([0.9, 0.8, 0.5]), 10: np.linspace(0.1, 0.9, 10)}
OURS = {
    "epsilon-greedy": lambda: EpsilonGreedy(0.1),
    "UCB1": lambda: UCB1(),
    "KL-UCB": lambda: KLUCB(),
    "Thompson": lambda: ThompsonSampling(),
}


def ours(data):
    name, arms, horizon = data
    return simulate(
        BernoulliBandit(MEANS[arms]), OURS[name](), horizon, n_runs=RUNS, n_points=1, random_state=0
    ).final_regret[0]


def smpybandits(data):
    name, arms, horizon = data
    if not hasattr(scipy.special, "btdtri"):
        scipy.special.btdtri = scipy.special.betaincinv  # its old name, which SMPyBandits imports
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from SMPyBandits import Policies
        from SMPyBandits.Arms import Bernoulli
    cls = {"epsilon-greedy": "EpsilonGreedy", "UCB1": "UCB", "KL-UCB": "klUCB", "Thompson": "Thompson"}[name]
    means, regrets = MEANS[arms], []
    for run in range(RUNS):
        np.random.seed(run)  # noqa: NPY002
        policy, machines = getattr(Policies, cls)(arms), [Bernoulli(p) for p in means]
        policy.startGame()
        lost = 0.0
        for _ in range(horizon):
            arm = policy.choice()
            policy.getReward(arm, machines[arm].draw())
            lost += means.max() - means[arm]
        regrets.append(lost)
    return np.array(regrets)


def mabwiser(data):
    from mabwiser.mab import MAB, LearningPolicy

    name, arms, horizon = data
    means, regrets = MEANS[arms], []
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        law = {
            "epsilon-greedy": LearningPolicy.EpsilonGreedy(0.1),
            "UCB1": LearningPolicy.UCB1(1.0),
            "Thompson": LearningPolicy.ThompsonSampling(),
        }[name]
        player = MAB(list(range(arms)), law, seed=run)
        first = (rng.random(arms) < means).astype(int)
        player.fit(list(range(arms)), first.tolist())
        lost = float(np.sum(means.max() - means))
        for _ in range(horizon - arms):
            arm = player.predict()
            player.partial_fit([arm], [int(rng.random() < means[arm])])
            lost += means.max() - means[arm]
        regrets.append(lost)
    return np.array(regrets)


def case(name, arms):
    contestants = {"novum": ours, "SMPyBandits": smpybandits}
    if name != "KL-UCB":
        contestants["MABWiser"] = mabwiser
    bar = dict.fromkeys([peer for peer in contestants if peer != "novum"], 200.0)
    rows = (250, 500, 1000)
    return Case(
        f"{name}, {arms} arms",
        lambda n: (name, arms, n),
        contestants,
        lambda found, _: round(float(found.mean()), 1),
        rows,
        bar,
    )


CASES = [case(name, arms) for name in OURS for arms in (3, 10)]
