"""Processes: how they are made, what they refuse, what they pay, and Gymnasium both ways."""

import warnings

import gymnasium
import numpy as np
import pytest
import scipy.sparse
from gymnasium.utils.env_checker import check_env
from reference.decisions import dense

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.reinforcement import MDP, Policy, grid_world, return_bound, returns, room_4x3, value_iteration
from novum.reinforcement.policies import greedy_actions
from novum.teaching import pixel_catch, pixels_of, two_state

P = np.array([[[1.0, 0.0], [0.2, 0.8]], [[0.0, 1.0], [1.0, 0.0]]])
R = np.array([[0.0, -1.0], [2.0, 0.0]])


@pytest.fixture
def generic():
    """A process of four states and three actions with rewards on transitions."""
    rng = np.random.default_rng(0)
    probability = rng.dirichlet(np.ones(4), size=(4, 3))
    return probability, rng.normal(size=(4, 3, 4)), 0.8


@pytest.mark.notes("003", "mdp")
@pytest.mark.notes("000-c", "mdp")
def test_every_form_makes_the_same_process(generic):
    probability, gain, gamma = generic
    one = MDP(probability, gain, discount=gamma)
    matrices = [scipy.sparse.csr_array(probability[:, a]) for a in range(3)]
    table = {
        s: {a: [(probability[s, a, t], t, gain[s, a, t], False) for t in range(4)] for a in range(3)} for s in range(4)
    }
    others = [
        MDP(matrices, [scipy.sparse.csr_array(gain[:, a]) for a in range(3)], discount=gamma),
        MDP(
            scipy.sparse.csr_array(probability.reshape(12, 4)),
            scipy.sparse.csr_array(gain.reshape(12, 4)),
            discount=gamma,
        ),
        MDP(table, discount=gamma),
        MDP(probability, (probability * gain).sum(axis=2), discount=gamma),
    ]
    v = np.array([1.0, -2.0, 0.5, 3.0])
    expected = (probability * (gain + gamma * v)).sum(axis=2)
    for mdp in (one, *others):
        np.testing.assert_allclose(mdp.action_values(v), expected, rtol=1e-13)
    np.testing.assert_allclose(one.initial, 0.25)
    state, _ = one.reset(seed=3)
    seen = np.zeros(4)
    for _ in range(4000):
        one.state = 1
        state, reward, ended, cut, _ = one.step(2)
        seen[state] += 1
        assert reward == gain[1, 2, state]
        assert not ended
        assert not cut
    assert np.abs(seen / 4000 - probability[1, 2]).max() < 0.03


