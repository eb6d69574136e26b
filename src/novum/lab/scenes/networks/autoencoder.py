"""Autoencoders of small digits: codes in a plane, epoch by epoch, and the picture that a place of the plane stands for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Matrix, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import curve, image, number, plane

SIDE = 8  # pixels of a digit
WHITE = 16.0  # the largest value of a pixel
STEPS = 8  # of a walk
PAIRS = 8  # digits shown beside their reconstructions


class Codes(Scene):
    name = "autoencoder"
    family = "networks"
    rows = ("000-c/16/autoencoder", "000-c/16/vae", "002/P2.3/reparam")
    deep = True
    kind = Choice(("plain", "variational"), "plain")
    size = Slider(2, 16, 2, integer=True)
    hidden = Slider(4, 64, 32, integer=True)
    beta = Slider(0.0, 4.0, 1.0, hidden_when={"kind": "plain"})
    rate = Slider(1e-4, 0.1, 0.01, log=True)
    n = Slider(100, 500, 300, integer=True)
    epochs = Slider(1, 40, 15, integer=True)
    at = Matrix(1, 2, -30.0, 30.0, default=((0.0, 0.0),))
    first = Slider(0, 9, 3, integer=True)
    second = Slider(0, 9, 8, integer=True)
    views = (
        plane(points="codes", classes="digits", pointer="at", lines="walk_line", domain="box"),
        number("error", r"\frac{1}{n} \sum_i \lVert x_i - \hat{x}_i \rVert^2"),
        number("divergence"),
        image(pixels="decoded"),
        image(id="walk", pixels="walk_pixels"),
        image(id="pairs", pixels="pair_pixels", span=2),
        curve(series=[{"value": "error", "label": "value.error"}]),
    )

    def data(self, s: State) -> tuple[NDArray, NDArray]:
        """Return the first digits as rows between zero and one, and what they are."""
        from sklearn.datasets import load_digits

        X, digits = load_digits(return_X_y=True)
        return X[: s.n] / WHITE, digits[: s.n]

    def model(self, s: State, epochs: int) -> Any:
        from novum.neural_network import Autoencoder, VariationalAutoencoder

        common: dict[str, Any] = {
            "hidden": (s.hidden,),
            "max_epochs": epochs,
            "learning_rate": s.rate,
            "patience": None,
            "device": "cpu",
            "random_state": s.seed,
        }
        if s.kind == "plain":
            return Autoencoder(s.size, **common)
        return VariationalAutoencoder(s.size, beta=s.beta, **common)

    def frames(self, s: State) -> Iterator[Frame]:
        X, digits = self.data(s)
        ends = [int(np.flatnonzero(digits == one)[0]) for one in (s.first, s.second)]
        some = [int(np.flatnonzero(digits == one)[0]) for one in range(PAIRS)]
        place = np.zeros((1, s.size))
        place[0, :2] = s.at[0]
        before = None
        for step in passes(self.model(s, s.epochs), X):
            n, model = step.n, step.fitted
            if n == 0:
                continue
            codes = np.asarray(model.transform(X), float)
            error = float(model.reconstruction_error(X).mean())
            divergence = float(model.elbo(X).divergence.mean()) if s.kind == "variational" else None
            shares = np.linspace(0, 1, STEPS)[:, None]
            walk = (1 - shares) * codes[ends[0]] + shares * codes[ends[1]]
            seen = np.stack([X[some], np.asarray(model.reconstruct(X[some]))]).reshape(-1, X.shape[1])
            drawn = {
                "codes": codes[:, :2].astype(np.float32),
                "digits": digits,
                "box": box_of(codes[:, :2], s.at[0]),
                "walk_line": [{"p": walk[:, :2].tolist(), "role": "path"}],
                "decoded": pictures(model.inverse_transform(place))[0],
                "walk_pixels": pictures(model.inverse_transform(walk)),
                "pair_pixels": pictures(seen),
            }
            said = {
                "n": n,
                "error": error,
                "by": None if before is None else before - error,
                "first": s.first,
                "second": s.second,
            }
            say = "first" if before is None else "epoch"
            yield Frame(n, {"error": error, "divergence": divergence}, drawn, (say, said))
            before = error

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s, n)
        return python_script(
            [
                "from sklearn.datasets import load_digits",
                f"X = load_digits(return_X_y=True)[0][:{s.n}] / {WHITE}",
                f"from novum.neural_network import {type(model).__name__}",
                f"model = {code_of(model)}.fit(X)",
                "print(float(model.reconstruction_error(X).mean()))",
            ]
        )


def pictures(rows: Any) -> NDArray:
    """Return rows of pixels between zero and one as pictures of bytes."""
    return np.round(255 * np.clip(np.asarray(rows, float), 0, 1)).astype(np.uint8).reshape(-1, SIDE, SIDE)


def box_of(codes: NDArray, at: Any) -> list[list[float]]:
    """Return the part of the plane with all codes and the place that is decoded."""
    both = np.vstack([codes, at])
    low, high = np.floor(both.min(axis=0)), np.ceil(both.max(axis=0))
    return [[float(a), float(b)] for a, b in zip(low, np.maximum(high, low + 1))]
