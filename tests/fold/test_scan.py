import decimal
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scanfiles import FORMATS, table, write, write_npy

import novum
from novum.fold.readers.batches import MOST_VALUES, batch_rows
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB

FEATURES = ["x0", "x1", "x2", "x3"]


def same(a, b, names):
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.fixture
def frame():
    return table()


# ------------------------------------------------------------------------------------------ the same as in memory


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_equals_memory(tmp_path, frame, ending):
    path = write(frame, tmp_path / f"rows.{ending}", rows=333)
    data = novum.scan(path, FEATURES, "y", "w", batch_rows=128)
    for model in (LinearRegression(), Ridge(alpha=3.0)):
        inside = type(model)(**model.get_params()).fit(frame[FEATURES], frame["y"], frame["w"])
        model.fit(data)
        np.testing.assert_allclose(model.coef_, inside.coef_, rtol=1e-10)
        np.testing.assert_allclose(model.intercept_, inside.intercept_, rtol=1e-10)
        np.testing.assert_allclose(model.noise_variance_, inside.noise_variance_, rtol=1e-10)
        assert list(model.feature_names_in_) == FEATURES
    inside = GaussianNB().fit(frame[FEATURES], frame["number"], frame["w"])
    bayes = GaussianNB().fit(novum.scan(path, FEATURES, "number", "w", batch_rows=100))
    assert bayes.classes_.dtype == np.int64
    np.testing.assert_array_equal(bayes.classes_, inside.classes_)
    np.testing.assert_allclose(bayes.theta_, inside.theta_, rtol=1e-10)
    np.testing.assert_allclose(bayes.var_, inside.var_, rtol=1e-10)
    np.testing.assert_allclose(bayes.class_count_, inside.class_count_, rtol=1e-14)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i4", "|u1"])
def test_npy_equals_memory(tmp_path, frame, order, dtype):
    frame[FEATURES] = frame[FEATURES].abs().astype(np.dtype(dtype).newbyteorder("="))
    X = np.asarray(frame[FEATURES].to_numpy(), dtype, order=order)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "y.npy", frame["y"].to_numpy())
    data = novum.scan(tmp_path / "rows.npy", target=tmp_path / "y.npy", batch_rows=77)
    assert data.dtype == (np.float32 if dtype == "<f4" else np.float64)
    assert data.names is None and len(data) == 1000
    model, inside = LinearRegression().fit(data), LinearRegression().fit(np.ascontiguousarray(X), frame["y"])
    tolerance = 1e-5 if dtype == "<f4" else 1e-10
    np.testing.assert_allclose(model.coef_, inside.coef_, rtol=tolerance, atol=tolerance)
    assert model.coef_.dtype == inside.coef_.dtype
    assert not hasattr(model, "feature_names_in_")


def test_npy_with_target_and_weight_among_the_columns(tmp_path, frame):
    np.save(tmp_path / "all.npy", frame[["w", *FEATURES, "y"]].to_numpy())
    model = LinearRegression().fit(novum.scan(tmp_path / "all.npy", target=-1, weight=0, batch_rows=90))
    inside = LinearRegression().fit(frame[FEATURES], frame["y"], frame["w"])
    np.testing.assert_allclose(model.coef_, inside.coef_, rtol=1e-10)
    chosen = LinearRegression().fit(novum.scan(tmp_path / "all.npy", columns=[3, 1], target=5))
    inside = LinearRegression().fit(frame[["x2", "x0"]], frame["y"])
    np.testing.assert_allclose(chosen.coef_, inside.coef_, rtol=1e-10)


def test_npy_files_side_by_side(tmp_path, frame):
    for part, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        np.save(tmp_path / f"X{part}.npy", frame[FEATURES].to_numpy()[rows])
        np.save(tmp_path / f"t{part}.npy", frame[["y", "z"]].to_numpy()[rows])
        np.save(tmp_path / f"n{part}.npy", frame["name"].to_numpy(str)[rows])
    several = LinearRegression().fit(novum.scan(tmp_path / "X*.npy", target=tmp_path / "t*.npy", batch_rows=128))
    inside = LinearRegression().fit(frame[FEATURES], frame[["y", "z"]])
    np.testing.assert_allclose(several.coef_, inside.coef_, rtol=1e-10)
    names = [tmp_path / f"n{part}.npy" for part in range(3)]
    bayes = GaussianNB().fit(novum.scan(tmp_path / "X*.npy", target=names, batch_rows=128))
    np.testing.assert_allclose(bayes.theta_, GaussianNB().fit(frame[FEATURES], frame["name"]).theta_, rtol=1e-10)


