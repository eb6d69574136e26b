"""Dates of several styles, hours, and what the target was of late: read alike in study and file, without a look ahead."""

import numpy as np
import pandas as pd
import pytest

import novum
from novum.fold.readers.cells import dates_of, form_of, notes_on
from novum.preprocessing.last_values import PARTS, LastValues
from novum.study import Study, predict_table
from novum.study.comparison.folds import Parting
from novum.study.comparison.pipelines import Treatment, columns_for
from novum.study.comparison.treatments import BOOSTING, choose_treatment, fold_score, keys_of_series
from novum.study.comparison.tuning import Judge
from novum.study.data.files import read_table
from novum.study.scoring.measures import measure_for

QUICK = {"folds": 3, "repeats": 1, "tune": False, "ensemble": False, "n_jobs": 1}


def read(cells):
    form = form_of(cells)
    assert form.kind == "date"
    return form, [str(date) for date in dates_of(cells, form).astype("datetime64[D]")]


def test_every_cell_is_read_by_its_own_style():
    cells = ["2012-01-31", "31/12/2021", "Jan 1 2000", "01/02/2020", "2 March 1999", "20110405", "2013-02-01"]
    form, found = read(cells)
    assert found == ["2012-01-31", "2021-12-31", "2000-01-01", "2020-02-01", "1999-03-02", "2011-04-05", "2013-02-01"]
    note = notes_on("when", form, cells, np.zeros(len(cells), dtype=bool))[0]
    assert "several styles" in note
    assert "day/month/year" in note
    assert read(["2012-01-31", "12/31/2021", "01/02/2020"])[1][2] == "2020-01-02"
    assert read(["2012-01-31", "31.12.2021", "01.02.2020"])[1][2] == "2020-02-01"


def test_what_the_column_does_not_tell_is_said():
    form, found = read(["2012-01-31", "02/03/2021", "Jan 1 2000"])
    assert form.doubtful
    assert found[1] == "2021-02-03"


def test_words_beside_dates_stay_text():
    assert form_of(["2012-01-31", "x1", "soon", "31/12/2021", "later"]) is None
    assert form_of(["12", "2012", "7"]).kind == "number"


def test_the_hour_takes_part_and_comes_back_from_a_file(tmp_path):
    rng = np.random.default_rng(0)
    n = 400
    when = pd.date_range("2021-03-01", periods=n, freq="7h")
    frame = pd.DataFrame({"when": when.strftime("%Y-%m-%d %H:%M"), "x": rng.normal(size=n)})
    frame["y"] = np.where(when.hour < 12, 5.0, -5.0) + rng.normal(size=n)
    frame.to_csv(tmp_path / "table.csv", index=False)
    result = Study(tmp_path / "table.csv", "y", models=["GradientBoosting"], **QUICK).run()
    assert result.hold_out.score < 2
    assert any("when becomes year, month, weekday, hour and day count" in note for note in result.card.notes)
    novum.save(result.model, tmp_path / "model.novum")
    new = frame.drop(columns="y").iloc[:20]
    new.to_csv(tmp_path / "new.csv", index=False)
    again = novum.load(tmp_path / "model.novum")
    found = predict_table(again, read_table(tmp_path / "new.csv"))
    assert np.array_equal(found.values, result.predict(new))
    plain = Study(frame.assign(when=when.strftime("%Y-%m-%d")), "y", models=["Ridge"], **QUICK).run()
    assert not any("hour" in note for note in plain.card.notes)


def series(days=60, shops=6, seed=1, step=1.0):
    rng = np.random.default_rng(seed)
    level = np.cumsum(step * rng.normal(size=(days, shops)), axis=0)
    frame = pd.DataFrame(
        {"day": np.repeat(np.arange(days), shops) * 1.0, "shop": np.tile([f"s{k}" for k in range(shops)], days)}
    )
    frame["shop"] = frame["shop"].astype(object)
    return frame, level.ravel() + 0.1 * rng.normal(size=len(frame))


