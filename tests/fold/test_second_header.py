"""Two header lines: units are left out, two levels are joined, and a row stays a row."""

import numpy as np
import pandas as pd
import pytest

from novum.fold.readers.second_header import second_header
from novum.study.data.files import read_table

ROWS = "".join(f"{i + 0.5},{i * 2},{'ab'[i % 2]}x\n" for i in range(12))


def read(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    return read_table(path)


def test_a_line_of_units_is_left_out(tmp_path):
    table = read(tmp_path, "height,weight,sex\ncm,kg,\n" + ROWS)
    assert list(table.columns) == ["height", "weight", "sex"]
    assert table.n_rows == 12
    assert table.columns["height"].kind == table.columns["weight"].kind == "number"
    assert any("second header line is left out: 'cm', 'kg'" in note for note in table.notes)
    plain = read(tmp_path, "height,weight,sex\n" + ROWS)
    assert np.array_equal(table.columns["weight"].values, plain.columns["weight"].values)
    assert not plain.notes


def test_two_levels_are_joined(tmp_path):
    table = read(
        tmp_path, "2020,,2021,,who\nlow,high,low,high,\n" + "".join(f"{i},{i + 1},{i},3,b{i % 3}\n" for i in range(9))
    )
    assert list(table.columns) == ["2020 low", "2020 high", "2021 low", "2021 high", "who"]
    assert table.n_rows == 9
    assert any("joined" in note for note in table.notes)


def test_what_pandas_writes_of_two_levels(tmp_path):
    frame = pd.DataFrame(np.arange(20.0).reshape(5, 4), columns=pd.MultiIndex.from_product([["a", "b"], ["x", "y"]]))
    frame.to_csv(tmp_path / "table.csv")
    table = read_table(tmp_path / "table.csv")
    assert list(table.columns) == ["(column 1)", "a x", "a y", "b x", "b y"]
    assert np.array_equal(table.columns["b y"].values, [3.0, 7, 11, 15, 19])


def test_workbooks_too(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["size", "mass", "kind"], ["cm", "kg", None], *([i, i / 2, "uv"[i % 2]] for i in range(8))):
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    table = read_table(tmp_path / "table.xlsx")
    assert table.n_rows == 8
    assert table.columns["size"].kind == "number"
    assert any("second header" in note for note in table.notes)


@pytest.mark.parametrize(
    "row",
    [
        ["n/d", "unknown", "ax"],  # words for nothing
        ["1.5", "kg", "q"],  # a number
        ["NA", "", "q"],
        ["low", "", "q"],  # one odd cell
        ["low", "high", "ax"],  # a text that comes back
    ],
)
def test_a_row_stays_a_row(row):
    rows = [line.split(",") for line in ROWS.splitlines()]
    assert second_header(["a", "b", "c"], [row, *rows]) is None


def test_few_rows_and_texts_stay():
    assert second_header(["a", "b"], [["x", "y"], ["1", "2"]]) is None
    assert second_header(["a", "b"], [["x", "y"], ["u", "v"], ["w", "z"], ["q", "r"]]) is None