def test_rewards_of_states_are_received_in_them():
    mdp = MDP(
        [[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]]],
        [1.0, 2.0, 5.0],
        discount=0.5,
        terminal=[2],
        initial=0,
    )
    assert mdp.evaluate([0, 0, 0]).values.tolist() == [1 + 0.5 * (2 + 0.5 * 5), 2 + 0.5 * 5, 5.0]
    mdp.reset(seed=0)
    paid = [mdp.step(0)[1] for _ in range(2)]
    assert paid == [1.0, 2 + 0.5 * 5]
    assert returns(paid, 0.5) == mdp.evaluate([0, 0, 0]).start


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": P * 0.9}, r"MDP: the probabilities of state 'a', action 'x' sum to 0.9, not to one"),
        ({"transitions": P - 0.1}, r"MDP: the probability -0.1 of state 'a', action 'x' is no probability"),
        ({"transitions": np.where(P == 0.8, np.nan, P)}, r"the probability nan of state 'a', action 'y'"),
        ({"rewards": [[0.0, np.nan], [2.0, 0.0]]}, r"the reward of state 'a', action 'y' is nan; rewards are finite"),
        ({"rewards": [[0.0, np.inf], [2.0, 0.0]]}, r"the reward of state 'a', action 'y' is inf"),
        ({"rewards": np.zeros((3, 2))}, r"rewards has shape \(3, 2\); give them by state \(2,\)"),
        ({"rewards": [["a", "b"], ["c", "d"]]}, r"rewards must be numbers"),
        ({"rewards": None}, r"rewards= is missing"),
        ({"transitions": np.ones((3, 2, 2)) / 2}, r"transitions has shape \(3, 2, 2\).*np.swapaxes"),
        ({"discount": 1.5}, r"MDP\(discount=1.5\): discount must lie in \[0, 1\]"),
        ({"discount": float("nan")}, r"discount must lie in \[0, 1\]"),
        ({"terminal": ["c"]}, r"MDP: there is no state 'c'; states are 'a', 'b'"),
        ({"initial": "c"}, r"there is no state 'c'"),
        ({"initial": [0.5, 0.6]}, r"initial sums to 1.1, not to one"),
        ({"states": ["a"]}, r"1 names in states= for 2 states"),
        ({"states": ["a", "a"]}, r"'a' is named twice in states="),
        ({"rewards": [[-np.inf, -np.inf], [2.0, 0.0]]}, r"no action can be taken in state 'a'"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    given = {"transitions": P, "rewards": R, "states": ["a", "b"], "actions": ["x", "y"], "discount": 0.9} | change
    with pytest.raises((DataError, ParameterError), match=message):
        MDP(given.pop("transitions"), given.pop("rewards"), **given)


def test_wrong_tables_are_named():
    with pytest.raises(DataError, match="state 0, action 'go' leads to the unknown state 7"):
        MDP({0: {"go": [(1.0, 7, 0.0)]}}, states=[0])
    with pytest.raises(DataError, match="no action can be taken in state 1"):
        MDP({0: {"go": [(1.0, 1, 0.0)]}})
    with pytest.raises(DataError, match=r"sum to 0\.5"):
        MDP({0: {"go": [(0.5, 0, 0.0)]}})
    with pytest.raises(ParameterError, match=r"rewards= may only be \{terminal state: reward\}"):
        MDP({0: {"go": [(1.0, 0, 0.0)]}}, [1.0])


def test_actions_that_cannot_be_taken():
    mdp = MDP(P, [[0.0, -np.inf], [2.0, 0.0]], discount=0.9)
    assert mdp.possible.tolist() == [[True, False], [True, True]]
    assert np.isnan(mdp.action_values([1.0, 2.0])[0, 1])
    mdp.reset(options={"state": 0})
    with pytest.raises(ParameterError, match=r"action 1 cannot be taken in state 0; possible are \[0\]"):
        mdp.step(1)
    with pytest.raises(DataError, match="action 1 cannot be taken in state 0"):
        mdp.evaluate([1, 1])


@pytest.mark.notes("000-c", "gridworld-4x3")
def test_the_room():
    room = room_4x3()
    assert room.n_states == 11
    assert room.terminal_states == [(4, 3), (4, 2)]
    assert dict(zip(room.states, room.initial))[1, 1] == 1
    moves = {
        (t, p) for p, t, _, _ in room.P[room.state_number((1, 1))][0]
    }  # up from the start: a slip to the left stays
    assert {(room.states[t], round(p, 12)) for t, p in moves} == {((1, 2), 0.8), ((1, 1), 0.1), ((2, 1), 0.1)}
    assert {room.states[t] for _, t, _, _ in room.P[room.state_number((2, 1))][0]} == {
        (2, 1),
        (1, 1),
        (3, 1),
    }  # the wall
    exits = {room.states[t]: r for _, t, r, ended in room.P[room.state_number((3, 2))][1] if ended}
    assert exits == {(4, 2): pytest.approx(-1.04)}


@pytest.mark.notes("003", "agent-env-interface")
def test_a_process_is_a_gymnasium_environment():
    for mdp in (room_4x3(), two_state(), pixel_catch(3, 3)):
        assert isinstance(mdp, gymnasium.Env)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(mdp, skip_render_check=True)
    room = room_4x3()
    wrapped = gymnasium.wrappers.TimeLimit(room, 5)
    wrapped.reset(seed=0)
    history = [wrapped.step(3) for _ in range(5)]
    assert history[-1][3]
    room.reset(seed=0)
    assert [room.step(3)[0] for _ in range(5)] == [one[0] for one in history]
    room.reset(options={"state": (3, 3)})
    assert "[.]" in room.render()
    with pytest.raises(ParameterError, match="call reset"):
        MDP(P, R).step(0)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"])
def test_tabular_environments_become_processes(name):
    env = gymnasium.make(name)
    mdp = MDP.from_gymnasium(env, discount=0.7)
    table, n = env.unwrapped.P, mdp.n_states
    assert mdp.n_states == env.observation_space.n
    assert mdp.n_actions == env.action_space.n
    np.testing.assert_array_equal(mdp.initial, env.unwrapped.initial_state_distrib)
    v = np.zeros(n)  # value iteration over the table itself: an episode that ends is worth what it paid
    for _ in range(70):
        v = np.array(
            [
                max(sum(p * (r + (0 if end else 0.7 * v[t])) for p, t, r, end in out) for out in table[s].values())
                for s in range(n)
            ]
        )
    keep = ~mdp.model.terminal
    np.testing.assert_allclose(value_iteration(mdp).values[keep], v[keep], atol=1e-8)


def test_names_of_environments():
    with pytest.warns(DataWarning, match="Taxi-v3 is no longer in Gymnasium; Taxi-v4 takes its place"):
        assert MDP.from_gymnasium("Taxi-v3").n_states == 500
    with pytest.raises(ParameterError, match="Nowhere-v7"):
        MDP.from_gymnasium("Nowhere-v7")
    with pytest.raises(ParameterError, match=r"CartPole-v1: observations .* not both finite sets.* DQN"):
        MDP.from_gymnasium("CartPole-v1")
    with pytest.raises(ParameterError, match="3 is no environment"):
        MDP.from_gymnasium(3)


def test_blackjack_by_sampling():
    with pytest.warns(DataWarning, match="were seen fewer than 30 times"):
        mdp = MDP.from_gymnasium("Blackjack-v1", samples=3000)
    assert (20, 10, 0) in mdp.states
    for s in range(0, mdp.n_states, 9):
        for outcomes in mdp.P[s].values():
            assert sum(p for p, *_ in outcomes) == pytest.approx(1)


@pytest.mark.notes("001", "rl-policy-named")
@pytest.mark.notes("003", "policy")
def test_policies():
    room = room_4x3()
    lower = Policy.from_actions(room, {(1, 1): ">"}, default="^")
    assert lower.deterministic
    assert lower[(1, 1)] == ">"
    assert lower[(4, 3)] is None
    assert not Policy.uniform(room).deterministic
    np.testing.assert_allclose(Policy.uniform(room).probabilities[0], 0.25)
    soft = Policy.softmax([[0.0, np.log(3.0)]], 1.0)
    np.testing.assert_allclose(soft.probabilities, [[0.25, 0.75]])
    q, can = np.array([[1.0, 5.0, 2.0], [4.0, 9.0, 0.5]]), np.array([[True, True, True], [True, False, True]])
    worth = np.where(can, np.exp(q / 2.0), 0)
    np.testing.assert_allclose(Policy.softmax(q, 2.0, can).probabilities, worth / worth.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(Policy.greedy(q, can).probabilities, [[0, 1, 0], [1, 0, 0]])
    near = Policy.epsilon_greedy(q, 0.3, can).probabilities  # the share of exploration goes to what can be done
    np.testing.assert_allclose(near, [[0.1, 0.8, 0.1], [0.85, 0, 0.15]])
    with pytest.raises(DataError, match=r"the probabilities of state 0 are \[0.5, 0.6\]"):
        Policy([[0.5, 0.6]])
    with pytest.raises(ParameterError, match=r"there is no state \(9, 9\)"):
        lower[9, 9]
    with pytest.raises(ParameterError, match="there is no action '!'"):
        Policy.from_actions(room, {(1, 1): "!"}, default="^")
    with pytest.raises(DataError, match="11 states and 4 actions"):
        room.evaluate(np.ones((2, 2)) / 2)


@pytest.mark.notes("003", "policy")
@pytest.mark.notes("003", "epsilon-greedy")
@pytest.mark.notes("000-c", "epsilon-greedy")
def test_epsilon_greedy_probabilities():
    q = [[1.0, 7.0, 2.0, -3.0], [0.0, 0.0, 5.0, 0.0]]
    np.testing.assert_allclose(
        Policy.epsilon_greedy(q, 0.1).probabilities, [[0.025, 0.925, 0.025, 0.025], [0.025, 0.025, 0.925, 0.025]]
    )
    can = np.array([[True, False, True, True], [True, True, False, False]])  # what is impossible takes no share
    np.testing.assert_allclose(
        Policy.epsilon_greedy(q, 0.3, can).probabilities, [[0.1, 0.0, 0.8, 0.1], [0.85, 0.15, 0.0, 0.0]]
    )
    assert greedy_actions(np.array(q), np.array([[True, False, True, True], [True, True, False, True]])) == [
        [2],
        [0, 1, 3],
    ]
    with pytest.raises(ParameterError, match="exploration must lie in"):
        Policy.epsilon_greedy(q, 1.1)


@pytest.mark.notes("003", "returns")
@pytest.mark.notes("000-c", "utility-additive")
@pytest.mark.notes("000-c", "utility-discounted")
def test_returns_of_rewards():
    r = [1, 0, 2, 3]
    assert returns(r) == 6
    assert returns(r, kind="average") == 1.5
    assert returns(r, 0.9) == pytest.approx(1 + 0.81 * 2 + 0.729 * 3)
    assert returns(r, [0.5, 0.4, 0.3, 0.2]) == pytest.approx(1 + 0.5 * 0.4 * 2 + 0.5 * 0.4 * 0.3 * 3)
    assert returns(r, kind="mean-variance", risk=2.0) == pytest.approx(1.5 - 2 * np.var(r))
    assert return_bound(3, 0.9) == pytest.approx(30)
    with pytest.raises(ParameterError):
        returns(r, 1.2)


@pytest.mark.notes("003", "gamma-survival")
def test_discount_as_survival():
    one = MDP([[[1.0]]], [[1.0]], discount=0.9)
    assert value_iteration(one.survival()).values[0] == pytest.approx(10)
    room = room_4x3(discount=0.9)
    survivor = room.survival()
    assert survivor.discount == 1
    np.testing.assert_allclose(value_iteration(survivor).values[:11], value_iteration(room).values, atol=1e-10)
    taxi = MDP.from_gymnasium("FrozenLake-v1", discount=0.8)
    np.testing.assert_allclose(value_iteration(taxi.survival()).values[:16], value_iteration(taxi).values, atol=1e-9)


@pytest.mark.notes("003", "reward-scaling")
def test_scaled_rewards_keep_the_policy():
    room = room_4x3(discount=0.95)
    plan, scaled = value_iteration(room), value_iteration(room.scaled(7.5))
    assert (plan.policy.actions == scaled.policy.actions).all()
    np.testing.assert_allclose(scaled.values, 7.5 * plan.values, rtol=1e-10)
    with pytest.raises(ParameterError, match="factor"):
        room.scaled(-1.0)


@pytest.mark.notes("000-c", "env-examples")
def test_small_stand_ins():
    catch = pixel_catch(5, 4)
    assert value_iteration(catch).start == 1  # three rows to fall, two cells to go
    assert value_iteration(pixel_catch(9, 3)).start < 1
    picture = pixels_of((2, 0, 4), 5, 4)
    assert picture.shape == (4, 5)
    assert picture[0, 2] == 1
    assert picture[3, 4] == 1
    assert picture.sum() == 2
    maze = grid_world("S.#.\n....\n.#.G", step_reward=-1)
    assert value_iteration(maze).start == -4
    with pytest.raises(DataError, match=r"the lines of the map have lengths \[2, 3\]"):
        grid_world("..\n...")
    with pytest.raises(DataError, match=r"letters \['x'\]"):
        grid_world("..x")


def test_the_reference_agrees_with_the_arrays():
    room = room_4x3(discount=0.9)
    Pd, Rd = dense(room)
    v = np.where(room.model.terminal, 0.0, np.arange(11) / 7)
    with_ends = np.where(room.model.terminal, room.model.reward[room.model.first[:-1]], v)
    q = Rd + 0.9 * Pd @ v
    inside = ~room.model.terminal
    np.testing.assert_allclose(room.action_values(with_ends)[inside], q[inside], rtol=1e-12)
