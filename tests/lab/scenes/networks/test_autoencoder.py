"""The autoencoder: errors against reconstructions written out, KL against its closed form, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import run_of
from sklearn.datasets import load_digits

from novum.neural_network import Autoencoder, VariationalAutoencoder

pytestmark = pytest.mark.deep

STATES = [
    {"epochs": 3},
    {"kind": "variational", "n": 120, "epochs": 3, "at": [[1.0, -0.5]]},
    {"size": 5, "epochs": 2, "seed": 2},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("autoencoder", **request.param)


def fitted(s, epochs):
    options = {"hidden": (s.hidden,), "max_epochs": epochs, "learning_rate": s.rate, "patience": None, "device": "cpu"}
    options["random_state"] = s.seed
    model = (
        Autoencoder(s.size, **options) if s.kind == "plain" else VariationalAutoencoder(s.size, beta=s.beta, **options)
    )
    X, digits = load_digits(return_X_y=True)
    return model.fit(X[: s.n] / 16), X[: s.n] / 16, digits[: s.n]


def test_every_number_is_that_of_the_network(run):
    s = run.state
    assert [frame.n for frame in run.frames] == list(range(1, s.epochs + 1))
    for n in (1, s.epochs):
        frame, (model, X, _) = run.at(n), fitted(s, n)
        error = ((X - np.asarray(model.reconstruct(X), float)) ** 2).sum(axis=1).mean()
        assert frame.values["error"] == pytest.approx(error, rel=1e-5)
        assert frame.arrays["codes"] == pytest.approx(np.asarray(model.transform(X))[:, :2], rel=1e-5, abs=1e-6)
        if s.kind == "variational":
            mean, sd = model.posterior(X)
            kl = 0.5 * (mean.astype(float) ** 2 + sd.astype(float) ** 2 - 1 - 2 * np.log(sd.astype(float))).sum(axis=1)
            assert frame.values["divergence"] == pytest.approx(kl.mean(), rel=1e-4)
        else:
            assert frame.values["divergence"] is None
    assert run.last.values["error"] == float(model.reconstruction_error(X).mean())


def test_pictures_are_decoded_codes(run):
    s = run.state
    model, X, digits = fitted(s, s.epochs)
    place = np.zeros((1, s.size))
    place[0, :2] = s.at[0]
    shown = np.clip(np.asarray(model.inverse_transform(place)), 0, 1).reshape(8, 8)
    assert run.last.arrays["decoded"] == pytest.approx(255 * shown, abs=0.51)
    ends = np.asarray(model.transform(X))[[list(digits).index(3), list(digits).index(8)]]
    walk = np.asarray(model.inverse_transform(np.linspace(ends[0], ends[1], 8)))
    assert run.last.arrays["walk_pixels"].reshape(8, 64) == pytest.approx(255 * np.clip(walk, 0, 1), abs=0.6)
    pairs = run.last.arrays["pair_pixels"].reshape(16, 64)
    assert pairs[3] == pytest.approx(255 * X[list(digits).index(3)], abs=0.51)
    assert pairs[8 + 3] == pytest.approx(255 * np.clip(model.reconstruct(X)[list(digits).index(3)], 0, 1), abs=0.6)


def test_more_numbers_reconstruct_more():
    errors = [run_of("autoencoder", size=size, epochs=8).last.values["error"] for size in (2, 16)]
    assert errors[1] < 0.7 * errors[0]
