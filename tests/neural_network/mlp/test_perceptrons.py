"""What the perceptrons do beyond scikit-learn's: penalties, dropout, normalization, starts, restarts, pictures."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from novum.activations import LeakyReLU, get_activation
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.neural_network import MLPClassifier, MLPRegressor, initialize
from novum.optimize import PowerSchedule

quiet = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
MOONS = make_moons(200, noise=0.15, random_state=0)


@pytest.mark.notes("000-c", "mlp")
@pytest.mark.notes("002", "mlp")
@pytest.mark.notes("004", "mlp")
@quiet
def test_a_network_is_its_formula_and_learns():
    model = MLPClassifier((7, 5), activation="tanh", solver="lbfgs", max_iter=400, random_state=0).fit(X, Y)
    (w1, w2, w3), (b1, b2, b3) = model.coefs_, model.intercepts_
    z = np.tanh(np.tanh(X @ w1 + b1) @ w2 + b2) @ w3 + b3
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), p, atol=1e-12)
    assert model.score(X, Y) > 0.99
    two = MLPClassifier((3,), activation="tanh", solver="lbfgs", alpha=1.0, max_iter=2000, tol=1e-9, random_state=0)
    p = two.fit(X, Y > 0).predict_proba(X)[:, 1]  # at the optimum the output's bias leaves no error on average
    assert p.mean() == pytest.approx((Y > 0).mean(), abs=1e-4) and 0 < p.min() < p.max() < 1
    slope = two.check_gradient(X[:70], (Y > 0)[:70]).given[-1]  # by the output's bias: the mean of p - y
    assert slope == pytest.approx((p - (Y > 0))[:70].mean(), rel=1e-9)
    first, second = model.hidden_outputs(X)
    np.testing.assert_allclose(first, np.tanh(X @ w1 + b1), atol=1e-12)
    np.testing.assert_allclose(second, np.tanh(first @ w2 + b2), atol=1e-12)
    line = MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=2.0, tol=1e-10, max_iter=2000).fit(
        X, X @ [1.0, 2, 3, 4]
    )
    ridge = Ridge(alpha=2.0).fit(X, X @ [1.0, 2, 3, 4])  # half the squares and half the penalty: the same minimum
    np.testing.assert_allclose(line.coefs_[0][:, 0], ridge.coef_, atol=1e-4)


@pytest.mark.notes("000-c", "head-binary")
@quiet
def test_two_classes_are_one_sigmoid_above_one_half():
    x, y = MOONS
    model = MLPClassifier((8,), solver="lbfgs", random_state=0).fit(x, np.where(y > 0, "yes", "no"))
    z = np.maximum(x @ model.coefs_[0] + model.intercepts_[0], 0) @ model.coefs_[1] + model.intercepts_[1]
    p = 1 / (1 + np.exp(-z[:, 0]))
    np.testing.assert_allclose(model.predict_proba(x), np.column_stack([1 - p, p]), atol=1e-12)
    np.testing.assert_array_equal(model.predict(x), np.where(p > 0.5, "yes", "no"))
    assert model.out_activation_ == "logistic" and model.n_outputs_ == 1


@pytest.mark.notes("000-c", "head-multiclass")
@quiet
def test_several_classes_are_the_first_of_the_largest():
    model = MLPClassifier((4,), max_iter=3, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert model.out_activation_ == "softmax"
    model.coefs_ = [np.zeros_like(w) for w in model.coefs_]
    model.intercepts_ = [np.zeros(4), np.array([-1.0, 2.0, 2.0])]
    assert set(model.predict(X)) == {1}  # of equals the first


@pytest.mark.notes("000-c", "reg-l2")
@pytest.mark.notes("002", "weight-decay")
@quiet
def test_the_loss_holds_half_alpha_times_the_squares():
    for solver in ("sgd", "lbfgs"):
        model = MLPClassifier((5,), solver=solver, alpha=3.0, max_iter=1, random_state=0, learning_rate_init=1e-12).fit(
            X, Y
        )
        plain = -np.log(model.predict_proba(X)[np.arange(150), Y]).mean()
        squares = sum(float((w**2).sum()) for w in model.coefs_)
        assert model.loss_ == pytest.approx(plain + 1.5 * squares / 150, rel=1e-9)
    sizes = [
        sum(
            float((w**2).sum())
            for w in MLPClassifier((5,), solver="lbfgs", alpha=a, random_state=0, max_iter=300).fit(X, Y).coefs_
        )
        for a in (1e-3, 1.0, 10.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.notes("000-c", "reg-l1")
@quiet
def test_the_one_norm_makes_weights_exactly_zero_at_a_minimum():
    model = MLPRegressor(
        hidden_layer_sizes=(), solver="lbfgs", alpha=0.0, l1=30.0, tol=1e-9, max_iter=3000, random_state=0
    )
    y = X @ [2.0, 0.0, 0.3, 0.0] + 1
    w = model.fit(X, y).coefs_[0][:, 0]
    residual = X @ w + model.intercepts_[0] - y
    slope = X.T @ residual  # Karush, Kuhn and Tucker: |slope| <= l1 where w is zero, -l1 sign(w) elsewhere
    assert (w == 0).any() and (w != 0).any()
    np.testing.assert_allclose(slope[w != 0], -30 * np.sign(w[w != 0]), atol=1e-3)
    assert (np.abs(slope[w == 0]) < 30 + 1e-3).all()
    for options in (
        {"solver": "sgd", "max_iter": 1500},  # from a rate that changes, momentum would carry older steps along
        {"solver": "adam", "max_iter": 8000, "learning_rate": "cosine"},
    ):
        steps = MLPRegressor(
            hidden_layer_sizes=(),
            alpha=0.0,
            l1=30.0,
            learning_rate_init=0.01,
            tol=0.0,
            n_iter_no_change=9999,
            random_state=0,
            batch_size=150,
            **options,
        ).fit(X, y)
        np.testing.assert_allclose(steps.coefs_[0][:, 0], w, atol=1e-4)
        np.testing.assert_array_equal(steps.coefs_[0][:, 0] == 0, w == 0)


@pytest.mark.notes("000-c", "reg-l1")
@quiet
def test_the_one_norm_of_a_classifier_leaves_the_conditions_of_its_minimum():
    options = {"solver": "lbfgs", "alpha": 0.0, "tol": 1e-10, "max_iter": 5000, "random_state": 0}
    model = MLPClassifier((), l1=12.0, **options).fit(X, Y == 2)
    w = model.coefs_[0][:, 0]
    slope = X.T @ (1 / (1 + np.exp(-(X @ w + model.intercepts_[0]))) - (Y == 2))
    assert (w == 0).any() and (w != 0).any()
    np.testing.assert_allclose(slope[w != 0], -12 * np.sign(w[w != 0]), atol=1e-3)
    assert (np.abs(slope[w == 0]) < 12 + 1e-3).all()


@pytest.mark.notes("000-c", "epoch-shuffle")
@quiet
def test_every_epoch_has_an_order_of_its_own():
    options = {
        "solver": "sgd",
        "batch_size": 1,
        "max_iter": 2,
        "random_state": 5,
        "hidden_layer_sizes": (3,),
        "momentum": 0,
    }
    shuffled, as_given = (MLPRegressor(shuffle=s, **options).fit(X, X[:, 0]) for s in (True, False))
    random = np.random.RandomState(5)
    for n, m in ((4, 3), (3, 1)):  # the draws of the start
        random.uniform(size=(n, m)), random.uniform(size=m)
    order = np.arange(150)
    again = MLPRegressor(shuffle=False, warm_start=True, **(options | {"max_iter": 1}))
    start = MLPRegressor(shuffle=False, **(options | {"max_iter": 1, "learning_rate_init": 1e-300})).fit(X, X[:, 0])
    again.fit(X, X[:, 0])
    again.coefs_, again.intercepts_, again.loss_curve_ = start.coefs_, start.intercepts_, []
    orders = []
    for _ in range(2):
        places = np.arange(150)
        random.shuffle(places)
        order = order[places]
        orders.append(order)
        again.fit(X[order], X[order, 0])
    assert not np.array_equal(orders[0], orders[1])
    np.testing.assert_allclose(again.coefs_[0], shuffled.coefs_[0], atol=1e-12)
    assert not np.allclose(shuffled.coefs_[0], as_given.coefs_[0], atol=1e-4)


@pytest.mark.notes("000-c", "early-stopping")
@pytest.mark.filterwarnings(
    "ignore:.*the network is worse than none"
)  # scores that are made up stop it after nine epochs
def test_the_weights_of_the_best_epoch_come_back(monkeypatch):
    """The notes: best at epoch 5, stopped at epoch 9 with a patience of 4 (the epoch after the fourth in vain)."""
    scores = iter([0.1, 0.2, 0.3, 0.4, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    monkeypatch.setattr(MLPClassifier, "_score_of", lambda self, data, output: next(scores))
    options = {"early_stopping": True, "random_state": 0, "hidden_layer_sizes": (5,)}
    model = MLPClassifier(n_iter_no_change=3, **options).fit(X, Y)
    assert model.n_iter_ == 9 and model.best_validation_score_ == 0.9
    monkeypatch.undo()
    with pytest.warns(NotConverged):
        five = MLPClassifier(max_iter=5, n_iter_no_change=99, **options).fit(X, Y)
    monkeypatch.setattr(MLPClassifier, "_score_of", lambda self, data, output: float(len(output)))
    np.testing.assert_array_equal(model.loss_curve_[:5], five.loss_curve_)
    scores = iter([0.1, 0.2, 0.3, 0.4, 0.9])
    monkeypatch.setattr(MLPClassifier, "_score_of", lambda self, data, output: next(scores))
    with pytest.warns(NotConverged):
        five = MLPClassifier(max_iter=5, n_iter_no_change=99, **options).fit(X, Y)
    np.testing.assert_array_equal(model.coefs_[0], five.coefs_[0])


@pytest.mark.notes("000-c", "random-restarts")
@pytest.mark.notes("002", "multi-restart")
@quiet
def test_several_starts_keep_the_best_or_average():
    options = {"hidden_layer_sizes": (3,), "solver": "lbfgs", "max_iter": 60, "alpha": 0.01}
    x, y = MOONS
    model = MLPClassifier(n_init=4, random_state=0, **options).fit(x, y)
    random = np.random.RandomState(0)
    single = [MLPClassifier(random_state=random, **options).fit(x, y) for _ in range(4)]
    np.testing.assert_allclose(model.restart_losses_, [m.loss_ for m in single], rtol=1e-10)
    best = single[int(np.argmin(model.restart_losses_))]
    assert np.ptp(model.restart_losses_) > 1e-3
    np.testing.assert_allclose(model.predict_proba(x), best.predict_proba(x), atol=1e-10)
    mean = MLPClassifier(n_init=4, combine="average", random_state=0, **options).fit(x, y)
    np.testing.assert_allclose(mean.predict_proba(x), np.mean([m.predict_proba(x) for m in single], axis=0), atol=1e-9)
    regress = MLPRegressor(n_init=3, combine="average", random_state=0, **options).fit(x, y * 1.0)
    assert regress.predict(x).shape == (200,)


@pytest.mark.notes("000-c", "init-random")
@pytest.mark.notes("002", "nn-init")
def test_small_random_weights_and_why_not_zero():
    (w,), (b,) = initialize([400, 300], "normal", random_state=0)
    assert abs(w.mean()) < 1e-4 and w.std() == pytest.approx(0.01, rel=0.02) and (b == 0).all()
    assert np.abs(np.tanh(X[:, :4] @ w[:4]) - X[:, :4] @ w[:4]).max() < 1e-3  # the linear range
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = MLPRegressor(hidden_layer_sizes=(4,), activation="tanh", warm_start=True, max_iter=1, random_state=0)
        model.fit(X, Y)
        model.coefs_ = [np.zeros((4, 4)), np.full((4, 1), 0.3)]
        model.intercepts_ = [np.zeros(4), np.zeros(1)]
        for _ in range(5):
            model.fit(X, Y)
    assert (
        np.ptp(model.coefs_[0], axis=1).max() < 1e-12 and np.abs(model.coefs_[0]).max() > 1e-4
    )  # units stay alike for ever


@pytest.mark.notes("000-c", "init-glorot")
def test_glorot_keeps_the_variance():
    (w,), (b,) = initialize([300, 100], "glorot", random_state=1)
    for drawn in (w.ravel(), b):  # even between both limits
        assert drawn.min() < -0.1 and drawn.max() > 0.1 and abs(drawn.mean()) < 4 * 0.0707 / np.sqrt(drawn.size)
    assert np.abs(w).max() < 0.122475 and np.abs(w).max() > 0.1224 and w.var() == pytest.approx(0.005, rel=0.02)
    (w,), _ = initialize([300, 100], "glorot", activation="logistic", random_state=1)
    assert np.abs(w).max() == pytest.approx(0.122474 / np.sqrt(3), rel=1e-3)
    (w,), (b,) = initialize([500, 40], "he", random_state=1)
    assert w.var() == pytest.approx(2 / 500, rel=0.03) and (b == 0).all()


@pytest.mark.notes("000-c", "init-sparse")
def test_sparse_starts_have_a_few_incoming_weights_each():
    (w,), (b,) = initialize([100, 30], "sparse", random_state=0)
    assert (b == 0).all() and ((w != 0).sum(axis=0) == 15).all() and w[w != 0].var() == pytest.approx(1 / 15, rel=0.2)
    assert len({tuple(np.flatnonzero(column)) for column in w.T}) == 30
    (w,), _ = initialize([5, 3], "sparse", random_state=0)
    assert (w != 0).all()
    with pytest.raises(ParameterError, match="init='zero'"):
        initialize([2, 3], "zero")


@quiet
def test_starts_dropout_rates_and_rules_all_learn():
    x, y = MOONS
    for options in (
        {"init": "he"},
        {"init": "sparse"},
        {"init": "normal", "batch_norm": True},
        {"dropout": 0.2},
        {"solver": "rmsprop"},
        {"solver": "adagrad", "learning_rate_init": 0.1},
        {"learning_rate": "cosine"},
        {"learning_rate": PowerSchedule(0.05, 0.5)},
        {"activation": LeakyReLU(0.2)},
        {"activation": "gelu"},
        {"activation": "softmax"},
    ):
        model = MLPClassifier(
            **(
                {"max_iter": 300, "random_state": 0, "learning_rate_init": 0.02, "tol": 0, "n_iter_no_change": 999}
                | options
            )
        ).fit(x, y)
        assert model.score(x, y) > 0.88, options
    assert model.history_["rate"][0] == 0.02
    rates = MLPClassifier(learning_rate="cosine", max_iter=10, tol=0).fit(x, y).history_["rate"]
    np.testing.assert_allclose(rates, 0.001 * (1 + np.cos(np.pi * np.arange(10) / 10)) / 2)


@pytest.mark.notes("000-c", "vanishing-gradient-diagnostic")
@quiet
def test_sigmoids_let_gradients_vanish():
    options = {"hidden_layer_sizes": (12,) * 10, "max_iter": 1, "random_state": 0, "learning_rate_init": 1e-9}
    report = {
        a: MLPClassifier(activation=a, init="he", **options).fit(X, Y).gradient_report(X, Y)
        for a in ("logistic", "relu")
    }
    assert report["logistic"].ratio < 0.25**8 and report["relu"].ratio > 1e-2
    norm = MLPClassifier(activation="logistic", init="he", batch_norm=True, **options).fit(X, Y).gradient_report(X, Y)
    assert norm.ratio > 1e3 * report["logistic"].ratio
    one = MLPClassifier((3,), activation="logistic", max_iter=1, random_state=0).fit(X, Y)
    found = one.gradient_report(X, Y)
    h = 1 / (1 + np.exp(-(X @ one.coefs_[0] + one.intercepts_[0])))
    delta = one.predict_proba(X) - np.eye(3)[Y]
    below = delta @ one.coefs_[1].T * h * (1 - h)
    np.testing.assert_allclose(
        found.weight_gradient, [np.sqrt(((a.T @ d) ** 2).mean()) for a, d in ((X, below), (h, delta))]
    )
    np.testing.assert_allclose(found.error, [np.abs(below).mean(), np.abs(delta).mean()])
    assert found.layer == ["4 -> 3", "3 -> 3"] and "weight_gradient" in repr(found)
    one.coefs_[0] = one.coefs_[0] * 1e3
    assert one.gradient_report(X, Y).saturated[0] > 0.9
    assert len(found.plot().lines) == 2


@pytest.mark.notes("000-c", "mlp")
@pytest.mark.notes("000-c", "backprop")
@pytest.mark.notes("002", "mlp")
@pytest.mark.notes("002", "backprop")
@pytest.mark.notes("004", "mlp")
@pytest.mark.notes("004", "backprop")
@pytest.mark.parametrize("activation", ["logistic", "tanh", "softplus", "gelu", "softmax", "identity"])
@quiet
def test_compiled_gradients_are_differences(activation):
    options = {"hidden_layer_sizes": (5, 4), "activation": activation, "max_iter": 2, "random_state": 0, "alpha": 0.3}
    weight = np.linspace(0.3, 2, 20)
    for kind, y in ((MLPClassifier, Y), (MLPClassifier, Y > 0), (MLPRegressor, X[:, :2])):
        assert kind(**options).fit(X, y).check_gradient(X[::8][:20], y[::8][:20])
    assert MLPRegressor("poisson", **options).fit(X, Y).check_gradient(X[:20], Y[:20], weight)


def test_what_does_not_go_together_is_reported():
    for options, words in (
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes must be > 0"),
        ({"hidden_layer_sizes": (2.5,)}, "hidden_layer_sizes must be > 0"),
        ({"activation": "step"}, "gradients"),
        ({"solver": "lbfgs", "dropout": 0.1}, "mini-batches"),
        ({"solver": "lbfgs", "batch_norm": True}, "mini-batches"),
        ({"n_init": 2, "warm_start": True}, "n_init=1"),
        ({"learning_rate": lambda k: -1.0}, "finite rates"),
        ({"solver": "newton"}, "solver"),
    ):
        with pytest.raises(ParameterError, match=words):
            MLPClassifier(**options).fit(X, Y)
    with pytest.raises(DataError, match="counts"):
        MLPRegressor("poisson").fit(X, -Y)
    with pytest.raises(AttributeError, match="partial_fit"):
        MLPClassifier(solver="lbfgs").partial_fit(X, Y)
    with pytest.raises(DataError, match="non-finite"):
        MLPRegressor(solver="sgd", learning_rate_init=1e3, activation="identity", random_state=0).fit(X * 100, Y * 1e6)
    for scale in (1e160, 1e300):  # squares beyond floating point
        with pytest.raises(DataError, match="non-finite"):
            MLPRegressor(random_state=0, hidden_layer_sizes=(3,)).fit(X, Y * scale)
    with pytest.raises(DataError, match="validation_fraction=0"):
        MLPClassifier(early_stopping=True, validation_fraction=0.0).fit(X, Y)
    with pytest.warns(DataWarning, match="clipped"), pytest.warns(NotConverged, match="Maximum iterations"):
        MLPClassifier(batch_size=10**6, max_iter=1).fit(X, Y)
    assert get_activation("logistic").name == "sigmoid"
