"""Pictures of losses: what is drawn, on whose axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from novum.exceptions import DataError, ParameterError
from novum.losses import (
    EpsilonInsensitiveLoss,
    HingeLoss,
    PerceptronLoss,
    SquaredLoss,
    ZeroOneLoss,
    plot_losses,
    plot_risk,
)


@pytest.mark.notes("000-b", "plot-hinge")
def test_hinge_zero_one_and_perceptron_against_the_margin():
    axes = Figure().subplots()
    drawn = plot_losses([HingeLoss(), ZeroOneLoss(), PerceptronLoss()], ax=axes)
    assert drawn is axes
    assert [line.get_label() for line in drawn.lines] == ["hinge", "zero-one", "perceptron"]
    assert drawn.get_xlabel() == "margin t f"
    x, y = drawn.lines[0].get_data()
    np.testing.assert_allclose(y, np.maximum(0, 1 - x))


@pytest.mark.notes("000-a", "losses-vs-measures")
def test_zero_one_is_a_square_wave_with_zero_derivative():
    axes = plot_losses(ZeroOneLoss(), derivative=True)
    assert set(axes.lines[0].get_ydata()) == {0.0, 1.0}
    assert not np.any(axes.lines[1].get_ydata())


@pytest.mark.notes("000-b", "plot-eps-loss")
def test_the_tube_is_marked():
    axes = plot_losses(EpsilonInsensitiveLoss(0.5))
    assert axes.get_xlabel() == "residual f - t"
    tube = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    np.testing.assert_allclose([tube.x0, tube.x1], [-0.5, 0.5])


@pytest.mark.notes("000-b", "plot-loss-vs-weight")
def test_mistakes_are_steps_in_a_weight_and_the_perceptron_criterion_is_not():
    X, t = np.array([[1.0, 0.5], [1.0, -1.0], [1.0, 2.0]]), [1, -1, 1]
    axes = plot_risk([ZeroOneLoss(), PerceptronLoss()], X, t, [0.2, 0.0], index=1)
    steps, slope = (line.get_ydata() for line in axes.lines)
    assert set(steps) <= {0.0, 1.0, 2.0, 3.0}
    assert np.unique(slope).size > 100
    w = axes.lines[0].get_xdata()[100]
    scores = X @ [0.2, w]
    assert steps[100] == np.sum(np.where(scores >= 0, 1, -1) != t)


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
