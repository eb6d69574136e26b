"""Intervals that were measured to fail are warned of, the others not."""

import warnings

import numpy as np
import pytest

from novum.evaluation import clopper_pearson_interval, delong_interval, evaluate_predictions, wilson_interval
from novum.exceptions import DataWarning


@pytest.mark.parametrize("successes", [1, 2, 3, 97, 98, 99])
def test_few_of_either_outcome_are_reported(successes):
    with pytest.warns(DataWarning, match="wilson_interval: interval of share: .* within 3 of none or all"):
        wilson_interval(successes, 100)
    clopper_pearson_interval(successes, 100)


@pytest.mark.parametrize("successes", [0, 4, 50, 96, 100])
def test_shares_that_hold_are_silent(successes):
    wilson_interval(successes, 100)


def test_areas():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    delong_interval(y, rng.normal(size=200) + y)
    with pytest.warns(DataWarning, match="rows? of a class overlap"):
        delong_interval(y, rng.normal(size=200) + 5 * y)
    few = np.repeat([0, 1], [400, 10])
    with pytest.warns(DataWarning, match="a class has only 10 rows"):
        delong_interval(few, rng.normal(size=410) + few)


def test_an_evaluation_reports_its_doubts_once():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = evaluate_predictions(
            y, y_proba=np.clip(0.5 + 0.2 * (2 * y - 1) + 0.3 * rng.normal(size=200), 0.01, 0.99)
        )
    assert not seen and not found.notes
    wrong = y.copy()
    wrong[:2] = 1 - wrong[:2]
    with pytest.warns(DataWarning, match="interval of accuracy: 198 of 200") as seen:
        found = evaluate_predictions(y, wrong, scoring=["accuracy"])
    assert len(seen) == 1 and any("198 of 200" in note for note in found.notes)
    assert "198 of 200" in repr(found) and "198 of 200" in found._repr_html_()
    evaluate_predictions(y, wrong, scoring=["accuracy"], proportion="clopper_pearson")
    with pytest.warns(DataWarning, match="of 20 rows, fewer than 50"):
        evaluate_predictions(rng.normal(size=20), rng.normal(size=20), scoring=["mse"])


def test_a_score_that_few_rows_decide():
    rng = np.random.default_rng(2)
    y = rng.normal(size=300)
    off = y + 0.01 * rng.normal(size=300)
    off[7] += 100
    with pytest.warns(DataWarning, match="about 1 of 300 rows decide its variance"):
        evaluate_predictions(y, off, scoring=["mse"])
    with pytest.warns(DataWarning, match="no width and says nothing"):
        evaluate_predictions(y, y, scoring=["mae"])
