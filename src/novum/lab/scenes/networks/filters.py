"""A convolutional network on small digits: filters and their maps, epoch by epoch, then one filter slid over a drawn digit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, heat, image, number

SIDE = 8
WHITE = 16.0  # the largest value of a pixel
THREE = (
    (0, 0, 7, 15, 13, 1, 0, 0),
    (0, 8, 13, 6, 15, 4, 0, 0),
    (0, 2, 1, 13, 13, 0, 0, 0),
    (0, 0, 2, 15, 11, 1, 0, 0),
    (0, 0, 0, 1, 12, 12, 1, 0),
    (0, 0, 0, 0, 1, 10, 8, 0),
    (0, 0, 8, 4, 5, 14, 9, 0),
    (0, 0, 7, 13, 13, 9, 0, 0),
)


class Filters(Scene):
    name = "filters"
    family = "networks"
    rows = ("000-c/16/conv2d", "000-c/16/cnn", "000-c/16/max-pool", "000-c/16/plot-architectures")
    deep = True
    drawn = Matrix(SIDE, SIDE, 0.0, WHITE, default=THREE)
    kernel = Choice(("1", "3", "5"), "3")
    filters = Slider(1, 6, 4, integer=True)
    pool = Slider(1, 4, 2, integer=True)
    hidden = Slider(4, 32, 16, integer=True)
    rate = Slider(1e-4, 0.1, 0.01, log=True)
    n = Slider(50, 200, 150, integer=True)
    epochs = Slider(1, 30, 12, integer=True)
    shown_filter = Slider(1, 6, 1, integer=True)
    parts = ("train", "slide")
    views = (
        image(pixels="picture", draw="drawn"),
        number("p", r"\max_k p(k \mid x)"),
        number("digit"),
        number("right"),
        number("size", r"\frac{n + 2p - k}{s} + 1"),
        bars(values="shares", labels="digits", domain="unit"),
        image(id="filters", pixels="filter_pixels", gray=True),
        image(id="maps", pixels="map_pixels", gray=True),
        heat(id="window", values="input", marked="field"),
        heat(id="response", values="cells", marked="cell"),
        curve(series=[{"value": "right", "label": "value.right"}, {"value": "p", "label": "value.p"}]),
    )

    def check(self, s: State) -> None:
        if s.shown_filter > s.filters:
            raise Refusal(f"shown_filter={s.shown_filter}: there are {s.filters} filters.", "shown_filter")

    def data(self, s: State) -> tuple[NDArray, NDArray]:
        """Return the first digits as pictures between zero and one, and what they are."""
        from sklearn.datasets import load_digits

        X, digits = load_digits(return_X_y=True)
        return X[: s.n].reshape(-1, SIDE, SIDE) / WHITE, digits[: s.n]

    def model(self, s: State, epochs: int) -> Any:
        from novum.neural_network import ConvNetClassifier

        return ConvNetClassifier(
            (s.filters,),
            kernel_size=int(s.kernel),
            pool=s.pool,
            hidden=(s.hidden,),
            batch_norm=False,
            dropout=0.0,
            max_epochs=epochs,
            learning_rate=s.rate,
            schedule="constant",
            patience=None,
            device="cpu",
            random_state=s.seed,
        )

    def frames(self, s: State) -> Iterator[Frame]:
        X, digits = self.data(s)
        picture = np.array(s.drawn) / WHITE
        fixed = {
            "picture": np.round(255 * picture).astype(np.uint8),
            "input": picture,
            "digits": [str(one) for one in range(10)],
            "unit": [0, 1],
        }
        before, chosen = None, s.shown_filter - 1
        for step in passes(self.model(s, s.epochs), X, digits):
            n, model = step.n, step.fitted
            if n == 0:
                continue
            shares = np.asarray(model.predict_proba(picture[None])[0], float)
            maps = np.asarray(model.feature_maps(picture[None])[0], float)
            size = maps.shape[-1]
            right = float(model.score(X, digits))
            digit = int(model.classes_[shares.argmax()])
            values = {"p": float(shares.max()), "digit": digit, "right": right, "size": size}
            drawn = {
                "shares": share_by_digit(model.classes_, shares),
                "filter_pixels": about_middle(model.filters()[:, 0]),
                "map_pixels": up_to_largest(maps),
                "cells": maps[chosen],
                "field": [],
                "cell": [],
            }
            turned = before is not None and digit != before
            said = {"n": n, "right": right, "digit": digit, "p": values["p"], "before": before}
            yield Frame(n, values, {**fixed, **drawn}, ("turned" if turned else "epoch", said), "train")
            before = digit
        for k, (r, c) in enumerate(np.ndindex(size, size)):
            cells = [
                [float(maps[chosen, i, j]) if (i, j) <= (r, c) else None for j in range(size)] for i in range(size)
            ]
            field = self.field(s, r, c)
            slid = {"cells": cells, "field": field, "cell": [[r, c]]}
            said = {"row": r + 1, "column": c + 1, "value": cells[r][c], "k": int(s.kernel), "pool": s.pool}
            yield Frame(
                n + 1 + k, values, {**fixed, **drawn, **slid}, ("slide" if s.pool == 1 else "pooled", said), "slide"
            )

    def field(self, s: State, r: int, c: int) -> list[list[int]]:
        """Return the pixels that a cell of the map sees."""
        reach = int(s.kernel) // 2

        def span(at: int) -> range:
            return range(max(0, s.pool * at - reach), min(SIDE, s.pool * (at + 1) + reach))

        return [[i, j] for i in span(r) for j in span(c)]

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                "from sklearn.datasets import load_digits",
                "X, digits = load_digits(return_X_y=True)",
                f"X, digits = X[:{s.n}].reshape(-1, {SIDE}, {SIDE}) / {WHITE}, digits[:{s.n}]",
                f"drawn = {literal(np.array(s.drawn))} / {WHITE}",
                "from novum.neural_network import ConvNetClassifier",
                f"model = {code_of(self.model(s, min(n, s.epochs)))}.fit(X, digits)",
                "print(float(model.predict_proba(drawn[None])[0].max()))",
            ]
        )


def share_by_digit(classes: NDArray, shares: NDArray) -> NDArray:
    """Return a share for every digit, zero for those that were not among the rows."""
    made = np.zeros(10)
    made[np.asarray(classes, int)] = shares
    return made


def about_middle(filters: NDArray) -> NDArray:
    """Return filters as pictures of bytes, zero in the middle."""
    return np.round(127.5 + 127.5 * filters / max(float(np.abs(filters).max()), 1e-12)).astype(np.uint8)


def up_to_largest(maps: NDArray) -> NDArray:
    """Return maps, which are not negative, as pictures of bytes."""
    return np.round(255 * maps / max(float(maps.max()), 1e-12)).astype(np.uint8)
