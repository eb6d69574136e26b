"""Rows that are kept from pass to pass: decoded once, never different, never beyond the budgets, and gone after the fit."""

import os

import numpy as np
import pytest
from scanfiles import table, write
from sklearn.preprocessing import StandardScaler

import novum
from novum.cluster import KMeans
from novum.decomposition import PCA
from novum.exceptions import DataError, SourceError
from novum.fold.homes.files import Scan
from novum.fold.readers.csv import CsvFile
from novum.fold.readers.npy import NpyFile
from novum.fold.readers.parquet import ParquetFile
from novum.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from novum.mixture import GaussianMixture
from novum.naive_bayes import GaussianNB
from novum.runtime.room import budget, disk_budget

FEATURES = ["x0", "x1", "x2", "x3"]
PLACES = {
    "memory": {},
    "disk": {"NOVUM_CACHE_MEMORY": "0"},
    "some of both": {"NOVUM_CACHE_MEMORY": "9000", "NOVUM_CACHE_DISK": "6000"},
    "nowhere": {"NOVUM_CACHE_MEMORY": "0", "NOVUM_CACHE_DISK": "0"},
}


@pytest.fixture
def frame():
    return table()


@pytest.fixture(params=PLACES)
def place(request, monkeypatch):
    """Where decoded rows are kept; both budgets are as before in the end."""
    held = budget.held, disk_budget.held
    for name, value in PLACES[request.param].items():
        monkeypatch.setenv(name, value)
    yield request.param
    assert (budget.held, disk_budget.held) == held


@pytest.fixture
def decoded(monkeypatch):
    """The rows from which every pass over a file has read, by format."""
    seen = []
    for kind in (ParquetFile, CsvFile, NpyFile):

        def read(self, keys, rows, threads, start=0, original=kind.pieces):
            seen.append(start)
            return original(self, keys, rows, threads, start)

        monkeypatch.setattr(kind, "pieces", read)
    return seen


def passes(data, count, weighted=True):
    """Return what `count` passes of an opened scan see, blocks in order."""
    source = data.opened_by(LinearRegression(), target="numeric", weighted=weighted, n_jobs=1)
    out = []
    for _ in range(count):
        seen = []
        source.total(lambda _, block, seen=seen: seen.append(block) or (), None, lambda a, b: a)
        out.append(seen)
    return out


@pytest.mark.parametrize("ending", ["parquet", "csv", "feather"])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_pass_sees_the_same_rows(tmp_path, frame, place, ending, threads):
    write(frame.iloc[:500], tmp_path / f"part-0.{ending}", rows=90)
    write(frame.iloc[500:], tmp_path / f"part-1.{ending}", rows=90)
    data = novum.scan(str(tmp_path / f"part-*.{ending}"), FEATURES, "y", "w", batch_rows=128)
    source = data.opened_by(LinearRegression(), target="numeric", weighted=True, n_jobs=threads)
    for _ in range(5):
        blocks = list(source.each())
        assert [block.start for block in blocks] == list(range(0, len(frame), 128))
        np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), frame[FEATURES].to_numpy())
        np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), frame["y"].to_numpy())
        np.testing.assert_array_equal(np.concatenate([block.weight for block in blocks]), frame["w"].to_numpy())
    np.testing.assert_array_equal(source.first().X, frame[FEATURES].to_numpy()[:128])
    assert np.concatenate([block.y for block in source.without_features().each()]).tolist() == frame["y"].tolist()
    doubled = source.map_target(lambda y: 2 * y)
    assert np.concatenate([block.y for block in doubled.each()]).tolist() == (2 * frame["y"]).tolist()


def test_files_are_decoded_once_into_memory_and_twice_for_the_disk(tmp_path, frame, decoded, monkeypatch):
    path = write(frame, tmp_path / "rows.parquet", rows=100)
    data = novum.scan(path, FEATURES, "y", batch_rows=128)
    passes(data, 6)
    assert decoded == [0]
    decoded.clear()
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    passes(data, 6)
    assert decoded == [0, 0]
    decoded.clear()
    monkeypatch.setenv("NOVUM_CACHE_DISK", "0")
    passes(data, 6)
    assert decoded == [0] * 6


def test_what_has_no_room_is_decoded_from_its_row_group_on(tmp_path, frame, decoded, monkeypatch):
    """Three blocks of 128 rows, each 4 + 1 numbers, find room; the fourth begins in the row group of row 300."""
    path = write(frame, tmp_path / "rows.parquet", rows=100)
    data = novum.scan(path, FEATURES, "y", batch_rows=128)
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", f"{budget.held + 3 * 128 * 5 * 8}")
    monkeypatch.setenv("NOVUM_CACHE_DISK", "0")
    reads = []
    original = ParquetFile._read_from

    def read(self, start, keys, rows, threads):
        for piece in original(self, start, keys, rows, threads):
            reads.append(piece.start)
            yield piece

    monkeypatch.setattr(ParquetFile, "_read_from", read)
    passes(data, 3)
    assert decoded == [0, 384, 384]
    assert reads.count(0) == 1 and min(start for start in reads if start) <= 384 and reads.count(300) == 2


