"""Layers as modules, by the numbers of the notes."""

import numpy as np
import pytest

from novum.exceptions import DataError, ParameterError
from novum.linalg import check_gradient
from novum.neural_network import BatchNorm, Dense, MLPClassifier, MLPRegressor, Sequential, backpropagate
from novum.teaching import collapse_linear

RNG = np.random.default_rng


@pytest.mark.notes("000-c", "backprop")
def test_backpropagation_of_the_first_notes():
    W1, w2 = np.array([[0.1, -0.2], [0.4, 0.3]]).T, np.array([[0.5], [-0.6]])
    found = backpropagate([W1, w2], None, [[1.0, 2.0]], [1.0], activation="sigmoid")
    assert found.loss == pytest.approx(0.75136196, abs=1e-8)
    np.testing.assert_allclose(found.sums[0], [[-0.3, 1.0]])
    np.testing.assert_allclose(found.outputs[0], [[0.42555748, 0.73105858]], atol=1e-8)
    np.testing.assert_allclose(found.deltas[1], [[-1.22585641]], atol=1e-8)
    np.testing.assert_allclose(found.coef_gradients[1].ravel(), [-0.52167237, -0.89617284], atol=1e-8)
    np.testing.assert_allclose(found.deltas[0], [[-0.14983539, 0.1446108]], atol=1e-8)
    np.testing.assert_allclose(
        found.coef_gradients[0].T, [[-0.14983539, -0.29967079], [0.1446108, 0.2892216]], atol=1e-7
    )
    np.testing.assert_allclose(
        (W1 - 0.1 * found.coef_gradients[0]).T, [[0.11498354, -0.17003292], [0.38553892, 0.27107784]], atol=1e-8
    )
    off = check_gradient(lambda v: v @ v, lambda v: 3 * v, [1.0, 2.0])  # (3, 6), where (2, 4) is right
    assert not off and off.error == pytest.approx(2 / (1 + 4), rel=1e-9) and off.place == (1,)
    # and the compiled kernel takes the same step
    model = MLPRegressor(
        hidden_layer_sizes=(2,),
        activation="logistic",
        solver="sgd",
        learning_rate_init=0.1,
        momentum=0,
        alpha=0,
        warm_start=True,
    )
    model.partial_fit([[1.0, 2.0]], [1.0])
    model.coefs_, model.intercepts_ = [W1.copy(), w2.copy()], [np.zeros(2), np.zeros(1)]
    model.partial_fit([[1.0, 2.0]], [1.0])
    np.testing.assert_allclose(model.coefs_[1].ravel(), [0.55216724, -0.51038272], atol=1e-8)
    np.testing.assert_allclose(model.coefs_[0].T, [[0.11498354, -0.17003292], [0.38553892, 0.27107784]], atol=1e-8)


@pytest.mark.notes("002", "backprop")
def test_backpropagation_of_the_second_notes():
    first, second = np.array([[0.1, 0.2, -0.3], [0, -0.1, 0.4]]), np.array([0.2, 0.5, -0.6])
    found = backpropagate([first[:, 1:].T, second[1:, None]], [first[:, 0], second[:1]], [[1.0, 2.0]], [0.5])
    np.testing.assert_allclose(found.sums[0], [[-0.3, 0.7]])
    np.testing.assert_allclose([found.outputs[1][0, 0], found.loss], [-0.308277, 0.326656], atol=1e-6)
    np.testing.assert_allclose(
        [found.intercept_gradients[1][0], *found.coef_gradients[1].ravel()], [-0.808277, 0.235461, -0.488497], atol=1e-6
    )
    whole = np.column_stack([found.intercept_gradients[0], found.coef_gradients[0].T])
    np.testing.assert_allclose(whole, [[-0.369842, -0.369842, -0.739684], [0.307827, 0.307827, 0.615654]], atol=1e-6)


