"""Two small studies that many tests ask about: of classes and of numbers, with gaps, a category, a date."""

import pytest
from studytables import mixed

from novum.study import Study

QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "ensemble": False, "tune": False}


@pytest.fixture(scope="session")
def classes_result():
    return Study(mixed(160).drop(columns="spent"), "bought", models=["LogisticRegression"], **QUICK).run()


@pytest.fixture(scope="session")
def numbers_result():
    return Study(mixed(160).drop(columns="bought"), "spent", models=["DecisionTree"], **QUICK).run()


@pytest.fixture(scope="session")
def saved(classes_result, numbers_result, tmp_path_factory):
    """Return the folder of both, saved as `classes` and `numbers`, with tables beside them."""
    folder = tmp_path_factory.mktemp("saved")
    classes_result.write_report(folder / "classes")
    numbers_result.write_report(folder / "numbers")
    mixed(12, seed=3).drop(columns=["bought", "spent"]).to_csv(folder / "new.csv", index=False)
    return folder
