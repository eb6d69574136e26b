import os
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scanfiles import table, write

import novum
from novum.exceptions import DataError, ParameterError, SourceError
from novum.linear_model import LinearRegression
from novum.naive_bayes import GaussianNB

FEATURES = ["x0", "x1", "x2", "x3"]


@pytest.fixture
def frame():
    return table(500)


def refused(error, match, data, model=None):
    """Assert that fitting on `data()` raises `error` and leaves the estimator as it was."""
    model = model or LinearRegression()
    with pytest.raises(error, match=match) as caught:
        model.fit(data())
    assert not [name for name in vars(model) if name.endswith("_") or name.startswith("_")]
    return str(caught.value)


# -------------------------------------------------------------------------------------------------- broken while read


def test_corrupt_row_group_is_named(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet", rows=100)
    content = bytearray(path.read_bytes())
    import pyarrow.parquet as pq

    chunk = pq.ParquetFile(path).metadata.row_group(3).column(1)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + 40] = b"\xff" * 40
    path.write_bytes(content)
    refused(
        SourceError,
        r"rows.parquet': reading failed at rows 300 to 350 \(row group 3\): ",
        lambda: novum.scan(path, FEATURES, "y", batch_rows=50),
    )


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "csv.gz", "npy"])
def test_truncated(tmp_path, frame, ending):
    path = tmp_path / f"rows.{ending}"
    if ending == "npy":
        np.save(path, frame[FEATURES].to_numpy())
    else:
        write(frame, path, rows=100)
    content = path.read_bytes()
    columns = None if ending == "npy" else FEATURES
    target = 0 if ending == "npy" else "y"
    data = novum.scan(path, columns, target)
    path.write_bytes(content[: len(content) // 2])
    refused(SourceError, r"rows\..*: the file changed after novum.scan looked at it", lambda: data)
    refused(SourceError, f"rows.{ending}'", lambda: novum.scan(path, columns, target))
    path.write_bytes(b"")
    refused(SourceError, f"rows.{ending}': this is not a readable", lambda: novum.scan(path, columns, target))
    path.write_bytes(b"PAR1 nonsense of some length PAR1")
    refused((SourceError, ParameterError), f"rows.{ending}'", lambda: novum.scan(path, columns, target))


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv", "npy"])
def test_changed_between_and_during_passes(tmp_path, frame, ending):
    path = tmp_path / f"rows.{ending}"

    def store(rows):
        np.save(path, rows[[*FEATURES, "y"]].to_numpy()) if ending == "npy" else write(rows, path, rows=50)

    store(frame)
    columns, target = (None, -1) if ending == "npy" else (FEATURES, "y")
    data = novum.scan(path, columns, target, batch_rows=50)
    model = LinearRegression(n_jobs=1).fit(data)
    batches = model.predict(data)
    next(batches)
    store(frame.iloc[::-1])
    os.utime(path, ns=(1, 1))
    with pytest.raises(SourceError, match=f"rows.{ending}': the file changed after novum.scan looked at it"):
        list(batches)
    refused(SourceError, "the file changed", lambda: data)
    data = novum.scan(path, columns, target, batch_rows=50)
    batches = model.predict(data)
    next(batches)
    path.unlink()
    with pytest.raises(SourceError, match=f"rows.{ending}': the file is gone"):
        list(batches)
    refused(SourceError, "the file is gone", lambda: data)


def test_fitted_state_survives_a_failed_fit(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    model = LinearRegression().fit(novum.scan(path, FEATURES, "y"))
    before = dict(vars(model))
    frame.loc[400, "x2"] = np.inf
    write(frame, path)
    with pytest.raises(
        DataError, match=r"contains infinity or a value too large for dtype\('float64'\): column 'x2', row 400"
    ):
        model.fit(novum.scan(path, FEATURES, "y"))
    assert vars(model) == before


def test_rows_that_the_footer_does_not_promise(tmp_path, frame):
    """A footer whose counts of rows are consistent with each other and wrong: 500 is written as d0 0f after 16."""
    path = write(frame[["x0", "y"]].head(1000), tmp_path / "rows.parquet", rows=500)
    content = path.read_bytes()
    count = b"\x16\xe8\x07"  # a 64-bit field that holds 500
    assert content.count(count) >= 2
    path.write_bytes(content.replace(count, b"\x16\xec\x07"))  # 502
    refused(SourceError, r"rows.parquet'", lambda: novum.scan(path, ["x0"], "y"))
    last = content.rindex(count)
    path.write_bytes(content[:last] + b"\x16\xec\x07" + content[last + 3 :])
    refused(SourceError, r"rows.parquet'", lambda: novum.scan(path, ["x0"], "y"))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "npy"])
def test_random_damage_never_escapes_as_something_else(tmp_path, ending):
    frame, path = table(60), tmp_path / f"rows.{ending}"
    frame["name"] = frame["name"].astype("category")
    if ending == "npy":
        np.save(path, frame[FEATURES].to_numpy())
    else:
        write(frame, path, rows=20)
    content = path.read_bytes()
    refusals = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        damaged = bytearray(content)
        low, high = (0, 128) if ending == "npy" else (len(content) - 1500, len(content))
        for position in rng.integers(low, high, 2):
            damaged[position] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            columns, target = (None, None) if ending == "npy" else (FEATURES, "name")
            data = novum.scan(path, columns, target)
            with np.errstate(all="ignore"):
                GaussianNB().fit(data) if target else list(data.rows(lambda _, block: block.X))
        except (SourceError, DataError, ParameterError):
            refusals += 1
    assert refusals > 5


# ----------------------------------------------------------------------------------------------------------- bad cells


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv"])
def test_gaps_are_named(tmp_path, frame, ending):
    frame["number"] = frame["number"].astype("Int64")
    frame.loc[321, "number"] = pd.NA
    path = write(frame, tmp_path / f"rows.{ending}", rows=100)
    place = {"parquet": r"row 321 \(row group 3\)", "feather": r"row 321 \(record batch 3\)", "csv": "row 321"}[ending]
    message = refused(
        DataError,
        f"Input X contains NaN: column 'number', {place} of ",
        lambda: novum.scan(path, ["x0", "number"], "y"),
    )
    assert "LinearRegression needs finite numbers" in message
    refused(
        DataError, f"Input y contains NaN: target 'number', {place} of ", lambda: novum.scan(path, ["x0"], "number")
    )
    refused(DataError, "Input y contains NaN", lambda: novum.scan(path, ["x0"], "number"), GaussianNB())


def test_gap_in_a_second_file_is_named(tmp_path, frame):
    write(frame, tmp_path / "a.parquet", rows=100)
    frame.loc[7, "x3"] = np.nan
    write(frame, tmp_path / "b.parquet", rows=100)
    match = r"column 'x3', row 7 \(row group 0\) of '.*b.parquet'"
    refused(DataError, match, lambda: novum.scan(tmp_path / "*.parquet", FEATURES, "y", batch_rows=501))


def test_learner_that_takes_gaps(tmp_path, frame):
    class Tolerant(LinearRegression):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = True
            return tags

    model = Tolerant().fit(novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "y"))
    frame.loc[3, "x0"] = np.nan
    write(frame, tmp_path / "rows.parquet")
    assert np.isnan(next(model.predict(novum.scan(tmp_path / "rows.parquet", FEATURES)))[3])
    frame.loc[4, "x0"] = np.inf
    write(frame, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=r"infinity .* column 'x0', row 4"):
        next(model.predict(novum.scan(tmp_path / "rows.parquet", FEATURES)))


