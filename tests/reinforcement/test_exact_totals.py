"""Plans and values of random processes against exact rationals: right, or the result says what is not known."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from reference.totals import END, best_totals, policy_totals, process_of, random_table, solve_rationals

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.reinforcement import MDP, QLearning, linear_program, policy_iteration, value_iteration

PLANNERS = {
    "policy iteration": policy_iteration,
    "value iteration": lambda mdp: value_iteration(mdp, max_iter=40),
}


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@pytest.mark.parametrize("block", range(4))
def test_undiscounted_processes_by_brute_force(block):
    rng = np.random.default_rng(1000 + block)
    n_optimal = 0
    for _ in range(40):
        table = random_table(rng)
        mdp = process_of(table)
        best, signs = best_totals(table)
        exists = 1 not in signs and None not in best
        for name, planner in PLANNERS.items():
            try:
                plan = planner(mdp)
            except ParameterError:  # no value exists, or circles swing
                assert not exists or 0 in signs, (name, table)
                continue
            assert exists, (name, table)
            own, _ = policy_totals(table, {s: plan.policy[s] for s in table})
            scale = max(1, *(abs(b) for b in best))
            off = max(abs(Fraction(float(v)) - b) for v, b in zip(plan.values, best))
            assert off <= 1e-12 * scale, (name, table)
            assert off <= plan.error, (name, table)
            assert max(b - o for b, o in zip(best, own)) <= plan.gap, (name, table)
            assert ("is not known" in plan.sentence()) == (not np.isfinite(plan.gap))
            n_optimal += plan.optimal
    assert n_optimal > 30


def test_other_orders_and_programs_find_the_same():
    rng = np.random.default_rng(77)
    for _ in range(12):
        table = random_table(rng)
        mdp = process_of(table)
        try:
            plan = policy_iteration(mdp)
            others = [value_iteration(mdp, order=order) for order in ("symmetric", "prioritized", "random")]
            others.append(linear_program(mdp))
        except (ParameterError, DataError, NotConverged):  # said aloud
            continue
        for other in others:
            assert np.abs(other.values - plan.values).max() <= other.error + plan.error


def test_free_staying_is_seen():
    rng = np.random.default_rng(5)
    for _ in range(20):
        cost = float(rng.integers(1, 5))
        plan = policy_iteration(
            MDP({0: {"leave": [(1.0, "t", -cost)], "stay": [(1.0, 0, 0.0)]}, 1: {"x": [(1.0, 0, 1.0)]}}, terminal=["t"])
        )
        assert plan.values.tolist() == [0.0, 1.0, 0.0]
        assert plan.policy[0] == "stay"


@pytest.mark.parametrize("probability", [1e-3, 1e-7, 1e-9, 1e-12])
def test_the_margin_knows_the_horizon(probability):
    def one(gain):
        return [(1 - probability, 0, gain), (probability, "t", gain)]

    mdp = MDP({0: {"a": one(-1.0), "b": one(-1.0 + 1e-6)}}, terminal=["t"])
    plan = policy_iteration(mdp)
    assert plan.policy[0] == "b"
    right = (Fraction(-1.0 + 1e-6)) / Fraction(probability)
    assert abs(Fraction(float(plan.values[0])) - right) <= min(plan.error, float(abs(right)) * 1e-14)
    assert plan.optimal == (plan.gap <= 1e-9 * max(1.0, abs(plan.values[0])))


def random_evaluation(rng, gamma):
    n = int(rng.integers(2, 6))
    scale = 10.0 ** rng.integers(0, 8)
    exit_probability = Fraction(1, 10 ** int(rng.integers(1, 9))) if gamma == 1 else Fraction(0)
    table, rows = {}, {}
    for s in range(n):
        weights = [int(w) for w in rng.integers(1, 9, size=n)]
        pays = [round(float(x) * scale, 3) for x in rng.normal(size=n)]
        out = [
            (Fraction(w, sum(weights)) * (1 - exit_probability), t, Fraction(r))
            for t, (w, r) in enumerate(zip(weights, pays))
        ]
        table[s] = {0: out + ([(exit_probability, END, Fraction(0))] if exit_probability else [])}
        rows[s] = {0: [(float(p), t, float(r)) for p, t, r in table[s][0]]}
    mdp = MDP(rows, terminal=[END] if exit_probability else (), discount=float(gamma))
    matrix = [[(s == t) - gamma * table[s][0][t][0] for t in range(n)] for s in range(n)]
    right = solve_rationals(matrix, [sum(p * r for p, _, r in table[s][0]) for s in range(n)])
    return mdp, right


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(9, 10), Fraction(99999, 100000), Fraction(1, 2)])
def test_errors_of_values_are_bounds(gamma):
    rng = np.random.default_rng(int(gamma * 1000))
    for _ in range(60):
        mdp, right = random_evaluation(rng, gamma)
        found = mdp.evaluate()
        off = max(abs(Fraction(float(v)) - w) for v, w in zip(found.values, right))
        assert found.error > 0
        assert off <= found.error
        assert found.error <= 1e-7 * max(1.0, float(np.abs(found.values).max()))  # and it says something
        if gamma <= Fraction(9, 10):
            swept = mdp.evaluate(method="iterative")
            assert max(abs(Fraction(float(v)) - w) for v, w in zip(swept.values, right)) <= swept.error


def test_discounted_gaps_are_bounds():
    rng = np.random.default_rng(8)
    for _ in range(40):
        n, m, gamma = 3, 3, Fraction(int(rng.integers(1, 1000)), 1000)
        scale = 10.0 ** rng.integers(-12, 12)
        probability = rng.integers(1, 9, size=(n, m, n))
        pays = rng.integers(-9, 9, size=(n, m)) * scale
        mdp = MDP(probability / probability.sum(axis=2, keepdims=True), pays, discount=float(gamma))
        best = None
        for choice in product(range(m), repeat=n):
            distribution = [
                [Fraction(int(x), int(probability[s, a].sum())) for x in probability[s, a]]
                for s, a in enumerate(choice)
            ]
            matrix = [[(s == t) - gamma * distribution[s][t] for t in range(n)] for s in range(n)]
            values = solve_rationals(matrix, [Fraction(float(pays[s, a])) for s, a in enumerate(choice)])
            best = values if best is None else [max(b, v) for b, v in zip(best, values)]
        for plan in (policy_iteration(mdp), value_iteration(mdp), value_iteration(mdp, order="prioritized")):
            off = max(abs(Fraction(float(v)) - b) for v, b in zip(plan.values, best))
            assert off <= plan.error
            assert off <= 1e-9 * scale


def test_sweeps_that_were_cut_say_so():
    rng = np.random.default_rng(0)
    probability = rng.random((600, 2, 600))
    mdp = MDP(probability / probability.sum(axis=2, keepdims=True), rng.normal(size=(600, 2)), discount=0.9999)
    exact = policy_iteration(mdp, initial=np.zeros(600, int))
    with pytest.warns(NotConverged):
        plan = value_iteration(mdp, order="synchronous", max_iter=3)
    assert not plan.optimal
    assert np.abs(plan.values - exact.values).max() <= plan.error
    assert (exact.values - mdp.evaluate(plan.policy).values).max() <= plan.gap


def test_worth_is_that_of_the_start():
    loop = {"start": {"on": [(1.0, "end", 3.0)]}, "pit": {"on": [(1.0, "pit", -1.0)], "out": [(1.0, "end", 0.0)]}}
    mdp = MDP(loop, terminal=["end"], initial="start", actions=["on", "out"])
    agent = QLearning(20, random_state=0).fit(mdp)
    assert agent.policy_["pit"] == "on"  # never met: the first action, a circle that costs
    found = agent.compare(value_iteration(mdp))
    assert found.worth == 3.0
    there = agent.compare(value_iteration(mdp.replaced(initial=np.array([0.5, 0.5, 0.0]))))
    assert there.worth == -np.inf
