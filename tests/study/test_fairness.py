"""Groups compared: shares and means counted by hand, intervals and tests on tables where nothing is, report and command."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact, ttest_ind
from studytables import mixed
from typer.testing import CliRunner

from novum.cli import application
from novum.exceptions import DataError, ParameterError
from novum.study import Listener, Study
from novum.study.comparison.tuning import Judge
from novum.study.data.table import Column, table_of
from novum.study.insight.fairness import calibration_p, compare_groups, groups_of
from novum.study.insight.gaps import mean_gap, share_gap
from novum.study.scoring.measures import MEASURES, Predicted

QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False}


def judge_of(kind, classes=None):
    return Judge(MEASURES["accuracy" if classes is not None else "mae"], kind, classes, 0, None)


def column_of(values, name="g"):
    return table_of(pd.DataFrame({name: values})).columns[name]


def test_the_shares_are_those_counted_by_hand():
    rng = np.random.default_rng(0)
    n = 400
    group = rng.choice(["a", "b", "c"], n)
    y = np.where(rng.random(n) < 0.4, "yes", "no")
    p = np.clip(rng.random(n) * 0.5 + 0.4 * (y == "yes"), 0, 1)
    said = Predicted(np.where(p > 0.5, "yes", "no"), np.column_stack([1 - p, p]))
    (found,) = compare_groups(
        [(column_of(group), False)], y, said, judge_of("classification", np.array(["no", "yes"])), 1
    )
    assert found.tests == 15 and [one.group for one in found.scores] == ["a", "b", "c"] and not found.used
    raw = {}
    for gap in found.gaps:
        here, there = group == gap.group, group != gap.group
        hits, of = {
            "right": (said.values == y, y == y),
            "said yes": (said.values == "yes", y == y),
            "yes found": (said.values == "yes", y == "yes"),
            "false alarm yes": (said.values == "yes", y == "no"),
            "right if said yes": (y == "yes", said.values == "yes"),
        }[gap.what]
        assert gap.value == pytest.approx(hits[here & of].mean()) and gap.elsewhere == pytest.approx(
            hits[there & of].mean()
        )
        assert gap.interval.lower < gap.difference < gap.interval.upper
        table = [[hits[part & of].sum(), (~hits)[part & of].sum()] for part in (here, there)]
        raw[gap.group, gap.what] = fisher_exact(table).pvalue
    ordered = sorted(raw.values())
    holm = np.minimum(1, np.maximum.accumulate([p * (15 - k) for k, p in enumerate(ordered)]))
    np.testing.assert_allclose([gap.p_value for gap in found.gaps], holm, rtol=1e-9)
    for one in found.scores:
        inside = group == one.group
        assert one.score == pytest.approx((said.values == y)[inside].mean()) and one.rows == inside.sum()
        assert one.said == pytest.approx(p[inside].mean()) and one.truth == pytest.approx((y[inside] == "yes").mean())


def test_two_groups_are_compared_once_and_numbers_by_their_errors():
    rng = np.random.default_rng(1)
    group, y = np.repeat([0.0, 1.0], [60, 90]), rng.normal(size=150)
    off = rng.normal(size=150) + 0.8 * group
    (found,) = compare_groups([(column_of(group), True)], y, Predicted(y + off, None), judge_of("regression"), None)
    assert found.tests == 2 and {gap.group for gap in found.gaps} == {"0"}
    error = next(gap for gap in found.gaps if gap.what == "error")
    test = ttest_ind(off[:60], off[60:], equal_var=False)
    assert error.difference == pytest.approx(off[:60].mean() - off[60:].mean())
    assert tuple(error.interval) == pytest.approx(tuple(test.confidence_interval()))
    assert error.p_value == pytest.approx(2 * test.pvalue) and "p < .001" in found.sentence()


def test_intervals_of_gaps_hold_and_nothing_is_named_where_nothing_is():
    rng = np.random.default_rng(2)
    held = shares = named = 0
    for _ in range(400):
        here, there = rng.random(25) < 0.9, rng.random(80) < 0.7
        gap = share_gap("a", "right", here, there)
        shares += gap.interval.lower <= 0.2 <= gap.interval.upper
        gap = mean_gap("a", "error", rng.normal(0, 3, 25), rng.normal(-1, 1, 80))
        held += gap.interval.lower <= 1.0 <= gap.interval.upper
    assert shares >= 380 and held >= 366  # 95 % of 400 less three standard errors
    judge = judge_of("classification", np.array([0, 1]))
    for _ in range(60):
        y, group = rng.integers(0, 2, 200), rng.choice(["a", "b", "c", "d"], 200)
        p = rng.random(200)
        said = Predicted((p > 0.5).astype(int), np.column_stack([1 - p, p]))
        (found,) = compare_groups([(column_of(group), False)], y, said, judge, 1)
        named += any(gap.p_value <= 0.05 for gap in found.gaps)
    assert named <= 8  # 5 % of 60, three standard errors more


def test_calibration_of_a_group_is_tested():
    rng = np.random.default_rng(3)
    q, edges = rng.random(300), np.linspace(0, 1, 6)
    place = np.clip(np.searchsorted(edges, q, side="right") - 1, 0, 4)

    def error(y):
        return np.abs(np.bincount(place, y - q, minlength=5)).sum() / 300

    fine = [calibration_p(q, edges, error(rng.random(300) < q), 0) for _ in range(100)]
    assert 0 < np.mean(np.array(fine) <= 0.05) + 0.01 < 0.13
    assert calibration_p(q, edges, error(rng.random(300) < q**3), 0) == pytest.approx(1 / 1000)


def test_groups_of_every_kind_of_column():
    values = np.array([1.0, 2.0, 1.0, np.nan])
    assert list(groups_of(Column("n", "number", values, "float64"))) == ["1", "2", "1", "(missing)"]
    many = groups_of(Column("n", "number", np.arange(100.0), "float64"))
    names, counts = np.unique(many, return_counts=True)
    assert len(names) == 4 and (counts == 25).all() and "up to 24.75" in names
    levels = groups_of(column_of([f"level {i % 40}" for i in range(400)]))
    assert len(np.unique(levels)) == 12 and (levels == "(others)").sum() == 290
    dates = groups_of(column_of(pd.to_datetime(["2020-01-05", "2021-03-01", None])))
    assert list(dates) == ["2020", "2021", "(missing)"]
    assert list(groups_of(column_of([True, False, True]))) == ["true", "false", "true"]
    with pytest.raises(DataError, match="makes no groups"):
        groups_of(Column("x", "other", None, "list"))


def test_a_column_that_is_not_learned_from_is_in_report_card_and_console(tmp_path):
    frame = mixed(300).drop(columns="spent")
    frame["sex"] = np.where(np.arange(300) % 3 == 0, "f", "m")
    frame.loc[:5, "sex"] = "unknown"
    heard = []

    class Heard(Listener):
        def step(self, name, lines):
            heard.append((name, lines))

        def formed(self, *args):
            pass

        advance = explained = looked = formed

    study = Study(frame, "bought", drop=["sex"], fair=["sex", "city"], models=["LogisticRegression"], **QUICK)
    result = study.run(Heard())
    sex, city = result.fairness
    assert not sex.used and city.used and "sex" not in result.schema.names
    assert sex.small == [("unknown", 6)] and sex.tests == city.tests == len(sex.gaps) + len(city.gaps)
    assert sum(one.rows for one in sex.scores) + 6 == sex.rows == 300
    ((_, lines),) = [one for one in heard if one[0] == "fair"]
    assert len(lines) == 2 and lines[0].startswith("sex: accuracy from ")
    result.write_report(tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert 'id="fair"' in page and "By group: sex" in page and "unknown (6 rows)" in page
    assert "The model does not learn from it" in page and "The model learns from it" in page
    assert "By group: city" in (tmp_path / "report.md").read_text()
    assert "By group, sex: accuracy" in (tmp_path / "MODEL_CARD.md").read_text()
    plain = Study(frame, "bought", drop=["sex"], models=["LogisticRegression"], **QUICK).run()
    np.testing.assert_array_equal(plain.hold_out.proba, result.hold_out.proba)  # it changes nothing else
    plain.write_report(tmp_path / "plain")
    assert 'id="fair"' not in (tmp_path / "plain" / "report.html").read_text()


def test_a_column_that_is_not_there(tmp_path):
    frame = mixed(120).drop(columns="spent")
    with pytest.raises(ParameterError, match="has no column 'town'; did you mean"):
        Study(frame.rename(columns={"city": "towns"}), "bought", fair="town").run()
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = CliRunner().invoke(application(), ["study", str(tmp_path / "t.csv"), "--target", "bought", "--fair", "x"])
    assert done.exit_code == 2 and "has no column 'x'" in done.output
