"""CSV files that a spreadsheet opens without running what a table says."""

import numpy as np
import pytest

from novum.study.report.output import csv_text, inert, rows_as_csv

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_are_made_inert(cell):
    assert inert(cell) == f"'{cell}"
    text = csv_text(pd.DataFrame({cell: [cell, "plain"], "n": [-1.5, 2.0]}))
    assert pd.read_csv(__import__("io").StringIO(text)).iloc[0, 0].startswith("'") or cell[0] == "\r"
    assert rows_as_csv([cell], [[cell], [-3]]).count("'") == 2 + 2 * cell.count("'")


@pytest.mark.parametrize("cell", ["plain", "a=b", "-1.5", "+2", "1e3", -1, 2.5, None, np.float64(-3)])
def test_what_is_left_alone(cell):
    assert inert(cell) is cell
