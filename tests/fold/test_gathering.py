"""All rows of any home at once: read in their order, and refused before one is read where they do not fit."""

import numpy as np
import pytest
from scanfiles import table, write

import novum
from novum.exceptions import DataError
from novum.fold.gathering import all_rows
from novum.fold.homes.files import Scan
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.linear_model import LinearRegression
from novum.neighbors import KNeighborsRegressor
from novum.runtime import room

FEATURES = ["x0", "x1", "x2", "x3"]


def opened(path, **options):
    data = novum.scan(path, FEATURES, "y", "w", batch_rows=100, **options)
    return data.opened_by(LinearRegression(), target="numeric", weighted=True, n_jobs=1)


@pytest.mark.parametrize("ending", ["parquet", "csv"])  # of CSV the rows are not known beforehand
def test_rows_of_files_come_in_their_order(tmp_path, ending):
    frame = table()
    found = all_rows(opened(write(frame, tmp_path / f"rows.{ending}")), "X")
    np.testing.assert_array_equal(found.X, frame[FEATURES].to_numpy())
    np.testing.assert_array_equal(found.y, frame["y"])
    np.testing.assert_array_equal(found.weight, frame["w"])
    assert found.X.flags.c_contiguous and found.X.flags.writeable


def test_rows_in_memory_are_those():
    X, y = np.arange(6.0).reshape(3, 2), np.arange(3.0)
    found = all_rows(MemorySource(ArrayTiles(X), y), "X")
    assert np.shares_memory(found.X, X) and found.y is y and found.weight is None


def test_rows_that_do_not_fit_are_refused_unread(tmp_path, monkeypatch):
    data = novum.scan(write(table(), tmp_path / "rows.parquet"), FEATURES, "y", batch_rows=100)
    size = len(data) * 4 * 8

    def read(*_):
        raise AssertionError("a row was read")

    monkeypatch.setattr(room, "memory_left", lambda: size - 1)
    with monkeypatch.context() as patch:
        patch.setattr(Scan, "_block", read)
        with pytest.raises(
            DataError,
            match=rf"KNeighborsRegressor keeps all rows in memory: {len(data):,} rows of 4 columns take .* GB, and .* GB are free"
            r"\. Give a sample of the rows\.",
        ):
            KNeighborsRegressor().fit(data)
    monkeypatch.setattr(room, "memory_left", lambda: size)
    assert KNeighborsRegressor().fit(data).n_samples_fit_ == len(data)


def test_weights_of_zero_are_no_rows(tmp_path):
    path = write(table().assign(w=0.0), tmp_path / "rows.csv")
    with pytest.raises(DataError, match=r"at least one non-zero number\. All given to Nearest are zero"):
        all_rows(opened(path), "Nearest")
