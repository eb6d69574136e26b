"""Files that are tables, and files that are not: each is read right or refused in one sentence."""

import gzip
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from studytables import mixed

import novum
from novum.exceptions import DataError, SourceError
from novum.study.data import files
from novum.study.data.files import read_table

ROWS = "".join(f"{i},{i * 0.5},{'x' if i % 2 else 'y'}\n" for i in range(30))


def test_every_kind_of_column(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\ufeffa;b;c;d;e;f\n1,5;2;x;true;2020-01-01;\n1;NA;?;false;;\n", encoding="utf-8")
    columns = read_table(path).columns
    kinds = {name: column.kind for name, column in columns.items()}
    assert kinds == {"a": "number", "b": "number", "c": "category", "d": "yes/no", "e": "date", "f": "number"}
    np.testing.assert_array_equal(columns["a"].values, [1.5, 1.0])
    np.testing.assert_array_equal(columns["b"].values, [2, np.nan])
    assert columns["c"].values.tolist() == ["x", None]
    assert columns["e"].missing.tolist() == [False, True] and columns["f"].missing.all()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiters_quotes_and_line_ends(mark, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(f'a{mark}"b{mark}c"\r\n1{mark}"u{mark}v"\r\n2{mark}"line\r\nbreak"\r\n'.encode())
    table = read_table(path)
    assert list(table.columns) == ["a", f"b{mark}c"]
    assert table.columns[f"b{mark}c"].values[0] == f"u{mark}v" and table.n_rows == 2


def test_an_index_without_a_name(tmp_path):
    mixed().to_csv(tmp_path / "t.csv")
    assert next(iter(read_table(tmp_path / "t.csv").columns)) == "(column 1)"


def test_parquet_is_what_csv_is(tmp_path):
    mixed().to_parquet(tmp_path / "t.parquet")
    mixed().to_csv(tmp_path / "t.csv", index=False)
    a, b = read_table(tmp_path / "t.parquet"), read_table(tmp_path / "t.csv")
    assert list(a.columns) == list(b.columns)
    for name in a.columns:
        assert a.columns[name].kind == b.columns[name].kind, name
        np.testing.assert_array_equal(a.columns[name].values, b.columns[name].values)


BAD = {
    "ragged, short": (b"a,b,c\n1,2,3\n1,2\n", r"row 3 \(the header is row 1\) has 2 cells where the header has 3"),
    "ragged, long": (b"a,b,c\n1,2,3,4\n", "has 4 cells where the header has 3"),
    "binary": (b"\x00\x01\x02" * 100, "is a binary file"),
    "two of one name": (b"a,b,a\n1,2,3\n", "the column name 'a' occurs more than once"),
    "no header": (b"1,2,3\n4,5,6\n", "its first line holds numbers"),
    "header only": (b"a,b,c\n", "has a header and no rows"),
    "empty": (b"", "is empty"),
    "blank": (b"\n\n  \n", "nothing but empty lines"),
    "a picture": (b"\x89PNG\r\n\x1a\n123", "is a picture"),
    "a broken Parquet file": (b"PAR1nonsense", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table(case, tmp_path):
    content, match = BAD[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises((DataError, SourceError), match=match) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(SourceError, match="is a folder"):
        read_table(tmp_path)


def test_archives_are_not_unpacked(tmp_path):
    bomb = tmp_path / "table.csv"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", b"0" * 10**7)
    with pytest.raises(DataError, match="is a zip archive"):
        read_table(bomb)


def test_compressed_text_is_unpacked_as_far_as_the_memory_allows(tmp_path, monkeypatch):
    text = ("a,b\n" + "".join(f"{i},{'?' if i == 3 else i / 2}\n" for i in range(50))).encode()
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(text))
    table = read_table(path)
    np.testing.assert_array_equal(table.columns["a"].values, np.arange(50))
    assert np.flatnonzero(table.columns["b"].missing).tolist() == [3]
    monkeypatch.setattr(files, "room", lambda: 10**6)
    path.write_bytes(gzip.compress(b"a,b\n" + b"0,1\n" * 10**6))
    with pytest.raises(DataError, match="unpacks to more than the memory here allows"):
        read_table(path)


def test_a_scan_and_a_study_read_one_file_alike(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a;b;y\n1,5;?;0\n2,25;NA;1\n-1,0;3,5;0\n", encoding="utf-8")
    studied = read_table(path).columns
    np.testing.assert_array_equal(novum.scan(path, columns=["a"], target="y").first().X[:, 0], studied["a"].values)
    assert studied["b"].missing.tolist() == [True, True, False]
    with pytest.raises(DataError, match="contains NaN: column 'b', row 0"):
        novum.scan(path, columns=["b"], target="y").first()


def test_a_small_file_does_not_become_a_large_table(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": pa.array(np.zeros(3 * 10**6, np.int8))}), path)
    monkeypatch.setattr(files, "room", lambda: 10**6)
    with pytest.raises(DataError, match="claims 3,000,000 cells"):
        read_table(path)
    text = pa.array(["x" * 5000] * 3000)
    pa.parquet.write_table(pa.table({"a": text}), path)
    assert path.stat().st_size < 50_000
    with pytest.raises(DataError, match="unpacks to more than the memory"):
        read_table(path)
    path.write_text("a,b\n" + "1,2\n" * 400_000)
    with pytest.raises(DataError, match="more than the memory here allows"):
        read_table(path)


def test_frames_of_odd_columns():
    from novum.study.data.table import table_of

    frame = pd.DataFrame(
        {
            "lists": [[1], [2]],
            "mixed": [1, "a"],
            "whole": pd.array([1, None], dtype="Int64"),
            "flag": pd.array([True, None], dtype="boolean"),
            "level": pd.Categorical(["u", None]),
            "objects": pd.Series([3, None], dtype=object),
            "zoned": pd.date_range("2020-01-01", periods=2, tz="Europe/Rome"),
            "gap": pd.to_datetime(["2020-01-01", None]),
            3: [1, 2],
        }
    )
    columns = table_of(frame).columns
    assert {name: column.kind for name, column in columns.items()} == {
        "lists": "other",
        "mixed": "category",
        "whole": "number",
        "flag": "yes/no",
        "level": "category",
        "objects": "number",
        "zoned": "date",
        "gap": "date",
        "3": "number",
    }
    assert columns["gap"].missing.tolist() == [False, True]
    assert columns["level"].values.tolist() == ["u", None] and np.isnan(columns["flag"].values[1])
