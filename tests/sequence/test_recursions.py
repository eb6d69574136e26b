"""Forward-backward, Viterbi and best paths against enumeration of all paths, and at the extremes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.sequence.hidden_markov import enumerate_paths

from novum.exceptions import DataError
from novum.sequence.hmm.recursions import (
    Chain,
    Densities,
    best_paths,
    decode,
    filter_states,
    log_likelihoods,
    smooth,
    with_known_states,
)


def chain_of(rng, k, kind):
    start, trans = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k)
    if kind == "left-right":
        trans = np.triu(trans) + 1e-300
        trans = np.triu(trans) / np.triu(trans).sum(axis=1, keepdims=True)
        start = np.eye(k)[0]
    elif kind == "sparse":
        trans[rng.random((k, k)) < 0.3] = 0
        trans[np.arange(k), np.arange(k)] += 0.1
        trans /= trans.sum(axis=1, keepdims=True)
    return Chain(start, trans)


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.notes("002", "hmm")
@pytest.mark.notes("002", "viterbi")
@pytest.mark.notes("002", "forward-backward")
@pytest.mark.parametrize("kind", ["full", "left-right", "sparse"])
@pytest.mark.parametrize("scale", [1.0, 30.0, 400.0, 5000.0])
@pytest.mark.parametrize("k, n", [(1, 1), (1, 4), (2, 1), (2, 7), (3, 5), (4, 4), (5, 4), (9, 3), (17, 2)])
def test_enumeration(kind, scale, k, n):
    rng = np.random.default_rng(k * 100 + n)
    chain = chain_of(rng, k, kind)
    log = rng.normal(size=(n, k)) * scale
    known = enumerate_paths(*chain, log)
    offsets = np.array([0, n])
    found = smooth(chain, Densities(log), offsets)
    assert_allclose(found.log_likelihood, known.log_likelihood, rtol=1e-13, atol=1e-11)
    assert_allclose(found.shares, known.gamma, rtol=1e-9, atol=1e-13)
    assert_allclose(found.pairs, known.xi, rtol=1e-9, atol=1e-13)
    assert_allclose(filter_states(chain, Densities(log), offsets)[1], known.filtered, rtol=1e-9, atol=1e-13)
    assert_allclose(log_likelihoods(chain, Densities(log), offsets), known.log_likelihood, rtol=1e-13, atol=1e-11)
    log_prob, path = decode(chain, Densities(log.copy()), offsets)
    assert_allclose(log_prob, known.paths[0][0], rtol=1e-13)
    assert tuple(path) == known.paths[0][1]
    scores, paths = best_paths(chain, Densities(log), 5)
    possible = [one for one in known.paths if np.isfinite(one[0])][:5]
    assert_allclose(scores, [one[0] for one in possible], rtol=1e-13)
    assert [tuple(one) for one in paths] == [one[1] for one in possible]


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.parametrize("k", [3, 12])
def test_a_table_of_symbols_and_missing_steps(k):
    rng = np.random.default_rng(k)
    chain = chain_of(rng, k, "full")
    table, index = rng.normal(size=(4, k)), np.array([1, -1, 3, 0, 1, 1])
    rows = np.where(index[:, None] < 0, 0.0, table[index])
    offsets, weight = np.array([0, 2, 3, 6]), np.array([2.0, 0.5, 1.0])
    by_table, by_row = (smooth(chain, one, offsets, weight) for one in (Densities(table, index), Densities(rows)))
    assert_allclose(by_table.log_likelihood, by_row.log_likelihood, rtol=1e-14)
    assert_allclose(by_table.shares, by_row.shares, rtol=1e-12)
    assert_allclose(by_table.pairs, by_row.pairs, rtol=1e-12)
    counts = np.zeros((4, k))
    np.add.at(counts, index[index >= 0], (np.repeat(weight, [2, 1, 3])[:, None] * by_row.shares)[index >= 0])
    assert_allclose(by_table.emitted, counts, rtol=1e-12)
    assert_allclose(
        decode(chain, Densities(table, index), offsets)[0], decode(chain, Densities(rows), offsets)[0], rtol=1e-14
    )


@pytest.mark.notes("002", "baum-welch")
@pytest.mark.parametrize("k", [2, 7, 8, 9, 16, 33])
def test_weights_repeat_sequences(k):
    rng = np.random.default_rng(k)
    chain = chain_of(rng, k, "full")
    log = rng.normal(size=(11, k))
    offsets = np.array([0, 4, 5, 11])
    weighted = smooth(chain, Densities(log), offsets, np.array([3.0, 0.0, 1.0]))
    rows = np.r_[log[:4], log[:4], log[:4], log[5:]]
    repeated = smooth(chain, Densities(rows), np.array([0, 4, 8, 12, 18]))
    assert_allclose(weighted.pairs, repeated.pairs, rtol=1e-12)


def test_a_state_that_scaling_drops_comes_back():
    """Densities that are e^900 apart, then only the lost state is possible: no double holds its share meanwhile."""
    chain = Chain(np.array([0.5, 0.5]), np.eye(2))
    log = np.array([[0.0, -900.0], [0.0, -900.0], [-np.inf, 0.0]])
    found = smooth(chain, Densities(log), np.array([0, 3]))
    assert_allclose(found.log_likelihood, -1800 + np.log(0.5), rtol=1e-15)
    assert_allclose(found.shares, [[0, 1]] * 3)
    # it comes back slowly, and nothing becomes impossible on the way
    log = np.zeros((2001, 2))
    log[0, 1] = -1000.0
    log[1:, 0] = -1.0
    found = smooth(chain, Densities(log), np.array([0, 2001]))
    assert_allclose(found.log_likelihood, np.logaddexp(-2000, -1000) + np.log(0.5), rtol=1e-15)
    assert_allclose(found.shares[:, 1], 1.0)


@pytest.mark.parametrize("k", [2, 20])
def test_a_million_steps_do_not_underflow(k):
    rng = np.random.default_rng(0)
    chain = chain_of(rng, k, "full")
    n = 1_000_000 if k == 2 else 50_000
    log = np.tile(rng.normal(size=(1, k)) - 700, (n, 1))  # the same densities: the distribution of the states settles
    found = smooth(chain, Densities(log), np.array([0, n]))
    assert np.isfinite(found.log_likelihood).all()
    step = chain.trans * np.exp(log[0] - log[0].max())
    growth = np.log(np.abs(np.linalg.eigvals(step)).max()) + log[0].max()
    half = log_likelihoods(chain, Densities(log[: n // 2]), np.array([0, n // 2]))[0]  # the beginning cancels
    assert_allclose((found.log_likelihood[0] - half) / (n - n // 2), growth, rtol=1e-11)
    assert_allclose(found.shares.sum(axis=1), 1, rtol=1e-12)
    assert_allclose(found.pairs.sum(), n - 1, rtol=1e-9)


@pytest.mark.parametrize("k", [2, 9])
def test_impossible_rows_are_named(k):
    rng = np.random.default_rng(0)
    chain = chain_of(rng, k, "full")
    log = rng.normal(size=(8, k))
    log[5] = -np.inf
    offsets = np.array([0, 3, 8])
    with pytest.raises(DataError, match="model: row 5 has probability zero under every state"):
        smooth(chain, Densities(log), offsets, owner="model")
    with pytest.raises(DataError, match="row 5 has probability zero"):
        decode(chain, Densities(log.copy()), offsets)
    assert_allclose(log_likelihoods(chain, Densities(log), offsets)[1], -np.inf)
    log[5] = np.nan
    with pytest.raises(DataError, match="the log-density of row 5 is NaN"):
        smooth(chain, Densities(log), offsets)


def test_known_states_are_certain():
    rng = np.random.default_rng(1)
    chain, log = chain_of(rng, 3, "full"), rng.normal(size=(5, 3))
    known = np.array([-1, 2, -1, 0, -1])
    found = smooth(chain, with_known_states(Densities(log), known), np.array([0, 5]))
    assert_allclose(found.shares[[1, 3]], np.eye(3)[[2, 0]])
    possible = [(s, z) for s, z in enumerate_paths(*chain, log).paths if z[1] == 2 and z[3] == 0]
    assert_allclose(found.log_likelihood, np.logaddexp.reduce([s for s, _ in possible]), rtol=1e-13)
    assert (log == log).all()  # the caller's densities were not touched
