"""Scans of JSON lines."""

import gzip
import json

import numpy as np
import pytest

import novum
from novum.exceptions import DataError, SourceError
from novum.linear_model import LinearRegression, LogisticRegression


def write(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def rows(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)).round(6)
    return [
        {"a": a, "b": f"${b + 10:.6f}", "k": int(i % 5), "y": a - 2 * b, "c": "up" if a > b else "down"}
        for i, (a, b) in enumerate(X)
    ]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.jsonl.gz"])
def test_a_model_learns_from_json_lines(tmp_path, name):
    table = rows()
    data = novum.scan(write(tmp_path / name, table), columns=["a", "b"], target="y")
    model = LinearRegression().fit(data)
    np.testing.assert_allclose(model.coef_, [1, -2], atol=1e-6)
    said = LogisticRegression().fit(novum.scan(tmp_path / name, columns=["a", "k"], target="c"))
    assert list(said.classes_) == ["down", "up"]


def test_several_files_share_the_first_ones_types_and_gaps_are_missing(tmp_path):
    table = rows()
    for row in table[:30]:
        row["k"] = 1  # whole numbers at first
    table[40]["k"] = 2.5
    del table[50]["a"]
    first, second = write(tmp_path / "1.jsonl", table[:30]), write(tmp_path / "2.jsonl", table[30:])
    with pytest.raises(ValueError, match="NaN"):
        LinearRegression().fit(novum.scan([first, second], columns=["a", "k"], target="y"))
    table[50]["a"] = 0.5
    table[50]["late"] = 1  # a key that the first file lacks
    write(second, table[30:])
    whole = np.array([[row["a"], row["k"]] for row in table])
    model = LinearRegression().fit(novum.scan([first, second], columns=["a", "k"], target="y"))
    memory = LinearRegression().fit(whole, [row["y"] for row in table])
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9)


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a": 2,\n', "no json\n", ""])
def test_broken_files_are_reported(tmp_path, text):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises((SourceError, DataError)):
        LinearRegression().fit(novum.scan(tmp_path / "x.jsonl", target="a"))
