import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import runtime as philox
from scipy import special, stats

from novum import _core
from novum.exceptions import ParameterError
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream, purpose_code, seed_of

ONES = 0xFFFFFFFF
KNOWN_ANSWERS = [  # Random123, examples/kat_vectors, philox4x32 with 10 rounds
    ([0] * 4, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([ONES] * 4, ONES << 32 | ONES, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        0x299F31D0 << 32 | 0xA4093822,
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
SEED, PURPOSE = 2**63 + 12345, purpose_code("test")
DRAWS = ["uniform", "normal", "exponential"]
N = 100_000


# ---------------------------------------------------------------------------------------------------- the numbers


@pytest.mark.parametrize("counter, key, words", KNOWN_ANSWERS)
def test_known_answers(counter, key, words):
    assert philox.philox(counter, key) == words
    assert _core.runtime.random.philox(counter, key) == words


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 130])
@pytest.mark.parametrize("start", [0, 5, 2**32 - 3, 2**44 - 5])
def test_bits_are_those_of_the_reference(columns, start):
    out = np.empty((5, columns), np.uint64)
    _core.runtime.random.bits(SEED, PURPOSE, 9, start, out)
    expected = [[philox.bits(SEED, PURPOSE, 9, start + i, j) for j in range(columns)] for i in range(5)]
    assert out.tolist() == expected


def test_draws_are_those_of_the_reference():
    rows = range(3, 73)  # more than one vector of lanes
    stream = Stream(SEED)
    for name in DRAWS:
        got = getattr(stream, name)("test", 4, rows, 5)
        expected = philox.table(getattr(philox, name), SEED, PURPOSE, 4, rows, 5)
        np.testing.assert_allclose(got, expected, rtol=0 if name == "uniform" else 2e-15)
    np.testing.assert_array_equal(
        stream.integers("test", 4, rows, 10**12 + 7, 5),
        philox.table(philox.below, SEED, PURPOSE, 4, rows, 5, 10**12 + 7),
    )
    np.testing.assert_array_equal(stream.permutation("test", 4, 50), philox.permutation(SEED, PURPOSE, 4, 50))


@given(
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**44 - 1),
    st.integers(1, 2**63),
)
@settings(max_examples=50, deadline=None)
def test_any_address_is_that_of_the_reference(seed, purpose, iteration, row, n):
    bits, below = np.empty(1, np.uint64), np.empty(1, np.int64)
    _core.runtime.random.bits(seed, purpose, iteration, row, bits)
    _core.runtime.random.below(seed, purpose, iteration, row, n, below)
    expected = philox.bits(seed, purpose, iteration, row)
    assert int(bits[0]) == expected
    assert int(below[0]) == philox.below(expected, n)


