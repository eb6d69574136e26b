"""Tables too large to be studied whole: rows are drawn in one pass, counts are of all rows, memory stays that of the sample."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import novum
from novum.cli import application
from novum.exceptions import SourceError
from novum.study import Study, read_table
from novum.study.data import large
from novum.study.data.large import sampled_parquet

QUICK = ["--folds", "3", "--repeats", "1", "--n-jobs", "1", "--models", "LogisticRegression", "--no-tune"]


def rows_of(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    color = rng.choice(["red", "green", None], n)
    frame = pd.DataFrame({"row": np.arange(n) % 997, "x": x, "color": color, "n": rng.integers(0, 9, n)})
    frame.loc[::50, "x"] = np.nan
    return frame.assign(y=np.where(x + (color == "red") + rng.logistic(size=n) > 0, "yes", "no"))


@pytest.fixture
def parquet(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LEAST_ROWS", 1000)
    path = tmp_path / "rows.parquet"
    frame = rows_of(30_000)
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=7_000)
    return path, frame


def test_the_rows_drawn_are_rows_of_the_file_and_counts_are_of_all(parquet):
    path, frame = parquet
    steps = []
    table, whole = sampled_parquet(path, "rows", 20_000, lambda done, planned: steps.append((done, planned)))
    drawn = np.sort(np.random.default_rng(0).choice(30_000, 4_000, replace=False))
    pd.testing.assert_frame_equal(table.to_pandas(), frame.iloc[drawn].reset_index(drop=True), check_dtype=False)
    assert whole.rows == 30_000 and whole.missing == frame.isna().sum().to_dict()
    assert whole.ranges["x"] == (frame["x"].min(), frame["x"].max()) and whole.ranges["n"] == (0.0, 8.0)
    assert steps[-1] == (30_000, 30_000) and [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert sampled_parquet(path, "rows", 150_000, lambda *_: None) is None
    assert read_table(path).n_rows == 30_000 and read_table(path, most_cells=20_000).n_rows == 4_000


def test_a_study_of_drawn_rows(parquet, tmp_path, monkeypatch):
    path, frame = parquet
    monkeypatch.setattr("novum.study.named_input.MOST_CELLS", 20_000)
    study = Study(path, "y", models=["LogisticRegression"], folds=3, repeats=1, n_jobs=1, tune=False, ensemble=False)
    result = study.run()
    assert result.n_train + result.n_held == 4_000
    assert result.card.notes[0].startswith("4,000 of the 30,000 rows are studied, drawn at random")
    x = next(column for column in result.card.columns if column.name == "x")
    assert x.missing == frame["x"].isna().sum() and f"of all rows {frame['x'].min():.6g} to" in x.summary
    result.write_report(tmp_path / "out")
    found = pd.read_parquet(tmp_path / "out" / "unseen.parquet")
    assert len(found) == 4_000
    assert "drawn at random" in (tmp_path / "out" / "report.html").read_text()
    model = novum.load(tmp_path / "out" / "model.novum")
    assert len(novum.study.predict_table(model, frame[:50].drop(columns="y")).values) == 50


def test_from_the_command_line_with_a_program(parquet, tmp_path, monkeypatch):
    path, _ = parquet
    monkeypatch.setattr(large, "MOST_CELLS", 20_000)
    script = tmp_path / "study.py"
    monkeypatch.setattr("novum.study.export.program.MOST_CELLS", 20_000)
    options = ["study", str(path), "--target", "y", "--out", str(tmp_path / "out"), *QUICK, "--export", str(script)]
    run = CliRunner().invoke(application(), options)
    assert run.exit_code == 0, run.output
    assert "4,000 of the 30,000 rows are studied" in run.stdout and "most_cells=20000" in script.read_text()
    # the least number of rows is another in a process of its own
    text = script.read_text().replace("most_cells=20000", "most_cells=50000")
    script.write_text(text)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "on 2,500 rows put away" in done.stdout, done.stderr


def test_a_broken_file_is_a_sentence(parquet, tmp_path):
    path, _ = parquet
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(SourceError, match="cannot be read as Parquet"):
        read_table(path, most_cells=20_000)
