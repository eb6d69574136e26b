"""Plans: the notes' numbers, brute force, bounds that hold, and large processes."""

import numpy as np
import pytest
from reference.decisions import best_by_enumeration, dense, optimal_backup, policy_values

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.reinforcement import (
    MDP,
    Policy,
    backward_induction,
    linear_program,
    policy_iteration,
    room_4x3,
    value_iteration,
)
from novum.teaching import garnet, inventory, planning_cost, policy_regimes, two_state

ROOM = {
    1.0: [0.8116, 0.8678, 0.9178, 1, 0.7616, 0.6603, -1, 0.7053, 0.6553, 0.6114, 0.3879],
    0.9: [0.5094, 0.6496, 0.7954, 1, 0.3985, 0.4864, -1, 0.2965, 0.2540, 0.3448, 0.1299],
}
PLANNERS = [
    value_iteration,
    policy_iteration,
    linear_program,
    lambda mdp: linear_program(mdp, form="dual"),
    *(
        lambda mdp, order=order: value_iteration(mdp, order=order)
        for order in ("synchronous", "gauss-seidel", "symmetric", "prioritized", "random")
    ),
]


def random_process(seed, n=5, m=3, gamma=0.9, ends=True):
    """Return a small process in general position, with a terminal state, a missing action and mixed rewards."""
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet(np.full(n, 0.7), size=(n, m))
    gain = rng.normal(size=(n, m, n))
    reward = (probability * gain).sum(axis=2)
    reward[1, 0] = -np.inf
    return MDP(probability, reward, discount=gamma, terminal=[n - 1] if ends else [])


@pytest.mark.notes("000-c", "value-iteration")
def test_value_iteration_of_the_room():
    for gamma, expected in ROOM.items():
        np.testing.assert_allclose(value_iteration(room_4x3(discount=gamma)).values, expected, atol=5e-5)
    room, v = room_4x3(), np.zeros(11)
    sweeps = [v := room.bellman(v) for _ in range(3)]
    number = room.state_number
    assert sweeps[1][number((3, 3))] == pytest.approx(0.752)
    assert [sweeps[2][number(s)] for s in ((2, 3), (3, 3), (3, 2))] == pytest.approx([0.5456, 0.8272, 0.4536])
    assert [value_iteration(room, tol=tol).sweeps for tol in (1e-3, 1e-6, 1e-12)] == [20, 30, 47]


