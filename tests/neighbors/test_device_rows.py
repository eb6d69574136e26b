"""Neighbors of rows on a device, against those of memory: tensors that count as elsewhere, and the kernel interpreted."""

import copy
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError, ParameterError
from novum.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from novum.runtime.devices import has_triton

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(900, 4)), RNG.normal(size=(210, 4))
Y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 1)
SETTINGS = [
    {},
    {"p": 1},
    {"p": 3},
    {"metric": "chebyshev"},
    {"metric": "cosine"},
    {"metric": "sqeuclidean"},
    {"metric": "seuclidean", "metric_params": None},
    {"metric": "mahalanobis", "metric_params": {"VI": np.diag([1.0, 2.0, 3.0, 4.0])}},
]


def there(values):
    return torch.as_tensor(values)


def both(make, X, y, Q, method, dtype=np.float64):
    X, Q = X.astype(dtype), Q.astype(dtype)
    known = getattr(make().fit(X, y), method)(Q)
    with elsewhere():
        found = getattr(make().fit(there(X), None if y is None else there(y)), method)(there(Q))
        moved = getattr(make().fit(X, y), method)(there(Q))  # fitted in memory, asked on the device
    return known, found, moved


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_neighbors_are_those_of_memory(settings, dtype):
    known, *others = both(lambda: NearestNeighbors(n_neighbors=7, **settings), X, None, Q, "kneighbors", dtype)
    for distance, index in others:
        single = dtype == np.float32 and settings.get("metric") == "cosine"  # in memory by products in single precision
        assert_allclose(distance.numpy(), known[0], rtol=1e-12, atol=1e-6 if single else 0)
        if single:
            continue
        assert_array_equal(index.numpy(), known[1])
        assert distance.dtype == torch.float64 and index.dtype == torch.int64


@pytest.mark.parametrize("shift, scale", [(0.0, 1.0), (1e9, 1.0), (0.0, 1e-30), (0.0, 1e30)])
def test_ties_far_rows_and_all_sizes(shift, scale):
    rows, queries = (np.round(2 * values) * scale + shift for values in (X, Q))
    known, *others = both(lambda: NearestNeighbors(n_neighbors=20), rows, None, queries, "kneighbors")
    for distance, index in others:
        assert_array_equal(index.numpy(), known[1])
        assert_allclose(distance.numpy(), known[0], rtol=1e-12)


def test_more_equal_rows_than_candidates():
    rows = np.vstack([np.repeat(X[:1], 700, axis=0), X])
    known, *others = both(lambda: NearestNeighbors(n_neighbors=3), rows, None, rows[600:810], "kneighbors")
    for _, index in others:
        assert_array_equal(index.numpy(), known[1])


def test_rows_ask_for_their_own_neighbors():
    known = NearestNeighbors(n_neighbors=4).fit(X).kneighbors()
    with elsewhere():
        found = NearestNeighbors(n_neighbors=4).fit(there(X)).kneighbors()
    assert_array_equal(found[1].numpy(), known[1])
    graph = NearestNeighbors(n_neighbors=4).fit(X).kneighbors_graph()
    with elsewhere(10_000):
        assert (NearestNeighbors(n_neighbors=4).fit(there(X)).kneighbors_graph() != graph).nnz == 0


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(
    "make, y, methods",
    [
        (KNeighborsClassifier, Y, ("predict", "predict_proba")),
        (KNeighborsClassifier, np.column_stack([Y, Y > 1]), ("predict",)),
        (KNeighborsRegressor, X @ np.arange(4.0), ("predict",)),
        (KNeighborsRegressor, np.column_stack([Y, X[:, 0]]), ("predict",)),
        (lambda **s: RadiusNeighborsClassifier(1.2, outlier_label=7, **s), Y, ("predict",)),
        (lambda **s: RadiusNeighborsClassifier(4.0, **s), Y, ("predict", "predict_proba")),
        (lambda **s: RadiusNeighborsRegressor(3.0, **s), X[:, :2], ("predict",)),
    ],
)
@pytest.mark.filterwarnings("ignore:Outlier label", "ignore:One or more samples have no neighbors")
def test_votes(make, y, methods, weights):
    rows = np.vstack([X, X[:5]])
    y = np.concatenate([y, y[5:10]])
    queries = np.vstack([Q, X[:3]])  # at distance zero of two rows
    for method in methods:
        known, *others = both(lambda: make(weights=weights), rows, y, queries, method)
        for found in others:
            assert isinstance(found, torch.Tensor)
            assert_allclose(found.numpy(), known, rtol=1e-11, atol=1e-12)


