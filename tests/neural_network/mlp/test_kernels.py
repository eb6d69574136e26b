"""The compiled perceptron against its NumPy twin, at shapes about the edges of vectors and tiles."""

import io
import itertools
import os
import subprocess
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
import scipy.sparse
from reference import perceptrons

from novum import _core
from novum.activations import get_activation
from novum.neural_network.mlp.compiled_network import (
    CODES,
    CompiledNetwork,
    Data,
    Settings,
    compressed,
    fresh_memory,
    join,
    split,
)

RNG = np.random.default_rng
SHAPES = [(1, 1, 1), (3, 7, 2), (8, 8, 8), (17, 9, 16, 3), (5, 49, 33, 4), (2, 130, 3)]
RATE = 0.01
KINDS = {"identity": 3, "logistic": 1, "softmax": 3, "exp": 2}


def problem(units, kind, n, dtype=np.float64, seed=0, scale=0.5):
    rng = RNG(seed)
    coefs = [rng.normal(size=s) * scale / np.sqrt(s[0]) for s in itertools.pairwise(units)]
    shifts = [rng.normal(size=m) * scale for m in units[1:]]
    X = rng.normal(size=(n, units[0]))
    if kind == "softmax":
        code = rng.integers(units[-1], size=n)
        y = np.eye(units[-1])[code]
        data = Data(X.astype(dtype), code, None, None)
    else:
        y = (
            rng.integers(0, 2, size=(n, units[-1])) * 1.0
            if kind == "logistic"
            else rng.poisson(2.0, (n, units[-1])) * 1.0
        )
        data = Data(X.astype(dtype), None, y.astype(dtype), None)
    return coefs, shifts, X, y, data


def trained(
    units, kind, activation, data, coefs, shifts, *, solver="sgd", batch, threads=1, epochs=1, order=None, **more
):
    settings = Settings(tuple(units), get_activation(activation), kind, solver, 0.9, True, **more)
    machine = CompiledNetwork(settings, fresh_memory(settings, join([coefs, shifts], data.X.dtype)), batch, threads)
    order = np.arange(data.rows) if order is None else order
    loss = [machine.epoch(data, order, RATE) for _ in range(epochs)][-1]
    return loss, split(settings, machine.memory().theta), machine


@pytest.mark.notes("000-c", "adagrad")
@pytest.mark.notes("000-c", "adam")
@pytest.mark.notes("000-c", "momentum")
@pytest.mark.notes("000-c", "rmsprop")
@pytest.mark.notes("000-c", "reg-l1")
@pytest.mark.notes("000-c", "reg-l2")
@pytest.mark.parametrize("units", SHAPES)
@pytest.mark.parametrize("rule", perceptrons.RULES)
def test_an_epoch_is_that_of_numpy(units, rule):
    for kind in KINDS:
        shape = (*units[:-1], KINDS[kind])
        for n, batch in ((1, 1), (11, 4), (37, 37)):
            coefs, shifts, X, y, data = problem(shape, kind, n)
            weight = RNG(1).uniform(0.5, 2, n)
            loss, (w, b, _), _ = trained(
                shape,
                kind,
                "tanh",
                data._replace(weight=weight),
                coefs,
                shifts,
                solver=rule,
                batch=batch,
                alpha=0.1,
                l1=0.01,
            )
            expected = perceptrons.epoch(coefs, shifts, "tanh", kind, X, y, weight, batch, rule, RATE, 0.1, 0.01)
            assert loss == pytest.approx(expected, rel=1e-12)
            for ours, theirs in zip((*w, *b), (*coefs, *shifts)):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