@pytest.mark.notes("004", "backprop")
def test_backpropagation_of_the_fourth_notes():
    first, second = np.array([[0.1, 0.2, -0.1], [-0.3, 0.4, 0.2]]), np.array([0.05, 0.5, -0.6])
    found = backpropagate([first[:, 1:].T, second[1:, None]], [first[:, 0], second[:1]], [[0.5, -1.0]], [1.0])
    np.testing.assert_allclose([found.outputs[1][0, 0], found.loss], [0.370444, 0.198170], atol=1e-6)
    np.testing.assert_allclose(
        [found.intercept_gradients[1][0], *found.coef_gradients[1].ravel()], [-0.629556, -0.183398, 0.183398], atol=1e-6
    )
    whole = np.column_stack([found.intercept_gradients[0], found.coef_gradients[0].T])
    np.testing.assert_allclose(whole, [[-0.288065, -0.144033, 0.288065], [0.345678, 0.172839, -0.345678]], atol=1e-6)


@pytest.mark.parametrize("output", ["identity", "sigmoid", "softmax"])
def test_backpropagation_is_differences(output):
    rng = RNG(0)
    coefs, shifts = [rng.normal(size=(3, 4)), rng.normal(size=(4, 2))], [rng.normal(size=4), rng.normal(size=2)]
    X, y = rng.normal(size=(6, 3)), np.eye(2)[rng.integers(2, size=6)]

    def at(x):
        return [x[:12].reshape(3, 4), x[12:20].reshape(4, 2)], [x[20:24], x[24:]]

    def whole(found):
        return np.concatenate([g.ravel() for g in (*found.coef_gradients, *found.intercept_gradients)])

    assert check_gradient(
        lambda x: backpropagate(*at(x), X, y, output=output).loss,
        lambda x: whole(backpropagate(*at(x), X, y, output=output)),
        np.concatenate([p.ravel() for p in (*coefs, *shifts)]),
    )


@pytest.mark.notes("000-c", "dense-layer")
def test_a_dense_layer_sees_every_unit_below():
    rng = RNG(1)
    W, b, x, error = rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    layer = Dense(W, b, "tanh")
    expected = np.array([[np.tanh(sum(W[i, j] * row[i] for i in range(3)) + b[j]) for j in range(2)] for row in x])
    np.testing.assert_allclose(layer.forward(x), expected)
    back = layer.backward(error)
    for place, given in enumerate((x, W, b)):

        def moved(v, place=place):
            parts = [x, W, b]
            parts[place] = v
            return float((error * np.tanh(parts[0] @ parts[1] + parts[2])).sum())

        gradient = (back, *layer.gradients)[place]
        assert check_gradient(moved, lambda v, g=gradient: g, given)
    with pytest.raises(DataError, match="units"):
        Dense(W, [1.0])


@pytest.mark.notes("000-c", "batch-norm")
def test_batch_normalization_by_the_notes_and_by_differences():
    column = np.array([[1.0], [2.0], [3.0], [4.0]])
    layer = BatchNorm([2.0], [1.0], epsilon=0.0)
    np.testing.assert_allclose(layer.forward(column).ravel(), [-1.683282, 0.105573, 1.894427, 3.683282], atol=1e-6)
    np.testing.assert_allclose(layer.normal.ravel(), [-1.341641, -0.447214, 0.447214, 1.341641], atol=1e-6)
    rng = RNG(0)
    x, error = rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    scale, shift = rng.normal(size=3), rng.normal(size=3)
    layer = BatchNorm(scale, shift)
    layer.forward(x)
    assert check_gradient(
        lambda v: float((error * BatchNorm(scale, shift).forward(v)).sum()), lambda v: layer.backward(error), x
    )
    np.testing.assert_allclose(layer.gradients, [(error * layer.normal).sum(axis=0), error.sum(axis=0)])
    # the compiled networks do the same: one step of theirs from a known start is one step here
    X, y = rng.normal(size=(20, 4)), rng.integers(3, size=20)
    model = MLPClassifier(
        (5,),
        activation="tanh",
        batch_norm=True,
        solver="sgd",
        momentum=0,
        alpha=0,
        random_state=0,
        learning_rate_init=0.1,
    )
    model.partial_fit(X, y, classes=range(3))
    net = model.modules()
    before = [p.copy() for p in net.parameters]
    net.modules[1].running_mean[:], net.modules[1].running_variance[:] = (
        model.running_means_[0],
        model.running_variances_[0],
    )
    net.forward(X)
    weight = rng.uniform(0.5, 2, size=20)
    net.backward_loss(np.eye(3)[y], weight)
    weighted = [g.copy() for g in net.gradients]
    for factor, share in zip((3.0, 0.5), (weight > 1, weight <= 1)):  # linear in the weights
        net.backward_loss(np.eye(3)[y], np.where(share, weight, 0.0) * factor)
        weighted = [g - part / factor for g, part in zip(weighted, net.gradients)]
    assert max(np.abs(g).max() for g in weighted) < 1e-12
    net.backward_loss(np.eye(3)[y])
    w1, _, gamma, beta, w2, b2 = (p - 0.1 * g / 20 for p, g in zip(before, net.gradients))
    model.partial_fit(X, y)
    for ours, theirs in zip((*model.coefs_, *model.intercepts_, *model.scales_), (w1, w2, beta, b2, gamma)):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    np.testing.assert_allclose(model.running_variances_[0], net.modules[1].running_variance, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), model.modules().forward(X, training=False), atol=1e-12)


