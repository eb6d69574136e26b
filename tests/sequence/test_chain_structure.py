"""Structure of chains: classes, periods, stationary distributions, balance, ergodicity, times."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import ParameterError
from novum.sequence import MarkovChain

METROPOLIS = [[0.625, 0.375, 0], [0.25, 0.5, 0.25], [0, 0.15, 0.85]]  # of the notes, for (.2, .3, .5)


def chain_of(T, **more):
    return MarkovChain(transition=T, **more)


def random_matrix(k, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(k), size=k)


@pytest.mark.notes("002", "markov-chain-properties")
def test_invariance_balance_and_equilibrium_of_the_notes():
    chain, p = chain_of(METROPOLIS), np.array([0.2, 0.3, 0.5])
    assert_allclose(chain.stationary(), p)
    assert chain.is_stationary(p) and chain.detailed_balance(p) and chain.is_ergodic()
    assert not chain.is_stationary([0.3, 0.3, 0.4])
    assert not chain.is_stationary(p + [1e-7, -1e-7, 0]) and not chain.is_stationary([0.2 + 1e-6, 0.3, 0.5 - 1e-6])
    assert_allclose(chain.marginal(200, [1.0, 0, 0]), p, atol=1e-9)
    assert_allclose(chain.marginal(2, [1.0, 0, 0]), np.array([1.0, 0, 0]) @ np.array(METROPOLIS) @ METROPOLIS)
    for start in ([1.0, 0, 0], [0.2, 0.5, 0.3]):  # the identity leaves every distribution as it is, and settles at none
        assert chain_of(np.eye(3)).is_stationary(start)
    assert not chain_of(np.eye(3)).is_ergodic()
    around = chain_of([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]])  # invariant without balance
    assert_allclose(around.stationary(), 1 / 3)
    verdict = around.detailed_balance()
    assert not verdict and "from" in verdict.reason and around.is_ergodic()


@pytest.mark.notes("002", "markov-chain-properties")
def test_reasons():
    assert (
        repr(chain_of([[0, 1], [1, 0]]).is_ergodic())
        == "False: period 2: the chain goes round, its distribution does not settle"
    )
    assert "2 closed classes, {0} and {1}" in chain_of(np.eye(2)).is_ergodic().reason
    absorbing = chain_of([[0.5, 0.5], [0, 1]], states=["on", "off"])
    assert repr(absorbing.is_ergodic()).startswith("False: on are left for good")
    with pytest.raises(ParameterError, match="not ergodic"):
        absorbing.mixing_time()


@pytest.mark.notes("002", "markov-chain-properties")
def test_classes_and_periods():
    T = np.zeros((7, 7))
    for i, j in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 6), (6, 6)]:
        T[i, j] = 1
    T /= T.sum(axis=1, keepdims=True)
    found = chain_of(T).classes()
    assert found.members == [[0, 1, 2], [3, 4], [5], [6]]
    assert found.closed == [False, True, False, True] and found.period == [3, 2, 0, 1]
    stationary = chain_of(T).stationary(every=True)
    assert_allclose(stationary, [[0, 0, 0, 0.5, 0.5, 0, 0], [0, 0, 0, 0, 0, 0, 1]])
    # a cycle of four with a chord of two: returns of 4 and 2 steps
    T = np.array([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 1], [1, 0, 0, 0.0]])
    assert chain_of(T).classes().period == [2]


@pytest.mark.notes("002", "markov-chain-properties")
@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_the_stationary_distribution_solves_its_equation(k):
    T = random_matrix(k, k)
    stationary = chain_of(T).stationary()
    assert_allclose(stationary @ T, stationary, rtol=1e-12)
    assert stationary.sum() == pytest.approx(1)
    assert_allclose(chain_of(T).return_times(), 1 / stationary)


def test_rare_transitions_keep_their_digits():
    e = 1e-13  # two wells: 1 - 1e-13 rounds, elimination without subtraction does not care
    T = np.array([[1 - e, e, 0], [0.5, 0, 0.5], [0, 3 * e, 1 - 3 * e]])
    stationary = chain_of(T).stationary()
    assert stationary[0] / stationary[2] == pytest.approx(3, rel=1e-12)
    assert stationary[1] / stationary[0] == pytest.approx(2 * e, rel=1e-12)


def test_hitting_times_and_probabilities_by_simulation_and_series():
    T = random_matrix(4, 3)
    T[3] = [0, 0, 0, 1]
    chain = chain_of(T)
    expected = np.zeros(4)
    alive = np.eye(4)[:, :3]
    for _ in range(4000):  # E[time] = sum of P(not yet there)
        expected[:3] += alive[:3].sum(axis=1)
        alive = alive @ T[:3, :3]
    assert_allclose(chain.hitting_times(3), expected, rtol=1e-9)
    assert_allclose(chain.hitting_probabilities(3), 1)
    assert np.isinf(chain.hitting_times(0)[3]) and chain.hitting_probabilities(0)[3] == 0
    power = np.linalg.matrix_power(np.where(np.arange(4)[:, None] == 0, np.eye(4), T), 100_000)
    assert_allclose(chain.hitting_probabilities(0), power[:, 0], rtol=1e-9)
    assert np.isinf(chain.hitting_times(0)[1:]).all()  # it may be absorbed before
    assert_allclose(chain.hitting_times([1, 2])[1:3], 0)


def test_gambler_is_ruined_as_he_should():
    n, p = 10, 0.45
    T = np.zeros((n + 1, n + 1))
    T[0, 0] = T[n, n] = 1
    for i in range(1, n):
        T[i, i + 1], T[i, i - 1] = p, 1 - p
    r = (1 - p) / p
    i = np.arange(n + 1)
    win = (1 - r**i) / (1 - r**n)
    assert_allclose(chain_of(T).hitting_probabilities(n), win, rtol=1e-10)
    assert_allclose(chain_of(T).hitting_times([0, n]), i / (1 - 2 * p) - n / (1 - 2 * p) * win, rtol=1e-9, atol=1e-12)


def mean_return(T, state):
    hit = chain_of(T).hitting_times(state)
    return 1 + T[state] @ hit


def test_return_times_are_one_and_the_way_back():
    T = random_matrix(6, 1)
    assert_allclose(chain_of(T).return_times(), [mean_return(T, i) for i in range(6)])
    assert_allclose(chain_of([[0.5, 0.5], [0, 1]]).return_times(), [np.inf, 1])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reversible", [True, False])
def test_mixing_times_by_powers(seed, reversible):
    rng = np.random.default_rng(seed)
    W = rng.gamma(0.3, size=(5, 5))
    W = W + W.T if reversible else W
    T = W / W.sum(axis=1, keepdims=True)
    T = 0.9 * np.eye(5) + 0.1 * T
    chain = chain_of(T)
    stationary = chain.stationary()
    found = chain.mixing_time(0.1)
    distance = [
        np.abs(np.linalg.matrix_power(T, n) - stationary).sum(axis=1).max() / 2 for n in range(int(found.time) + 1)
    ]
    assert distance[int(found.time)] <= 0.1 < distance[int(found.time) - 1]
    assert found.bound >= found.time and found.reversible == reversible
    values = np.sort(np.abs(np.linalg.eigvals(T)))
    if reversible:
        assert found.gap == pytest.approx(1 - values[-2])


def test_a_thousand_states_and_contexts():
    rng = np.random.default_rng(0)
    steps = rng.dirichlet([1, 1, 1], size=1000)
    T = np.zeros((1000, 1000))
    for i in range(1000):
        T[i, [(i - 1) % 1000, i, (i + 1) % 1000]] = steps[i]
    chain = chain_of(T)
    stationary = chain.stationary()
    assert_allclose(stationary @ T, stationary, rtol=1e-8)
    assert chain.is_ergodic() and np.isfinite(chain.hitting_times(0)).all()
    deep = MarkovChain(11, transition=rng.dirichlet([1, 1], size=2**11))
    stationary = deep.stationary()
    assert stationary.shape == (2048,) and deep.is_stationary(stationary)


def test_the_picture_shows_states_and_probabilities():
    networkx = pytest.importorskip("networkx")
    figure = pytest.importorskip("matplotlib.figure")
    chain = chain_of([[0.9, 0.1, 0], [0.5, 0.3, 0.2], [0, 0, 1]], states=["sun", "rain", "flood"])
    graph = chain.to_networkx()
    assert isinstance(graph, networkx.DiGraph) and set(graph) == {"sun", "rain", "flood"}
    assert graph["rain"]["flood"]["probability"] == 0.2 and not graph.has_edge("sun", "flood")
    ax = chain.plot(figure.Figure().subplots())
    texts = {text.get_gid(): text.get_text() for text in ax.texts if text.get_gid()}
    assert texts == {
        "sun->sun": "0.9",
        "sun->rain": "0.1",
        "rain->sun": "0.5",
        "rain->rain": "0.3",
        "rain->flood": "0.2",
        "flood->flood": "1",
    }
    assert {"sun", "rain", "flood"} <= {text.get_text() for text in ax.texts}
