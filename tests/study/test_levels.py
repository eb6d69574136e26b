"""Columns of thousands of levels, in studies."""

import numpy as np
import pandas as pd
import pytest

from novum.study import Study
from novum.study.comparison.pipelines import (
    CODES_AND_TARGET,
    NATIVE_AND_TARGET,
    TARGET,
    Treatment,
    columns_for,
    with_native,
)


def firms(n=3_000, levels=600, seed=0):
    """Scores, whole numbers, of firms that have several: most of what there is to know is the firm."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, levels, n)
    effect = rng.normal(0, 8, levels)
    frame = pd.DataFrame({"firm": [f"FIRM {k:04} LLC" for k in who], "year": rng.integers(2010, 2020, n)})
    return frame.assign(score=np.round(80 + effect[who] + rng.normal(0, 4, n)))


@pytest.mark.parametrize("how", [TARGET, NATIVE_AND_TARGET, CODES_AND_TARGET])
def test_whole_numbers_make_one_mean_a_column(how):
    table = firms()
    columns = columns_for(table[["firm", "year"]], False, Treatment(how))
    X = columns.fit_transform(table[["firm", "year"]], table["score"].to_numpy())
    assert X.shape == (3_000, 3 if how == TARGET else 4)  # the year, the mean, its rows, the number of the firm


def test_only_native_numbers_are_told_to_boosting():
    from novum.ensemble import HistGradientBoostingRegressor

    table = firms()
    for how, told in ((NATIVE_AND_TARGET, [3]), (CODES_AND_TARGET, None)):
        columns = columns_for(table[["firm", "year"]], False, Treatment(how))
        columns.fit(table[["firm", "year"]], table["score"].to_numpy())
        assert with_native(HistGradientBoostingRegressor(), columns).get_params()["categorical_features"] == (
            told or "from_dtype"
        )


def test_a_study_learns_the_levels():
    table = firms()
    result = Study(table, "score", time_limit=12, n_jobs=1).run()
    assert result.kept.mean < 5.4  # who knows the effects: 4; the mean of all: 9
    assert any("by the mean target of its levels" in note for note in result.card.notes)
