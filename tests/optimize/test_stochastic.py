"""Update rules against the notes' numbers, and the driver that runs them."""

import numpy as np
import pytest

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.losses import PerceptronLoss
from novum.optimize import (
    SGD,
    AdaGrad,
    Adam,
    LinearSchedule,
    RMSProp,
    UpdateRule,
    gradient_descent,
    minimize_stochastic,
)

X, Y = np.column_stack([np.ones(4), np.arange(4.0)]), np.array([1.0, 3, 2, 5])


def mean_gradient(w, rows):
    return X[rows].T @ (X[rows] @ w - Y[rows]) / len(rows)


def run(rule: UpdateRule, gradients):
    w, states, path = np.zeros(1), rule.init(np.zeros(1)), []
    for k, g in enumerate(gradients):
        move, states = rule.update(np.array([float(g)]), states, k)
        w = w + move
        path.append(w[0])
    return path, states


@pytest.mark.notes("000-c", "momentum")
def test_momentum():
    path, (velocity,) = run(SGD(0.1, momentum=0.9), [1, 1, 1])
    np.testing.assert_allclose(path, [-0.1, -0.29, -0.561], rtol=1e-12)
    np.testing.assert_allclose(velocity, -0.271, rtol=1e-12)
    path, _ = run(SGD(0.1, momentum=0.9), np.ones(500))
    np.testing.assert_allclose(path[-2] - path[-1], 1.0, rtol=1e-12)  # eta / (1 - alpha)
    np.testing.assert_allclose(run(SGD(0.1), [3, 4])[0], [-0.3, -0.7], rtol=1e-12)


def test_nesterov_is_momentum_at_the_point_ahead():
    def slope(w):
        return 3 * w - 1

    rule = SGD(0.1, momentum=0.8, nesterov=True)
    ahead, state = np.array([2.0]), rule.init(np.zeros(1))  # the iterate that the rule moves is the point ahead
    w, v = np.array([2.0]), np.zeros(1)
    for k in range(20):
        move, state = rule.update(slope(ahead), state, k)
        ahead = ahead + move
        v = 0.8 * v - 0.1 * slope(w + 0.8 * v)
        w = w + v
        np.testing.assert_allclose(ahead, w + 0.8 * v, rtol=1e-12)


@pytest.mark.notes("000-c", "adagrad")
def test_adagrad():
    path, (r,) = run(AdaGrad(0.1), [3, 4])
    np.testing.assert_allclose(path, [-0.1, -0.18], rtol=1e-9)
    assert r == 25
    assert run(AdaGrad(0.1), [0, 0])[0] == [0, 0]  # no 0 / 0


@pytest.mark.notes("000-c", "rmsprop")
def test_rmsprop():
    path, (r,) = run(RMSProp(0.1, decay=0.9), [3, 4])
    np.testing.assert_allclose(path, [-0.316228, -0.573890], atol=5e-7)
    np.testing.assert_allclose(r, 2.41)


@pytest.mark.notes("000-c", "adam")
def test_adam():
    path, _ = run(Adam(0.1), [3, 4])
    np.testing.assert_allclose(path, [-0.1, -0.1997323], atol=5e-8)
    w = m = r = 0.0
    path, _ = run(Adam(0.1, beta_1=0.8, beta_2=0.95, epsilon=0.5), [3, 4, -1])
    for t, (g, found) in enumerate(zip([3, 4, -1], path, strict=True), start=1):
        m, r = 0.8 * m + 0.2 * g, 0.95 * r + 0.05 * g**2
        w -= 0.1 * m / (1 - 0.8**t) / (np.sqrt(r / (1 - 0.95**t)) + 0.5)
        assert found == pytest.approx(w, rel=1e-12)


@pytest.mark.parametrize("rule", [SGD(0.1), SGD(0.1, 0.9), SGD(0.1, 0.9, True), AdaGrad(), RMSProp(), Adam()], ids=repr)
def test_float32_weights_stay_float32(rule):
    w = np.ones(3, np.float32)
    state = rule.init(w)
    for k in range(3):
        move, state = rule.update(w, state, k)
        assert move.dtype == np.float32 and all(s.dtype == np.float32 for s in state)
    start = (np.ones((2, 2), np.float32), np.ones(2, np.float32))
    end = minimize_stochastic(lambda w, rows: w, start, 8, rule=rule, batch_size=4, max_epochs=2, tol=None).x
    assert isinstance(end, tuple) and [w.dtype for w in end] == [np.float32] * 2


@pytest.mark.notes("000-c", "minibatch-gd")
@pytest.mark.notes("002", "sgd")
def test_batches_partition_the_rows_and_the_last_is_short():
    seen = []

    def spy(w, rows):
        seen.append(rows.copy())
        return np.zeros(1)

    minimize_stochastic(spy, [0.0], 10, batch_size=4, max_epochs=3, tol=None, random_state=0)
    assert [len(rows) for rows in seen] == [4, 4, 2] * 3
    epochs = [np.concatenate(seen[i : i + 3]) for i in (0, 3, 6)]
    assert all(sorted(epoch) == list(range(10)) for epoch in epochs)
    assert not np.array_equal(epochs[0], epochs[1])
    again, seen[:] = [rows.copy() for rows in seen], []
    minimize_stochastic(spy, [0.0], 10, batch_size=4, max_epochs=3, tol=None, random_state=0)
    assert all(np.array_equal(a, b) for a, b in zip(again, seen))  # the same seed, the same order


