"""Mean targets of levels: formulas, folds, kinds of columns, files (in studies: tests/study/test_levels.py)."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import novum
from novum.exceptions import DataError
from novum.preprocessing import LevelMeans


def shops(n=400, levels=60, seed=0):
    rng = np.random.default_rng(seed)
    who = rng.integers(0, levels, n)
    effect = rng.normal(0, 2, levels)
    frame = pd.DataFrame({"shop": [f"shop {k:03}" for k in who], "floor": rng.integers(1, 4, n).astype(float)})
    frame.loc[rng.choice(n, 20, replace=False), "shop"] = None
    return frame, effect[who] + rng.normal(size=n)


def literal(level, y):
    """(1) and (2), row by row."""
    names = sorted(set(level), key=str)
    n, m = len(y), np.mean(y)
    rows = {one: [i for i in range(n) if level[i] == one] for one in names}
    mean = {one: np.mean([y[i] for i in rows[one]]) for one in names}
    v = sum((y[i] - mean[level[i]]) ** 2 for i in range(n)) / (n - len(names))
    between = sum(len(rows[one]) * (mean[one] - m) ** 2 for one in names)
    w = (between - (len(names) - 1) * v) / (n - sum(len(rows[one]) ** 2 for one in names) / n)
    if w <= 0:
        return {one: (m, len(rows[one])) for one in names}
    s = v / w
    return {one: ((len(rows[one]) * mean[one] + s * m) / (len(rows[one]) + s), len(rows[one])) for one in names}


def test_new_rows_get_the_means_that_the_formulas_say():
    frame, y = shops()
    found = LevelMeans().fit(frame, y).transform(frame)
    for column, at in (("shop", 0), ("floor", 2)):
        level = [None if cell != cell else cell for cell in frame[column].astype(object).tolist()]
        known = literal(level, y)
        np.testing.assert_allclose(found[:, at], [known[one][0] for one in level], rtol=1e-12)
        np.testing.assert_allclose(found[:, at + 1], np.log1p([known[one][1] for one in level]), rtol=1e-15)


def test_training_rows_are_given_what_other_folds_say():
    frame, y = shops()
    made = LevelMeans(cv=4, random_state=1).fit_transform(frame[["shop"]], y)
    nudged = y.copy()
    nudged[7] += 1000.0
    again = LevelMeans(cv=4, random_state=1).fit_transform(frame[["shop"]], nudged)
    assert again[7, 0] == made[7, 0]  # its own target says nothing to it
    assert (again[:, 0] != made[:, 0]).sum() > len(y) / 2


def test_levels_of_their_own_say_nothing():
    rng = np.random.default_rng(2)
    frame, y = pd.DataFrame({"id": [f"id {k}" for k in range(50)]}), rng.normal(size=50)
    np.testing.assert_allclose(LevelMeans(counts=False).fit(frame, y).transform(frame)[:, 0], y.mean(), rtol=1e-12)
    new = LevelMeans().fit(frame, y).transform(pd.DataFrame({"id": ["another", None]}))
    np.testing.assert_allclose(new, [[y.mean(), 0.0]] * 2, rtol=1e-12)


@pytest.mark.parametrize("kinds", [2, 3])
def test_classes_are_shares(kinds):
    frame, y = shops()
    labels = np.array(["one", "three", "two"])[np.digitize(y, [0.0] if kinds == 2 else [-1.0, 1.0])]
    means = LevelMeans(counts=False).fit(frame[["shop"]], labels)
    found = means.transform(frame[["shop"]])
    assert list(means.classes_) == sorted(set(labels)) and found.shape[1] == (1 if kinds == 2 else 3)
    level = [None if cell != cell else cell for cell in frame["shop"].astype(object).tolist()]
    known = literal(level, (labels == means.classes_[-1]).astype(float))
    np.testing.assert_allclose(found[:, -1], [known[one][0] for one in level], rtol=1e-12)


def test_whole_numbers_of_a_regression_are_numbers():
    frame, y = shops()
    amounts = np.round(10 * y)
    assert LevelMeans().fit(frame, amounts).transform(frame).shape == (400, 4)
    assert LevelMeans(target_type="numbers").fit(frame, amounts.astype(int)).transform(frame).shape == (400, 4)


def test_units_and_kinds_of_columns_change_nothing(tmp_path):
    frame, y = shops()
    frame = frame.assign(shop=frame["shop"].astype(object))
    known = LevelMeans().fit(frame, y)
    expected = known.transform(frame)
    coded = frame.assign(shop=frame["shop"].astype("category"))
    np.testing.assert_allclose(LevelMeans().fit(coded, y).transform(coded), expected, rtol=1e-13)
    np.testing.assert_allclose(known.transform(coded), expected, rtol=0)
    np.testing.assert_allclose(known.transform(pl.from_pandas(frame)), expected, rtol=0)
    far = LevelMeans().fit(frame, 1e9 + 1e3 * y).transform(frame)
    np.testing.assert_allclose((far[:, [0, 2]] - 1e9) / 1e3, expected[:, [0, 2]], atol=1e-6)
    novum.save(known, tmp_path / "known.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "known.novum").transform(frame), expected)
    assert list(known.get_feature_names_out()[:2]) == ["mean target of shop", "rows of shop"]


def test_several_targets_are_refused():
    frame, y = shops()
    with pytest.raises(DataError, match="one target at a time"):
        LevelMeans().fit(frame[["floor"]], np.stack([y, y], axis=1))
