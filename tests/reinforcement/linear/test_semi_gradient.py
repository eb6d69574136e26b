"""Linear values: features by their formulas, prediction at its fixed point, control that learns."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from novum.exceptions import DataError, ParameterError
from novum.optimize import Schedule
from novum.reinforcement import MDP, SemiGradientSARSA, SemiGradientTD, StateFeatures, room_4x3


def chain(n=7, discount=0.9):
    """Return a walk on n states, left or right by the action, ended at both sides, paying one at the right."""
    P, R = np.zeros((n, 2, n)), np.zeros((n, 2, n))
    for s in range(1, n - 1):
        P[s, 0, s - 1] = P[s, 1, s + 1] = 1
    R[n - 2, 1, n - 1] = 1.0
    start = np.zeros(n)
    start[n // 2] = 1
    return MDP(P, R, discount=discount, terminal=[0, n - 1], initial=start)


@pytest.mark.notes("000-c", "td-function-approx")
def test_features_by_their_formulas():
    fourier = StateFeatures("fourier", low=[0, -1], high=[2, 1], order=2).prepare()
    x = np.array([0.25, 0.75])
    expected = [np.cos(np.pi * (a * x[0] + b * x[1])) for a in range(3) for b in range(3)]
    np.testing.assert_allclose(fourier([0.5, 0.5]), expected, rtol=1e-13)
    rbf = StateFeatures("rbf", low=[0], high=[1], n_centers=3).prepare()
    raw = np.exp(-((0.2 - np.array([0, 0.5, 1])) ** 2) / (2 * 0.5**2))
    np.testing.assert_allclose(rbf([0.2]), raw / raw.sum(), rtol=1e-13)
    assert StateFeatures("linear", low=[0], high=[4]).prepare()([1.0]).tolist() == [1.0, 0.25]
    assert StateFeatures("one-hot").prepare(Discrete(3))(1).tolist() == [0, 1, 0]
    assert StateFeatures("tiles").prepare(Box(0, 1, (2,))).n_features == 8 * 9**2


def test_tiles_generalise_to_neighbours_only():
    tiles = StateFeatures("tiles", low=[0, 0], high=[1, 1], n_tilings=8, n_tiles=4).prepare()
    phi = tiles([0.5, 0.5])
    assert phi.sum() == 8 and set(np.unique(phi)) == {0.0, 1.0}
    shared = [tiles([0.5 + shift, 0.5]) @ phi for shift in (0.0, 0.05, 0.12, 0.2, 0.3)]
    assert shared[0] == 8 and shared[-1] == 0 and shared == sorted(shared, reverse=True) and 0 < shared[2] < 8
    rng = np.random.default_rng(0)
    for point in rng.random((200, 2)):
        where, _ = tiles.active(point)
        assert len(set(where)) == 8 and (np.sort(where) // 25 == np.arange(8)).all()
    assert (tiles([5.0, -3.0]) == tiles([1.0, 0.0])).all()


@pytest.mark.notes("000-c", "td-function-approx")
def test_td_comes_to_rest_at_the_projected_fixed_point():
    world = chain()
    features = StateFeatures("linear", low=[0], high=[6])
    rate = Schedule("power", 0.5, 0.5)
    learned = SemiGradientTD(features, n_episodes=1500, learning_rate=rate, discount=0.9, random_state=0).fit(world)
    # E phi (phi - gamma phi')' w = E phi r over the states that a uniform walk visits
    P = np.zeros((5, 7))
    for s in range(1, 6):
        P[s - 1, s - 1] = P[s - 1, s + 1] = 0.5
    visits = np.linalg.solve(np.eye(5) - P[:, 1:6].T, np.eye(5)[2])
    phi = np.column_stack([np.ones(5), np.arange(1, 6) / 6])
    after = P[:, 1:6] @ phi
    reward = 0.5 * np.eye(5)[4]
    A = phi.T @ (visits[:, None] * (phi - 0.9 * after))
    fixed = np.linalg.solve(A, phi.T @ (visits * reward))
    np.testing.assert_allclose(learned.coef_[0], fixed, atol=0.03)
    np.testing.assert_allclose(learned.predict(np.arange(1, 6)), phi @ fixed, atol=0.03)


def test_one_hot_features_give_the_values_of_the_table():
    world = chain(5, discount=1.0)
    for decay in (0.0, 0.8):
        learned = SemiGradientTD(
            StateFeatures("one-hot"),
            n_episodes=2000,
            learning_rate=Schedule("power", 0.3, 0.6),
            discount=1.0,
            trace_decay=decay,
            random_state=1,
        ).fit(world)
        np.testing.assert_allclose(learned.predict([1, 2, 3]), [0.25, 0.5, 0.75], atol=0.05)


@pytest.mark.notes("000-c", "td-function-approx")
def test_a_step_by_hand():
    world = chain(5, discount=0.5)
    one = {"n_episodes": 1, "learning_rate": 0.5, "discount": 0.5, "trace_decay": 0.5}
    learned = SemiGradientTD(StateFeatures("one-hot"), **one, random_state=0)
    learned.fit(world, policy=lambda seen: 1)  # 2 -> 3 -> end with one
    # delta of the last step is one; the trace of 3 is one, of 2 it is 0.5 * 0.5
    np.testing.assert_allclose(learned.coef_[0], [0, 0, 0.125, 0.5, 0])


def test_sarsa_drives_up_the_mountain():
    agent = SemiGradientSARSA(StateFeatures("tiles"), n_episodes=120, random_state=0).fit("MountainCar-v0")
    assert agent.history_.returns[-20:].mean() > -170 > agent.history_.returns[:3].mean()
    again = SemiGradientSARSA(StateFeatures("tiles"), n_episodes=3, random_state=0).fit("MountainCar-v0")
    np.testing.assert_array_equal(again.history_.returns, agent.history_.returns[:3])
    assert agent.predict([-0.5, 0.0]) == int(agent.values([-0.5, 0.0]).argmax())


def test_sarsa_finds_the_way_through_the_room():
    agent = SemiGradientSARSA(
        StateFeatures("one-hot"),
        n_episodes=300,
        max_steps=200,
        learning_rate=0.2,
        exploration=0.1,
        trace_decay=0.5,
        random_state=0,
    ).fit(room_4x3())
    assert agent.history_.returns[-100:].mean() > 0.3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StateFeatures("sift"), "kind"),
        (lambda: StateFeatures("rbf", n_centers=1), "n_centers"),
        (lambda: StateFeatures("tiles").prepare(Box(-np.inf, np.inf, (2,))), "low= and high="),
        (lambda: StateFeatures("linear", low=[1], high=[0]).prepare(), "above low"),
        (lambda: StateFeatures("tiles", low=[0] * 9, high=[1] * 9).prepare(), "too many"),
        (lambda: StateFeatures("one-hot").prepare(Box(0, 1, (2,))), "finite space"),
        (lambda: StateFeatures("linear", low=[0], high=[1]).prepare().active([0, 1]), "coordinates"),
        (lambda: StateFeatures("linear", low=[0], high=[1]).prepare().active([np.nan]), "NaN"),
        (lambda: SemiGradientSARSA(3).fit("MountainCar-v0"), "features"),
        (lambda: SemiGradientSARSA(StateFeatures(), learning_rate=-1.0).fit("MountainCar-v0"), "learning_rate"),
        (lambda: SemiGradientSARSA(StateFeatures()).fit("NoSuch-v0"), "NoSuch-v0"),
        (
            lambda: SemiGradientSARSA(StateFeatures("fourier"), n_episodes=3, learning_rate=50.0).fit("MountainCar-v0"),
            "choose a smaller",
        ),
        (lambda: SemiGradientSARSA(StateFeatures()).fit("Pendulum-v1"), "Discrete space"),
        (lambda: SemiGradientTD(StateFeatures("one-hot")).fit(chain(), policy="best"), "policy"),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises((ParameterError, DataError), match=words):
        make()
