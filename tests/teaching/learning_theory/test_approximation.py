"""Universal approximation: errors fall as the units grow, and the pictures show it."""

import numpy as np
import pytest
from artists import canvas

from novum.exceptions import ParameterError
from novum.teaching.learning_theory.approximation import TARGETS, plot_universal_approximation, universal_approximation


@pytest.mark.notes("000-c", "universal-approx-2layer")
@pytest.mark.notes("002", "universal-approximation")
@pytest.mark.parametrize("target", ["x^2", "sin", "|x|"])
def test_one_hidden_layer_comes_near_continuous_functions(target):
    found = universal_approximation(target, widths=(1, 2, 6), n_init=4)
    x = np.linspace(-1, 1, 201)
    for model, error in zip(found.models, found.max_error):
        w, v = model.coefs_
        by_hand = np.tanh(x[:, None] * w[0] + model.intercepts_[0]) @ v[:, 0] + model.intercepts_[1]
        assert error == pytest.approx(np.abs(by_hand - TARGETS[target](x)).max(), rel=1e-9)
    assert found.rms_error[2] == pytest.approx(np.sqrt(np.mean((by_hand - TARGETS[target](x)) ** 2)), rel=1e-9)
    assert found.max_error[0] > 0.3 > 0.15 > found.max_error[1] and found.max_error[2] < 0.06
    linear = universal_approximation(
        target, widths=(6,), activation="identity", n_init=1
    )  # a polynomial h: no units help
    assert linear.max_error[0] > 0.3
    assert "largest error" in repr(found)


@pytest.mark.notes("000-c", "universal-approx-3layer")
def test_two_hidden_layers_come_near_a_step_and_a_comb():
    def comb(x):
        return np.sign(np.sin(3 * np.pi * x)) * (np.abs(x) < 0.7)

    found = universal_approximation(comb, widths=(2, 12), layers=2, n_init=4)
    assert found.models[1].hidden_layer_sizes == (12, 12) and len(found.models[1].coefs_) == 3
    hidden = x = np.linspace(-1, 1, 201)[:, None]
    for w, b in zip(found.models[1].coefs_[:2], found.models[1].intercepts_):
        hidden = np.tanh(hidden @ w + b)
    away = hidden @ found.models[1].coefs_[2][:, 0] + found.models[1].intercepts_[2] - comb(x[:, 0])
    assert found.rms_error[1] == pytest.approx(np.sqrt(np.mean(away**2)), rel=1e-9)
    assert found.max_error[1] == pytest.approx(np.abs(away).max(), rel=1e-9)
    assert found.rms_error[0] > 0.3 and found.rms_error[1] < 0.15
    assert universal_approximation("step", widths=(3,), layers=2).max_error[0] < 0.1
    with pytest.raises(ParameterError, match="cosine"):
        universal_approximation("cosine")


@pytest.mark.notes("002", "plot-universal-approximation")
def test_the_picture_shows_target_network_and_hidden_units():
    panels = plot_universal_approximation(n_hidden=3)
    assert len(panels) == 4
    for panel, (name, f) in zip(panels, TARGETS.items()):
        points, *units, network = panel.lines
        x = points.get_xdata()
        np.testing.assert_array_equal(points.get_ydata(), f(x))
        assert len(units) == 3 and all(unit.get_linestyle() == "--" for unit in units)
        # the network is a linear function of the dashed units
        design = np.column_stack([unit.get_ydata() for unit in units] + [np.ones_like(x)])
        rest = network.get_ydata() - design @ np.linalg.lstsq(design, network.get_ydata(), rcond=None)[0]
        assert np.abs(rest).max() < 1e-6 and name in panel.get_title()
        assert np.abs(network.get_ydata() - f(x)).max() < 0.2
    found = universal_approximation("sin", widths=(1, 3), random_state=0)
    narrow = found.plot(canvas(), width=1)
    drawn = narrow.lines[-1].get_ydata() - TARGETS["sin"](
        narrow.lines[-1].get_xdata()
    )  # the error is that of the curve
    assert len(narrow.lines) == 3 and np.abs(drawn).max() == pytest.approx(found.max_error[0], rel=1e-9)
    assert np.sqrt(np.mean(drawn**2)) == pytest.approx(found.rms_error[0], rel=1e-9)
