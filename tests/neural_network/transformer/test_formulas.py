"""The formulas on arrays, without PyTorch: the notes' numbers, literal loops, refusals."""

import math

import numpy as np
import pytest

from novum.exceptions import DataError
from novum.neural_network import positional_encoding
from novum.teaching import causal_mask, scaled_dot_attention


@pytest.mark.notes("000-c", "scaled-dot-attention")
def test_attention():
    Q, K, V = np.eye(2), [[1, 0], [0, 1], [1, 1]], [[1, 2], [3, 4], [5, 6]]
    heard, a = scaled_dot_attention(Q, K, V)
    np.testing.assert_allclose(a, [[0.401112, 0.197776, 0.401112], [0.197776, 0.401112, 0.401112]], atol=1e-6)
    np.testing.assert_allclose(heard, [[3, 4], [3.406673, 4.406673]], atol=1e-6)
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(2, 4, 5)), rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 6))
    heard, a = scaled_dot_attention(Q, K, V)
    for n in range(2):
        for i in range(4):
            e = [math.exp(sum(Q[n, i, c] * K[n, j, c] for c in range(5)) / math.sqrt(5)) for j in range(3)]
            np.testing.assert_allclose(a[n, i], np.array(e) / sum(e), rtol=1e-12)
            np.testing.assert_allclose(heard[n, i], sum(e[j] * V[n, j] for j in range(3)) / sum(e), rtol=1e-12)
    far, _ = scaled_dot_attention(1e4 * Q, K, V)
    assert np.isfinite(far).all()
    with pytest.raises(DataError, match="equal columns"):
        scaled_dot_attention(np.eye(2), np.eye(3), np.eye(3))


@pytest.mark.notes("000-c", "causal-mask")
def test_masks():
    x = np.array([[1.0, 0], [0, 1], [1, 1]])
    _, a = scaled_dot_attention(x, x, x, causal_mask(3))
    np.testing.assert_allclose(a, [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.503490]], atol=1e-6)
    _, far = scaled_dot_attention(1e4 * x, x, x, causal_mask(3))
    np.testing.assert_allclose(far, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], atol=1e-12)
    heard, a = scaled_dot_attention(x, x, x, np.zeros((3, 3)))
    assert not heard.any() and not a.any()


@pytest.mark.notes("000-c", "positional-encoding")
def test_positions():
    np.testing.assert_allclose(positional_encoding(2, 4)[1], [0.841471, 0.540302, 0.01, 0.99995], atol=1e-6)
    for d in (6, 7):
        P = positional_encoding(50, d)
        for p in (0, 3, 49):
            for column in range(d):
                angle = p / 10000 ** (2 * (column // 2) / d)
                assert P[p, column] == pytest.approx((math.cos if column % 2 else math.sin)(angle), abs=1e-12)
