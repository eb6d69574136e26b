"""Pictures of losses: what is drawn, on whose axes."""

import numpy as np
import pytest
from artists import canvas, curves

from novum.exceptions import DataError, ParameterError
from novum.losses import EpsilonInsensitiveLoss, HingeLoss, PerceptronLoss, SquaredLoss, ZeroOneLoss
from novum.teaching import plot_losses, plot_risk


@pytest.mark.notes("000-b", "plot-loss-vs-weight")
@pytest.mark.notes("000-b", "plot-hinge")
def test_hinge_zero_one_and_perceptron_against_the_margin():
    axes = canvas()
    drawn = plot_losses([HingeLoss(), ZeroOneLoss(), PerceptronLoss()], ax=axes)
    assert drawn is axes and drawn.get_xlabel() == "margin t f"
    lines = curves(drawn)
    assert list(lines) == ["hinge", "zero-one", "perceptron"]
    x = lines["hinge"][:, 0]
    np.testing.assert_allclose([x[0], x[-1]], [-3, 3])
    np.testing.assert_allclose(lines["hinge"][:, 1], np.maximum(0, 1 - x), atol=1e-12)
    np.testing.assert_allclose(lines["perceptron"], np.column_stack([x, np.maximum(0, -x)]), atol=1e-12)
    wrong = x < 0  # at zero the sign counts as plus
    np.testing.assert_array_equal(lines["zero-one"], np.column_stack([x, wrong]))


@pytest.mark.notes("000-a", "losses-vs-measures")
def test_zero_one_is_a_square_wave_with_zero_derivative():
    axes = plot_losses(ZeroOneLoss(), derivative=True)
    assert set(axes.lines[0].get_ydata()) == {0.0, 1.0}
    assert not np.any(axes.lines[1].get_ydata())


@pytest.mark.notes("000-b", "plot-eps-loss")
def test_the_tube_is_marked():
    axes = plot_losses(EpsilonInsensitiveLoss(0.5), ax=canvas())
    assert axes.get_xlabel() == "residual f - t"
    ((x, height),) = (line.T for line in curves(axes).values())
    np.testing.assert_allclose(height, np.maximum(0, np.abs(x) - 0.5), atol=1e-12)
    tube = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    np.testing.assert_allclose([tube.x0, tube.x1], [-0.5, 0.5])


@pytest.mark.notes("000-b", "plot-loss-vs-weight")
def test_mistakes_are_steps_in_a_weight_and_the_perceptron_criterion_is_not():
    X, t = np.array([[1.0, 0.5], [1.0, -1.0], [1.0, 2.0]]), np.array([1, -1, 1])
    lines = curves(plot_risk([ZeroOneLoss(), PerceptronLoss()], X, t, [0.2, 7.0], index=1, ax=canvas()))
    for name, worth in (
        ("zero-one", lambda score: float((np.where(score >= 0, 1, -1) != t).sum())),
        ("perceptron", lambda score: float(np.maximum(0, -t * score).sum())),
    ):
        expected = [worth(X @ [0.2, w]) for w in lines[name][:, 0]]
        np.testing.assert_allclose(lines[name][:, 1], expected, atol=1e-12)
    assert set(lines["zero-one"][:, 1]) <= {0.0, 1.0, 2.0, 3.0} and np.unique(lines["perceptron"][:, 1]).size > 100
    other = curves(plot_risk(PerceptronLoss(), X, t, [0.2, 7.0], index=0, ax=canvas()))["perceptron"]
    np.testing.assert_allclose(other[:, 1], [np.maximum(0, -t * (X @ [w, 7.0])).sum() for w in other[:, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_losses([HingeLoss(), SquaredLoss()]), "different axes; draw them in two calls"),
        (lambda: plot_losses([]), "plot_losses: losses must be a Loss or a list"),
        (lambda: plot_losses(HingeLoss(), span=(1, -1)), r"span=\(1, -1\)"),
        (lambda: plot_risk(HingeLoss(), [[1.0]], [1], [0.0], index=3), r"plot_risk\(index=3\): there are 1 weights"),
        (lambda: plot_risk(HingeLoss(), [1.0], [1], [0.0]), r"X has shape \(1,\)"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises((ParameterError, DataError), match=message):
        call()
