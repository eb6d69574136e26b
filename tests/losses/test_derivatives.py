"""Gradient and curvature of every loss against differences, dtype, extremes and shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novum import losses as L

MARGIN = [L.PerceptronLoss(), L.HingeLoss(), L.SquaredHingeLoss(), L.ExponentialLoss(), L.LogisticLoss()]
RESIDUAL = [
    L.SquaredLoss(),
    L.SquaredLoss(scale=0.5),
    L.AbsoluteLoss(),
    L.HuberLoss(0.7),
    L.EpsilonInsensitiveLoss(0.3),
    L.QuantileLoss(0.2),
    L.MinkowskiLoss(1.5),
    L.MinkowskiLoss(3.0),
    L.MinkowskiLoss(0.5),
    L.GaussianLoss(2.5),
]
KINKS = {"perceptron": [0.0], "hinge": [1.0], "squared hinge": [1.0], "absolute": [0.0], "quantile": [0.0]}
KINKS |= {"Huber": [-0.7, 0.7], "epsilon-insensitive": [-0.3, 0.3], "Minkowski": [0.0]}
CASES = [(loss, (-1.0, 1.0)) for loss in [*MARGIN, L.CrossEntropyLoss()]] + [(loss, (-2.0, 0.5)) for loss in RESIDUAL]
CASES = [(loss, (0.0, 1.0)) if isinstance(loss, L.CrossEntropyLoss) else (loss, t) for loss, t in CASES]
CASES += [(L.PoissonLoss(), (0.0, 3.0)), (L.GammaLoss(), (0.5, 3.0))]
IDS = [repr(loss) for loss, _ in CASES]
ITEMS = {
    L.PerceptronLoss: [pytest.mark.notes("002", "perceptron-loss"), pytest.mark.notes("000-b", "perceptron-criterion")],
    L.HingeLoss: [pytest.mark.notes("000-b", "hinge-loss")],
    L.ExponentialLoss: [pytest.mark.notes("002", "exp-loss")],
    L.CrossEntropyLoss: [
        pytest.mark.notes("000-c", "loss-bce"),
        pytest.mark.notes("002", "loss-bce"),
        pytest.mark.notes("004", "cross-entropy"),
    ],
    L.SquaredLoss: [
        pytest.mark.notes("000-b", "squared-error"),
        pytest.mark.notes("003", "squared-loss"),
        pytest.mark.notes("004", "squared-loss"),
    ],
    L.EpsilonInsensitiveLoss: [pytest.mark.notes("000-b", "eps-insensitive-loss")],
    L.MinkowskiLoss: [pytest.mark.notes("003", "minkowski-loss")],
    L.GaussianLoss: [pytest.mark.notes("002", "loss-gaussian-nll")],
}
MARKED = [pytest.param(*case, id=name, marks=ITEMS.get(type(case[0]), [])) for case, name in zip(CASES, IDS)]
H = 1e-5
NO_DERIVATIVES = {L.Loss, L.MarginLoss, L.ResidualLoss, L.ZeroOneLoss}  # bases, and one without a slope


def test_every_loss_is_among_them():
    public = {value for name in L.__all__ if isinstance(value := getattr(L, name), type)}
    lost = public - NO_DERIVATIVES - {type(loss) for loss, _ in CASES}
    assert lost == set(), "put them into MARGIN, RESIDUAL or CASES above, and kinks into KINKS"


def away_from_kinks(loss, target, f):
    place = target * f if isinstance(loss, L.MarginLoss) else f - target
    return all(abs(place - kink) > 0.05 for kink in KINKS.get(loss.name, []))


@pytest.mark.parametrize(("loss", "targets"), MARKED)
@settings(max_examples=25, deadline=None)
@given(f=st.floats(-4, 4), which=st.booleans())
def test_gradient_and_curvature_match_differences(loss, targets, f, which):
    target = targets[which]
    if not away_from_kinks(loss, target, f):
        return
    up, here, down = loss.value(target, f + H), loss.value(target, f), loss.value(target, f - H)
    slope, bend = loss.gradient(target, f), loss.curvature(target, f)
    size = 1 + abs(here) + abs(slope) + abs(bend)
    np.testing.assert_allclose((up - down) / (2 * H), slope, atol=2e-9 * size * (1 + abs(bend)))
    difference = (loss.gradient(target, f + H) - loss.gradient(target, f - H)) / (2 * H)
    np.testing.assert_allclose(difference, bend, atol=1e-8 * size)


@pytest.mark.parametrize(("loss", "targets"), CASES, ids=IDS)
def test_fused_cores_agree_and_float32_stays(loss, targets):
    f = np.linspace(-6, 6, 41)
    target = np.resize(targets, f.size).astype(float)
    value, gradient = loss._value_and_gradient(target, f)
    np.testing.assert_allclose(value, loss.value(target, f), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(gradient, loss.gradient(target, f), rtol=1e-14, atol=1e-16)
    for result in (
        loss.value(target, f.astype(np.float32)),
        loss.gradient(target, f.astype(np.float32)),
        loss.curvature(target, f.astype(np.float32)),
        *loss._value_and_gradient(target.astype(np.float32), f.astype(np.float32)),
    ):
        assert result.dtype == np.float32
    np.testing.assert_allclose(loss.value(target, f.astype(np.float32)), value, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("loss", "targets"), CASES, ids=IDS)
def test_extreme_predictions_raise_no_warning_and_give_no_nan(loss, targets):
    f = np.array([-1e300, -800.0, 0.0, 800.0, 1e300])
    for target in targets:
        with np.errstate(over="ignore"):
            fused = loss._value_and_gradient(np.full(5, target), f)
        for result in (loss.value(target, f), loss.gradient(target, f), loss.curvature(target, f), *fused):
            if not (isinstance(loss, L.PoissonLoss | L.ExponentialLoss) or np.isinf(loss.lipschitz)):
                assert np.all(np.isfinite(result))
            assert not np.any(np.isnan(result))


@pytest.mark.parametrize(("loss", "targets"), CASES, ids=IDS)
def test_flags_tell_the_truth(loss, targets):
    f = np.linspace(-5, 5, 2001)
    for target in targets:
        value, slope, bend = loss.value(target, f), loss.gradient(target, f), loss.curvature(target, f)
        assert np.abs(slope).max() <= loss.lipschitz * (1 + 1e-12)
        assert bend.max() <= loss.smoothness * (1 + 1e-12)
        second = value[2:] - 2 * value[1:-1] + value[:-2]
        assert loss.convex == bool(np.all(second >= -1e-9 * (1 + np.abs(value[1:-1]))))


@pytest.mark.parametrize(
    "loss", [L.HingeLoss(), L.PerceptronLoss(), L.AbsoluteLoss(), L.EpsilonInsensitiveLoss(0.3), L.QuantileLoss(0.3)]
)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8))
@settings(max_examples=20, deadline=None)
def test_pieces_are_lines_whose_maximum_is_the_loss(loss, scores):
    f = np.array(scores)
    target = np.where(np.arange(f.size) % 2, 1.0, -1.0)
    slopes, offsets = loss.pieces(target)
    np.testing.assert_allclose((slopes * f + offsets).max(axis=0), loss.value(target, f), atol=1e-14)


@pytest.mark.parametrize(
    "loss", [L.SquaredLoss(), L.LogisticLoss(), L.HuberLoss(), L.CrossEntropyLoss(), L.MinkowskiLoss(0.5)]
)
def test_no_pieces_where_the_loss_is_curved(loss):
    assert loss.pieces(np.ones(3)) is None
