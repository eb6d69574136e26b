"""Lags of the target: of arrays and frames, by several keys, after a file (in studies: test_moments.py)."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import novum
from novum.exceptions import DataError
from novum.preprocessing import LastValues


def series(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"day": np.arange(n) // 4 + 0.0, "shop": np.array(["a", "b"] * (n // 2)), "floor": [1, 1, 2, 2] * (n // 4)}
    )
    return frame, rng.normal(size=n).cumsum()


@pytest.mark.parametrize("keys", [[], ["shop"], ["shop", "floor"]])
def test_new_rows_get_the_means_of_their_last_times(keys):
    frame, y = series()
    known = LastValues().fit(frame[["day", *keys]], y)
    new = frame[["day", *keys]].tail(4).assign(day=20.0)
    found = known.transform(new)
    data = frame.assign(y=y, day=frame["day"])
    for row, (_, cells) in zip(found, new.iterrows()):
        mine = data[(data[keys] == cells[keys]).all(axis=1)] if keys else data
        by_day = mine.groupby("day")["y"].mean().to_numpy()
        assert row == pytest.approx([by_day[-1], by_day[-3:].mean(), by_day[-12:].mean(), 20 - mine["day"].max()])


def test_arrays_and_other_frames_say_the_same(tmp_path):
    frame, y = series()
    codes = frame[["day", "floor"]]
    known = LastValues().fit(codes, y)
    expected = known.transform(codes)
    plain = LastValues().fit(codes.to_numpy().astype(float), y)
    np.testing.assert_array_equal(plain.transform(codes.to_numpy().astype(float)), expected)
    np.testing.assert_array_equal(LastValues().fit(pl.from_pandas(codes), y).transform(pl.from_pandas(codes)), expected)
    novum.save(known, tmp_path / "known.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "known.novum").transform(codes), expected)
    assert known.get_feature_names_out()[0] == "last"


def test_training_rows_know_what_was_some_time_before():
    frame, y = series()
    found = LastValues(random_state=3).fit_transform(frame[["day", "shop"]], y)
    assert found.shape == (60, 4) and (found[:, -1] > 0).all()
    assert found[:, -1].max() <= frame["day"].max() / 3 + 1 + 1e-9


def test_a_missing_time_is_the_last_one():
    frame, y = series()
    gap = frame.copy()
    gap.loc[59, "day"] = np.nan
    np.testing.assert_array_equal(LastValues().fit(gap, y).transform(gap), LastValues().fit(frame, y).transform(frame))
    with pytest.raises(DataError, match="is missing in all rows"):
        LastValues().fit(frame.assign(day=np.nan), y)
