"""Pictures of activations."""

import numpy as np
import pytest
from artists import canvas, curve, curves
from matplotlib.figure import Figure

from novum.activations import relu, sigmoid, sign, softmax, step, tanh
from novum.exceptions import ParameterError
from novum.teaching import plot_activations


@pytest.mark.notes("000-c", "plot-activations")
@pytest.mark.notes("002", "plot-activations")
def test_panels_with_derivatives_and_saturation():
    def bell(x):
        return np.exp(-x) / (1 + np.exp(-x)) ** 2

    formulas = {
        "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), bell),
        "tanh": (lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1), lambda x: np.cosh(x) ** -2),
        "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(float)),
    }
    axes = plot_activations(ax=canvas(1, 3))
    assert [ax.get_title() for ax in axes] == list(formulas)
    for ax, (name, (value, slope)) in zip(axes, formulas.items()):
        drawn = curves(ax)
        x = drawn[name][:, 0]
        np.testing.assert_allclose(drawn[name][:, 1], value(x), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(drawn[f"{name}, derivative"], np.column_stack([x, slope(x)]), rtol=1e-10, atol=1e-12)
        shaded = np.concatenate([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        flat = x[slope(x) <= 0.05 * slope(x).max()]
        assert set(np.round(shaded, 9)) == set(np.round(flat, 9))  # where it hardly answers
    assert [ax.get_title() for ax in plot_activations([sign, tanh], ax=canvas(1, 2))] == ["sign", "tanh"]


@pytest.mark.notes("001", "sigmoid-plot")
def test_one_curve():
    ax = canvas()
    assert plot_activations(sigmoid, ax=ax, derivative=False)[0] is ax
    x, y = curve(ax)
    np.testing.assert_allclose([x[0], x[-1]], [-5, 5])
    np.testing.assert_allclose(y, 1 / (1 + np.exp(-x)), rtol=1e-12)


@pytest.mark.notes("003", "fig-sigmoid-vs-step")
def test_sigmoid_over_step_and_the_update_they_share():
    drawn = curves(plot_activations([sigmoid, step], together=True, derivative=False, ax=canvas()))
    assert list(drawn) == ["sigmoid", "step"]
    x = drawn["step"][:, 0]
    np.testing.assert_array_equal(drawn["step"][:, 1], x >= 0)
    np.testing.assert_allclose(drawn["sigmoid"], np.column_stack([x, 1 / (1 + np.exp(-x))]))
    phi, t, w = np.array([1.0, 2.0]), 0.0, np.array([0.1, 0.2])
    moves = [-(h(w @ phi) - t) * phi for h in (sigmoid, step)]
    np.testing.assert_allclose(np.cross(*(np.append(m, 0) for m in moves)), 0, atol=1e-15)  # same direction
    np.testing.assert_array_equal(sign(np.array([-2.0, 0.0, 3.0])), [-1, 1, 1])
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