def test_a_file_of_several_styles_is_read_alike_by_its_model(tmp_path):
    rng = np.random.default_rng(6)
    when = pd.date_range("2021-03-01", periods=90, freq="31h")
    styles = ("%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M", "%b %d %Y")
    frame = pd.DataFrame(
        {"when": [moment.strftime(styles[i % 3]) for i, moment in enumerate(when)], "x": rng.normal(size=90)}
    )
    frame.assign(y=frame["x"] + np.arange(90)).to_csv(tmp_path / "table.csv", index=False)
    result = Study(tmp_path / "table.csv", "y", models=["Ridge"], **QUICK).run()
    assert sum("several styles" in note for note in result.card.notes) == 1
    novum.save(result.model, tmp_path / "model.novum")
    again, new = (
        novum.load(tmp_path / "model.novum"),
        frame.iloc[[1, 4, 7]],
    )  # of one style, as the first days of a month write it
    assert np.array_equal(predict_table(again, new).values, result.predict(frame)[[1, 4, 7]])


@pytest.mark.parametrize("keyed", [False, True])
def test_no_row_sees_its_own_target_or_a_later_one(keyed):
    """By brute force: moving a target moves only the codes of rows that are later."""
    frame, y = series()
    X = frame[["day", "shop"]] if keyed else frame[["day"]]
    codes = LastValues(random_state=3).fit_transform(X, y)
    for row in (0, 100, 250, len(y) - 1):
        other = y.copy()
        other[row] += 50.0
        # where nothing is known the mean of the rows stands in, which the difference below takes out
        moved = LastValues(random_state=3).fit_transform(X, other)
        stands_in = np.isclose(codes, y.mean()) & np.isclose(moved, other.mean())
        changed = np.flatnonzero(((codes != moved) & ~stands_in).any(axis=1))
        assert (frame["day"].to_numpy()[changed] > frame["day"][row]).all()


def test_new_rows_get_the_last_values_of_their_key():
    frame, y = series()
    fitted = LastValues().fit(frame[["day", "shop"]], y)
    new = pd.DataFrame({"day": [60.0, 65.0, 61.0, np.nan], "shop": ["s2", "s2", "new", "s0"]})
    found = fitted.transform(new)
    of_shop = y[frame["shop"] == "s2"]
    assert len(PARTS) == found.shape[1]
    assert found[0] == pytest.approx([of_shop[-1], of_shop[-3:].mean(), of_shop[-12:].mean(), 1.0])
    assert found[1] == pytest.approx([*found[0][:3], 6.0])
    assert found[2] == pytest.approx([y.mean()] * 3 + [2.0])
    assert found[3][-1] == 0.0


def test_late_values_are_taken_where_they_help_and_travel_with_the_file(tmp_path):
    frame, y = series(days=80, shops=8, seed=3)
    judge = Judge(
        measure_for("regression", None), "regression", None, 0, Parting(None, None, True, len(y)).inner, None, "day"
    )
    found = choose_treatment(frame, y, np.arange(len(y)), None, judge, "linear")
    assert found.lags == ("day", "shop")
    assert keys_of_series(frame, "day", ["shop"]) == ["shop"]
    single = frame[frame["shop"] == "s1"].reset_index(drop=True)
    assert keys_of_series(single, "day", ["shop"]) == []
    columns = columns_for(frame, False, Treatment("native", (), "words", ("day", "shop")))
    assert columns.fit_transform(frame, y).shape[1] == 2 + len(PARTS)
    table = frame.assign(day=pd.Timestamp("2022-01-01") + pd.to_timedelta(frame["day"], unit="D"), y=y)
    result = Study(table, "y", time="day", models=["Ridge"], **QUICK).run()
    new = table.drop(columns="y").tail(24).assign(day=lambda t: t["day"] + pd.Timedelta(days=9))
    novum.save(result.model, tmp_path / "model.novum")
    assert np.array_equal(predict_table(novum.load(tmp_path / "model.novum"), new).values, result.predict(new))
    assert any("last values and rolling means" in note for note in result.card.notes)


def test_noise_in_time_gains_nothing():
    """Late values of targets without memory score as those of the plain columns do."""
    rng = np.random.default_rng(8)
    frame, _ = series(days=150, shops=4)
    y = rng.normal(size=len(frame))
    judge = Judge(measure_for("regression", None), "regression", None, 0, None, None, "day")
    train, test = np.arange(400), np.arange(400, 600)
    for lags in (("day",), ("day", "shop")):
        score = fold_score(
            frame, y, weight=None, judge=judge, family=BOOSTING, treatment=Treatment(lags=lags), train=train, test=test
        )
        assert -score > 0.95 * y[test].std()
