"""Boosting with categories, by number or by the frame's types, travels with its file."""

import numpy as np
import pandas as pd
import pytest

import novum
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor


@pytest.mark.parametrize("kind", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
@pytest.mark.parametrize("form", ["numbers", "frame", "text"])
def test_categories_are_saved(kind, form, tmp_path):
    rng = np.random.default_rng(0)
    level, x = rng.integers(0, 5, 200), rng.normal(size=200)
    y = (level % 2 + 0.3 * x > 0.5).astype(int)
    X = np.column_stack([level, x])
    if form != "numbers":
        text = np.array(list("abcde"))[level]
        X = pd.DataFrame({"level": pd.Categorical(text), "x": x})
    features = [0] if form == "numbers" else ["level"] if form == "text" else "from_dtype"
    model = kind(max_iter=5, categorical_features=features).fit(X, y)
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict(X), model.predict(X))
