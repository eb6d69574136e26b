"""Markov chains: counts, likelihood, draws, forecasts; order reduced to one."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, DataWarning, ParameterError, UnknownCategory
from novum.sequence import MarkovChain


def random_chain(k, order=1, seed=0, **more):
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.ones(k), size=k**order)
    return MarkovChain(order, transition=T, initial=rng.dirichlet(np.ones(k**order)), **more)


def probability(chain, word):
    """Return p(word) of a chain of given tables, by its definition."""
    k, M = np.shape(chain.transition)[-1], chain.order
    T = np.reshape(chain.transition, (*[k] * M, k))
    value = np.reshape(chain.initial, [k] * M)[tuple(word[:M])]
    for t in range(M, len(word)):
        value *= T[tuple(word[t - M : t])][word[t]]
    return value


@pytest.mark.notes("002", "bn-markov-chain")
@pytest.mark.notes("002", "markov-model")
def test_counts_parameters_and_likelihood_of_the_notes():
    chain = MarkovChain().fit("AABABBBA")
    assert chain.states_ == ["A", "B"]
    assert chain.counts_.tolist() == [[1, 2], [2, 2]]
    assert_allclose(chain.transition_, [[1 / 3, 2 / 3], [1 / 2, 1 / 2]])
    assert chain.score("AABABBBA") == pytest.approx(3 * np.log([1 / 3, 2 / 3, 2 / 3]).mean() + 4 * np.log(1 / 2))
    for order, (first, rest) in {0: (2, 0), 1: (2, 6), 2: (8, 18), 3: (26, 54)}.items():
        fitted = MarkovChain(order, states="abc", smoothing=1.0).fit("abcabcaabb")
        assert fitted.n_parameters_ == first + rest
    words = ["abcab", "bcaba", "cabcc"]
    places = MarkovChain(1, states="abc", homogeneous=False).fit([list(w) for w in words])
    assert places.n_parameters_ == 2 + 4 * 6 and places.transition_.shape == (4, 3, 3)
    assert places.transition_[3, 1, 0] == 1  # the only b at place 3 is followed by a
    assert places.score([list(w) for w in words]) == pytest.approx(3 * np.log(1 / 3))


@pytest.mark.notes("002", "markov-model")
@pytest.mark.notes("003", "markov-chain")
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_likelihoods_of_all_words_are_those_of_the_definition(order):
    chain = random_chain(2, order, seed=order)
    total = 0.0
    for word in product(range(2), repeat=5):
        expected = probability(chain, word)
        assert np.exp(chain.score(list(word))) == pytest.approx(expected)
        total += expected
    assert total == pytest.approx(1)
    if order > 1:  # words shorter than a context: the rest is summed out
        assert sum(np.exp(chain.score([a])) for a in range(2)) == pytest.approx(1)
        assert np.exp(chain.score([1])) == pytest.approx(
            sum(probability(chain, (1, *w)) for w in product(range(2), repeat=order - 1))
        )
    if order > 2:
        assert np.exp(chain.score([1, 0])) == pytest.approx(sum(probability(chain, (1, 0, a)) for a in range(2)))


@pytest.mark.notes("002", "markov-order-reduction")
def test_order_two_is_a_chain_of_order_one_over_pairs():
    chain = random_chain(3, 2, seed=4, states="abc")
    pairs = chain.reduce()
    assert pairs.order == 1 and pairs.states[:4] == [("a", "a"), ("a", "b"), ("a", "c"), ("b", "a")]
    T, tables = np.asarray(pairs.transition), np.reshape(chain.transition, (3, 3, 3))
    for i, (a, b) in enumerate(pairs.states):
        for j, (c, d) in enumerate(pairs.states):
            expected = tables["abc".index(a), "abc".index(b), "abc".index(d)] if b == c else 0.0
            assert T[i, j] == expected
    word = "abbcacab"
    assert chain.score(word) == pytest.approx(pairs.score(list(pairwise(word))))
    stationary = chain.stationary()
    assert_allclose(stationary @ T, stationary, atol=1e-14)
    first = stationary.reshape(3, 3)
    assert_allclose(first.sum(axis=0), first.sum(axis=1))  # both states of a pair have the same distribution


@pytest.mark.notes("002", "markov-model")
def test_smoothing_and_weights():
    words = ["aab", "abb", "bba"]
    chain = MarkovChain(smoothing=0.5).fit([list(w) for w in words], sample_weight=[2.0, 1.0, 0.0])
    counts = np.array([[2.0, 3.0], [0.0, 1.0]])
    assert_allclose(chain.counts_, counts)
    assert_allclose(chain.transition_, (counts + 0.5) / (counts.sum(1, keepdims=True) + 1))
    assert_allclose(chain.initial_, [3.5 / 4, 0.5 / 4])
    repeated = MarkovChain(smoothing=0.5).fit([list("aab")] * 2 + [list("abb")])
    assert_allclose(repeated.transition_, chain.transition_)
    flat = MarkovChain(smoothing=0.5).fit(list("aababb"), lengths=[3, 3])
    assert_allclose(flat.counts_, [[1, 2], [0, 1]])
    assert chain.score([list(w) for w in words], sample_weight=[2, 1, 0]) == pytest.approx(
        2 * chain.score("aab") + chain.score("abb")
    )
    rows = MarkovChain().fit(np.array([[0, 1, 0], [1, 0, 1]]))
    assert_allclose(rows.counts_, [[0, 2], [2, 0]])


@pytest.mark.notes("003", "markov-chain")
def test_draws_have_the_distribution_and_are_recognised_as_order_one_and_homogeneous():
    chain = random_chain(3, seed=7, states=["x", "y", "z"])
    drawn = chain.sample(60_000, random_state=0)
    learned = MarkovChain().fit(drawn)
    assert_allclose(learned.transition_, chain.transition, atol=0.02)
    counts = np.zeros((3, 3))
    for a, b in pairwise(drawn):
        counts["xyz".index(a), "xyz".index(b)] += 1
    assert_allclose(learned.counts_, counts)
    orders = MarkovChain().compare_orders(drawn)
    assert orders.best == 1 and orders.p_value[1] < 1e-10 and orders.p_value[2] > 1e-3
    assert orders.df[1] == 4 and orders.df[2] == 12
    assert MarkovChain().check_homogeneity(drawn).p_value > 1e-3
    other = random_chain(3, seed=8, states=["x", "y", "z"]).sample(60_000, random_state=1)
    changed = MarkovChain().check_homogeneity(np.concatenate([drawn, other]))
    assert changed.p_value < 1e-10 and changed.df == 6
    word = [0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0]  # (16) by its definition: transitions 1 to 5 against 6 to 10
    tables = np.zeros((2, 2, 2))
    for t in range(10):
        tables[t // 5, word[t], word[t + 1]] += 1
    parts = [*tables, tables.sum(axis=0)]
    values = [np.sum(n * np.log(np.where(n > 0, n, 1) / n.sum(axis=1, keepdims=True))) for n in parts]
    split = MarkovChain().check_homogeneity([word, [0, 1]])  # the second is too short to be cut
    assert split.statistic == pytest.approx(2 * (values[0] + values[1] - values[2])) and split.df == 2
    twice = random_chain(2, 2, seed=3).sample(20_000, random_state=2)
    assert MarkovChain().compare_orders(twice, most=3).best == 2


@pytest.mark.notes("002", "markov-order-reduction")
def test_the_test_statistics_are_those_of_the_tables():
    """G^2 by its definition, on a short word."""
    word = [0, 1, 1, 0, 2, 1, 0, 0, 1, 2, 2, 1, 0, 1]
    found = MarkovChain().compare_orders(word, most=2)
    n = np.zeros((3, 3, 3))
    for a, b, c in zip(word, word[1:], word[2:]):
        n[a, b, c] += 1
    two = n.sum(axis=0)
    expected = sum(
        n[a, b, c] * np.log(n[a, b, c] / n[a, b].sum() / (two[b, c] / two[b].sum()))
        for a, b, c in product(range(3), repeat=3)
        if n[a, b, c]
    )
    assert found.statistic[2] == pytest.approx(2 * expected)


@pytest.mark.notes("003", "markov-chain")
def test_draws_repeat_and_start_where_given():
    chain = random_chain(3, 2, seed=2)
    assert (chain.sample(50, random_state=3) == chain.sample(50, random_state=3)).all()
    assert chain.sample(5, start=[2, 1], random_state=0)[:2].tolist() == [2, 1]
    many = chain.sample(4, 40_000, random_state=1)
    firsts = np.bincount(many[:, 0] * 3 + many[:, 1], minlength=9) / len(many)
    assert_allclose(firsts, chain.initial, atol=0.01)
    fourth = np.bincount(many[:, 3], minlength=3) / len(many)
    expected = chain.marginal(2).reshape(3, 3).sum(axis=0)
    assert_allclose(fourth, expected, atol=0.01)
    assert_allclose(MarkovChain(0, transition=[0.2, 0.8]).marginal(3), [0.2, 0.8])
    independent = MarkovChain(0, transition=[0.2, 0.3, 0.5]).sample(20_000, random_state=0)
    assert_allclose(np.bincount(independent) / 20_000, [0.2, 0.3, 0.5], atol=0.015)


@pytest.mark.notes("003", "markov-chain")
def test_forecasts_are_powers():
    chain = random_chain(4, seed=5)
    T = np.asarray(chain.transition)
    ahead = chain.forecast([1, 3, 2], 5)
    for h in range(5):
        assert_allclose(ahead[h], np.linalg.matrix_power(T, h + 1)[2])
    assert_allclose(chain.marginal(1000), chain.stationary(), atol=1e-12)
    two = random_chain(2, 2, seed=1)
    joint = {
        w: probability(MarkovChain(2, transition=two.transition, initial=np.eye(4)[2]), (1, 0, *w))
        for w in product(range(2), repeat=3)
    }
    expected = [[sum(p for w, p in joint.items() if w[h] == x) for x in range(2)] for h in range(3)]
    assert_allclose(two.forecast([0, 1, 1, 0], 3), expected)


def test_files_frames_and_parameters(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[0.9, 0.1], [0.5, 0.5]], index=["sun", "rain"], columns=["sun", "rain"])
    chain = MarkovChain(transition=frame)
    assert_allclose(chain.forecast(["rain"], 2)[1], [0.7, 0.3])
    fitted = MarkovChain(2, smoothing=1.0).fit(list("abacabadabacaba"))
    again = novum.load(novum.save(fitted, tmp_path / "chain.novum"))
    assert again.score("abacab") == fitted.score("abacab") and again.states_ == fitted.states_


ERRORS = [
    (
        lambda: MarkovChain().score("ab"),
        ParameterError,
        "MarkovChain.score: transition is not known; give transition= or learn it by fit",
    ),
    (
        lambda: MarkovChain(transition=[[0.5, 0.6], [0.5, 0.5]]).stationary(),
        DataError,
        "transition sums to 1.1, not to one",
    ),
    (
        lambda: MarkovChain(transition=[[0.5, 0.5]]).stationary(),
        DataError,
        r"transition has shape \(1, 2\); with order=1 it must have shape \(2, 2\)",
    ),
    (
        lambda: MarkovChain(-1).fit("ab"),
        ParameterError,
        r"The 'order' parameter of MarkovChain must be an int in the range \[0, inf\)",
    ),
    (lambda: MarkovChain(3).fit("ab"), DataError, "no sequence is longer than order=3"),
    (lambda: MarkovChain().fit([]), DataError, "empty sequence"),
    (lambda: MarkovChain().fit([1, None, 2]), DataError, "missing state at place 1; give the parts before and after"),
    (lambda: MarkovChain().fit(5), ParameterError, "give a sequence of states"),
    (lambda: MarkovChain(states="ab").fit("abc"), UnknownCategory, "'c' is none of the states 'a', 'b'"),
    (lambda: MarkovChain().fit("abab", lengths=[3]), DataError, "add up to the 4 entries"),
    (lambda: MarkovChain().fit("abab", sample_weight=[1, 2]), DataError, r"sample_weight has shape \(2,\)"),
    (lambda: MarkovChain(40).fit("ab" * 50), ParameterError, "contexts, too many for a table; lower order"),
    (lambda: MarkovChain(1, homogeneous=False).fit([[0, 1], [1, 0, 1]]), DataError, "needs sequences of one length"),
    (lambda: MarkovChain(transition=np.eye(2)).stationary(), DataError, "2 closed classes"),
    (
        lambda: MarkovChain(transition=np.eye(2), states=["a", "a"]).classes(),
        DataError,
        r"states names 2 states \(1 distinct\)",
    ),
    (lambda: MarkovChain(2, transition=np.full((4, 2), 0.5)).forecast([0], 1), DataError, "at least order=2 states"),
    (
        lambda: MarkovChain(transition=[[0.5, 0.5], [0.5, 0.5]]).hitting_times(7),
        DataError,
        "targets=7; give one or more of the states 0, 1",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_a_context_without_successor_is_uniform_and_said():
    with pytest.warns(DataWarning, match=r"1 context\(s\) are never followed by a state \(c"):
        chain = MarkovChain().fit("abac")
    assert_allclose(chain.transition_[2], 1 / 3)
    assert MarkovChain(smoothing=1).fit("abac").transition_[2].tolist() == [1 / 3] * 3


def test_files_of_chains_of_other_shapes(tmp_path):
    for chain in (
        MarkovChain(homogeneous=False, smoothing=1.0).fit([[0, 1, 0], [1, 1, 0]]),
        MarkovChain(0).fit("aab"),
        random_chain(3, 2, seed=1, states="abc").reduce(),
    ):
        again = novum.load(novum.save(chain, tmp_path / "chain.novum"))
        assert (again.sample(3, random_state=0) == chain.sample(3, random_state=0)).all()