def test_arrays_are_read_as_they_lie(tmp_path, decoded):
    """The system keeps .npy files at hand, so nothing is kept; behind a transformer it is."""
    X = np.random.default_rng(0).normal(size=(500, 3))
    np.save(tmp_path / "x.npy", X)
    data = novum.scan(tmp_path / "x.npy", target=2, batch_rows=100)
    passes(data, 3)
    assert decoded == [0, 0, 0]
    decoded.clear()
    scaled = data.through(StandardScaler().fit(X[:, :2]))
    decoded.clear()
    passes(scaled, 3)
    assert decoded == [0]


@pytest.mark.parametrize(
    "model, target",
    [
        (LinearRegression(), "y"),
        (LogisticRegression(max_iter=20), "label"),
        (SGDClassifier(max_iter=3, tol=None, random_state=0), "label"),
        (GaussianNB(), "label"),
        (KMeans(3, n_init=2, random_state=0, max_iter=5), None),
        (GaussianMixture(2, random_state=0, max_iter=5, tol=0), None),
        (PCA(2), None),
    ],
    ids=lambda value: type(value).__name__ if value is not None and not isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_learners_do_not_notice(tmp_path, frame, monkeypatch, model, target):
    """The same bits wherever rows are kept, and nothing is held when the fit is over, or has failed."""
    frame["label"] = np.where(frame["y"] > frame["y"].median(), "high", "low")
    path = write(frame, tmp_path / "rows.parquet", rows=100)
    held, states = (budget.held, disk_budget.held), []
    for place in PLACES.values():
        with monkeypatch.context() as patch:
            for name, value in place.items():
                patch.setenv(name, value)
            data = novum.scan(path, FEATURES, target, batch_rows=128)
            fitted = type(model)(**model.get_params()).fit(data)
            states.append({name: value for name, value in vars(fitted).items() if name.endswith("_")})
            assert (budget.held, disk_budget.held) == held
    for state in states[1:]:
        for name, value in states[0].items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(state[name], value, err_msg=name)


def test_what_was_checked_decides_what_is_kept(tmp_path, frame):
    """A fit that takes gaps leaves nothing that a fit that takes none would find."""
    frame.loc[7, "x1"] = np.nan
    data = novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "y", batch_rows=128)
    source = data.opened_by(LinearRegression(), target="numeric", weighted=False, n_jobs=1)
    lenient = source._with(allow_nan=True)
    for _ in range(2):
        lenient.total(lambda _, block: (), None, lambda a, b: a)
    with pytest.raises(DataError, match="Input X contains NaN: column 'x1'"):
        source.total(lambda _, block: (), None, lambda a, b: a)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_that_changes_between_two_passes(tmp_path, frame, place, ending):
    path = write(frame, tmp_path / f"rows.{ending}", rows=100)
    source = novum.scan(path, FEATURES, "y", batch_rows=128).opened_by(
        LinearRegression(), target="numeric", weighted=False, n_jobs=1
    )
    for _ in range(3):
        source.total(lambda _, block: (), None, lambda a, b: a)
    write(frame.iloc[::-1], path, rows=100)
    os.utime(path, ns=(1, 1))
    with pytest.raises(SourceError, match=f"rows.{ending}': the file changed after novum.scan looked at it"):
        source.total(lambda _, block: (), None, lambda a, b: a)


def test_a_kept_tile_cannot_be_written_to(tmp_path, frame):
    data = novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "y", batch_rows=128)
    block = passes(data, 2)[1][0]
    with pytest.raises(ValueError, match="read-only"):
        block.X[0, 0] = 1.0


def test_predictions_keep_nothing(tmp_path, frame, monkeypatch):
    data = novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "y", batch_rows=128)
    model, held, seen = LinearRegression().fit(data), budget.held, []
    original = Scan._block
    monkeypatch.setattr(
        Scan, "_block", lambda self, batch, keep: seen.append(budget.held) or original(self, batch, keep)
    )
    for _ in model.predict(data):
        pass
    assert set(seen) == {held}


def test_a_disk_that_is_full_costs_time_alone(tmp_path, frame, monkeypatch):
    data = novum.scan(write(frame, tmp_path / "rows.csv"), FEATURES, "y", batch_rows=128)
    expected = LinearRegression().fit(data).coef_

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    monkeypatch.setattr(os, "pwrite", full)
    np.testing.assert_array_equal(LinearRegression().fit(data).coef_, expected)
    assert len(passes(data, 4)) == 4


def doubled(y):
    """Return twice the target, and count."""
    doubled.calls += 1
    return 2 * y


def test_a_target_that_is_coded_is_coded_once(tmp_path, frame):
    write(frame, tmp_path / "rows.parquet", 97)
    data = novum.scan(tmp_path / "rows.parquet", FEATURES, "y", batch_rows=100).map_target(doubled)
    doubled.calls = 0
    seen = passes(data, 4, weighted=False)
    assert doubled.calls == len(seen[0]) > 1
    for blocks in seen:
        np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), 2 * frame["y"].to_numpy())
