"""Codes of columns: edges, quantiles, missing values, samples that do not depend on blocks."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from novum import _core
from novum.engines.trees import bins as _bins
from novum.engines.trees.bins import Bins, edges_of, encode, learn_bins, merge_samples, sample_of
from novum.fold.blocks import Block
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime.random import Stream

RNG = np.random.default_rng(0)


def unpacked(words, d):
    return (
        words.view(np.uint8)
        .reshape(words.shape[0], words.shape[1], 4)
        .transpose(1, 0, 2)
        .reshape(words.shape[1], -1)[:, :d]
    )


def bins_of(X, max_bins=255, categories=None):
    source = MemorySource(ArrayTiles(X))
    counts = np.zeros(X.shape[1], np.int32) if categories is None else categories
    return learn_bins(source, Stream(0), max_bins, counts, rows=np.arange(len(X)), n_rows=len(X))


def test_few_values_are_cut_half_way():
    column = np.array([3.0, np.nan, 1.0, 1.0, 7.0])
    assert_array_equal(edges_of(column, None, 255), [2.0, 5.0])
    assert_array_equal(edges_of(column, np.array([1.0, 1, 1, 1, 0]), 255), [2.0])
    assert edges_of(np.array([np.nan, np.nan]), None, 255).size == 0
    assert edges_of(np.array([4.0, 4.0]), None, 255).size == 0


def test_quantiles_equal_numpy_and_weights_equal_repetition():
    column = RNG.normal(size=1000)
    levels = np.linspace(0, 100, 17)[1:-1]
    assert_array_equal(edges_of(column, None, 16), np.percentile(column, levels, method="averaged_inverted_cdf"))
    weight = RNG.integers(0, 4, 1000).astype(float)
    assert_array_equal(edges_of(column, weight, 16), edges_of(np.repeat(column, weight.astype(int)), None, 16))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n, d", [(1, 1), (7, 3), (2100, 4), (1500, 9)])
def test_codes_are_the_number_of_edges_below(n, d, dtype):
    X = RNG.normal(size=(n, d)).astype(dtype)
    X[RNG.random(X.shape) < 0.1] = np.nan
    bins = bins_of(X, 31)
    codes = unpacked(encode(bins, X), d)
    for j in range(d):
        edges = bins.edges[bins.start[j] : bins.start[j + 1]]
        expected = np.where(np.isnan(X[:, j]), bins.missing, np.searchsorted(edges, X[:, j].astype(float)))
        assert_array_equal(codes[:, j], expected)


def test_categories_keep_their_numbers_and_all_else_is_missing():
    X = np.array([[0.0], [2.0], [np.nan], [-1.0], [3.0], [99.0]])
    bins = bins_of(X, 255, np.array([3], np.int32))
    assert_array_equal(
        unpacked(encode(bins, X), 1)[:, 0], [0, 2, bins.missing, bins.missing, bins.missing, bins.missing]
    )


def test_a_sample_is_the_same_for_every_cut(monkeypatch):
    monkeypatch.setattr(_bins, "SAMPLE_ROWS", 300)
    X = RNG.normal(size=(2000, 2))
    whole = bins_of(X, 16)
    wanted = _bins.SampleRequest(Stream(0), 300, _bins.positive_rows)
    merge = merge_samples(300)
    for step in (170, 999):
        parts = [sample_of(wanted, Block(X[s : s + step], start=s)) for s in range(0, 2000, step)]
        total = parts[0]
        for part in parts[1:]:
            total = merge(total, part)
        [_], [rows], _ = _bins.smallest(total, 300)
        for j in range(2):
            edges = edges_of(rows[:, j], None, 16)
            assert_array_equal(edges, whole.edges[whole.start[j] : whole.start[j + 1]])


def test_hostile_arguments_are_refused():
    X, words = np.zeros((3, 2)), np.zeros((1, 3), np.uint32)
    good = Bins(np.zeros(2), np.array([0, 1, 2]), np.zeros(2, np.int32), 3)
    encode(good, X, words)
    for bad in (
        good._replace(start=np.array([0, 1, 9])),
        good._replace(start=np.array([0, 1])),
        good._replace(missing=0),
        good._replace(missing=1),
    ):
        with pytest.raises(ValueError, match="bins:"):
            encode(bad, X, words)
    with pytest.raises(ValueError, match="a word for every row"):
        encode(good, X, words, 1)
    assert _core.trees.bins.GROUP == 4
