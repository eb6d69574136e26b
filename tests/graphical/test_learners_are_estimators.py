"""Every learner of a structure is an estimator: copies, parameters, representation, model files with the same graph."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import novum
from novum.base.discovery import all_estimators
from novum.base.estimator import Estimator
from novum.datasets import load_fuel_gauge
from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, PC, ChowLiu, ExactSearch, HillClimb, StructurePosterior

ROWS = load_fuel_gauge().sample(800, random_state=0)
NUMBERS = pd.DataFrame(
    np.random.default_rng(0).normal(size=(200, 3)) @ [[1, 1, 0], [0, 1, 1], [0, 0, 1]], columns=list("abc")
)
LEARNERS = [
    (HillClimb("bdeu", n_init=3, forbidden=[("gauge", "fuel")]), ROWS),
    (HillClimb(start=DAG([("fuel", "gauge")]), n_init=1), ROWS),
    (ExactSearch("k2", max_parents=2), ROWS),
    (ChowLiu(root="gauge"), ROWS),
    (PC(), ROWS),
    (PC("partial_correlation", significance=0.05), NUMBERS),
    (PC(DAG([("a", "c"), ("b", "c")])), None),
    (StructurePosterior(), ROWS),
    (StructurePosterior(method="orders", n_samples=200, n_burn=20, n_chains=2), ROWS),
]
every = pytest.mark.parametrize(("learner", "data"), LEARNERS, ids=lambda value: type(value).__name__)
TABLES = ("arcs_", "edges_", "information_", "separating_sets_", "p_values_")


def learned(found):
    """Return all attributes of a fitted learner."""
    tables = {name: getattr(found, name) for name in TABLES if hasattr(type(found), name)}
    return {"text": str(found), "dag": found.dag_, "states": found.states_, **tables}


def test_all_learners_are_here():
    named = {name for name, cls in all_estimators() if ".structure_learning." in cls.__module__}
    assert named == {type(learner).__name__ for learner, _ in LEARNERS}


@every
def test_copies_parameters_and_representation(learner, data):
    assert isinstance(learner, Estimator)
    again = clone(learner)
    assert again is not learner and repr(again) == repr(learner) == str(learner)
    assert {k: repr(v) for k, v in again.get_params().items()} == {k: repr(v) for k, v in learner.get_params().items()}
    name = next(iter(learner.get_params()))
    assert again.set_params(**{name: "changed"}).get_params()[name] == "changed"
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        again.set_params(nonsense=1)
    with pytest.raises((NotFittedError, ParameterError)):
        clone(learner).network()


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@every
def test_files_hold_the_graph(learner, data, tmp_path):
    weight = None if data is None else np.arange(1, len(data) + 1) % 3
    fitted = clone(learner).fit(data, sample_weight=weight)
    assert repr(fitted) == repr(learner) and fitted.dag_.arcs
    for other in (
        novum.load(novum.save(fitted, tmp_path / "learner.novum")),
        pickle.loads(pickle.dumps(fitted)),
        clone(learner).fit(data, sample_weight=weight),
    ):
        assert learned(other) == learned(fitted)
        if data is not None:
            assert str(other.network()) == str(fitted.network())
    assert (
        novum.load(novum.save(clone(learner), tmp_path / "new.novum")).get_params().keys()
        == learner.get_params().keys()
    )


def test_a_failed_fit_changes_nothing():
    found = HillClimb(n_init=2).fit(ROWS)
    before = dict(vars(found))
    with pytest.raises(DataError, match="holds no value"):
        found.fit(ROWS.assign(fuel=None))
    with pytest.raises(ParameterError, match="'tabu' parameter of HillClimb"):
        found.set_params(tabu=-1).fit(ROWS)
    assert vars(found) == {**before, "tabu": -1}
