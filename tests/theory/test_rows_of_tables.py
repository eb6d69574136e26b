"""Instances come in many forms, and all are the same instances."""

import pandas as pd
import polars as pl
import pytest

from novum.exceptions import ParameterError
from novum.theory import FindS, candidate_elimination, vc_dimension

COLUMNS = {"p": ["a", "b"], "q": ["x", "x"]}


@pytest.mark.parametrize("table", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), COLUMNS, [("a", "x"), ("b", "x")]])
def test_rows_are_rows(table):
    assert FindS().fit(table, [True, True]).hypothesis_ == ("?", "x")
    assert candidate_elimination(table, [True, False]).specific_boundary[0] == ("a", "x")


def test_one_negative_class_is_no_concept():
    found = FindS().fit([["a"], ["b"]], [False, False])
    assert found.hypothesis_ is None and list(found.predict([["a"]])) == [False]


def test_polygons_have_three_vertices():
    assert vc_dimension("polygons", 2, k=3) == 7
    with pytest.raises(ParameterError, match="three vertices or more"):
        vc_dimension("polygons", 2)
