"""Boosting on tensors that count as elsewhere grows the trees of memory; the kernels interpreted do what PyTorch does."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.exceptions import DataError, ParameterError
from novum.runtime.devices import has_triton

torch = pytest.importorskip("torch")
from elsewhere import CopiedToHost, elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
N, D, BINS = 4000, 3, 12
HISTOGRAMS = 2000  # numbers of a pass: 9 leaves of 3 columns of 16 bins, which is less than there are rows
X = RNG.normal(size=(N, D))
X[:, 2] = np.round(2 * X[:, 2])
Y = X[:, 0] ** 2 + X[:, 1] + 0.1 * RNG.normal(size=N)
X[RNG.random(X.shape) < 0.05] = np.nan
WHOLE = RNG.integers(0, 3, N).astype(float)
QUESTIONS = ("predict", "predict_proba", "decision_function")


def compared(make, y, weight=None, atol=0.0, equal=True):
    here = make().fit(X, y, sample_weight=weight)
    rows = torch.as_tensor(X)
    with elsewhere(HISTOGRAMS) as crossed:
        there = make().fit(rows, torch.as_tensor(y), sample_weight=None if weight is None else torch.as_tensor(weight))
        found = {name: getattr(there, name)(rows) for name in QUESTIONS if hasattr(there, name)}
    assert max(crossed) < N
    assert len(here._nodes) == len(there._nodes) and here.n_iter_ == there.n_iter_
    for field in here._nodes.dtype.names:
        one, other = here._nodes[field], there._nodes[field]
        (assert_array_equal if equal or one.dtype.kind != "f" else assert_allclose)(other, one, err_msg=field)
    for name, answer in found.items():
        assert isinstance(answer, torch.Tensor)
        assert_allclose(answer.numpy(), getattr(here, name)(X), rtol=1e-13, atol=atol)
    assert_allclose(there.validation_score_, here.validation_score_, rtol=1e-12)


def regressor(**settings):
    return lambda: HistGradientBoostingRegressor(
        max_iter=4, max_leaf_nodes=6, max_bins=BINS, random_state=0, **settings
    )


@pytest.mark.parametrize("weight", [None, WHOLE, WHOLE + 0.3], ids=["plain", "whole", "any"])
def test_regression_has_the_trees_of_memory_bit_by_bit(weight):
    compared(regressor(), Y, weight)


def test_stopping_and_limits():
    compared(regressor(early_stopping=True, learning_rate=0.5, n_iter_no_change=2), Y)
    compared(regressor(max_features=0.5, monotonic_cst=[0, 1, 0], interaction_cst=[[0, 1], [2]], max_depth=2), Y)


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_losses_with_exponentials(loss):
    compared(regressor(loss=loss), np.exp(Y / 3), atol=1e-14, equal=False)


@pytest.mark.parametrize("edges", [[1.0], [0.0, 1.0, 2.0]])
def test_classes(edges):
    def make():
        return HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, max_bins=BINS, class_weight="balanced")

    compared(make, np.digitize(Y, edges) + 5, atol=1e-14, equal=False)


def test_labels_that_are_words():
    words = np.array(["low", "high"])[(Y > 1).astype(int)]
    here = HistGradientBoostingClassifier(max_iter=2, max_bins=BINS).fit(X, words)
    with elsewhere(10**5):
        there = HistGradientBoostingClassifier(max_iter=2, max_bins=BINS).fit(torch.as_tensor(X), words)
        assert_array_equal(there.predict(torch.as_tensor(X)), here.predict(X))


def test_more_iterations_go_on_from_the_trees_that_are_there():
    here = HistGradientBoostingRegressor(max_iter=4, max_bins=BINS, max_leaf_nodes=6).fit(X, Y)
    with elsewhere(HISTOGRAMS):
        model = HistGradientBoostingRegressor(max_iter=2, max_bins=BINS, max_leaf_nodes=6, warm_start=True)
        model.fit(torch.as_tensor(X), torch.as_tensor(Y)).set_params(max_iter=4)
        model.fit(torch.as_tensor(X), torch.as_tensor(Y))
    assert_array_equal(model._nodes, here._nodes)


def test_sums_are_exact():
    from novum.engines.moments.exact_sums import exact_limbs, exact_value
    from novum.ensemble.boosting.device.slopes import device_limbs

    for values in (
        RNG.normal(size=999) * 10.0 ** RNG.integers(-30, 30, 999),
        np.array([0.0, -0.0]),
        np.full(5, -1e-310),
    ):
        assert exact_value(device_limbs(torch.as_tensor(values))) == exact_value(exact_limbs(values))


def test_what_is_refused():
    rows, target = torch.as_tensor(X), torch.as_tensor(Y)
    with elsewhere(HISTOGRAMS):
        for loss in ("absolute_error", "huber", "quantile"):
            with pytest.raises(ParameterError, match=f"loss='{loss}' refits leaves by quantiles"):
                HistGradientBoostingRegressor(loss=loss, quantile=0.5).fit(rows, target)
        with pytest.raises(ParameterError, match="X_val and y_val are rows in memory"):
            HistGradientBoostingRegressor(early_stopping=True).fit(rows, target, X_val=X, y_val=Y)
        with pytest.raises(ParameterError, match="a scorer needs rows in memory"):
            HistGradientBoostingRegressor(early_stopping=True, scoring="r2").fit(rows, target)
        with pytest.raises(ParameterError, match="categorical_features need rows in memory"):
            HistGradientBoostingRegressor(categorical_features=[2]).fit(rows, target)
        encoded = HistGradientBoostingRegressor(max_iter=1, categorical_features=[2]).fit(X, Y)
        with pytest.raises(DataError, match="categorical_features are encoded in memory"):
            encoded.predict(rows)
    with elsewhere(10), pytest.raises(CopiedToHost):  # the guard sees histograms cross
        regressor()().fit(rows, target)


@pytest.mark.skipif(not has_triton(), reason="Triton is not installed")
def test_the_kernels_add_and_walk_as_pytorch_does():
    script = """
        import numpy as np, torch
        from novum.engines.trees.device import kernels, passes
        from novum.engines.trees.histograms import NODE, pack
        from novum.engines.trees.passes.growth import Request
        from novum.runtime import devices
        rng, (n, d, width, slots) = np.random.default_rng(0), (300, 3, 16, 4)
        kernels.ROWS, kernels.CHUNK, kernels.BLOCK = 128, 64, 32
        codes = torch.as_tensor(rng.integers(0, 15, (d, n)), dtype=torch.uint8)
        slot = np.array([-1, -1, 1, 0, -1, 2, 3])
        low, high = -(2**30), 2**30
        g = torch.as_tensor(rng.integers(low, high + 1, n), dtype=torch.int32)
        h = torch.as_tensor(rng.integers(0, high + 1, n), dtype=torch.int32)
        g[0], g[1], h[2] = low, high, high
        nodes = np.zeros(7, NODE)
        nodes["is_leaf"] = [0, 0, 1, 1, 0, 1, 1]
        nodes["feature_idx"], nodes["bin_threshold"] = [0, 2, 0, 0, 1, 0, 0], [7, 3, 0, 0, 9, 0, 0]
        nodes["left"], nodes["right"], nodes["missing_go_to_left"] = [1, 3, 0, 0, 5, 0, 0], [2, 4, 0, 0, 6, 0, 0], 1
        nodes["num_threshold"], nodes["value"] = rng.normal(size=7), rng.normal(size=7)
        X = torch.as_tensor(rng.normal(size=(n, d)), dtype=torch.float32)
        X[::7, 0] = float("nan")
        packed = pack(np.concatenate([nodes] * 4), 7 * np.arange(4), np.empty((0, 8), np.uint32), 2)
        found = []
        for compiled in (True, False):
            devices.runs_kernels = lambda tensor, compiled=compiled: compiled
            leaf = passes.leaves_of(passes.node_fields(nodes), codes, torch.zeros(n, dtype=torch.int32), 14)
            cells, counts = torch.zeros((slots, d, width, 2), dtype=torch.int64), torch.zeros((slots, d, width), dtype=torch.int32)
            start = torch.zeros(n, dtype=torch.int32)
            ended = passes.add_pairs(Request(nodes, None, slot, None, slots, 0), codes, start, 14, (g, h), cells, counts)
            assert torch.equal(ended, leaf)
            raw = passes.add_packed_rows(packed, X, torch.ones((n, 2), dtype=torch.float64))
            found.append((leaf, cells, counts, raw))
        assert all(torch.equal(one, other) for one, other in zip(*found))
        assert found[0][2].sum() > 0 and len(found[0][0].unique()) == 4
    """
    run = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(run, check=True, env={**os.environ, "TRITON_INTERPRET": "1"}, timeout=200)