def test_missing_label(tmp_path, frame):
    frame.loc[77, "name"] = None
    path = write(frame, tmp_path / "rows.parquet", rows=50)
    refused(
        DataError,
        r"column 'name' has no label at row 77 \(row group 1\)",
        lambda: novum.scan(path, FEATURES, "name"),
        GaussianNB(),
    )


def test_targets_of_the_wrong_kind(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    refused(
        DataError,
        "the target 'name' of .* is .*string; this learner needs numbers",
        lambda: novum.scan(path, FEATURES, "name"),
    )
    refused(DataError, "Unknown label type: continuous", lambda: novum.scan(path, FEATURES, "y"), GaussianNB())
    refused(DataError, "got 2 target columns", lambda: novum.scan(path, FEATURES, ["y", "z"]), GaussianNB())
    refused(DataError, "requires y to be passed", lambda: novum.scan(path, FEATURES))
    with pytest.raises(DataError, match="a scan brings its own target"):
        LinearRegression().fit(novum.scan(path, FEATURES, "y"), frame["y"])


def test_weights(tmp_path, frame):
    path = tmp_path / "rows.parquet"

    def data(**change):
        write(frame.assign(**change), path, rows=100)
        return novum.scan(path, FEATURES, "y", "w", batch_rows=100)

    negative = np.where(np.arange(500) == 250, -1.0, 1.0)
    refused(DataError, r"Negative values .*-1 in column 'w', row 250 \(row group 2\)", lambda: data(w=negative))
    refused(
        DataError,
        r"sample_weight is not finite: nan in column 'w', row 250",
        lambda: data(w=np.where(negative < 0, np.nan, 1)),
    )
    refused(DataError, "Sample weights must contain at least one non-zero number. All weights 'w'", lambda: data(w=0.0))
    refused(DataError, "the weight 'w' of .* is .*string, not a number", lambda: data(w="heavy"))
    late = LinearRegression().fit(data(w=np.repeat([0.0, 1.0], 250)))
    assert late._n_rows == 250


def test_csv_cells(tmp_path, monkeypatch):
    monkeypatch.setattr("novum.fold.readers.csv.BLOCK_BYTES", 64)
    path = tmp_path / "rows.csv"
    good = "".join(f"{i},{2 * i}\n" for i in range(50))
    path.write_text("x,y\n" + good + "7\n" + good)
    refused(
        SourceError,
        r"rows.csv': reading failed at row \d+ or soon after: .*Row #52: Expected 2 columns, got 1",
        lambda: novum.scan(path, target="y"),
    )
    path.write_text("x,y\n" + good + "seven,7\n" + good)
    message = refused(SourceError, "rows.csv': reading failed at row", lambda: novum.scan(path, target="y"))
    assert "seven" in message and "#0" in message
    path.write_text("x,y\n" + good + ",7\n" + good)
    refused(DataError, r"Input X contains NaN: column 'x', row 50 of", lambda: novum.scan(path, target="y"))
    path.write_text("x,y\n" + "1" * 500 + ",2\n" + good)
    refused(SourceError, "rows.csv'", lambda: novum.scan(path, target="y"))


# ------------------------------------------------------------------------------------------------------- bad requests


def test_zero_rows(tmp_path, frame):
    for ending in ("parquet", "feather", "csv"):
        path = write(frame.head(0), tmp_path / f"rows.{ending}")
        refused(
            DataError,
            r"Found array with 0 sample\(s\) while a minimum of 1 is required by LinearRegression",
            lambda path=path: novum.scan(path, ["x0"], "y"),
        )
    np.save(tmp_path / "rows.npy", np.empty((0, 3)))
    refused(DataError, "Found array with 0 sample", lambda: novum.scan(tmp_path / "rows.npy", target=0))
    write(frame.head(0), tmp_path / "a.parquet")
    write(frame, tmp_path / "b.parquet")
    assert len(novum.scan([tmp_path / "a.parquet", tmp_path / "b.parquet"])) == 500


def test_columns(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    with pytest.raises(ParameterError, match=r"target='Y' is no column of '.*rows.parquet', which has 'x0', 'x1', "):
        novum.scan(path, target="Y")
    with pytest.raises(ParameterError, match=r"columns='nam' .* Did you mean 'name'\?"):
        novum.scan(path, ["nam"])
    with pytest.raises(ParameterError, match="weight=3 is no column"):
        novum.scan(path, weight=3)
    with pytest.raises(ParameterError, match="column 'y' is named twice"):
        novum.scan(path, ["x0", "y"], "y")
    with pytest.raises(TypeError, match=r"columns must be a list of columns, got 'x0'. Write columns=\[...\]"):
        novum.scan(path, "x0")
    with pytest.raises(DataError, match=r"0 feature\(s\)"):
        novum.scan(path, [])
    twice = pa.table([pa.array([1.0]), pa.array([2.0])], names=["x", "x"])
    for ending in ("parquet", "arrow", "csv"):
        with pytest.raises(DataError, match="the column name 'x' occurs more than once"):
            novum.scan(write(twice, tmp_path / f"twice.{ending}"))
    with pytest.raises(ParameterError, match="batch_rows must be a positive integer or None, got 0"):
        novum.scan(path, batch_rows=0)


def test_schemas_must_agree(tmp_path, frame):
    first = write(frame, tmp_path / "a.parquet")
    second = tmp_path / "b.parquet"
    write(frame.drop(columns="x2"), second)
    with pytest.raises(DataError, match=r"b.parquet' has no column 'x2', which '.*a.parquet' has"):
        novum.scan([first, second])
    write(frame.assign(more=1.0), second)
    with pytest.raises(DataError, match=r"b.parquet' has the column 'more', '.*a.parquet' has not"):
        novum.scan([first, second])
    assert novum.scan([first, second], FEATURES, "y").n_rows == 1000
    write(frame.astype({"x2": "float32"}), second)
    with pytest.raises(DataError, match=r"column 'x2' is float in '.*b.parquet' and double in '.*a.parquet'"):
        novum.scan([first, second], FEATURES)
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    np.save(tmp_path / "b.npy", np.ones((3, 3)))
    with pytest.raises(DataError, match=r"a.npy' has no column 2, which '.*b.npy' has"):
        novum.scan([tmp_path / "b.npy", tmp_path / "a.npy"])
    with pytest.raises(DataError, match=r"b.npy' has the column 2"):
        novum.scan([tmp_path / "a.npy", tmp_path / "b.npy"])


def test_paths(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    with pytest.raises(ParameterError, match=r"no file matches '.*none-\*.parquet'"):
        novum.scan(tmp_path / "none-*.parquet")
    with pytest.raises(ParameterError, match=r"is a directory. Give its files, for example '.*\*.parquet'"):
        novum.scan(tmp_path)
    (tmp_path / "rows.ods").write_text("x")
    with pytest.raises(ParameterError, match=r"rows.ods' has none of the endings .parquet, .pq"):
        novum.scan(tmp_path / "rows.ods")
    for name in ("rows.svm", "rows.libsvm", "rows.svmlight.gz"):
        (tmp_path / name).write_text("1 1:0.5")
        with pytest.raises(ParameterError, match=r"none of the endings .* read by novum.datasets.load_svmlight"):
            novum.scan(tmp_path / name)
    with pytest.raises(ParameterError, match=r"all files must have one format; .* is parquet, .* is csv"):
        novum.scan([path, write(frame, tmp_path / "rows.csv")])
    with pytest.raises(TypeError, match="must be a path, a pattern or a list of them, got 3"):
        novum.scan(3)
    with pytest.raises(ParameterError, match="names no file"):
        novum.scan([])
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(ParameterError, match="is not a regular file"):
            novum.scan(tmp_path / "pipe.csv")


def test_npy_that_is_not_rows_of_numbers(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    refused(SourceError, "not a readable npy file: .*", lambda: novum.scan(path))
    path.write_bytes(b"\x80\x04K\x01.")  # a bare pickle
    refused(SourceError, "not a readable npy file", lambda: novum.scan(path))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"")
    refused(SourceError, "not a readable npy file", lambda: novum.scan(path))
    np.save(path, np.zeros(3, dtype=[("a", float)]))
    refused(SourceError, "is not a plain number or string", lambda: novum.scan(path))
    np.save(path, np.zeros(3))
    refused(DataError, r"Expected 2D array, got an array of shape \(3,\) instead", lambda: novum.scan(path))
    np.save(path, np.full((3, 2), "a"))
    refused(DataError, "column 0 of .* is <U1, not a number", lambda: novum.scan(path, target=1))
    np.save(path, np.zeros((3, 2)))
    np.save(tmp_path / "y.npy", np.zeros(4))
    refused(
        DataError,
        r"the target in '.*y.npy' has 4 rows, the features have 3",
        lambda: novum.scan(path, target=tmp_path / "y.npy"),
    )
    np.save(tmp_path / "w.npy", np.zeros((3, 1)))
    refused(DataError, "one number per row is needed", lambda: novum.scan(path, target=1, weight=tmp_path / "w.npy"))
    with pytest.raises(ParameterError, match=r"one .npy file per file of features; there are 1, and .* names 2"):
        novum.scan(path, target=[tmp_path / "y.npy", tmp_path / "w.npy"])
    np.save(tmp_path / "y.npy", np.zeros(3))
    data = novum.scan(path, target=tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.ones(5))
    refused(SourceError, "y.npy': the file changed", lambda: data)


def test_feather_version_one(tmp_path):
    path = tmp_path / "rows.feather"
    path.write_bytes(b"FEA1" + b"\0" * 100)
    refused(SourceError, "Feather version 1; write it again", lambda: novum.scan(path))


def test_arrow_offsets_are_checked(tmp_path, frame):
    """Text whose offsets point outside the buffer would read memory that is not ours."""
    table_ = pa.table({"x": np.arange(4.0), "name": ["aaaa", "bbbb", "cccc", "dddd"]})
    path = write(table_, tmp_path / "rows.arrow")
    content = path.read_bytes()
    offsets = np.array([0, 4, 8, 12, 16], np.int32).tobytes()
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, np.array([0, 4, 8, 2**30, 16], np.int32).tobytes()))
    refused(
        SourceError,
        "rows.arrow': reading failed at record batch 0, which begins at row 0",
        lambda: novum.scan(path, ["x"], "name"),
        GaussianNB(),
    )
