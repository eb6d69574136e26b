"""Pictures of activations."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from novum.activations import plot_activations, relu, sigmoid, sign, softmax, step, tanh
from novum.exceptions import ParameterError


@pytest.mark.notes("000-c", "plot-activations")
@pytest.mark.notes("002", "plot-activations")
def test_panels_with_derivatives_and_saturation():
    axes = plot_activations([sigmoid, tanh, relu, sign])
    assert [ax.get_title() for ax in axes] == ["sigmoid", "tanh", "relu", "sign"]
    x, y = axes[0].lines[1].get_data()
    np.testing.assert_allclose(y, sigmoid.derivative(x))
    assert len(axes[0].collections) == 1  # the shade
    assert len(plot_activations()) == 3


@pytest.mark.notes("001", "sigmoid-plot")
def test_one_curve():
    ax = Figure().subplots()
    assert plot_activations(sigmoid, ax=ax, derivative=False)[0] is ax
    x, y = ax.lines[0].get_data()
    assert y[np.argmin(np.abs(x))] == 0.5


@pytest.mark.notes("003", "fig-sigmoid-vs-step")
def test_sigmoid_over_step_and_the_update_they_share():
    ax = plot_activations([sigmoid, step], together=True, derivative=False)
    assert [line.get_label() for line in ax.lines] == ["sigmoid", "step"]
    phi, t, w = np.array([1.0, 2.0]), 0.0, np.array([0.1, 0.2])
    moves = [-(h(w @ phi) - t) * phi for h in (sigmoid, step)]
    np.testing.assert_allclose(np.cross(*(np.append(m, 0) for m in moves)), 0, atol=1e-15)  # same direction
    signed = -(sign(w @ phi) - (-1)) * phi
    np.testing.assert_allclose(signed, 2 * moves[1])  # coding -1, +1 doubles the step


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_activations([softmax]), "elementwise activations"),
        (lambda: plot_activations([sigmoid, relu], ax=[Figure().subplots()]), "2 activations need as many axes, got 1"),
        (lambda: plot_activations(span=(2, 1)), r"span=\(2, 1\)"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
