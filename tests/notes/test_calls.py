"""Rows that scikit-learn serves: each has a call, the call runs with our learners in it, and the pages count them apart."""

import ast
import importlib
import re
import warnings
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from novum import ensemble, linear_model, naive_bayes, neural_network, svm, tree
from novum.notes.pages import chapter_page, coverage_page
from novum.notes.tables import all_calls, call_of, chapters, ledger, names_of, server_of

BORROWED = [row for row in ledger() if server_of(row) == "scikit-learn"]
OURS = {
    name: getattr(family, name)
    for family in (ensemble, linear_model, naive_bayes, svm, tree)
    for name in family.__all__
}


def scikit_learn_names(row):
    return [name for name in names_of(row) if name.startswith("sklearn.")]


def namespace():
    """Return what a line of calls.tsv may use: our learners, the classes of its rows, and small data."""
    theirs = {}
    for row in BORROWED:
        for name in scikit_learn_names(row):
            module, _, own = name.rpartition(".")
            theirs[own] = getattr(importlib.import_module(module), own)
    iris = load_iris()
    two = iris.target < 2
    data = {
        "X": iris.data[two][:, [1, 2]],
        "y": iris.target[two],
        "k": np.arange(100) % 3,
        "t": iris.data[two][:, 0],
        "C": np.array([["a"], ["b"]] * 50),
    }
    return {
        **OURS,
        **theirs,
        **data,
        "np": np,
        "make_pipeline": make_pipeline,
        "MLPClassifier": neural_network.MLPClassifier,
    }


@pytest.mark.parametrize("row", BORROWED, ids=lambda row: row.key)
def test_the_call_runs_and_uses_a_class_of_its_row(row):
    used = {node.id for node in ast.walk(ast.parse(call_of(row))) if isinstance(node, ast.Name)}
    assert used & {name.rpartition(".")[2] for name in scikit_learn_names(row)}
    with warnings.catch_warnings(action="ignore"):  # networks that stop early
        eval(call_of(row), namespace())
    plt.close("all")


def test_no_call_is_left_over():
    assert set(all_calls()) == {row.key for row in BORROWED}


def test_the_page_counts_ours_and_theirs_apart():
    page = coverage_page()
    count = Counter(server_of(row) for row in ledger())
    said = re.search(
        r"(\d+) of (\d+) items .*?(\d+) more are served by scikit-learn.*?(\d+) are \*not yet\*", page, re.S
    )
    assert [int(number) for number in said.groups()] == [
        count["novum"],
        len(ledger()),
        count["scikit-learn"],
        count[""],
    ]
    assert sum(count.values()) == len(ledger()) and count["novum"] > 950
    section = page.partition("## Served by scikit-learn")[2]
    assert section.count("\n| ") == len(BORROWED) + 1
    by_set = re.findall(r"^\| 00\d [^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M)
    assert all(int(a) + int(b) + int(c) == int(d) for a, b, c, d in by_set) and len(by_set) == 5
    assert sum(int(b) for _, b, _, _ in by_set) == len(BORROWED)


def test_a_chapter_shows_the_call():
    row = next(row for row in BORROWED if row.item == "stacking")
    chapter = next(c for c in chapters() if (c.notes, c.chapter) == (row.notes, row.chapter))
    assert f"scikit-learn: `{call_of(row)}`" in chapter_page(chapter)