@pytest.mark.notes("000-c", "mlp")
@pytest.mark.notes("004", "mlp")
@pytest.mark.parametrize("activation", sorted(CODES))
def test_every_activation_forward_and_back(activation):
    units = (6, 19, 10, 3)
    coefs, shifts, X, y, data = problem(units, "softmax", 23)
    _, (w, b, _), _ = trained(units, "softmax", activation, data, coefs, shifts, batch=10)
    perceptrons.epoch(coefs, shifts, activation, "softmax", X, y, np.ones(23), 10, "sgd", RATE)
    for ours, theirs in zip((*w, *b), (*coefs, *shifts)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    # floats keep their own precision
    coefs, shifts, _, _, data = problem(units, "softmax", 23, np.float32)
    _, (w32, _, _), _ = trained(units, "softmax", activation, data, coefs, shifts, batch=10)
    assert w32[0].dtype == np.float32
    np.testing.assert_allclose(w32[0], w[0], rtol=0, atol=3e-6)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "elu", "selu"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exponentials_keep_all_digits_in_the_tails_and_near_zero(activation, dtype):
    x = np.concatenate([np.linspace(-30, 30, 4001), np.geomspace(1e-30, 1, 500), -np.geomspace(1e-30, 1, 500)]).astype(
        dtype
    )
    settings = Settings((1, 1, 1), get_activation(activation), "identity")
    memory = fresh_memory(settings, np.array([1, 1, 0, 0], dtype))  # h(x) itself
    found = CompiledNetwork(settings, memory, 64, 1, trains=False).predict(x[:, None])[:, 0]
    exact = get_activation(activation)(x.astype(np.float64))
    np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


def test_threads_give_the_same_bits():
    units = (40, 150, 150, 5)
    coefs, shifts, _, _, data = problem(units, "softmax", 700, np.float32, scale=0.05)
    for more in ({}, {"dropout": 0.4, "seed": 3}, {"batch_norm": True}):
        results = []
        for threads in (1, 2, 3):
            parts = [coefs, shifts, [np.ones(150)] * 2] if more.get("batch_norm") else [coefs, shifts]
            settings = Settings(units, get_activation("relu"), "softmax", "adam", **more)
            machine = CompiledNetwork(settings, fresh_memory(settings, join(parts, np.float32)), 200, threads)
            loss = machine.epoch(data, RNG(0).permutation(700), 0.01)
            results.append((loss, machine.memory().theta.tobytes(), machine.predict(data.X).tobytes()))
        assert results[0] == results[1] == results[2]


def test_compressed_rows_are_rows():
    units = (60, 20, 3)
    coefs, shifts, X, _, data = problem(units, "softmax", 50)
    X = X * (RNG(2).random(X.shape) < 0.1)
    X[7] = 0
    sparse = scipy.sparse.csr_matrix(X)
    dense = trained(
        units, "softmax", "relu", data._replace(X=np.ascontiguousarray(X)), coefs, shifts, batch=16, alpha=0.3
    )
    packed = trained(units, "softmax", "relu", data._replace(X=sparse), coefs, shifts, batch=16, alpha=0.3)
    assert packed[0] == pytest.approx(dense[0], rel=1e-13)
    np.testing.assert_allclose(packed[1][0][0], dense[1][0][0], atol=1e-14)
    np.testing.assert_allclose(packed[2].predict(sparse), dense[2].predict(np.ascontiguousarray(X)), atol=1e-14)
    loss, gradient = packed[2].gradient(data._replace(X=sparse))
    same, other = packed[2].gradient(data._replace(X=np.ascontiguousarray(X)))
    assert loss == pytest.approx(same, rel=1e-13)
    np.testing.assert_allclose(gradient, other, atol=1e-12)


def test_the_gradient_of_many_rows_is_the_sum_over_strips():
    units = (5, 11, 2)
    coefs, shifts, X, y, data = problem(units, "identity", 1201)
    settings = Settings(units, get_activation("sigmoid"), "identity")
    machine = CompiledNetwork(settings, fresh_memory(settings, join([coefs, shifts], float)), 512, 2)
    loss, gradient = machine.gradient(data)
    expected, of_coefs, of_shifts = perceptrons.gradients(coefs, shifts, "sigmoid", "identity", X, y, np.ones(1201))
    assert loss == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, join([of_coefs, of_shifts], float), rtol=1e-11, atol=1e-10)


@pytest.mark.levels
@pytest.mark.parametrize("width", ["16", "32"])
def test_narrower_vectors_agree(width):
    code = """
import numpy as np
from novum.neural_network.mlp.compiled_network import *
from novum.activations import get_activation
rng = np.random.default_rng(0)
for dtype in (np.float32, np.float64):
    s = Settings((13, 21, 18, 3), get_activation("tanh"), "softmax", "adam", alpha=0.1)
    m = Machine(s, fresh_memory(s, rng.normal(size=s.size).astype(dtype) * dtype(0.3)), 20, 1)
    X = rng.normal(size=(65, 13)).astype(dtype)
    m.epoch(Data(X, rng.integers(3, size=65), None, None), np.arange(65), 0.01)
    print(*m.predict(X)[::9].ravel().tolist())
"""
    here = io.StringIO()
    with redirect_stdout(here):
        exec(code, {})
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NOVUM_SIMD_BYTES": width},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = [[np.array(line.split(), float) for line in text.splitlines()] for text in (here.getvalue(), done.stdout)]
    for line, (ours, theirs) in enumerate(zip(*printed)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=(1e-5, 1e-12)[line])


def test_the_binding_refuses_what_does_not_fit():
    settings = Settings((3, 4, 2), get_activation("relu"), "softmax")
    machine = CompiledNetwork(settings, fresh_memory(settings, np.zeros(settings.size)), 5, 1)
    X, code = np.zeros((6, 3)), np.zeros(6, np.int64)
    good = (X, code, None, None, np.arange(6))
    assert np.isfinite(machine.core.epoch(*good, 0.1))
    for place, bad in (
        (0, np.zeros((6, 4))),
        (1, code + 2),
        (1, code[:5]),
        (4, np.arange(7)),
        (4, -np.ones(2, np.int64)),
    ):
        with pytest.raises(ValueError, match="perceptron"):
            machine.core.epoch(*good[:place], bad, *good[place + 1 :], 0.1)
    with pytest.raises(TypeError):
        machine.core.epoch(X.astype(np.float32), *good[1:], 0.1)
    with pytest.raises(ValueError, match="shapes"):
        machine.core.load(np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(0), 0)
    entry, column, start = compressed(scipy.sparse.csr_matrix(np.eye(3)))
    with pytest.raises(ValueError, match="column"):
        machine.core.predict_sparse(entry, column + 1, start, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="order"):
        machine.core.predict_sparse(entry, column, start[[0, 2, 1, 3]], np.zeros((3, 2)))
    with pytest.raises(ValueError, match="plan"):
        _core.neural_network.perceptron.plan([3, 2], 99, 0, 0, 0, 0, False, 0, 0, 1, 0, 0, 0, False, 0, 5, 1, True)
    with pytest.raises(ValueError, match="only predicts"):
        CompiledNetwork(settings, fresh_memory(settings, np.zeros(settings.size)), 5, 1, trains=False).core.epoch(
            *good, 0.1
        )
