"""Columns and classes of a study come back as the table has them, in what is printed and in both reports."""

import html

import numpy as np
import pandas as pd
import pytest
from report.test_names_verbatim import NAMES

from novum.study import Study
from novum.study.report.html import report_html
from novum.study.report.markdown import report_markdown

N = 200


def table(target, seed=0):
    rng = np.random.default_rng(seed)
    columns = [name for name in NAMES if name != target]
    frame = pd.DataFrame(rng.normal(size=(N, len(columns))), columns=columns)
    return frame, rng, columns


@pytest.fixture(scope="module")
def numbers():
    frame, rng, columns = table("")
    frame["amount 0.5"] = frame[columns].to_numpy() @ np.linspace(1, 2, len(columns)) + rng.normal(size=N)
    settings = {
        "models": ["Ridge"],
        "folds": 3,
        "repeats": 1,
        "tune": False,
        "ensemble": False,
        "n_jobs": 1,
        "random_state": 0,
    }
    return Study(frame, "amount 0.5", **settings).run()


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(1)
    labels = np.repeat(["dose 0.5 mg", "1 rows", "<b>0.25</b>", "שלום 0.5"], N // 4)
    frame = pd.DataFrame(rng.normal(size=(N, 3)) + 2 * pd.factorize(labels)[0][:, None], columns=["a", "b 0.5", "c"])
    settings = {
        "models": ["LogisticRegression"],
        "folds": 3,
        "repeats": 1,
        "tune": False,
        "ensemble": False,
        "n_jobs": 1,
        "random_state": 0,
    }
    return Study(frame.assign(kind=labels), "kind", **settings).run(), sorted(set(labels))


def test_columns_in_the_html_report(numbers):
    page = html.unescape(report_html(numbers))
    for name in [*NAMES, "amount 0.5"]:
        assert name in page, name
    assert "amount .5" not in page and "dose .5 mg" not in page and "over .5" not in page


def test_columns_in_the_other_report_and_in_print(numbers):
    said = report_markdown(numbers)
    assert "amount 0.5" in said and "amount .5" not in said and "dose .5 mg" not in said
    assert "amount 0.5" in repr(numbers)


def test_classes(classes):
    found, labels = classes
    page = html.unescape(report_html(found))
    for label in labels:
        assert label in page, label
    assert "dose .5 mg" not in page and "dose .5 mg" not in report_markdown(found)
    assert all(label in [str(one) for one in found.task.labels] for label in labels)
