"""The playground: every number against a forward and a backward pass written out, the last frame against a plain fit."""

import warnings

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.exceptions import NotConverged
from novum.lab.maps import pixel_centers
from novum.neural_network import MLPClassifier

STATES = [
    {"epochs": 12},
    {"points": {"preset": "spiral", "n": 60}, "layers": 3, "units": 3, "activation": "relu", "epochs": 5},
]
STATES += [
    {
        "points": {"preset": "moons", "n": 40},
        "activation": "logistic",
        "solver": "sgd",
        "l2": 0.1,
        "l1": 0.01,
        "epochs": 8,
    }
]
ACT = {"tanh": np.tanh, "relu": lambda z: np.maximum(z, 0), "logistic": lambda z: 1 / (1 + np.exp(-z))}
SLOPE = {"tanh": lambda h: 1 - h**2, "relu": lambda h: (h > 0) * 1.0, "logistic": lambda h: h * (1 - h)}


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("playground", **request.param)


def fitted(s, epochs):
    options = {"alpha": s.l2, "l1": s.l1, "batch_size": min(s.batch, len(s.points.X)), "learning_rate_init": s.rate}
    options |= {"max_iter": epochs, "random_state": s.seed, "tol": 0.0, "n_iter_no_change": 10**6}
    model = MLPClassifier((s.units,) * s.layers, activation=s.activation, solver=s.solver, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return model.fit(s.points.X, s.points.y)


def forward(s, model, X):
    """Return what every layer says, and the probability of class 1."""
    layers = [X]
    for W, b in zip(model.coefs_[:-1], model.intercepts_[:-1]):
        layers.append(ACT[s.activation](layers[-1] @ W + b))
    return layers, 1 / (1 + np.exp(-(layers[-1] @ model.coefs_[-1] + model.intercepts_[-1]).ravel()))


def test_losses_and_gradients_are_those_of_the_network(run):
    s = run.state
    X, y = s.points.X, s.points.y
    for n in (1, s.epochs // 2, s.epochs):
        frame, model = run.at(n), fitted(s, n)
        layers, p = forward(s, model, X)
        loss = -np.where(y == 1, np.log(p), np.log(1 - p)).mean()
        assert frame.values["loss"] == pytest.approx(loss, rel=1e-9)
        assert frame.values["right"] == ((p > 0.5) == y).mean()
        delta = (p - y)[:, None]
        sizes = []
        for W, h in zip(model.coefs_[::-1], layers[::-1]):
            sizes.append(np.sqrt(((h.T @ delta / len(X)) ** 2).mean()))
            delta = delta @ W.T * SLOPE[s.activation](h)
        shown = frame.arrays["gradients"]
        assert shown / shown[-1] == pytest.approx(np.array(sizes[::-1]) / sizes[0], rel=1e-5)


def test_every_unit_has_the_map_that_it_makes(run):
    s = run.state
    pixels = pixel_centers(s.points.domain, 12)
    layers, p = forward(s, fitted(s, s.epochs), pixels)
    expected = [*np.hstack(layers).T]
    maps = run.last.arrays["maps"].reshape(len(expected) + 1, -1).astype(float)
    for shown, values in zip(maps, expected):
        assert shown == pytest.approx(128 + 127 * values / max(np.abs(values).max(), 1e-12), abs=0.51)
    assert maps[-1] == pytest.approx(255 * p, abs=0.51)
    assert run.last.arrays["sizes"] == [2, *[s.units] * s.layers, 1]
    assert len(run.last.arrays["names"]) == len(maps)
    for shown, W in zip(run.last.arrays["weights"], fitted(s, s.epochs).coefs_):
        assert np.array(shown) == pytest.approx(W, abs=5.1e-5)


def test_the_last_frame_is_the_fit(run):
    from sklearn.metrics import log_loss

    s = run.state
    assert run.last.n == s.epochs
    assert run.last.values["loss"] == log_loss(s.points.y, fitted(s, s.epochs).predict_proba(s.points.X))


def test_six_layers_of_sigmoids_lose_the_gradient_and_relu_less():
    ratios = {
        name: run_of("playground", layers=6, activation=name, epochs=3).last.say[1]["ratio"]
        for name in ("logistic", "relu")
    }
    assert ratios["logistic"] < 1e-3 < ratios["relu"]


def test_one_class_is_refused():
    assert refusal_of("playground", points={"rows": [[0, 0, 1], [1, 1, 1], [2, 0, 1], [1, 0, 1]]})[1] == "points"