def test_normal_is_the_quantile_of_the_open_uniform():
    bits, z = np.empty(N, np.uint64), np.empty(N)
    _core.runtime.random.bits(1, 2, 3, 0, bits)
    _core.runtime.random.normal(1, 2, 3, 0, z)
    u = ((bits >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52
    np.testing.assert_allclose(z, np.where(u < 0.5, special.ndtri(u), -special.ndtri(1 - u)), rtol=2e-15, atol=1e-16)


def test_quantile_in_all_three_of_its_regions():
    """The smallest open uniform is 2^-53; `ndtri` is accurate in the lower tail, so the upper one is mirrored (1 -
    p is exact there).
    """
    p = np.concatenate([2.0 ** -np.arange(1, 54), np.linspace(1e-5, 0.5, 500), np.geomspace(2.0**-53, 1e-9, 200)])
    z = np.array([_core.runtime.random.normal_quantile(x) for x in p])
    np.testing.assert_allclose(z, special.ndtri(p), rtol=3e-15, atol=1e-16)
    exact = 2.0 ** -np.arange(1, 53)
    np.testing.assert_array_equal(
        [_core.runtime.random.normal_quantile(1 - x) for x in exact],
        [-_core.runtime.random.normal_quantile(x) for x in exact],
    )


# ------------------------- independence of blocks, threads, dtype


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("columns", [None, 1, 4, 5])
def test_rows_are_a_slice_of_all_rows(name, columns):
    draw = getattr(Stream(3), name)
    whole = draw("blocks", 1, 300, columns)
    for start, stop in [(0, 300), (0, 1), (63, 65), (17, 17), (100, 299)]:
        np.testing.assert_array_equal(draw("blocks", 1, range(start, stop), columns), whole[start:stop])
        np.testing.assert_array_equal(draw("blocks", 1, slice(start, stop), columns), whole[start:stop])


def test_columns_are_a_slice_of_all_columns():
    stream = Stream(3)
    wide = stream.normal("blocks", 1, 40, 9)
    for columns in (1, 2, 6):
        np.testing.assert_array_equal(stream.normal("blocks", 1, 40, columns), wide[:, :columns])
    np.testing.assert_array_equal(stream.normal("blocks", 1, 40), wide[:, 0])


def test_threads_make_the_same_numbers():
    stream = Stream(3)
    parts = map_ordered(lambda start: stream.normal("threads", 0, range(start, start + 1000)), range(0, N, 1000), 4)
    np.testing.assert_array_equal(np.concatenate(list(parts)), stream.normal("threads", 0, N))


def test_float32_is_float64_with_fewer_bits():
    stream = Stream(3)
    single = stream.uniform("dtype", 0, N, dtype=np.float32)
    double = stream.uniform("dtype", 0, N)
    assert single.dtype == np.float32 and double.dtype == np.float64
    np.testing.assert_array_equal(single.astype(float), np.floor(double * 2**24) / 2**24)
    assert single.max() < 1
    for name in ("normal", "exponential"):
        draw = getattr(stream, name)
        np.testing.assert_array_equal(draw("dtype", 0, N, dtype=np.float32), draw("dtype", 0, N).astype(np.float32))
    with pytest.raises(TypeError):
        stream.uniform("dtype", 0, 3, dtype=np.int64)


# ---------------------------------------------------------------------------------------------------- distributions


@pytest.mark.parametrize(
    "name, distribution", [("uniform", stats.uniform()), ("normal", stats.norm()), ("exponential", stats.expon())]
)
def test_draws_have_their_distribution(name, distribution):
    x = getattr(Stream(11), name)("law", 0, N)
    assert stats.kstest(x, distribution.cdf).pvalue > 1e-3
    assert abs(x.mean() - distribution.mean()) < 4 * distribution.std() / np.sqrt(N)
    np.testing.assert_allclose(x.var(), distribution.var(), rtol=0.03)
    np.testing.assert_allclose(stats.skew(x), distribution.stats("s"), atol=0.1)


@pytest.mark.parametrize("high", [1, 2, 7, 1000])
def test_integers_are_uniform(high):
    counts = np.bincount(Stream(11).integers("law", 1, N, high), minlength=high)
    assert len(counts) == high
    assert high == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_addresses_are_uncorrelated():
    """Seeds, purposes, iterations, columns and neighbouring rows, every pair."""
    draws = np.column_stack(
        [
            *(Stream(seed).uniform("a", 0, N) for seed in (0, 1, 2)),
            *(Stream(0).uniform(purpose, 0, N) for purpose in ("b", "c")),
            *(Stream(0).uniform("a", iteration, N) for iteration in (1, 2)),
            Stream(0).uniform("a", 0, N, 4)[:, 1:],
            Stream(0).uniform("a", 0, range(1, N + 1)),
        ]
    )
    correlation = np.corrcoef(draws.T) - np.eye(draws.shape[1])
    assert np.abs(correlation).max() < 4.5 / np.sqrt(N)


def test_permutations_are_uniform():
    stream = Stream(5)
    seen = [tuple(stream.permutation("order", k, 4)) for k in range(24 * 200)]
    counts = np.array([seen.count(order) for order in set(seen)])
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-3
    assert sorted(stream.permutation("order", 0, 1000)) == list(range(1000))
    assert stream.permutation("order", 0, 0).shape == (0,)


# ---------------------------------------------------------------------------------------------------- sampling


def test_weighted_sample_has_the_probabilities_of_drawing_in_turn():
    """P(first two are i, j) = w_i / W * w_j / (W - w_i), for every ordered pair."""
    weight = np.array([1.0, 2.0, 0.0, 4.0])
    stream, trials = Stream(2), 20_000
    pairs = np.array([stream.choice("sample", k, 4, 2, weight) for k in range(trials)])
    assert 2 not in pairs
    total, observed, expected = weight.sum(), [], []
    for i in (0, 1, 3):
        for j in {0, 1, 3} - {i}:
            observed.append(np.sum((pairs == [i, j]).all(axis=1)))
            expected.append(trials * weight[i] / total * weight[j] / (total - weight[i]))
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_samples_of_blocks_merge_to_the_sample_of_all():
    stream, weight = Stream(2), np.random.default_rng(0).uniform(0, 3, 1000)
    whole = stream.choice("sample", 0, 1000, 10, weight)
    parts = [slice(start, start + 250) for start in range(0, 1000, 250)]
    drawn = np.concatenate([stream.choice("sample", 0, part, 10, weight[part]) for part in parts])
    keys = np.concatenate([stream.keys("sample", 0, part, weight[part]) for part in parts])
    np.testing.assert_array_equal(drawn[np.argsort(keys[drawn])][:10], whole)
    assert len(set(whole)) == 10


def test_sample_sizes():
    stream = Stream(2)
    assert sorted(stream.choice("sample", 0, 5, 5)) == [0, 1, 2, 3, 4]
    assert stream.choice("sample", 0, 5, 0).shape == (0,)
    with pytest.raises(ParameterError, match="only 2 of 3 rows have a positive weight"):
        stream.choice("sample", 0, 3, 3, np.array([1.0, 0.0, 1.0]))


def test_sample_with_replacement():
    weight = np.array([0.0, 1.0, 3.0, 0.0])
    counts = np.bincount(Stream(2).choice_with_replacement("sample", 0, N, weight), minlength=4)
    assert counts[0] == counts[3] == 0
    assert stats.chisquare(counts[1:3], [N / 4, 3 * N / 4]).pvalue > 1e-3
    with pytest.raises(ParameterError, match="positive, finite sum"):
        Stream(2).choice_with_replacement("sample", 0, 3, np.zeros(2))


# ---------------------------------------------------------------------------------------------------- seeds and errors


def test_seeds():
    assert seed_of(42) == seed_of(np.int32(42)) == 42
    assert seed_of(None) != seed_of(None)
    np.random.seed(3)  # noqa: NPY002 - what users type
    first = seed_of(None), seed_of(None)
    np.random.seed(3)  # noqa: NPY002 - what users type
    assert first == (seed_of(None), seed_of(None))
    assert seed_of(2**70) == seed_of(2**70) < 2**64
    sequence = np.random.SeedSequence(1)
    assert seed_of(sequence) == seed_of(sequence) == seed_of(np.random.SeedSequence(1))
    for make in (np.random.default_rng, np.random.RandomState):
        state = make(1)
        first, second = seed_of(state), seed_of(state)
        assert first != second
        assert first == seed_of(make(1))
    np.random.seed(3)  # noqa: NPY002  the module itself stands for its global state, as in scikit-learn
    first = seed_of(np.random)
    np.random.seed(3)  # noqa: NPY002
    assert first == seed_of(np.random)


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True, [1, 2]])
def test_bad_seeds_are_refused(bad):
    with pytest.raises(
        ParameterError, match=r"cannot be used to seed a numpy.random.RandomState instance: give random_state"
    ):
        seed_of(bad)


def test_purposes_are_stable():
    """Fitted models of earlier releases must be reproducible: these codes never change."""
    assert purpose_code("init") == 147841381
    assert len({purpose_code(word) for word in ("init", "bootstrap", "split", "noise", "batch")}) == 5


def test_bad_rows_are_refused():
    stream = Stream(0)
    for rows in (range(0, 10, 2), range(-1, 3), slice(None, 4), slice(0, 8, 2)):
        with pytest.raises(ParameterError, match="rows="):
            stream.uniform("rows", 0, rows)
    with pytest.raises(ParameterError, match="high must be at least 1"):
        stream.integers("rows", 0, 3, 0)
    with pytest.raises(ValueError, match="at most 2\\^44 rows"):
        stream.uniform("rows", 0, range(2**44 - 1, 2**44 + 1))
    with pytest.raises(ValueError, match="at most 2\\^21 columns"):
        stream.uniform("rows", 0, 0, 2**21 + 1)
