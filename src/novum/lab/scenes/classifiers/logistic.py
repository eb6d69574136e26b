"""Logistic regression by Newton's method: rows near the line have the most to say in every pass (iteratively reweighted)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import line_across
from novum.lab.maps import level_map
from novum.lab.points import Points
from novum.lab.presets import CLOUDS, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, number, plane


def second_class(model: Any, X: NDArray) -> NDArray:
    """Return the probability of the second class."""
    return model.predict_proba(X)[:, 1]


class LogisticSteps(Scene):
    name = "logistic"
    family = "classifiers"
    rows = ("003/4/logistic-regression", "002/P1.3/irls", "004/2/irls", "003/4/fig-sigmoid-vs-step")
    points = Points(
        "classes",
        presets={**TOUCHING, **CLOUDS, **MOONS, **XOR},
        n=Slider(4, 2000, 120, integer=True),
        noise=Slider(0.05, 1.5, 0.7),
        classes=2,
    )
    C = Slider(0.001, 1e6, 1.0, log=True)
    views = (
        plane(
            points="X", target="y", classes="predicted", sizes="sizes", map="map", map_kind="level", lines="line",
            editable=True, linked="points",
        ),
        number("loss", r"-\frac{1}{n} \sum_i \left[ y_i \ln p_i + (1 - y_i) \ln (1 - p_i) \right]"),
        number("objective", r"\text{loss} + \frac{\lVert w \rVert^2}{2 C n}"),
        number("wrong"),
        curve(series=[{"value": "objective", "label": "value.objective"}, {"value": "loss", "label": "value.loss"}]),
        bars(id="weights", values="weights", labels="names"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State, **options: Any) -> Any:
        from novum.linear_model import LogisticRegression

        return LogisticRegression(C=s.C, solver="newton-cholesky", **options)

    def frames(self, s: State) -> Iterator[Frame]:
        from sklearn.metrics import log_loss

        X, y, domain = s.points.X, s.points.y, s.points.domain
        names = ["w0", "w1", "w2"]
        even = np.full(len(X), 0.5)
        loss = float(log_loss(y, even))
        first = {
            "X": X,
            "y": y,
            "predicted": np.full(len(X), -1),
            "sizes": 4 * even * (1 - even),
            "map": level_map(lambda grid: np.full(len(grid), 0.5), domain),
            "line": [],
            "weights": np.zeros(3),
            "names": names,
        }
        yield Frame(0, {"loss": loss, "objective": loss, "wrong": None}, first, ("start", {"loss": loss}))
        for step in passes(self.model(s), X, y):
            if step.n == 0:
                continue
            model, before = step.fitted, loss
            p = model.predict_proba(X)[:, 1]
            loss, predicted = float(log_loss(y, model.predict_proba(X))), model.predict(X)
            wrong = int((predicted != y).sum())
            weights = np.array([model.intercept_[0], *model.coef_[0]])
            drawn = {
                **first,
                "predicted": predicted,
                "sizes": 4 * p * (1 - p),
                "map": level_map(partial(second_class, model), domain),
                "line": line_across(model.coef_, float(model.intercept_[0]), domain),
                "weights": weights,
            }
            length = float(np.linalg.norm(model.coef_))
            said = {"n": step.n, "by": before - loss, "loss": loss, "wrong": wrong, "length": length}
            key = "separated" if wrong == 0 else "pass" if loss <= before else "held"
            yield Frame(step.n, {"loss": loss, "objective": step.objective, "wrong": wrong}, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        imports = "from sklearn.metrics import log_loss"
        if n == 0:
            return python_script([s.points.code, imports, "print(float(log_loss(y, np.full(len(y), 0.5))))"])
        return python_script(
            [
                s.points.code,
                imports,
                "from novum.linear_model import LogisticRegression",
                f"model = {code_of(self.model(s, max_iter=n))}.fit(X, y)",
                "print(float(log_loss(y, model.predict_proba(X))))",
            ]
        )