def test_labels_that_are_words_come_as_an_array():
    words = np.array(["a", "b", "c", "d"])[Y]
    known = KNeighborsClassifier().fit(X, words).predict(Q)
    with elsewhere(300):  # the codes of the queries
        assert_array_equal(KNeighborsClassifier().fit(there(X), words).predict(there(Q)), known)


def test_rows_are_added_and_forgotten():
    known = KNeighborsClassifier().fit(X[:400], Y[:400]).partial_fit(X[400:], Y[400:] + 3).forget([1, 5, 700])
    with elsewhere():
        found = KNeighborsClassifier().fit(there(X[:400]), there(Y[:400]))
        found = found.partial_fit(there(X[400:]), there(Y[400:] + 3)).forget([1, 5, 700])
        shares = found.predict_proba(there(Q))
    assert_array_equal(shares.numpy(), known.predict_proba(Q))
    assert_array_equal(found.classes_, known.classes_)


def test_files_and_copies_hold_arrays(tmp_path):
    with elsewhere(10_000):
        model = KNeighborsRegressor().fit(there(X), there(X[:, 0]))
        expected = model.predict(there(Q)).numpy()
        novum.save(model, tmp_path / "rows.novum")
        twins = [novum.load(tmp_path / "rows.novum"), copy.deepcopy(model)]
    for twin in twins:
        assert isinstance(twin._fit_X, np.ndarray)
        assert_allclose(twin.predict(Q), expected, rtol=1e-12)
    assert_allclose(model.predict(Q), expected, rtol=1e-12)  # rows in memory, asked of a model on a device


def test_what_is_refused():
    with elsewhere():
        with pytest.raises(DataError, match="NearestNeighbors: metric='canberra' is computed in memory alone"):
            NearestNeighbors(metric="canberra").fit(there(X))
        with pytest.raises(ParameterError, match="weights='uniform' or 'distance'"):
            RadiusNeighborsRegressor(weights=lambda d: d).fit(there(X), there(Y)).predict(there(Q))
        with pytest.raises(ParameterError, match="lists of neighbors are made of queries in memory"):
            NearestNeighbors().fit(there(X)).radius_neighbors(there(Q))
        with pytest.raises(ValueError, match="Unknown label type"):
            KNeighborsClassifier().fit(there(X), there(X[:, 0]))
        with pytest.raises(DataError, match="inconsistent numbers of samples"):
            KNeighborsClassifier().fit(there(X), there(Y[:5]))


@pytest.mark.skipif(not has_triton(), reason="Triton is not installed")
def test_the_kernel_bounds_from_below_and_close():
    script = """
        import torch
        from novum.engines.search.device import scan
        from novum.runtime import devices
        torch.manual_seed(0)
        for n, d in ((1000, 40), (777, 5)):
            X, Q = torch.randn(n, d), torch.randn(150, d)
            devices.runs_kernels = lambda tensor: True
            compiled = scan.DeviceScan(X, scan.Form(2.0))
            index = compiled.nearest(Q, 3)[1]
            name, = compiled.levels
            assert name == ("tf32" if d > 16 else "float32")
            devices.runs_kernels = lambda tensor: False
            plain = scan.DeviceScan(X, scan.Form(2.0))
            assert torch.equal(plain.nearest(Q, 3)[1], index)
            bounds, exact = compiled._bounds(compiled.levels[name], Q)[0], plain._bounds(plain.levels["float64"], Q)[0]
            gap = exact - bounds
            for p in (1.0, float("inf")):
                devices.runs_kernels = lambda tensor: True
                found = scan.DeviceScan(X, scan.Form(p)).all_distances(Q)
                assert torch.allclose(found, torch.cdist(Q.double(), X.double(), p=p), rtol=1e-13, atol=0)
            assert gap.shape == (150, -(-n // scan.GROUP)) and gap.min() > 0 and gap.max() < 2e-3
    """
    run = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(run, check=True, env={**os.environ, "TRITON_INTERPRET": "1"}, timeout=200)