# --------------------------------------------------------------------------------------------------- the same bits


def test_bits_depend_on_batch_rows_alone(tmp_path, frame):
    """Threads, formats, row groups and file boundaries change nothing."""
    whole = write(frame, tmp_path / "whole.parquet")
    reference = LinearRegression(n_jobs=1).fit(novum.scan(whole, FEATURES, "y", "w", batch_rows=64))
    bayes = GaussianNB().fit(novum.scan(whole, FEATURES, "number", "w", batch_rows=64))
    sources = [whole, write(frame, tmp_path / "groups.parquet", rows=7)]
    sources += [write(frame, tmp_path / f"rows.{ending}", rows=111) for ending in FORMATS[1:]]
    for part, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        write(frame.iloc[rows], tmp_path / f"part-{part}.parquet", rows=50)
    sources.append(tmp_path / "part-*.parquet")
    for path in sources:
        data = novum.scan(path, FEATURES, "y", "w", batch_rows=64)
        for n_jobs in (1, 2, 3):
            same(LinearRegression(n_jobs=n_jobs).fit(data), reference, ["coef_", "intercept_", "noise_variance_"])
        same(GaussianNB().fit(novum.scan(path, FEATURES, "number", "w", batch_rows=64)), bayes, ["theta_", "var_"])
    npy = write_npy(frame, tmp_path / "rows.npy", FEATURES)
    data = novum.scan(npy, target=tmp_path / "y.npy", weight=tmp_path / "w.npy", batch_rows=64)
    same(LinearRegression(n_jobs=2).fit(data), reference, ["coef_", "intercept_", "noise_variance_"])


def test_batch_rows_follow_the_columns_alone():
    assert batch_rows(1) == 2**18
    assert batch_rows(20) == 2**18 // 20
    assert batch_rows(1000) == 2000
    assert all(batch_rows(d) * d <= MOST_VALUES for d in (10, 400, 1448, 1449, 5000, 2**22))
    assert batch_rows(10**8) == 1


# ------------------------------------------------------------------------------------------- columns and their types


def test_columns_default_to_all_but_target_and_weight(tmp_path, frame):
    path = write(frame[[*FEATURES, "y", "w"]], tmp_path / "rows.parquet")
    data = novum.scan(str(path), target="y", weight="w")
    assert data.names == FEATURES and data.n_features == 4 and data.n_rows == 1000
    assert repr(data) == f"scan of {str(path)!r}, 1,000 rows, 4 features, target 'y', weight 'w'"
    write(frame[[*FEATURES, "y", "w"]], tmp_path / "rows-2.parquet")
    assert repr(novum.scan([path, tmp_path / "rows-2.parquet"])) == "scan of 2 parquet files, 2,000 rows, 6 features"
    frame.index = frame.index + 5
    frame[[*FEATURES, "y"]].iloc[::2].to_parquet(tmp_path / "index.parquet")
    assert novum.scan(tmp_path / "index.parquet", target="y").names == FEATURES


