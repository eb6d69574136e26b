"""The engine itself: the merge tree, the cut, passes and threads."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novum import _core
from novum.fold import Block, MemorySource, block_rows, fold, merge_tree
from novum.fold.homes.memory import ArrayTiles, FrameTiles, SparseTiles

RNG = np.random.default_rng(0)


class Total(NamedTuple):
    value: np.ndarray
    rows: int


def sums(params, block: Block) -> Total:
    return Total(params * block.X.sum(axis=0), block.rows)


def shape(n):
    """Return the merge tree of n leaves as nested pairs."""
    return merge_tree(iter(range(n)), lambda a, b: (a, b))


def test_tree_is_balanced_and_fixed_by_the_number_of_leaves():
    assert shape(1) == 0
    assert shape(4) == ((0, 1), (2, 3))
    assert shape(7) == (((0, 1), (2, 3)), ((4, 5), 6))
    with pytest.raises(ValueError, match="no blocks"):
        merge_tree(iter(()))


@given(st.integers(1, 80), st.sampled_from([2, 4, 8]))
def test_groups_merged_apart_give_the_same_tree(n, group):
    def pair(a, b):
        return (a, b)

    parts = [merge_tree(iter(range(i, min(i + group, n))), pair) for i in range(0, n, group)]
    assert merge_tree(iter(parts), pair) == shape(n)


@given(st.integers(1, 10**7), st.integers(1, 3000))
def test_cut_is_bounded(n, d):
    rows = block_rows(n, d)
    assert 1 <= rows <= n
    assert -(-n // rows) <= 256
    assert rows >= min(n, 2 * d) or rows == n or n // rows <= 256


@pytest.mark.parametrize("n", [1, 999, 300_000])
@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_memory_totals_are_the_same_bits_for_any_threads(n, n_jobs):
    X = np.random.default_rng(n).normal(size=(n, 3))
    one = MemorySource(ArrayTiles(X), n_jobs=1).total(sums, 2.0)
    many = MemorySource(ArrayTiles(X), n_jobs=n_jobs).total(sums, 2.0)
    assert np.array_equal(one.value, many.value) and many.rows == n
    np.testing.assert_allclose(one.value, 2 * X.sum(axis=0), rtol=1e-10, atol=1e-9)


def test_rows_come_back_in_order():
    X = np.arange(600_000.0).reshape(-1, 2)
    out = MemorySource(ArrayTiles(X), n_jobs=3).rows(lambda _, block: block.X[:, 0] + block.start)
    source = MemorySource(ArrayTiles(X))
    starts = np.concatenate([np.full(stop - start, start) for start, stop in source.bounds])
    assert np.array_equal(out, X[:, 0] + starts)


def test_tiles_of_all_layouts_agree():
    import scipy.sparse

    X = RNG.normal(size=(50, 4))
    base = ArrayTiles(X).tile(7, 31)
    assert base.base is not None  # a view: a C-contiguous float array is never copied
    for tiles in (
        ArrayTiles(np.asfortranarray(X)),
        ArrayTiles(X[:, ::-1][:, ::-1]),
        FrameTiles([X[:, j] for j in range(4)]),
    ):
        tile = tiles.tile(7, 31)
        assert tile.flags.c_contiguous and np.array_equal(tile, base)
    assert np.array_equal(SparseTiles(scipy.sparse.csr_array(X)).tile(7, 31).toarray(), base)
    mixed = FrameTiles([X[:, 0].astype(np.float32), np.arange(50)])
    assert mixed.dtype == np.float64 and mixed.tile(0, 2).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_finite_kernel(dtype, bad):
    for n in (1, 15, 16, 17, 1000):
        values = np.full(n, np.finfo(dtype).max, dtype)  # a plain sum would overflow
        assert _core.runtime.tiles.all_finite(values)
        for position in {0, n // 2, n - 1}:
            spoiled = values.copy()
            spoiled[position] = bad
            assert not _core.runtime.tiles.all_finite(spoiled)


def test_kernels_refuse_silent_copies_and_wrong_shapes():
    with pytest.raises(TypeError):
        _core.runtime.tiles.all_finite(np.arange(3))
    with pytest.raises(ValueError, match="one column of `out` per column"):
        _core.runtime.tiles.pack_columns([np.zeros(3)], np.zeros((3, 2)))
    with pytest.raises(ValueError, match="unequal length"):
        _core.runtime.tiles.pack_columns([np.zeros(3), np.zeros(4)], np.zeros((3, 2)))


def test_private_memory_lasts_between_passes():
    source = MemorySource(ArrayTiles(RNG.normal(size=(400_000, 2))), n_jobs=2)

    def visits(_, block):
        block.memory["n"] = block.memory.get("n", 0) + 1
        return Total(np.array(block.memory["n"]), block.rows)

    passes = [int(source.total(visits).value) for _ in range(3)]
    assert passes == [len(source.bounds) * k for k in (1, 2, 3)]


def test_fold_repeats_until_converged_and_reports():
    X = RNG.normal(size=(1000, 1)) + 4
    seen = []

    def deviation(mean, block):
        return Total((block.X - mean).sum(axis=0), block.rows)

    result = fold(
        0.0,
        deviation,
        lambda mean, total: mean + 0.5 * float(total.value[0]) / total.rows,
        MemorySource(ArrayTiles(X)),
        objective=lambda total: abs(float(total.value[0])),
        converged=lambda before, after, history: abs(after - before) < 1e-12,
        max_iter=100,
        report=lambda n_iter, objective, params: seen.append(n_iter),
    )
    assert result.converged and abs(result.params - X.mean()) < 1e-10
    assert seen == list(range(1, result.n_iter + 1)) and len(result.history) == result.n_iter
    assert np.all(np.diff(result.history) <= 0)
    short = fold(
        0.0,
        deviation,
        lambda m, t: m + 1.0,
        MemorySource(ArrayTiles(X)),
        objective=lambda t: 0.0,
        converged=lambda *_: False,
        max_iter=3,
    )
    assert not short.converged and short.n_iter == 3
