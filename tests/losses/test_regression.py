"""Losses of residuals: the notes' numbers, best constants, the split at the conditional mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import huber
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_squared_error

from novum.exceptions import DataError, ParameterError
from novum.losses import (
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    GaussianLoss,
    HuberLoss,
    MinkowskiLoss,
    QuantileLoss,
    SquaredLoss,
    empirical_risk,
)
from novum.teaching import split_squared_loss

T, F = np.array([1.0, 3, 2, 5]), np.array([1.1, 2.2, 3.3, 4.4])  # the notes' least-squares example and its fit


@pytest.mark.notes("000-b", "squared-error")
@pytest.mark.notes("003", "squared-loss")
@pytest.mark.notes("004", "squared-loss")
def test_sse_mse_and_half_sse_are_three_things():
    np.testing.assert_allclose(empirical_risk(SquaredLoss(), T, F, reduction="sum"), 2.7, rtol=1e-14)
    np.testing.assert_allclose(empirical_risk(SquaredLoss(), T, F), 0.675, rtol=1e-14)
    np.testing.assert_allclose(empirical_risk(SquaredLoss(), T, F), mean_squared_error(T, F), rtol=1e-14)
    np.testing.assert_allclose(empirical_risk(SquaredLoss(scale=0.5), T, F, reduction="sum"), 1.35, rtol=1e-14)
    X = np.column_stack([np.ones(4), np.arange(4.0)])
    np.testing.assert_allclose(X.T @ SquaredLoss().gradient(T, F), -2 * X.T @ (T - F), atol=1e-13)


@pytest.mark.notes("000-c", "loss-mse")
@pytest.mark.notes("004", "sum-of-squares-error")
def test_network_error_is_half_the_square_summed_over_outputs():
    target, output = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.2, 0.7], [0.9, -0.4]])
    loss = SquaredLoss(scale=0.5)
    expected = 0.5 * ((output - target) ** 2).sum()
    np.testing.assert_allclose(empirical_risk(loss, target, output, reduction="sum"), expected, rtol=1e-15)
    np.testing.assert_allclose(empirical_risk(loss, target, output), expected / 2, rtol=1e-15)
    np.testing.assert_allclose(loss.gradient(target, output), -(target - output))
    np.testing.assert_allclose(SquaredLoss().value(4.0, 1.0), 9.0)


@pytest.mark.notes("002", "squared-loss")
def test_squared_loss_splits_into_model_and_noise():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 400)
    t, y = x**2 + rng.normal(size=400), 4.0 * x + rng.normal(size=6)[x]
    w = rng.uniform(0, 2, 400)
    split = split_squared_loss(t, y, x, w)
    np.testing.assert_allclose(split.total, np.average((y - t) ** 2, weights=w), rtol=1e-13)
    np.testing.assert_allclose(split.model + split.noise, split.total, rtol=1e-12)
    h = np.array([np.average(t[x == k], weights=w[x == k]) for k in range(6)])[x]
    at_mean = split_squared_loss(t, h, x, w)
    assert at_mean.model < 1e-25 and at_mean.noise == pytest.approx(split.noise)
    np.testing.assert_allclose(SquaredLoss().best_constant(t, w), np.average(t, weights=w))
    np.testing.assert_allclose(SquaredLoss().best_constant(t), t.mean())
    plain = split_squared_loss(t, y, x)
    h = np.array([t[x == k].mean() for k in range(6)])[x]
    np.testing.assert_allclose([plain.model, plain.noise], [np.mean((y - h) ** 2), np.mean((h - t) ** 2)], rtol=1e-12)
    with pytest.raises(DataError, match=r"split_squared_loss: target \(2,\), prediction \(2,\) and group \(3,\)"):
        split_squared_loss([1, 2], [1, 2], [0, 0, 1])


@pytest.mark.notes("003", "minkowski-loss")
def test_minkowski_best_constants_go_from_mean_over_median_to_mode():
    t = [1, 2, 4, 10]
    assert MinkowskiLoss(2).best_constant(t) == 4.25
    assert 2 <= MinkowskiLoss(1).best_constant(t) <= 4
    assert MinkowskiLoss(0.05).best_constant([5.0, 1.0, 5.0, 2.0, 9.0, 8.0]) == 5.0  # the mode
    np.testing.assert_allclose(MinkowskiLoss(3).value([1.0, -1.0], [3.0, 1.0]), 8.0)
    np.testing.assert_array_equal(MinkowskiLoss(1.5).curvature(0.0, [0.0, 1.0]), [np.inf, 0.75])
    np.testing.assert_array_equal(MinkowskiLoss(0.5).gradient(0.0, [0.0]), [0.0])
    assert MinkowskiLoss(1).lipschitz == 1 and MinkowskiLoss(2).smoothness == 2 and not MinkowskiLoss(0.9).convex


@pytest.mark.notes("000-b", "plot-eps-loss")
@pytest.mark.notes("000-b", "eps-insensitive-loss")
def test_epsilon_insensitive_is_flat_in_the_tube_and_linear_outside():
    loss = EpsilonInsensitiveLoss(0.5)
    f = np.array([-2.0, -0.5, -0.2, 0.0, 0.5, 1.25])
    np.testing.assert_allclose(loss.value(0.0, f), [1.5, 0, 0, 0, 0, 0.75])
    np.testing.assert_allclose(loss.gradient(0.0, f), [-1, 0, 0, 0, 0, 1])
    np.testing.assert_allclose(EpsilonInsensitiveLoss(0).value(T, F), AbsoluteLoss().value(T, F))


@pytest.mark.notes("000-b", "empirical-error")
def test_against_peers():
    rng = np.random.default_rng(1)
    t, f, w = rng.normal(size=(3, 300))
    w = np.abs(w)
    np.testing.assert_allclose(empirical_risk(AbsoluteLoss(), t, f, w), mean_absolute_error(t, f, sample_weight=w))
    np.testing.assert_allclose(
        empirical_risk(QuantileLoss(0.3), t, f, w), mean_pinball_loss(t, f, sample_weight=w, alpha=0.3)
    )
    np.testing.assert_allclose(HuberLoss(0.6).value(t, f), huber(0.6, f - t), rtol=1e-13)


LOSSES = [
    SquaredLoss(),
    AbsoluteLoss(),
    HuberLoss(0.5),
    EpsilonInsensitiveLoss(0.4),
    QuantileLoss(0.3),
    MinkowskiLoss(1.4),
    MinkowskiLoss(3),
    MinkowskiLoss(0.6),
    GaussianLoss(2.0),
]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@settings(max_examples=20, deadline=None)
@given(data=st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 3)), min_size=1, max_size=9))
def test_best_constant_is_best(loss, data):
    t, w = np.array(data, dtype=float).T
    if not w.any():
        return
    best = loss.best_constant(t, w)
    risk = empirical_risk(loss, t, np.full(t.size, best), w)
    for c in np.linspace(t.min() - 1, t.max() + 1, 97):
        assert risk <= empirical_risk(loss, t, np.full(t.size, c), w) + 1e-12 * (1 + risk)
    repeated = np.repeat(t, w.astype(int))
    assert empirical_risk(loss, repeated, np.full(repeated.size, loss.best_constant(repeated))) == pytest.approx(
        risk, abs=1e-12
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SquaredLoss(scale=0), r"SquaredLoss\(scale=0\): scale must lie in \(0, inf\)"),
        (lambda: HuberLoss(-1), r"HuberLoss\(delta=-1\)"),
        (
            lambda: EpsilonInsensitiveLoss(-0.1),
            r"EpsilonInsensitiveLoss\(epsilon=-0.1\): epsilon must lie in \[0, inf\)",
        ),
        (lambda: QuantileLoss(1), r"QuantileLoss\(level=1\): level must lie in \(0, 1\)"),
        (lambda: MinkowskiLoss(0), r"MinkowskiLoss\(power=0\)"),
        (lambda: GaussianLoss(np.inf), r"GaussianLoss\(precision=inf\)"),
        (lambda: HuberLoss("1"), r"HuberLoss\(delta='1'\): delta must be a real number"),
    ],
)
def test_parameters_outside_their_domain(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_numpy_parameters_do_not_widen_float32():
    assert HuberLoss(np.float64(0.5)).value(0, np.ones(2, np.float32)).dtype == np.float32
