"""Boosting that reads levels as they are goes into a file and comes back."""

import numpy as np
import pandas as pd
import pytest

import novum
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


@pytest.mark.parametrize("cls", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
@pytest.mark.parametrize("kind", ["numbers", "levels"])
def test_levels_are_saved_and_loaded(cls, kind, tmp_path):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, 300)
    level = codes if kind == "numbers" else pd.Categorical(np.array(list("abcde"))[codes])
    X = pd.DataFrame({"u": rng.normal(size=300), "v": level})
    model = cls(max_iter=5, categorical_features=["v"]).fit(X, (codes % 2 + (X["u"] > 0)).astype(int))
    novum.save(model, tmp_path / "model.novum")
    loaded = novum.load(tmp_path / "model.novum")
    assert loaded.is_categorical_.tolist() == [False, True]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
