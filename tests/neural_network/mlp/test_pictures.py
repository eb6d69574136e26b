"""What the pictures of perceptrons draw: units, weights, formulas, and the curve of a training."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from novum.neural_network import MLPClassifier, MLPRegressor, draw_network

quiet = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)


@pytest.mark.notes("000-c", "plot-learning-curves")
@quiet
def test_the_curve_shows_the_best_epoch_and_the_last():
    model = MLPClassifier((20,), early_stopping=True, random_state=1, learning_rate_init=0.02, n_iter_no_change=4).fit(
        X, Y
    )
    ax = model.plot_training()
    right = next(a for a in ax.figure.axes if a is not ax)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.loss_curve_)
    np.testing.assert_array_equal(right.lines[0].get_ydata(), model.validation_scores_)
    best = int(np.argmax(model.validation_scores_)) + 1
    np.testing.assert_array_equal(right.lines[1].get_xydata(), [[best, max(model.validation_scores_)]])  # the dot
    for line in (ax.lines[0], right.lines[0]):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, model.n_iter_ + 1))
    marks = {line.get_label(): line.get_xdata()[0] for line in ax.lines[1:]}
    assert marks == {f"best epoch {best}": best, f"stopped at {model.n_iter_}": model.n_iter_}
    assert list(model.history_["validation score"]) == model.validation_scores_
    assert MLPRegressor(max_iter=2, random_state=0).fit(X, Y).plot_training().lines[0].get_ydata().shape == (2,)


@pytest.mark.notes("000-c", "plot-mlp")
@pytest.mark.notes("002", "plot-mlp-diagram")
@pytest.mark.notes("004", "network-diagram")
@quiet
def test_the_diagram_draws_units_weights_and_formulas():
    model = MLPClassifier((5, 3), activation="tanh", max_iter=2, random_state=0).fit(X, Y)
    ax = model.plot_network()
    layers = [
        np.array([c.center for c in ax.patches if c.center[0] == x]) for x in sorted({c.center[0] for c in ax.patches})
    ]
    assert [len(units) for units in layers] == [4, 5, 3, 3] and len(ax.collections) == 3
    for units in layers:  # one below the other, about the middle
        np.testing.assert_allclose(units[:, 1], np.arange(len(units))[::-1] - (len(units) - 1) / 2)
    for lines, below, above, W in zip(ax.collections, layers, layers[1:], model.coefs_):
        ends = [[a, b] for a in below for b in above]
        np.testing.assert_allclose(lines.get_segments(), ends)  # from every unit to every unit of the next layer
        np.testing.assert_array_equal(lines.get_colors()[:, 0] > 0.5, W.ravel() < 0)
        np.testing.assert_allclose(lines.get_linewidths(), 0.2 + 1.8 * np.abs(W.ravel()) / np.abs(W).max(), rtol=1e-6)
    words = [t.get_text() for t in ax.texts]
    assert r"$h_1 = \mathrm{tanh}(x W_1 + b_1)$" in words and r"$y = \mathrm{softmax}(h_{2} W_3 + b_3)$" in words
    assert "5 units" in words
    plain = draw_network([2, 3, 1], None, ["h = g(x)", "y = h"], Figure().subplots())
    assert len(plain.patches) == 6 and [len(lines.get_segments()) for lines in plain.collections] == [6, 3]
    assert {"h = g(x)", "y = h"} <= {text.get_text() for text in plain.texts}
    signs = [np.array([[1.0], [-2.0]])]
    (edges,) = draw_network([2, 1], signs, ["y = w x"], Figure().subplots()).collections
    np.testing.assert_allclose(edges.get_linewidths(), [0.2 + 0.9, 2.0])
    np.testing.assert_array_equal(edges.get_colors()[:, 0] > 0.5, [False, True])
    assert len(MLPRegressor(max_iter=2).fit(X, Y).plot_network(most_units=6).patches) == 4 + 6 + 1