@pytest.mark.notes("000-c", "minibatch-gd")
@pytest.mark.notes("000-c", "batch-gd")
def test_a_batch_of_all_rows_is_gradient_descent():
    batch = minimize_stochastic(mean_gradient, [0.0, 0.0], 4, rule=SGD(0.2), batch_size=4, max_epochs=30, tol=None).x
    descent = gradient_descent(
        None, [0.0, 0.0], gradient=lambda w: mean_gradient(w, np.arange(4)), learning_rate=0.2, keep_path=True
    )
    np.testing.assert_allclose(batch, descent.path[30], rtol=1e-12)


@pytest.mark.notes("000-c", "sgd")
@pytest.mark.notes("002", "sgd")
def test_single_rows_reach_the_neighbourhood_and_falling_steps_the_minimum():
    def sse(w):
        return np.sum((X @ w - Y) ** 2)

    constant = minimize_stochastic(
        mean_gradient, [0.0, 0.0], 4, rule=SGD(0.05), batch_size=1, objective=sse, tol=None, random_state=0
    )
    assert 2.7 < constant.value < 5
    falling = SGD(LinearSchedule(0.1, 1e-4, 8000))
    exact = minimize_stochastic(
        mean_gradient, [0.0, 0.0], 4, rule=falling, batch_size=1, max_epochs=2500, tol=None, random_state=0
    )
    np.testing.assert_allclose(exact.x, [1.1, 1.1], atol=0.01)
    mean = minimize_stochastic(
        mean_gradient,
        [0.0, 0.0],
        4,
        rule=SGD(0.05),
        batch_size=1,
        max_epochs=400,
        tol=None,
        random_state=0,
        average=True,
    )
    np.testing.assert_allclose(mean.x, [1.1, 1.1], atol=0.1)
    first = minimize_stochastic(
        lambda w, rows: (w @ [1.0, 2.0] - 4) * np.array([1.0, 2.0]), [0, 0], 1, rule=SGD(0.1), max_epochs=1, tol=None
    )
    np.testing.assert_allclose(first.x, [0.4, 0.8], rtol=1e-14)


@pytest.mark.notes("004", "sgd")
def test_perceptron_by_single_patterns_in_order():
    patterns = np.array([[0.0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])  # the bias last
    t = np.array([-1, -1, -1, 1])
    loss, updates = PerceptronLoss(), 0

    def slope(w, rows):
        nonlocal updates
        g = loss.gradient(t[rows], patterns[rows] @ w)
        updates += int(np.count_nonzero(g))
        return g @ patterns[rows]

    def clean(epoch, w):
        return np.all(t * (patterns @ w) > 0)

    result = minimize_stochastic(slope, np.zeros(3), 4, rule=SGD(1.0), batch_size=1, shuffle=False, callback=clean)
    np.testing.assert_array_equal(result.x, [3, 2, -4])
    assert updates == 18 and result.n_iter == 8  # epoch 9 would be the first without an error
    assert "callback" in result.reason


def test_stopping_and_failing():
    stopped = minimize_stochastic(mean_gradient, [0.0, 0.0], 4, rule=SGD(0.2), batch_size=4, max_epochs=2000, tol=1e-6)
    assert stopped.converged and "weights moved by no more than tol" in stopped.reason
    by_value = minimize_stochastic(
        mean_gradient,
        [0.0, 0.0],
        4,
        rule=SGD(0.2),
        batch_size=4,
        max_epochs=2000,
        objective=lambda w: np.sum((X @ w - Y) ** 2),
    )
    assert by_value.converged and by_value.history.size == by_value.n_iter + 1
    with pytest.warns(NotConverged, match=r"max_epochs=3 reached; lower the learning rate"):
        minimize_stochastic(mean_gradient, [0.0, 0.0], 4, rule=SGD(0.01), max_epochs=3)
    with pytest.warns(NotConverged, match="diverged: a weight is no longer finite"):
        minimize_stochastic(lambda w, rows: -(w**3), [10.0], 4, rule=SGD(10.0))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: SGD(0), ParameterError, r"SGD\(learning_rate=0\)"),
        (lambda: SGD(0.1, momentum=1), ParameterError, r"SGD\(momentum=1\): momentum must lie in \[0, 1\)"),
        (lambda: SGD(0.1, nesterov=True), ParameterError, "pass momentum > 0"),
        (lambda: Adam(epsilon=0), ParameterError, r"Adam\(epsilon=0\)"),
        (lambda: RMSProp("fast"), ParameterError, r"RMSProp\(learning_rate='fast'\)"),
        (lambda: minimize_stochastic(mean_gradient, [0, 0], 0), ParameterError, "n_rows must be at least 1"),
        (
            lambda: minimize_stochastic(mean_gradient, [0, 0], 4, rule="adam"),
            ParameterError,
            "rule must be an update rule",
        ),
        (lambda: minimize_stochastic(lambda w, r: [1.0], [0, 0], 4), DataError, r"gradient returned shapes \[\(1,\)\]"),
        (
            lambda: minimize_stochastic(mean_gradient, [0, 0], 4, random_state="x"),
            ParameterError,
            "cannot be used to seed",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
