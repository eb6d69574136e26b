"""Texts that programs and people lay out in their own ways: a study and a scan read the same cells."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import novum
from novum.cli import application
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression
from novum.study import Study
from novum.study.data.files import read_table

PLAIN = [[1.0, 3.0, 5.0], [2.5, 4.0, 6.0]]
LAYOUTS = {  # two columns a and b, read as PLAIN
    "a mark at the ends": "a,b,\n1,2.5,\n3,4,\n5,6,\n",
    "no header for it": "a,b\n1,2.5,\n3,4,\n5,6,\n",
    "an index of pandas": ",a,b\n0,1,2.5\n1,3,4\n2,5,6\n",
    "the same, saved again": "Unnamed: 0,a,b\n0,1,2.5\n1,3,4\n2,5,6\n",
    "names of rows, as R": '"a","b"\n"x",1,2.5\n"y",3,4\n"z",5,6\n',
    "a comment of Matlab": "% made by x\na,b\n1,2.5\n3,4\n5,6\n",
    "a comment of C": "// made by x, y and z\na,b\n1,2.5\n3,4\n5,6\n",
    "a comment of Lisp": "; made by x\na,b\n1,2.5\n3,4\n5,6\n",
    "a title": "Sales of 2021\n\na,b\n1,2.5\n3,4\n5,6\n",
    "a padded title": "Sales of 2021,\n,\na,b\n1,2.5\n3,4\n5,6\n",
    "comments inside and below": "a,b\n1,2.5\n# the sensor was changed\n3,4\n5,6\n# end\n",
    "lines of blanks": "a,b\n1,2.5\n  \n3,4\n\n5,6\n",
    "the end of DOS": "a,b\n1,2.5\n3,4\n5,6\n\x1a",
    "line ends of three kinds": "a,b\r\n1,2.5\n3,4\r5,6\r\n",
    "single quotes": "'a','b'\n'1','2.5'\n'3','4'\n'5','6'\n",
    "Markdown": "| a | b |\n|---|---|\n| 1 | 2.5 |\n| 3 | 4 |\n| 5 | 6 |\n",
    "a database": " a | b \n---+-----\n 1 | 2.5\n 3 | 4\n 5 | 6\n(3 rows)\n",
    "carets": "a^b\n1^2.5\n3^4\n5^6\n",
    "blanks": "a b\n1 2.5\n3 4\n5 6\n",
    "aligned": "  a     b\n  1   2.5\n  3   4\n  5   6.0\n",
    "blanks, names of rows": "a b\nx 1 2.5\ny 3 4\nz 5 6\n",
    "blanks, a comment": "# made by x\na b\n1 2.5\n3 4\n5 6\n",
    "blanks, decimal commas": "a b\n1 2,5\n3 4,0\n5 6,0\n",
    "thousands of blanks": "a;b\n1;2,5\n3;4,0\n5;6,0\n",
}


@pytest.mark.parametrize("way", LAYOUTS)
def test_layouts(tmp_path, way):
    path = tmp_path / "t.csv"
    path.write_bytes(LAYOUTS[way].encode())
    columns = read_table(path).columns
    assert [list(columns[name].values) for name in ("a", "b")] == PLAIN
    scan = novum.scan(path)
    assert scan.names == ["a", "b"]  # an index and what stands at the ends of rows are no features
    np.testing.assert_array_equal(scan.first().X, np.transpose(PLAIN))


def test_what_is_left_out_above_is_reported(tmp_path):
    (tmp_path / "t.csv").write_text(LAYOUTS["a title"])
    assert read_table(tmp_path / "t.csv").notes == ["a line above the header left out: 'Sales of 2021'"]
    (tmp_path / "t.csv").write_text(LAYOUTS["comments inside and below"])
    assert read_table(tmp_path / "t.csv").notes == ["2 lines that hold no cells left out: '# the sensor was changed'"]


@pytest.mark.parametrize("text", ["a\nx,y\nz,w\n", "a,b\n1,2,3\n4,5,6\n", "a,b,c\n1,2\n3,4,5\n", "a,b\nx,y,z\nx,v,w\n"])
def test_a_header_that_rows_contradict_is_no_title(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=r"has \d cells where the header has \d"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("given", ["whitespace", "\\s+", " "])
def test_blanks_by_name(tmp_path, given):
    (tmp_path / "t.txt").write_text('name   "x y"  n\nRome 1.5 2\n"New York" 2.5   ?\n')
    table = read_table(tmp_path / "t.txt", separator=given)
    assert list(table.columns) == ["name", "x y", "n"]
    assert list(table.columns["name"].values) == ["Rome", "New York"]
    scan = novum.scan(tmp_path / "t.txt", columns=["x y"], target="name", delimiter=given)
    assert scan.first().X.ravel().tolist() == [1.5, 2.5]
    with pytest.raises(ParameterError, match="must be one character, or 'whitespace'"):
        read_table(tmp_path / "t.txt", separator="ab")


def test_columns_one_below_the_other_may_have_gaps(tmp_path):
    (tmp_path / "t.txt").write_text("id   n     price\n1    12      3.5\n2             14.0\n3     5      2.0\n")
    columns = read_table(tmp_path / "t.txt").columns
    np.testing.assert_array_equal(columns["n"].values, [12, np.nan, 5])
    np.testing.assert_array_equal(columns["price"].values, [3.5, 14, 2])


def test_a_long_text_of_blanks_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("novum.fold.readers.blanks.PIECE", 100)
    lines = [f"{i}   {i * 0.5}  é{i}" for i in range(200)]
    (tmp_path / "t.dat").write_text("a  b  c\n" + "\n".join(lines), encoding="utf-16")
    scan = novum.scan(tmp_path / "t.dat", columns=["a", "b"], target="c")
    np.testing.assert_array_equal(np.concatenate([b.X for b in [scan.first()]]), [[i, i * 0.5] for i in range(200)])


def test_quotes_inside_quotes(tmp_path):
    for text in ('a,b\n"he said ""hi"", twice",1\n"x",2\n', 'a,b\n"he said \\"hi\\", twice",1\n"x",2\n'):
        (tmp_path / "t.csv").write_text(text)
        assert read_table(tmp_path / "t.csv").columns["a"].values[0] == 'he said "hi", twice'


JSON = {
    "lists by name": {"a": [1, 3, 5], "b": [2.5, 4, 6]},
    "objects by name": {"a": {"0": 1, "1": 3, "2": 5}, "b": {"0": 2.5, "1": 4, "2": 6}},
    "names apart": {"columns": ["a", "b"], "index": [0, 1, 2], "data": [[1, 2.5], [3, 4], [5, 6]]},
    "rows under a name": {"schema": {}, "data": [{"a": 1, "b": 2.5}, {"a": 3, "b": 4}, {"a": 5, "b": 6}]},
    "lists": [["a", "b"], [1, 2.5], [3, 4], [5, 6]],
}


@pytest.mark.parametrize("shape", JSON)
def test_shapes_of_json(tmp_path, shape):
    for indent in (None, 2):
        (tmp_path / "t.json").write_text(json.dumps(JSON[shape], indent=indent))
        columns = read_table(tmp_path / "t.json").columns
        assert [list(columns[name].values) for name in ("a", "b")] == PLAIN


def test_objects_inside_rows_become_columns(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": {"c": 2, "d": {"e": "x"}}}\n{"a": 2, "b": {"c": 3}}\n')
    columns = read_table(tmp_path / "t.jsonl").columns
    assert list(columns) == ["a", "b.c", "b.d.e"] and list(columns["b.d.e"].values) == ["x", None]


def test_the_last_row_may_sum_up(tmp_path):
    path = tmp_path / "t.csv"
    for last in ("Total,12,6", "Gesamt:,12,6", ",12,6", "Average,4,2"):
        path.write_text(f"item,price,n\nx,2,1\ny,4,2\nz,6,3\n{last}\n")
        table = read_table(path)
        assert table.n_rows == 3 and table.notes == ["the last row sums up the others and is left out"]
    assert read_table(path, forms={}).n_rows == 4  # every row to predict is one
    for last in ("Total,13,7", "w,12,6", ",12,7"):
        path.write_text(f"item,price,n\nx,2,1\ny,4,2\nz,6,3\n{last}\n")
        assert read_table(path).n_rows == 4


def test_codes_stay_text_in_study_predict_and_scan(tmp_path):
    rng = np.random.default_rng(0)
    codes = [f"{code:05d}" for code in rng.choice([501, 1234, 98765, 90210], 80)]
    frame = pd.DataFrame({"zip": codes, "x": rng.normal(size=80).round(3), "n": rng.integers(0, 9, 80)})
    frame["y"] = (frame["x"] + (frame["zip"] == "01234") > 0.3).map({True: "yes", False: "no"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")
    assert set(table.columns["zip"].values) == {"00501", "01234", "98765", "90210"}
    assert table.columns["n"].kind == "number"
    scan = novum.scan(tmp_path / "t.csv", columns=["x"], target="zip")
    assert set(scan.first().y) == set(codes)
    result = Study(table, "y", models=["GaussianNB"], folds=3, repeats=1, n_jobs=1, tune=False).run()
    assert {column.name: column.role for column in result.card.columns}["zip"] == "category"
    assert any("zip: digits with leading zeros" in note for note in result.card.notes)
    result.write_report(tmp_path / "out")
    (tmp_path / "new.csv").write_text("zip,x,n\n01234,.1,3\n")
    (tmp_path / "late.csv").write_text("zip,x,n\n98765,.1,3\n90210,.2,4\n")  # no zero in sight
    for name in ("new.csv", "late.csv"):
        run = CliRunner().invoke(application(), ["predict", str(tmp_path / "out/model.novum"), str(tmp_path / name)])
        assert run.exit_code == 0, run.output
        assert any(line.startswith(("01234,", "98765,")) for line in run.output.splitlines())


def test_long_whole_numbers_keep_their_digits(tmp_path):
    (tmp_path / "t.csv").write_text("id,x\n12345678901234567890,1\n12345678901234567891,2\n")
    assert len(set(read_table(tmp_path / "t.csv").columns["id"].values)) == 2
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{0.1 * i!r},{i}\n" for i in range(1, 9)))
    assert read_table(tmp_path / "t.csv").columns["x"].kind == "number"


DAYS = ["2021-01-31", "2021-12-01", "2020-02-29"]
WRITTEN = {
    "ISO": DAYS,
    "by day": ["31/01/2021", "01/12/2021", "29/02/2020"],
    "by month": ["01/31/2021", "12/01/2021", "02/29/2020"],
    "with points": ["31.1.2021", "1.12.2021", "29.2.2020"],
    "in words": ["Jan 31 2021", "December 1, 2021", "Feb 29, 2020"],
    "as a number": ["20210131", "20211201", "20200229"],
}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "parquet"])
@pytest.mark.parametrize("way", WRITTEN)
def test_a_scan_reads_dates_as_days(tmp_path, way, ending):
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"day": WRITTEN[way], "y": [1.0, 2.0, 4.0]})
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif ending == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    else:
        frame.assign(day=pd.to_datetime(DAYS)).to_parquet(path)
    days = np.array(DAYS, dtype="datetime64[D]").astype(float)
    scan = novum.scan(path, columns=["day"], target="y")
    if way == "as a number" and ending in ("jsonl", "xlsx"):
        return  # text of digits in a typed format is no number
    np.testing.assert_array_equal(scan.first().X.ravel(), days)
    assert np.isfinite(LinearRegression().fit(scan).coef_).all()
    if ending != "parquet":
        np.testing.assert_array_equal(
            read_table(path).columns["day"].values.astype("datetime64[D]").astype(float), days
        )


def test_a_workbook_as_a_scan(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Sales of 2021"], [], [None, "shop", "day", "hour", "price", "code"]):
        sheet.append(row)
    for i in range(6):
        sheet.append(
            [None, "ab"[i % 2], datetime.datetime(2021, 1, 1 + i, 12), datetime.time(6, 30), f"${i}.5", f"00{i}"]
        )
    book.save(tmp_path / "book.xlsx")
    table = read_table(tmp_path / "book.xlsx")
    assert {name: column.kind for name, column in table.columns.items()} == {
        "shop": "category",
        "day": "date",
        "hour": "number",
        "price": "number",
        "code": "category",
    }
    scan = novum.scan(tmp_path / "book.xlsx", columns=["day", "hour", "price"], target="shop")
    expected = [[18628.5 + i, 6.5, i + 0.5] for i in range(6)]
    np.testing.assert_allclose(scan.first().X, expected)
    assert list(scan.first().y) == ["a", "b"] * 3 and len(scan) == 6
    with pytest.raises(DataError, match=r"column 'code' of .* is string"):
        LinearRegression().fit(novum.scan(tmp_path / "book.xlsx", columns=["code"], target="price"))
