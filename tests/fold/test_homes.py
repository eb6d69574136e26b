"""What homes can do, so that learners need not know which they are."""

import numpy as np
import pytest
import scipy.sparse

import novum
from novum.base.validation import home_of, open_source, read_in_passes, rows_at_hand
from novum.cluster import KMeans
from novum.exceptions import DataError
from novum.fold import MemorySource
from novum.fold.homes.memory import ArrayTiles, FrameTiles, SparseTiles
from novum.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))


@pytest.fixture
def scan(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    return novum.scan(tmp_path / "rows.npy")


def test_memory_is_at_hand_and_gives_its_rows_in_any_form():
    y, weight = np.arange(60.0), np.ones(60)
    source = MemorySource(ArrayTiles(np.asfortranarray(X)), y, weight)
    assert source.at_hand and source.lists_rows and not source.rereads
    assert source.in_memory("nobody needs") is source
    assert source.array().flags.c_contiguous and (source.array() == X).all()
    assert source.matrix().flags.f_contiguous and (source.matrix() == X).all()
    frame = MemorySource(FrameTiles([np.ascontiguousarray(column) for column in X.T]))
    assert (frame.matrix() == X).all() and (frame.columns(slice(1, 3), np.array([4, 7])) == X[[4, 7], 1:].T).all()
    sparse = MemorySource(SparseTiles(scipy.sparse.csc_array(X)))
    assert sparse.matrix().format == "csc" and sparse.array().format == "csr" and (sparse.array().toarray() == X).all()
    assert (source.some_rows(np.array([3, 59])) == X[[3, 59]]).all()
    halves = source.cut(lambda n, d: n // 2)
    assert halves.bounds == [(0, 30), (30, 60)] and source.bounds == [(0, 60)]
    other = source.with_weight(2 * weight)
    assert (other.weight == 2).all() and (source.weight == 1).all() and other.y is y


def test_files_say_why_their_rows_are_not_at_hand(scan):
    assert not scan.at_hand and not scan.lists_rows and scan.rereads and scan.cut(lambda n, d: 1) is scan
    assert scan.host() is scan and scan.check_results(np.array([np.nan])) is scan
    with pytest.raises(
        DataError, match="Sorter sorts whole columns, so X must be in memory, not in a file; take a sample"
    ):
        scan.array("Sorter sorts whole columns", "take a sample")
    with pytest.raises(DataError, match="not in a file; give a sample of the rows"):
        scan.in_memory("Sorter sorts whole columns")
    with pytest.raises(DataError, match="not in a file"):
        rows_at_hand(KMeans(), scan, "KMeans")
    assert home_of(scan) == "file" and read_in_passes(scan) and not read_in_passes(X) and home_of([[1.0]]) == "memory"


@pytest.mark.deep
def test_dask_and_tensors_answer_for_themselves():
    da, torch = pytest.importorskip("dask.array"), pytest.importorskip("torch")
    tensor = torch.from_numpy(X)
    assert home_of(da.from_array(X)) == "dask" and home_of(tensor) == "tensor" and not read_in_passes(tensor)
    source = open_source(LinearRegression(), tensor, torch.arange(60.0), target="numeric")
    assert source.lists_rows and not source.at_hand
    host = source.host()
    assert host.at_hand and np.shares_memory(host.array(), X) and (host.y == np.arange(60.0)).all()
    assert rows_at_hand(LinearRegression(), tensor, "nobody") is not tensor


def test_a_check_that_was_put_off_is_made_of_a_source_with_another_target():
    bad = X.copy()
    bad[7, 1] = np.nan
    source = open_source(LinearRegression(), bad, np.arange(60.0), target="numeric", defer=True)
    for other in (source, source.map_target(lambda y: y > 3), source.with_weight(np.ones(60))):
        assert other.check_results(np.zeros(3)) is other
        with pytest.raises(ValueError, match="contains NaN"):
            other.check_results(np.array([np.nan]))
