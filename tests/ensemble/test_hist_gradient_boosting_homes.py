"""The same rows in memory and in files give the same trees (tests/fold/test_growth_on_dask.py: on a cluster, too), whether
codes are in memory as a whole, block by block, or on the disk.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

import novum
from novum.engines.trees import bins
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.ensemble.boosting import coded_rows, home_fit, validation_rows
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12_000, 5))
X[RNG.random(X.shape) < 0.05] = np.nan
Y = (np.nansum(X[:, :3], axis=1) + RNG.normal(size=12_000) > 0).astype(int)
W = RNG.integers(0, 3, 12_000).astype(float)
MODEL = HistGradientBoostingClassifier(
    max_iter=4, max_leaf_nodes=16, random_state=0
)  # more than 10,000 rows: some are held back


def fresh():
    return HistGradientBoostingClassifier(**MODEL.get_params())


@pytest.fixture(scope="module", autouse=True)
def small_sample():
    """Bins from a sample that is smaller than the data."""
    before, bins.SAMPLE_ROWS = bins.SAMPLE_ROWS, 5000
    yield
    bins.SAMPLE_ROWS = before


@pytest.fixture(scope="module")
def memory(small_sample):
    return fresh().fit(X, Y, sample_weight=W)


@pytest.fixture(params=["listed", "in blocks", "on the disk"])
def codes(request, monkeypatch):
    """Where the codes of rows in files are."""
    if request.param == "in blocks":
        monkeypatch.setattr(coded_rows, "ROW_BYTES", 2**40)
    if request.param == "on the disk":
        monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    return request.param


def agree(model, other):
    assert_array_equal(model._nodes, other._nodes)
    assert_array_equal(model.validation_score_, other.validation_score_)


def test_threads_change_no_bit(memory):
    for threads in (1, 3):
        with threadpool_limits(threads):
            agree(fresh().fit(X, Y, sample_weight=W), memory)


def test_files(memory, codes, tmp_path):
    for name, values in (("x", X), ("y", Y), ("w", W)):
        np.save(tmp_path / f"{name}.npy", values)
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", weight=tmp_path / "w.npy", batch_rows=1900)
    model = fresh().fit(scan)
    agree(model, memory)
    assert_array_equal(np.concatenate(list(model.predict_proba(scan))), memory.predict_proba(X))
    model.set_params(warm_start=True, max_iter=6).fit(scan)
    more = fresh().set_params(warm_start=True).fit(X, Y, sample_weight=W).set_params(max_iter=6)
    agree(model, more.fit(X, Y, sample_weight=W))
    with pytest.raises(ParameterError, match="max_iter=2 must be larger"):
        model.set_params(max_iter=2).fit(scan)
    with pytest.raises(ParameterError, match="a scorer needs rows in memory"):
        fresh().set_params(scoring="accuracy").fit(scan)
    with pytest.raises(ParameterError, match="categorical_features need rows in memory"):
        fresh().set_params(categorical_features=[0]).fit(scan)


NUMBERS = np.nansum(X[:, :3], axis=1) + RNG.normal(size=12_000)
CASES = [
    (HistGradientBoostingClassifier, {"class_weight": "balanced"}, (NUMBERS > -1).astype(int) + (NUMBERS > 1)),
    (HistGradientBoostingClassifier, {"class_weight": {0: 2.5}, "early_stopping": False}, Y),
    (HistGradientBoostingRegressor, {"max_features": 0.5, "validation_fraction": None}, NUMBERS),
    (HistGradientBoostingRegressor, {"loss": "gamma", "max_leaf_nodes": None, "max_depth": 4}, np.exp(NUMBERS / 3)),
    (
        HistGradientBoostingRegressor,
        {"loss": "poisson", "interaction_cst": [(0, 1), (2, 3)], "monotonic_cst": [1, 0, 0, 0, -1]},
        np.exp(NUMBERS / 3),
    ),
    (HistGradientBoostingRegressor, {"loss": "absolute_error"}, NUMBERS),
    (HistGradientBoostingRegressor, {"loss": "quantile", "quantile": 0.8, "early_stopping": False}, NUMBERS.round(1)),
    (HistGradientBoostingRegressor, {"loss": "huber"}, NUMBERS),  # its start needs all targets: codes come here
]


@pytest.mark.parametrize("kind, settings, target", CASES)
def test_cuts_losses_and_fractional_weights(kind, settings, target, codes, tmp_path):
    weight = RNG.random(12_000)
    for name, values in (("x", X), ("y", target), ("w", weight)):
        np.save(tmp_path / f"{name}.npy", values)
    settings = {"max_iter": 2, "max_leaf_nodes": 12, "random_state": 1, **settings}
    expected = kind(**settings).fit(X, target, sample_weight=weight)
    for rows in (1777, 6001) if codes == "in blocks" else (1777,):  # blocks that end anywhere
        scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", weight=tmp_path / "w.npy", batch_rows=rows)
        model = kind(**settings).fit(scan)
        agree(model, expected)
        assert_array_equal(model.train_score_, expected.train_score_)


def test_rows_held_back_at_random_and_rows_given(tmp_path, codes, monkeypatch):
    for name, values in (("x", X), ("y", Y)):
        np.save(tmp_path / f"{name}.npy", values)
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", batch_rows=5000)
    given = {"X_val": X[:500], "y_val": Y[:500]}
    agree(fresh().fit(scan, **given), fresh().fit(X, Y, **given))
    monkeypatch.setattr(validation_rows, "SPLIT_ROWS", 1000)
    monkeypatch.setattr(home_fit, "SPLIT_ROWS", 1000)
    agree(fresh().fit(scan), fresh().fit(X, Y))
    share = validation_rows.holds(validation_rows.random_holding(0.1, 0, 12_000), 0, 12_000).mean()
    assert abs(share - 0.1) < 4 * np.sqrt(0.09 / 12_000)
    with pytest.raises(DataError, match="strictly positive y"):
        HistGradientBoostingRegressor(loss="gamma").fit(scan)
