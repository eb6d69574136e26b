"""The report as a file: self-contained, well-formed, escaped, with every number the result has."""

import base64
import copy
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from studytables import mixed

from novum.study import Study
from novum.study.plots.svg import intervals, ticks
from novum.study.report.html import report_html
from novum.study.report.markdown import report_markdown

VOID = {"meta", "line", "rect", "circle", "polyline", "br"}
QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "ensemble": False}


class Checker(HTMLParser):
    """Follows the tags: each is closed in order; keeps ids, links and heads of tables."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.addresses = [], [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        named = dict(attrs)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named["href"]] if "href" in named else []
        self.addresses += [value for key, value in attrs if key in ("src", "href", "action", "xlink:href")]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def result():
    frame = mixed().drop(columns="spent").rename(columns={"age": "age <b>&\"'</b>"})
    return Study(frame, "bought", models=["GaussianNB", "LogisticRegression", "LDA"], **QUICK).run()


def test_it_is_well_formed_and_needs_nothing_else(result):
    text = report_html(result)
    checker = Checker()
    checker.feed(text)
    assert checker.open == [] and len(set(checker.ids)) == len(checker.ids)
    assert all(address.startswith(("#", "data:")) for address in checker.addresses)
    assert {link[1:] for link in checker.links if link.startswith("#")} <= set(checker.ids)
    assert "http://" not in text and "https://" not in text and "@import" not in text and "url(" not in text
    assert len(text) < 3 * 2**20
    assert "<b>&" not in text and "age &lt;b&gt;" in text  # names are text, never markup


def test_every_number_is_there(result):
    text = report_html(result)
    for leader in result.leaders:
        assert leader.name in text and result.scoring.text(leader.mean) in text
    assert result.judged() in text
    files = {
        name: base64.b64decode(data).decode()
        for data, name in re.findall(r'href="data:text/csv;charset=utf-8;base64,([^"]+)" download="([^"]+)"', text)
    }
    assert set(files) == {
        *("scores.csv", "hold-out.csv", "importances.csv", "weights.csv", "columns.csv", "coefficients.csv"),
        *("calibration.csv", "coverage.csv", "threshold.csv", "contributions.csv", "curve.csv", "dependence.csv"),
    }
    assert files["scores.csv"].startswith("model,by,accuracy,lower,upper")
    confusion = files["hold-out.csv"].splitlines()[1:]
    assert sum(int(line.rsplit(",", 1)[1]) for line in confusion) == result.n_held


def test_a_regression_has_residuals_and_many_columns_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    frame = pd.DataFrame(X, columns=[f"a column with a long name {i}" for i in range(30)]).assign(y=X[:, 0] + X[:, 1])
    text = report_html(Study(frame, "y", models=["Ridge", "DecisionTree"], **QUICK).run())
    assert "Residuals" in text and "The 20 most important of 30 columns" in text
    Checker().feed(text)


def test_ticks_are_round_and_inside():
    for low, high in [(0, 1), (-3.2, 7.9), (1e-6, 2e-6), (0.93, 0.98), (-1e6, 5e6), (2.0, 2.0)]:
        found = ticks(low, high)
        assert found and all(low - 1e-9 * abs(low) <= tick <= high + 1e-9 * abs(high) for tick in found)
        assert len(found) <= 8


def test_a_baseline_far_away_stands_at_the_edge():
    rows = [("a", 0.95, 0.94, 0.96, "", True), ("b", 0.94, 0.93, 0.95, "", False), ("c", 0.94, 0.93, 0.95, "", False)]
    assert "◂ .6" in intervals([*rows, ("base", 0.6, 0.59, 0.61, "", False)], "t", "x")
    assert "3.1 ▸" in intervals([*rows, ("base", 3.1, 3.0, 3.2, "", False)], "t", "x")
    assert "◂" not in intervals([*rows, ("base", 0.92, 0.91, 0.93, "", False)], "t", "x")


def test_an_interval_that_few_rows_decide_is_doubted(numbers_result):
    assert "too narrow" not in (numbers_result.doubted() or "")
    doubtful = copy.copy(numbers_result)
    doubtful.hold_out = numbers_result.hold_out._replace(few={"rmse": 3.2, "r2": 4.1})
    sentence = "are approximate and may be too narrow: about 3 of the 40 rows decide them."
    for text in (repr(doubtful), report_html(doubtful), report_markdown(doubtful)):
        assert sentence in " ".join(text.split())
    doubtful.hold_out = doubtful.hold_out._replace(few={"rmse": 0.4})
    assert doubtful.doubted().endswith("RMSE is approximate and may be too narrow: about 1 of the 40 rows decide it.")