def test_several_targets(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    model = LinearRegression().fit(novum.scan(path, FEATURES, ["y", "z"]))
    inside = LinearRegression().fit(frame[FEATURES], frame[["y", "z"]])
    np.testing.assert_allclose(model.coef_, inside.coef_, rtol=1e-10)
    assert LinearRegression().fit(novum.scan(path, FEATURES, ["y"])).coef_.shape == (1, 4)


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv"])
def test_text_labels(tmp_path, frame, ending):
    if ending != "csv":
        frame["name"] = frame["name"].astype("category")
    path = write(frame, tmp_path / f"rows.{ending}", rows=100)
    data = novum.scan(path, FEATURES, "name", batch_rows=90)
    model, inside = GaussianNB().fit(data), GaussianNB().fit(frame[FEATURES], frame["name"])
    assert list(model.classes_) == ["no", "perhaps", "yes"]
    np.testing.assert_allclose(model.theta_, inside.theta_, rtol=1e-10)
    assert np.concatenate(list(model.predict(data))).tolist() == inside.predict(frame[FEATURES]).tolist()
    portions = GaussianNB().partial_fit(data, classes=["no", "perhaps", "yes"])
    np.testing.assert_allclose(portions.var_, inside.var_, rtol=1e-10)


def test_numbers_of_every_kind_become_floats(tmp_path, frame):
    n = len(frame)
    rng = np.random.default_rng(1)
    columns = {
        "int8": pa.array(rng.integers(-100, 100, n), pa.int8()),
        "uint64": pa.array(rng.integers(0, 2**60, n, dtype=np.uint64)),
        "bool": pa.array(rng.random(n) < 0.5),
        "decimal": pa.array([decimal.Decimal(int(v)) / 100 for v in rng.integers(0, 9999, n)], pa.decimal128(10, 2)),
        "half": pa.array(rng.random(n).astype(np.float16)),
        "single": pa.array(rng.random(n).astype(np.float32)),
        "coded": pa.array(rng.integers(0, 5, n)).dictionary_encode(),
    }
    expected = np.column_stack([np.array(column.to_pylist(), np.float64) for column in columns.values()])
    path = write(pa.table(columns), tmp_path / "rows.arrow")
    data = novum.scan(path, batch_rows=300)
    assert data.dtype == np.float64
    found = np.concatenate(list(data.rows(lambda _, block: block.X)))
    exact = [j for j, name in enumerate(columns) if name != "decimal"]
    np.testing.assert_array_equal(found[:, exact], expected[:, exact])
    np.testing.assert_allclose(found, expected, rtol=np.finfo(float).eps)  # Arrow's decimals are off by at most a bit


def test_float32_stays(tmp_path):
    frame = table(dtype=np.float32)
    for ending in ("parquet", "feather"):
        data = novum.scan(write(frame, tmp_path / f"rows.{ending}"), FEATURES, "y")
        assert data.first().X.dtype == np.float32
        model = LinearRegression().fit(data)
        assert model.coef_.dtype == np.float32
        np.testing.assert_allclose(model.coef_, LinearRegression().fit(frame[FEATURES], frame["y"]).coef_, rtol=1e-5)
    mixed = novum.scan(write(frame.astype({"x0": np.float64}), tmp_path / "mixed.parquet"), FEATURES, "y")
    assert mixed.dtype == np.float64


def test_csv_numbers_may_begin_as_integers(tmp_path, monkeypatch):
    """Types are settled by the first block of bytes; later blocks may hold fractions, gaps in text, other files more."""
    monkeypatch.setattr("novum.fold.readers.csv.BLOCK_BYTES", 256)
    lines = [f"{i},{i % 7},{2 * i}" for i in range(200)] + [f"{i}.5,{i % 7}.25,{2 * i}.5" for i in range(200, 400)]
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    data = novum.scan(tmp_path / "rows.csv", target="y", batch_rows=33)
    assert data.n_rows is None and "rows not counted" in repr(data)
    with pytest.raises(TypeError, match="not known"):
        len(data)
    frame = pd.read_csv(tmp_path / "rows.csv")
    model = LinearRegression().fit(data)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(frame[["a", "b"]], frame["y"]).coef_, rtol=1e-9)
    assert data.n_rows == len(data) == 400
    (tmp_path / "rows.tsv").write_text("a\ty\n1\t2\n2\t4\n3\t7\n")
    assert novum.scan(tmp_path / "rows.tsv", target="y").names == ["a"]
    (tmp_path / "semicolon.csv").write_text("a;y\n1;2\n2;4\n3;7\n")
    assert novum.scan(tmp_path / "semicolon.csv", target="y", delimiter=";").names == ["a"]


# ----------------------------------------------------------------------------------------------- predictions and more


def test_predict_reads_lazily_in_batches(tmp_path, frame, monkeypatch):
    path = write(frame, tmp_path / "rows.parquet", rows=100)
    model = LinearRegression(n_jobs=1).fit(frame[FEATURES], frame["y"])
    batches = model.predict(novum.scan(path, FEATURES, batch_rows=64))
    assert iter(batches) is batches
    first = next(batches)
    assert first.shape == (64,)
    rest = list(batches)
    assert [len(part) for part in rest] == [64] * 14 + [40]
    np.testing.assert_allclose(np.concatenate([first, *rest]), model.predict(frame[FEATURES]), rtol=1e-13)


def test_predict_needs_no_target_and_ignores_it(tmp_path, frame):
    bare = write(frame[FEATURES], tmp_path / "bare.parquet")
    full = write(frame.assign(y="text"), tmp_path / "full.parquet")
    model = LinearRegression().fit(frame[FEATURES], frame["y"])
    a, b = list(model.predict(novum.scan(bare))), list(model.predict(novum.scan(full, FEATURES, "y", "w")))
    np.testing.assert_array_equal(np.concatenate(a), np.concatenate(b))
    with pytest.raises(ValueError, match="same order"):
        model.predict(novum.scan(bare, FEATURES[::-1]))


