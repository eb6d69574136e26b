"""Models that were fitted to a frame come back with the names of its columns."""

import numpy as np
import pytest
from contract.cases import data, estimators, quick

import novum

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("estimator", estimators(), ids=lambda e: type(e).__name__)
def test_names_of_columns_survive_a_file(estimator, tmp_path):
    X, y = data(estimator, 60)
    frame = pd.DataFrame(X, columns=["one", "two", "three"])
    model = quick(estimator).fit(frame, y)
    if not hasattr(model, "feature_names_in_"):
        pytest.skip("does not look at columns")
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    assert again.feature_names_in_.tolist() == ["one", "two", "three"]
    for method in ("predict", "transform"):
        if hasattr(model, method):
            before, after = getattr(model, method)(frame), getattr(again, method)(frame)
            assert np.array_equal(np.asarray(before), np.asarray(after))
