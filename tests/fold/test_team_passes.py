"""Passes in one call give the bits of passes block by block, for any number of threads."""

import numpy as np
import pytest
from forking import fork_and_run, forks

from novum import _core
from novum.engines.gaussians import density
from novum.engines.gaussians.covariance import MixtureSums
from novum.engines.kmeans import bounds
from novum.engines.moments import second
from novum.fold.blocks import merge_tree
from novum.fold.homes.memory import ArrayTiles, FrameTiles, MemorySource
from novum.fold.homes.team import in_short_blocks, plain_rows
from novum.linear_model.logistic import sums as logistic
from novum.runtime.pool import inside, team_of

N, D = 5_003, 6
THREADS = (1, 2, 3, 5, 16)


@pytest.fixture(params=THREADS, ids=lambda threads: f"{threads} threads")
def threads(request):
    return request.param


def source_of(threads, dtype=np.float64, blocks=13, y=None):
    X = np.random.default_rng(0).normal(size=(N, D)).astype(dtype) + 3
    source = MemorySource(ArrayTiles(X), y, rows=lambda n, d: -(-n // blocks))
    source.threads = threads
    return source


def same(one, two):
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("blocks", [2, 7, 16, 31])
def test_products(threads, dtype, blocks):
    y = np.random.default_rng(1).normal(size=N)
    source, shift = source_of(threads, dtype, blocks, y), np.arange(D + 1.0)
    same(second.team_products(source, shift), source.total(second.products, shift))


@pytest.mark.parametrize("share", [1, 4])
@pytest.mark.parametrize("hessian", [False, True])
def test_logistic_sums(threads, hessian, share):
    y = np.random.default_rng(1).integers(0, 2, N)
    theta = np.random.default_rng(2).normal(size=(1, D + 1)) / 5
    one, two = source_of(threads, y=y), source_of(threads, y=y)
    point = logistic.Point(theta, 1.0, None, hessian, 3, share)
    same(logistic.evaluate_all(one, point), two.total(logistic.evaluate, point))
    for a, b in zip(one.memories, two.memories, strict=True):
        assert a["curvature"][0] == b["curvature"][0]
        assert np.array_equal(a["curvature"][1], b["curvature"][1])


def test_codes_beyond_two_classes_are_refused_by_whichever_thread_meets_them(threads):
    y = np.zeros(N, np.int64)
    y[-1] = 2
    with pytest.raises(ValueError, match="codes"):
        logistic.evaluate_all(source_of(threads, y=y), logistic.Point(np.zeros((1, D + 1)), 1.0, None))


@pytest.mark.parametrize("form", ["full", "diag"])
def test_mixture_sums(threads, form):
    rng = np.random.default_rng(3)
    k = 3
    mean = 3 + rng.normal(size=(k, D))
    factor = np.tile(np.eye(D), (k, 1, 1)) if form == "full" else np.ones((k, D))
    made = density.density_of(form, np.log(np.full(k, 1 / k)), mean, factor, factor, mean.mean(axis=0))
    source = source_of(threads)
    assert density.pass_of_all(made, source) is None  # whether rows are complete is not known yet
    by_blocks = source.total(density.pass_of, made)
    found = density.pass_of_all(made, source)
    assert isinstance(found, MixtureSums)
    for name in ("mass", "first", "second", "log_likelihood", "information", "weight"):
        assert np.array_equal(getattr(found, name), getattr(by_blocks, name)), name


def test_cluster_sums(threads):
    centers = 3 + np.random.default_rng(4).normal(size=(5, D))
    one, two = source_of(threads), source_of(threads)
    for number in range(3):  # later passes write over the labels of earlier ones
        params = bounds.Lloyd(centers + number, 0, number, None)
        same(bounds.pass_of_all(one, params), two.total(bounds.guided_pass, params))
        for a, b in zip(range(len(one.bounds)), range(len(two.bounds)), strict=True):
            found = bounds.known_labels(params, one.block(a))
            assert np.array_equal(found, bounds.known_labels(params, two.block(b)))


def test_only_plain_rows_go_in_one_call():
    X = np.random.default_rng(0).normal(size=(N, D))
    halves = {"rows": lambda n, d: -(-n // 2)}
    assert plain_rows(MemorySource(ArrayTiles(X), **halves), 1).step == 2502
    assert plain_rows(MemorySource(ArrayTiles(X)), 1) is None  # one block
    assert plain_rows(MemorySource(ArrayTiles(np.asfortranarray(X)), **halves), 1) is None
    assert plain_rows(MemorySource(ArrayTiles(X.astype(np.int64)), **halves), 1) is None
    assert plain_rows(MemorySource(FrameTiles(list(X.T)), **halves), 1) is None
    assert plain_rows(MemorySource(ArrayTiles(X), None, np.ones(N), **halves), 1) is None
    assert plain_rows(MemorySource(ArrayTiles(X), **halves), 2**30) is None  # sums too long to be held for every block
    assert inside(lambda _: plain_rows(MemorySource(ArrayTiles(X), **halves), 1), None) is None


def test_short_blocks_are_never_longer_and_do_not_depend_on_threads():
    X = np.zeros((1 << 17, 8))
    made = [MemorySource(ArrayTiles(X)) for _ in THREADS]
    for source, count in zip(made, THREADS, strict=True):
        source.threads = count
    bounds_of = [in_short_blocks(source).bounds for source in made]
    assert all(found == bounds_of[0] for found in bounds_of)
    assert len(bounds_of[0]) == 8
    fine = MemorySource(ArrayTiles(X), rows=lambda n, d: 1000)
    assert len(in_short_blocks(fine).bounds) == len(fine.bounds)


def test_the_tree_of_a_call_is_that_of_the_fold():
    X = np.ldexp(np.random.default_rng(5).normal(size=(37, 1)), np.arange(37)[:, None] % 30)
    parts = [np.array([[x[0] * x[0], x[0]], [x[0], 1.0]]) for x in X]
    out = np.empty((2, 2))
    with team_of(3) as team:
        _core.moments.design.shifted_gram_blocks(team, 1, X, np.empty((37, 0)), np.zeros(1), out)
    assert np.array_equal(out, merge_tree(iter(parts), lambda a, b: a + b))


def test_a_team_is_lent_to_one_at_a_time_and_kept():
    with team_of(2) as one, team_of(2) as two:
        assert one is not two
        assert (one.size, two.size) == (2, 2)
    with team_of(2) as again:
        assert again in (one, two)


@forks
def test_a_child_makes_its_own_team():
    with team_of(2):
        pass

    def child():
        with team_of(2) as team:
            assert team.size == 1  # threads of a parent do not exist, and none are started

    assert fork_and_run(child) == 0