@pytest.mark.notes("000-c", "module-interface")
@pytest.mark.notes("002", "backprop")
def test_modules_compose_by_the_chain_rule():
    rng = RNG(2)
    net = Sequential(
        [
            Dense(rng.normal(size=(3, 4)), None, "sigmoid"),
            BatchNorm(np.ones(4), np.zeros(4)),
            Dense(rng.normal(size=(4, 2))),
        ]
    )
    x, error = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    out = net.forward(x)
    into = net.backward(error)
    step = x
    for module in net.modules:
        step = module.forward(step)
    np.testing.assert_array_equal(out, step)
    assert len(net.parameters) == len(net.gradients) == 6
    assert check_gradient(lambda v: float((error * net.forward(v)).sum()), lambda v: into, x)
    start = net.parameters[0].copy()
    gradient = net.gradients[0].copy()

    def with_first(v):
        net.parameters[0][...] = v
        return float((error * net.forward(x)).sum())

    assert check_gradient(with_first, lambda v: gradient, start)
    net.parameters[0][...] = start
    np.testing.assert_allclose(net.gradients[-1], error.sum(axis=0), rtol=1e-12)  # every row pulls on the last shift
    wrong = check_gradient(lambda v: float((error * net.forward(v)).sum()), lambda v: into + 0.5, x)
    assert not wrong and wrong.error == pytest.approx(0.5 / (1 + np.abs(into).max()), rel=1e-6)
    norm = BatchNorm([2.0, 0.5, 1.0], [1.0, 0.0, -1.0], epsilon=0.0)
    np.testing.assert_allclose(norm.forward(x), [2, 0.5, 1] * (x - x.mean(0)) / x.std(0) + [1, 0, -1], rtol=1e-12)
    pull = rng.normal(size=(6, 3))
    norm.backward(pull)
    np.testing.assert_allclose(norm.gradients, [(pull * (x - x.mean(0)) / x.std(0)).sum(0), pull.sum(0)], rtol=1e-11)
    np.testing.assert_allclose(norm.running_mean, 0.1 * x.mean(0), rtol=1e-12)
    np.testing.assert_allclose(norm.running_variance, 0.9 + 0.1 * x.var(0, ddof=1), rtol=1e-12)
    with pytest.raises(ParameterError):
        Sequential([])


@pytest.mark.notes("000-c", "linear-collapse")
@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
def test_a_network_without_activations_is_one_matrix():
    rng = RNG(3)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    model = MLPRegressor(hidden_layer_sizes=(5, 4), activation="identity", max_iter=5, random_state=0).fit(X, y)
    weights, shift = collapse_linear(model.coefs_, model.intercepts_)
    assert weights.shape == (3, 2)
    np.testing.assert_allclose(model.predict(X), X @ weights + shift, atol=1e-12)
    np.testing.assert_allclose(weights, np.linalg.multi_dot(model.coefs_))
    curved = MLPRegressor(hidden_layer_sizes=(5, 4), activation="tanh", max_iter=5, random_state=0).fit(X, y)
    weights, shift = collapse_linear(curved.coefs_, curved.intercepts_)
    assert np.abs(curved.predict(X) - X @ weights - shift).max() > 0.01