def test_leave_one_out_and_probabilities(tmp_path, frame):
    path = write(frame, tmp_path / "rows.parquet")
    data = novum.scan(path, FEATURES, "y", batch_rows=100)
    model, inside = LinearRegression().fit(data), LinearRegression().fit(frame[FEATURES], frame["y"])
    left_out = np.concatenate(list(model.leave_one_out_predict(data)))
    np.testing.assert_allclose(left_out, inside.leave_one_out_predict(frame[FEATURES], frame["y"]), rtol=1e-10)
    bayes = GaussianNB().fit(frame[FEATURES], frame["name"])
    probabilities = np.concatenate(list(bayes.predict_proba(data)))
    np.testing.assert_allclose(probabilities, bayes.predict_proba(frame[FEATURES]), rtol=1e-12)


def test_stopping_early_leaves_no_file_open(tmp_path, frame):
    psutil = pytest.importorskip("psutil")
    path = write(frame, tmp_path / "rows.parquet", rows=10)
    model = LinearRegression().fit(frame[FEATURES], frame["y"])
    batches = model.predict(novum.scan(path, FEATURES, batch_rows=8))
    next(batches)
    batches.close()
    assert str(path) not in [file.path for file in psutil.Process().open_files()]


def test_blocks_keep_nothing_between_passes(tmp_path, frame):
    data = novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "y", "w", batch_rows=100)

    def remember(_, block):
        assert block.memory == {}
        block.memory["seen"] = True
        return np.full(block.rows, block.start)

    for _ in range(2):
        starts = np.concatenate(list(data.rows(remember)))
    np.testing.assert_array_equal(starts, np.arange(1000) // 100 * 100)


def test_labels_are_found_without_reading_features(tmp_path, frame, monkeypatch):
    from novum.fold.readers.parquet import ParquetFile

    requested = []
    original = ParquetFile._read
    monkeypatch.setattr(ParquetFile, "_read", lambda self, keys, *a: requested.append(keys) or original(self, keys, *a))
    GaussianNB().fit(novum.scan(write(frame, tmp_path / "rows.parquet"), FEATURES, "name"))
    assert requested[0] == ["name"] and requested[-1] == [*FEATURES, "name"]


def test_patterns_lists_and_order(tmp_path, frame, monkeypatch):
    for part in (2, 0, 1):
        write(frame.iloc[part * 10 : part * 10 + 10], tmp_path / f"part-{part}.csv")
    monkeypatch.chdir(tmp_path)
    values = np.concatenate(list(novum.scan("part-*.csv", ["x0"]).rows(lambda _, block: block.X[:, 0])))
    np.testing.assert_allclose(values, frame["x0"][:30], rtol=1e-15)
    data = novum.scan([tmp_path / "part-2.csv", "part-[01].csv"], ["x0"])
    assert [file.path.name for file in data.files] == ["part-2.csv", "part-0.csv", "part-1.csv"]


def test_head(tmp_path, frame):
    write(frame, tmp_path / "rows.parquet")
    head = novum.scan(tmp_path / "rows.parquet", ["x0", "name"], "y").head(3)
    pd.testing.assert_frame_equal(head, frame[["x0", "name"]].head(3), check_dtype=False)
    np.save(tmp_path / "rows.npy", frame[FEATURES].to_numpy())
    np.testing.assert_array_equal(novum.scan(tmp_path / "rows.npy").head(), frame[FEATURES].to_numpy()[:5])


def test_a_list_is_named_as_no_feature(tmp_path):
    path = write(pa.table({"pair": pa.array([[1, 2]] * 5), "y": np.arange(5.0)}), tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match=r"LinearRegression: column 'pair' of .*rows.parquet is list<"):
        LinearRegression().fit(novum.scan(path, target="y"))


def test_the_guide_runs(capsys):
    guide = Path(__file__).parents[2] / "docs" / "guide" / "larger-than-memory.md"
    code = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    exec("\n".join(code), {})
    printed = capsys.readouterr().out
    assert "scan of 3 parquet files, 30,000 rows, 3 features, target 'price'" in printed
    assert "['north' 'south']" in printed and "onehotencoder__shop_north" in printed
