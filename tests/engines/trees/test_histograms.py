"""Trees grown on histograms against a slow grower, and packed trees against a walk by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference.trees import boosting

from novum import _core
from novum.engines.trees.bins import Bins, encode, words_shape
from novum.engines.trees.histograms import NODE, Grower, Growing, add_packed, as_bytes, pack
from novum.fold.blocks import Block

RNG = np.random.default_rng(0)
GROWING = Growing(1.0, 7, None, 3, 0.5, 1.0, np.zeros(5, np.int8), [], 0)


def coded(codes, missing):
    """Return bins under which integers are their own codes, and the packed words of a table of them."""
    d = codes.shape[1]
    edges = np.tile(np.arange(missing - 1) + 0.5, d)
    bins = Bins(edges, np.arange(d + 1) * (missing - 1), np.zeros(d, np.int32), missing)
    return bins, encode(bins, np.where(codes == missing, np.nan, codes.astype(float)))


def grown(codes, g, h, growing=GROWING, missing=12, threads=1):
    bins, words = coded(codes, missing)
    grower = Grower(_core.runtime.threads.Team(threads), words, bins, growing)
    pairs = np.column_stack([g, h]).astype(np.int32)
    return grower, grower.table(grower.grow(pairs, (1.0, 1.0), 0))


def problem(n=90, d=5, missing=12, gaps=0.1):
    codes = RNG.integers(0, missing, (n, d))
    codes[RNG.random(codes.shape) < gaps] = missing
    return codes, RNG.integers(-1000, 1000, n) + 400 * (codes[:, 0] > 5), RNG.integers(1, 900, n)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_leaves_are_those_of_the_definition(gaps):
    codes, g, h = problem(gaps=gaps)
    grower, (nodes, _) = grown(codes, g, h)
    raw = np.zeros(len(g))
    grower.native.add_values(raw)
    expected = boosting.leaves(codes, g.astype(float), h.astype(float), l2=0.5, least_rows=3, most_leaves=7, missing=12)
    assert nodes["is_leaf"].sum() == len(expected)
    for rows, value in expected:
        assert_allclose(raw[list(rows)], value, rtol=1e-12)


def test_threads_and_parts_change_no_bit():
    codes, g, h = problem(70_000, 5)
    growing = GROWING._replace(max_leaf_nodes=40)
    one, two = (grown(codes, g, h, growing, threads=threads)[1][0] for threads in (1, 3))
    assert_array_equal(one, two)


def test_sums_of_more_rows_than_a_buffer_holds_are_exact():
    n = 150_000
    codes = np.column_stack([np.zeros(n, int), np.arange(n) % 2])
    growing = GROWING._replace(monotone=np.zeros(2, np.int8), max_leaf_nodes=2)
    g, h = np.where(codes[:, 1], 2**30, -(2**30)), np.full(n, 2**30)
    _, (nodes, _) = grown(codes, g, h, growing, missing=2)
    assert nodes["feature_idx"][0] == 1 and list(nodes["count"]) == [n, n // 2, n // 2]
    assert_allclose(nodes["value"][1:], [1.0, -1.0], rtol=1e-9)


def test_limits_hold():
    codes, g, h = problem(400)
    _, (nodes, _) = grown(codes, g, h, GROWING._replace(max_depth=2, max_leaf_nodes=None))
    assert nodes["depth"].max() == 2
    _, (nodes, _) = grown(codes, g, h, GROWING._replace(min_samples_leaf=50, max_leaf_nodes=None))
    assert nodes["count"][nodes["is_leaf"] == 1].min() >= 50
    _, (nodes, _) = grown(codes, g, h, GROWING._replace(together=[[0, 1], [2, 3, 4]], max_leaf_nodes=None))

    def paths(at, seen):
        node = nodes[at]
        if node["is_leaf"]:
            yield seen
        else:
            for child in (node["left"], node["right"]):
                yield from paths(int(child), seen | {int(node["feature_idx"])})

    assert all(seen <= {0, 1} or seen <= {2, 3, 4} for seen in paths(0, set()))


def test_packed_trees_walk_as_the_table_says():
    codes, g, h = problem(300)
    tables = [grown(codes, np.roll(g, k), h, GROWING._replace(max_leaf_nodes=20))[1][0] for k in range(4)]
    root = np.concatenate([[0], np.cumsum([len(t) for t in tables])[:-1]]).astype(np.int64)
    packed = pack(np.concatenate(tables), root, np.empty((0, 8), np.uint32), 2)
    for dtype in (np.float32, np.float64):
        X = np.where(codes == 12, np.nan, codes).astype(dtype)
        out = add_packed(packed, Block(X), np.zeros((len(X), 2)))
        expected = np.zeros((len(X), 2))
        for t, nodes in enumerate(tables):
            for i, x in enumerate(X):
                at = 0
                while not nodes["is_leaf"][at]:
                    value = x[nodes["feature_idx"][at]]
                    left = (
                        bool(nodes["missing_go_to_left"][at])
                        if np.isnan(value)
                        else value <= nodes["num_threshold"][at]
                    )
                    at = nodes["left" if left else "right"][at]
                expected[i, t % 2] += nodes["value"][at]
        assert_array_equal(out, expected)
        leaf = np.empty((len(X), 4), np.int64)
        _core.trees.traversal.leaves(packed.nodes, packed.value, packed.sets, packed.root, X, leaf)
        for k in range(2):
            assert_array_equal(sum(packed.value[root[t] + leaf[:, t]] for t in (k, k + 2)), expected[:, k])


def test_hostile_arguments_are_refused():
    codes, _, _ = problem(20)
    bins, words = coded(codes, 12)
    team = _core.runtime.threads.Team(1)
    with pytest.raises(ValueError, match="codes up to that of a missing value"):
        Grower(team, words | np.uint32(0xFF), bins, GROWING)
    with pytest.raises(ValueError, match="sets of columns"):
        Grower(team, words, bins, GROWING._replace(together=[[9]]))
    grower = Grower(team, words, bins, GROWING)
    with pytest.raises(ValueError, match="a pair for every row"):
        grower.grow(np.zeros((3, 2), np.int32), (1.0, 1.0), 0)
    nodes = np.zeros(3, NODE)
    nodes["left"], nodes["right"] = 7, 8
    with pytest.raises(ValueError, match="children come after"):
        _core.trees.boosting.add_coded(team, as_bytes(nodes), np.empty((0, 8), np.uint32), words, 12, np.zeros(20))
    packed = pack(nodes, np.zeros(1, np.int64), np.empty((0, 8), np.uint32), 1)
    with pytest.raises(ValueError, match="no trees"):
        add_packed(packed, Block(np.zeros((2, 5))), np.zeros((2, 1)))
    assert words_shape(20, 5) == words.shape
