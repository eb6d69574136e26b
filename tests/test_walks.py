"""A reader who follows a fit from file to file gets there: the walks that CONTRIBUTING draws stay short."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "walk.py"


@pytest.mark.parametrize(
    "name, most",
    [
        ("LinearRegression.fit", 25),
        ("KMeans.fit(scan)", 306),
        ("BayesianNetwork.query", 9),
        ("GaussianHMM.fit", 330),
        ("GaussianProcessRegressor.fit", 850),
        ("Study.run", 7200),
    ],
)
def test_switches_between_files_are_few(name, most):
    spec = importlib.util.spec_from_file_location("walk", TOOL)
    walk = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(walk)
    assert len(walk.visits(walk.WALKS[name]())) - 1 <= most
