"""The equivalent kernel: a prediction of Bayesian regression is a weighted sum of all targets, and these are the weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.bases import BASES, basis_code, basis_columns
from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.views import curve, heat, number, plane

PLACES = 101  # of the drawn functions


class KernelSteps(Scene):
    name = "equivalent-kernel"
    family = "regression"
    rows = ("002/P1.2/equivalent-kernel", "002/P1.2/plot-equivalent-kernel")
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(2, 60, 30, integer=True),
        noise=Slider(0.0, 1.0, 0.3),
        limit=60,
        least=2,
        domain=((-1.0, 1.0), (-1.5, 1.5)),
    )
    basis = Choice(BASES, "gaussian")
    size = Slider(1, 15, 9, integer=True)
    alpha = Slider(0.001, 100.0, 0.1, log=True)
    beta = Slider(0.1, 1000.0, 10.0, log=True)
    queries = Slider(2, 60, 25, integer=True)
    views = (
        plane(points="rows", sizes="sizes", classes="signs", lines="lines", editable=True, linked="points"),
        number("prediction", r"\sum_n k(x, x_n) \, t_n"),
        number("total"),
        number("negative"),
        curve(
            id="weights", x="places", x_label="value.place", marker="at",
            series=[{"array": "kernel", "label": "value.kernel"}, {"array": "zero", "label": "value.zero", "role": "truth"}],
        ),
        curve(series=[{"value": "prediction", "label": "value.prediction"}]),
        heat(values="matrix", diverging=True),
    )  # fmt: skip

    def model(self, s: State) -> Any:
        from novum.linear_model import BayesianLinearRegression

        return BayesianLinearRegression(alpha=s.alpha, beta=s.beta, fit_intercept=False)

    def places(self, s: State) -> tuple[float, float]:
        """Return the ends of the queries: those of the rows."""
        x = s.points.X[:, 0]
        return float(x.min()), float(x.max())

    def frames(self, s: State) -> Iterator[Frame]:
        X, t = s.points.X, s.points.y
        phi = basis_columns(s.basis, s.size, X)
        model = self.model(s).fit(phi(X), t)
        low, high = s.points.domain[0]
        at = np.linspace(low, high, PLACES)[:, None]
        order = np.argsort(X[:, 0], kind="stable")
        matrix = model.equivalent_kernel(phi(X[order]), phi(X[order]))
        mean = np.column_stack([at, model.predict(phi(at))]).tolist()
        bottom, top = s.points.domain[1]
        for n, x in enumerate(np.linspace(*self.places(s), s.queries)):
            query = phi(np.array([[x]]))
            weights = model.equivalent_kernel(query, phi(X))[0]
            prediction = float(weights @ t)
            lines = [{"p": mean, "role": "now"}, {"p": [[x, bottom], [x, top]], "role": "margin"}]
            drawn = {
                "rows": np.column_stack([X, t]),
                "sizes": 0.05 + 0.6 * np.abs(weights) / max(float(np.abs(weights).max()), 1e-300),
                "signs": np.where(weights < 0, 5, 0),
                "lines": lines,
                "places": at[:, 0],
                "kernel": model.equivalent_kernel(query, phi(at))[0],
                "zero": np.zeros(PLACES),
                "matrix": matrix,
            }
            negative = int((weights < 0).sum())
            values = {"prediction": prediction, "total": float(weights.sum()), "negative": negative, "at": float(x)}
            heaviest = int(np.abs(weights).argmax())
            said = {**values, "x": float(x), "weight": float(weights[heaviest]), "where": float(X[heaviest, 0])}
            yield Frame(n, values, drawn, ("negative" if negative else "positive", said))

    def script(self, s: State, n: int, part: str) -> str:
        low, high = self.places(s)
        return python_script(
            [
                s.points.code,
                "from novum.linear_model import BayesianLinearRegression",
                basis_code(s.basis, s.size),
                f"model = {code_of(self.model(s))}.fit(phi(X), y)",
                f"x = np.linspace({low!r}, {high!r}, {s.queries})[{n}]",
                "weights = model.equivalent_kernel(phi(np.array([[x]])), phi(X))[0]",
                "print(float(weights @ y))  # what model.predict says there",
            ]
        )
