"""Scripts as people write them for scikit-learn run unchanged under the patch, its functions that take an estimator among them."""

import runpy
import warnings
from pathlib import Path

import pytest

import novum
from novum.patch import used

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))
SLOW = {"boundaries", "curves", "calibration", "searches"}  # two seconds and more


@pytest.mark.parametrize(
    "script",
    [pytest.param(path, id=path.stem, marks=pytest.mark.slow if path.stem in SLOW else ()) for path in SCRIPTS],
)
def test_script_runs_with_our_classes(script):
    novum.patch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits of a few rows that do not converge in either library
            runpy.run_path(str(script), run_name="__main__")
        assert used()
    finally:
        novum.unpatch()


def test_there_are_scripts_of_every_kind():
    text = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    assert len(SCRIPTS) >= 15
    for name in (
        "plot_tree",
        "export_text",
        "export_graphviz",
        "permutation_importance",
        "partial_dependence",
        "cross_validate",
        "CalibratedClassifierCV",
        "DecisionBoundaryDisplay",
        "GridSearchCV",
        "StackingClassifier",
        "SelectFromModel",
        "clone",
    ):
        assert name in text
