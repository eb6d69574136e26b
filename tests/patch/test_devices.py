"""Calls of patched classes on a device: the same answers, and a record of where each ran."""

import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import novum
from novum.exceptions import ParameterError
from novum.patch import calls, devices
from novum.patch.__main__ import main

pytestmark = pytest.mark.deep
X = np.random.default_rng(0).normal(size=(300, 3))
Y = X @ [1.0, -2.0, 0.5] + 3.0


@pytest.fixture
def on_processor(monkeypatch):
    """Take the processor for the device, and everything for large."""
    monkeypatch.setattr(devices, "LEAST_CELLS", 1)
    novum.patch(device="cpu")
    yield
    novum.unpatch()


def places():
    return {(call.method, call.place, call.why): call.calls for call in calls()}


def test_answers_are_those_without_a_device(on_processor):
    import sklearn.cluster
    import sklearn.linear_model

    ridge = sklearn.linear_model.Ridge(alpha=0.1).fit(X, Y)
    plain = novum.linear_model.Ridge(alpha=0.1).fit(X, Y)
    assert isinstance(ridge, novum.linear_model.Ridge) and isinstance(ridge.predict(X), np.ndarray)
    np.testing.assert_allclose(ridge.coef_, plain.coef_, rtol=1e-12)
    np.testing.assert_allclose(ridge.predict(X), plain.predict(X), rtol=1e-12)
    assert ridge.score(X, Y) > 0.99
    labels = sklearn.cluster.KMeans(3, random_state=0).fit_predict(X)
    assert isinstance(labels, np.ndarray) and len(np.unique(labels)) == 3
    assert places() == {
        ("Ridge.fit", "cpu", ""): 1,
        ("Ridge.predict", "cpu", ""): 3,  # two here, one by score
        ("KMeans.fit_predict", "cpu", ""): 1,
    }
    assert repr(calls()).splitlines()[1].split() == ["method", "place", "why", "calls", "cells", "seconds"]
    assert "Ridge.predict" in repr(calls()) and list(calls().to_frame().columns)[:3] == ["method", "place", "why"]


def test_calls_stay_where_a_device_would_not_do(on_processor, monkeypatch):
    import scipy.sparse
    from sklearn.linear_model import PoissonRegressor, Ridge

    Ridge().fit(scipy.sparse.csr_matrix(X), Y)
    Ridge().fit(X.tolist(), Y)
    PoissonRegressor().fit(X, np.exp(Y))
    monkeypatch.setattr(devices, "LEAST_CELLS", 10**6)
    Ridge().fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        Ridge().fit(np.where(X > 2, np.nan, X), Y)
    whys = {(method, why) for method, place, why in places() if place == "processor"}
    assert whys == {
        ("Ridge.fit", "sparse rows"),
        ("Ridge.fit", "X is a list"),
        ("PoissonRegressor.fit", "no passes on a device"),
        ("Ridge.fit", "fewer than 1,000,000 cells"),
    }


@pytest.mark.filterwarnings("ignore")
def test_steps_of_few_rows_stay_and_trees_go_there(on_processor):
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.neural_network import MLPRegressor

    options = {"hidden_layer_sizes": (3,), "random_state": 0, "tol": 0.5, "max_iter": 400}
    MLPRegressor(**options).fit(X, Y)
    MLPRegressor(solver="lbfgs", **options).fit(X, Y)
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    plain = novum.ensemble.RandomForestRegressor(5, random_state=0).fit(X, Y)
    assert (forest.predict(X) == plain.predict(X)).all()
    assert places() == {
        ("MLPRegressor.fit", "processor", "steps of few rows at a time"): 1,
        ("MLPRegressor.fit", "cpu", ""): 1,
        ("RandomForestRegressor.fit", "cpu", ""): 1,
        ("RandomForestRegressor.predict", "cpu", ""): 1,
    }


def test_frames_keep_their_names(on_processor):
    import pandas as pd
    from sklearn.linear_model import Ridge

    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = Ridge().fit(frame, Y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict(frame), novum.linear_model.Ridge().fit(X, Y).predict(X), rtol=1e-12)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_models_are_pickled_cloned_and_saved_as_those_of_novum(on_processor, tmp_path):
    from sklearn.base import clone
    from sklearn.linear_model import Ridge

    model = Ridge().fit(X, Y)
    assert type(pickle.loads(pickle.dumps(model))) is novum.linear_model.Ridge
    assert type(clone(model)) is type(model)
    novum.save(model, tmp_path / "ridge.novum")
    assert type(novum.load(tmp_path / "ridge.novum")) is novum.linear_model.Ridge


def test_an_absent_device_is_named():
    with pytest.raises(ParameterError, match="device='cuda', but PyTorch sees no GPU here"):
        novum.patch(device="cuda")
    assert main(["--device", "cuda", __file__]) == 2


def test_the_command_says_where_calls_ran(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        from sklearn.linear_model import Ridge
        X = np.ones((10, 2))
        Ridge().fit(X, X[:, 0])
        """)
    )
    command = [sys.executable, "-m", "novum.patch", "--device", "cpu", str(script)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "where its calls ran" in said and "Ridge.fit" in said and "processor" in said


def test_intervals_come_back_as_arrays():
    torch = pytest.importorskip("torch")
    from novum.base.intervals import tensor_interval

    found = devices.brought_back(tensor_interval(torch.zeros(3), torch.ones(3), 0.95))
    assert all(isinstance(part, np.ndarray) for part in found)
    assert np.allclose(found.upper, 1.959964) and np.allclose(found.lower, -found.upper)