@pytest.mark.notes("003", "optimal-value")
@pytest.mark.parametrize("plan", PLANNERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_planners_find_the_best_of_all_policies(plan, seed):
    mdp = random_process(seed)
    P, R = dense(mdp)
    best = best_by_enumeration(P, R, 0.9, mdp.model.terminal)
    found = plan(mdp)
    inside = ~mdp.model.terminal
    np.testing.assert_allclose(found.values[inside], best[inside], atol=1e-9)
    np.testing.assert_allclose(
        policy_values(P, R, 0.9, found.policy.actions, mdp.model.terminal)[inside], best[inside], atol=1e-9
    )
    assert found.optimal
    assert 0 <= found.gap < 1e-9


@pytest.mark.notes("003", "toy-mdp")
@pytest.mark.notes("003", "value-iteration")
def test_value_iteration_of_two_states():
    toy = two_state()
    v = np.zeros(2)
    assert [np.round(v := toy.bellman(v), 10).tolist() for _ in range(3)] == [[0, 2], [0.44, 3.8], [1.8152, 5.42]]
    assert value_iteration(toy, order="synchronous", stop="change").sweeps == 139
    plan = value_iteration(toy)
    np.testing.assert_allclose(plan.values, [16.341463, 20], atol=1e-6)
    np.testing.assert_allclose(plan.action_values, [[14.707317, 16.341463], [20, 14.707317]], atol=1e-6)
    assert plan.policy.actions.tolist() == [1, 0]


@pytest.mark.notes("003", "policy-iteration")
def test_policy_iteration_of_two_states():
    plan = policy_iteration(two_state(), initial=[0, 1])
    np.testing.assert_allclose(plan.history["values"], [[0, 0], [0, 20], [16.341463, 20]], atol=1e-6)
    assert [p.actions.tolist() for p in plan.history["policies"]] == [[0, 1], [0, 0], [1, 0]]


@pytest.mark.notes("000-c", "policy-iteration")
def test_policy_iteration_of_the_room():
    room = room_4x3()
    for arrow, rounds in (("^", 5), (">", 4)):
        plan = policy_iteration(room, initial=Policy.from_actions(room, {}, default=arrow))
        assert plan.start == pytest.approx(0.7053, abs=5e-5)
        assert abs(plan.rounds - rounds) <= 1
    for arrow in "<v":  # policies that never end: refused, not solved to 1e14
        with pytest.raises(ParameterError, match=r"the policy never ends from state .* it has no finite value"):
            policy_iteration(room, initial=Policy.from_actions(room, {}, default=arrow))
    assert policy_iteration(room).start == pytest.approx(0.7053, abs=5e-5)


@pytest.mark.notes("000-c", "policy-evaluation")
def test_policy_evaluation_of_the_lower_route():
    room = room_4x3()
    lower = Policy.from_actions(
        room,
        dict(
            zip(
                [(1, 1), (2, 1), (3, 1), (3, 2), (3, 3), (1, 2), (1, 3), (2, 3), (4, 1)],
                [">", ">", "^", "^", ">", "^", ">", ">", "<"],
            )
        ),
        default="^",
    )
    assert room.evaluate(lower).start == pytest.approx(0.5082, abs=5e-5)
    assert room.evaluate(lower, method="iterative").start == pytest.approx(0.5082, abs=5e-5)


@pytest.mark.notes("003", "bellman-expectation")
@pytest.mark.notes("003", "transition-kernel")
def test_the_uniform_policy_of_two_states():
    toy = two_state()
    process = toy.reward_process()
    np.testing.assert_allclose(process.transition.toarray(), [[0.6, 0.4], [0.5, 0.5]])
    np.testing.assert_allclose(process.reward, [-0.5, 1])
    found = toy.evaluate()
    np.testing.assert_allclose(found.values, [0.934066, 2.582418], atol=1e-6)
    np.testing.assert_allclose(found.action_values, [[0.840659, 1.027473], [4.324176, 0.840659]], atol=1e-6)
    assert found.error < 1e-12


@pytest.mark.notes("003", "iterative-policy-evaluation")
def test_iterative_evaluation_keeps_its_bound():
    mdp = random_process(3)
    table = Policy.softmax(np.random.default_rng(0).normal(size=(5, 3)), possible=mdp.possible).probabilities
    exact = mdp.evaluate(table).values
    for tol in (1e-2, 1e-6):
        found = mdp.evaluate(table, method="iterative", tol=tol)
        assert np.abs(found.values - exact).max() <= found.error <= tol
    with pytest.warns(NotConverged, match="3 sweeps left a change"):
        mdp.evaluate(table, method="iterative", max_iter=3)


@pytest.mark.notes("003", "bellman-operator")
@pytest.mark.notes("003", "bellman-optimality-operator")
def test_operators_against_their_definition():
    mdp = random_process(4)
    P, R = dense(mdp)
    ends = mdp.model.terminal
    v = np.random.default_rng(1).normal(size=5) * ~ends
    inside = ~ends
    np.testing.assert_allclose(mdp.bellman(v + ends * 0.0)[inside], optimal_backup(P, R, 0.9, v, ends)[inside])
    table = Policy.softmax(np.random.default_rng(2).normal(size=(5, 3)), possible=mdp.possible).probabilities
    q = np.where(mdp.possible, R + 0.9 * P @ v, 0.0)
    np.testing.assert_allclose(mdp.bellman(v, table)[inside], (table * q).sum(axis=1)[inside])
    Q = np.where(mdp.possible, np.random.default_rng(3).normal(size=(5, 3)), np.nan)
    best = np.where(ends, 0.0, np.nanmax(np.where(mdp.possible, Q, -9e9), axis=1))
    np.testing.assert_allclose(mdp.bellman(Q)[mdp.possible], (R + 0.9 * P @ best)[mdp.possible])
    mean = np.where(ends, 0.0, (table * np.nan_to_num(Q)).sum(axis=1))
    np.testing.assert_allclose(mdp.bellman(Q, table)[mdp.possible], (R + 0.9 * P @ mean)[mdp.possible])


@pytest.mark.notes("003", "operator-properties")
def test_operators_are_monotone_contractions():
    for mdp in (random_process(5, gamma=0.7, ends=False), two_state(0.95)):
        for policy in (None, Policy.uniform(mdp)):
            found = mdp.check_operator(policy)
            assert found.monotone
            assert found.contraction
            assert 0.3 < found.largest_ratio <= mdp.discount + 1e-12
    broken = random_process(5, gamma=0.7, ends=False)
    broken.__dict__["sweeps"] = random_process(
        5, gamma=0.99, ends=False
    ).sweeps  # an operator that is not the process's own
    assert not broken.check_operator().contraction
    falling = random_process(5, gamma=0.7, ends=False)
    falling.bellman = lambda values, policy=None: -0.5 * np.asarray(values)
    assert not falling.check_operator().monotone
    assert falling.check_operator().contraction


@pytest.mark.notes("000-c", "bellman-equation")
def test_residuals_vanish_at_the_true_values_only():
    room = room_4x3(discount=0.9)
    plan = value_iteration(room)
    assert np.abs(room.residual(plan.values)).max() < 1e-12
    moved = plan.values + np.where(np.arange(11) == 5, 0.1, 0.0)
    residual = room.residual(moved)
    assert residual[5] == pytest.approx(room.bellman(moved)[5] - moved[5])
    assert np.abs(residual).max() > 0.05
    cut = MDP({"a": {"x": [(0.6, "b", 1.0), (0.4, "b", 2.0, True)]}, "b": {"x": [(1.0, "a", 3.0)]}}, discount=0.9)
    value = np.array([5.0, 7.0])[[list(cut.states).index(s) for s in "ab"]]
    a, b = (list(cut.states).index(s) for s in "ab")
    wanted = {a: 1.4 + 0.9 * 0.6 * value[b], b: 3 + 0.9 * value[a]}  # nothing follows an end
    np.testing.assert_allclose(cut.bellman(value), [wanted[s] for s in range(2)], rtol=1e-14)


@pytest.mark.notes("000-c", "q-function")
@pytest.mark.notes("000-c", "policy-from-utility")
@pytest.mark.notes("003", "policy-improvement")
def test_greedy_policies_and_ties():
    for gamma in (0.9, 1.0):
        room = room_4x3(discount=gamma)
        plan = value_iteration(room)
        q = np.array(
            [
                [
                    sum(p * (r + (0 if end else gamma * plan.values[t])) for p, t, r, end in room.P[s][a])
                    for a in range(4)
                ]
                for s in range(11)
            ]
        )
        inside = ~room.model.terminal
        np.testing.assert_allclose(room.action_values(plan.values)[inside], q[inside], rtol=1e-12)
        assert (room.greedy(plan.values).actions[inside] == q[inside].argmax(axis=1)).all()
    start = Policy.from_actions(room, {}, default="^")
    before = room.evaluate(start)
    better = room.greedy(before.values)
    assert (room.evaluate(better).values >= before.values - 1e-12).all()
    tied = value_iteration(room_4x3(0.1, discount=0.99))
    assert sorted(tied.policy.ties[room.state_number((1, 1))]) == [0, 1, 2, 3]
    assert repr(tied.policy).splitlines()[0].split() == ["*", "*", "<", "+"]
    np.testing.assert_allclose(tied.values[room.state_number((1, 1))], 10)


@pytest.mark.notes("003", "vi-error-bound")
@pytest.mark.parametrize("order", ["synchronous", "gauss-seidel", "prioritized", "random", "auto"])
def test_the_certified_gap_holds(order):
    mdp = garnet(600, 3, 4, discount=0.95, random_state=1)  # too large to be evaluated exactly at the end
    exact = value_iteration(mdp, tol=1e-12).values
    for tol in (1.0, 1e-2, 1e-5):
        plan = value_iteration(mdp, tol=tol, order=order)
        assert np.abs(plan.values - exact).max() <= plan.error
        assert (exact - mdp.evaluate(plan.policy).values).max() <= plan.gap <= 3 * tol
    change = value_iteration(mdp, tol=1e-3, order="synchronous", stop="change")
    assert change.history["change"][-1] < 1e-3 <= change.history["change"][-2]
    assert np.abs(change.values - exact).max() <= 1e-3 * 0.95 / 0.05


@pytest.mark.notes("003", "async-dp")
def test_asynchronous_orders_reach_the_same_values():
    mdp = garnet(800, 3, 4, discount=0.97, random_state=2)
    plans = {
        order: value_iteration(mdp, tol=1e-8, order=order)
        for order in ("synchronous", "gauss-seidel", "symmetric", "prioritized", "random")
    }
    for plan in plans.values():
        np.testing.assert_allclose(plan.values, plans["synchronous"].values, atol=1e-7)
    assert plans["gauss-seidel"].sweeps != plans["prioritized"].sweeps


@pytest.mark.notes("003", "finite-horizon-dp")
def test_backward_induction():
    plan = backward_induction(two_state(), 3)
    np.testing.assert_allclose(plan.values, [[1.8152, 5.42], [0.44, 3.8], [0, 2], [0, 0]])
    assert [p.actions.tolist() for p in plan.policies] == [[1, 0], [1, 0], [0, 0]]
    stages = [random_process(seed) for seed in (0, 1)]
    v = np.zeros(5)
    for mdp in reversed(stages):
        v = optimal_backup(*dense(mdp), 0.9, v, mdp.model.terminal)
    np.testing.assert_allclose(backward_induction(stages, final=np.zeros(5)).values[0][:-1], v[:-1])
    room = room_4x3()
    last = backward_induction(room, 1).values
    paid = {state: float(last[-1][room.state_number(state)]) for state in room.terminal_states}
    assert sorted(paid.values()) == [-1.0, 1.0]
    assert last[0][room.state_number((3, 3))] == pytest.approx(-0.04 + 0.8)
    with pytest.raises(ParameterError, match="horizon must be at least 1"):
        backward_induction(two_state())


@pytest.mark.notes("003", "lp-primal")
def test_the_primal_program():
    plan = linear_program(two_state(), weights=[0.5, 0.5])
    np.testing.assert_allclose(plan.values, [16.341463, 20], atol=1e-6)
    assert plan.values.mean() == pytest.approx(18.170732) and plan.policy.actions.tolist() == [1, 0]
    np.testing.assert_allclose(
        plan.occupancy, [[0, 0.609756], [9.390244, 0]], atol=1e-6
    )  # the multipliers: the dual's solution
    with pytest.raises(DataError, match="weights must be 2 positive numbers"):
        linear_program(two_state(), weights=[1.0, 0.0])


@pytest.mark.notes("003", "lp-dual")
def test_the_dual_program():
    plan = linear_program(two_state(), form="dual", weights=[0.5, 0.5])
    np.testing.assert_allclose(plan.occupancy, [[0, 0.609756], [9.390244, 0]], atol=1e-6)
    assert plan.occupancy.sum() == pytest.approx(10)
    mdp = random_process(6, ends=False)
    found = linear_program(mdp, form="dual")
    np.testing.assert_allclose(found.occupancy, mdp.occupancy(found.policy), atol=1e-8)


def test_occupancies_weigh_rewards_to_the_value():
    mdp = random_process(7)
    policy = Policy.uniform(mdp)
    visits = mdp.occupancy(policy)
    reward = np.where(mdp.possible, mdp.action_values(np.zeros(5)), 0.0)
    assert (visits * reward).sum() == pytest.approx(mdp.evaluate(policy).start)
    assert visits[mdp.model.terminal].sum() == 0
    toy = two_state()
    assert (toy.occupancy() * [[0, -1], [2, 0]]).sum() == pytest.approx(toy.evaluate().start)


@pytest.mark.notes("000-c", "optimal-policy-regimes")
def test_regimes_of_the_room():
    found = policy_regimes(room_4x3)
    assert found.switches == [
        (-1.6497, (3, 2), ">", "^"),
        (-1.5643, (3, 1), ">", "^"),
        (-0.7311, (1, 1), ">", "^"),
        (-0.4526, (4, 1), "^", "<"),
        (-0.085, (2, 1), ">", "<"),
        (-0.0448, (3, 1), "^", "<"),
        (-0.0274, (3, 2), "^", "<"),
        (-0.0221, (4, 1), "<", "v"),
    ]
    for r in (-1.8, -1.0, -0.3, -0.04, -0.01):
        plan = value_iteration(room_4x3(r))
        assert (plan.policy.actions == found.policy_at(r).actions).all()
    with pytest.raises(DataError, match="must be below"):
        policy_regimes(room_4x3, 0.0, -1.0)


@pytest.mark.notes("003", "dp-complexity")
def test_costs():
    cost = planning_cost(garnet(100, 4, 5, discount=0.9), tol=1e-3)
    assert cost.sweep == 2 * 2000
    assert cost.sweeps == np.ceil(np.log(1e3) / np.log(1 / 0.9))
    assert cost.exact_evaluation == pytest.approx(1e6 / 3)
    assert planning_cost(garnet(100, 4, 5, discount=0.9), tol=0.5).sweeps == 7  # log 2 / log(10 / 9) = 6.58
    assert planning_cost(garnet(100, 4, 5, discount=0.5), tol=1e-3).sweeps == 10
    assert cost.value_iteration == cost.sweep * cost.sweeps


@pytest.mark.notes("003", "prediction-control-api")
def test_prediction_and_control_of_the_same_process():
    from novum.reinforcement import TD, QLearning

    toy = two_state()
    assert toy.evaluate().start == pytest.approx((0.934066 + 2.582418) / 2, abs=1e-6)  # prediction with a model
    assert value_iteration(toy).start == pytest.approx((16.341463 + 20) / 2, abs=1e-6)  # control with a model
    P, R = np.array([[[1.0, 0], [0.2, 0.8]], [[0, 1], [1, 0]]]), np.array([[0.0, -1], [2, 0]])
    for table in ([[0.5, 0.5], [0.5, 0.5]], [[0.1, 0.9], [0.7, 0.3]]):
        step, gain = np.einsum("sa,sat->st", table, P), (table * R).sum(axis=1)
        expected = np.linalg.solve(np.eye(2) - 0.9 * step, gain)
        uneven = MDP(P, R, discount=0.9, initial=[0.2, 0.8])
        for method in ("exact", "iterative"):
            found = uneven.evaluate(np.array(table), method=method, tol=1e-10)
            np.testing.assert_allclose(found.values, expected, rtol=1e-8)
            assert found.start == pytest.approx(0.2 * expected[0] + 0.8 * expected[1], rel=1e-8)
    td = TD(3000, max_steps=50, random_state=0).fit(toy)
    np.testing.assert_allclose(td.values_, [0.934066, 2.582418], atol=0.35)  # the same without
    q = QLearning(2000, max_steps=50, random_state=0).fit(toy)
    np.testing.assert_allclose(q.values_, [16.341463, 20], atol=0.5)
    with pytest.raises(ParameterError, match="is no environment"):
        value_iteration(3)


def test_mean_rewards():
    plan = value_iteration(two_state(), criterion="average")
    assert plan.gain == pytest.approx(2, abs=1e-6)
    mdp = inventory(8, discount=1.0)
    plan = value_iteration(mdp, criterion="average", tol=1e-9)
    process = mdp.reward_process(plan.policy)
    matrix = process.transition.toarray()
    stationary = np.linalg.lstsq(np.vstack([matrix.T - np.eye(9), np.ones(9)]), np.r_[np.zeros(9), 1], rcond=None)[0]
    assert plan.gain == pytest.approx(stationary @ process.reward, abs=1e-8)
    assert plan.gain >= max(
        np.linalg.lstsq(np.vstack([p.toarray().T - np.eye(9), np.ones(9)]), np.r_[np.zeros(9), 1], rcond=None)[0] @ r
        for p, r, *_ in (mdp.reward_process(Policy.from_actions(mdp, {}, default=k)) for k in range(3))
    )
    with pytest.raises(ParameterError, match="episodes of this process end"):
        value_iteration(room_4x3(), criterion="average")
