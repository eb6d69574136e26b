"""Least squares, one basis function at a time: the squares of the residuals shrink, the coefficients grow uncertain."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.bases import BASES, basis_code, basis_columns, basis_names
from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, intervals, number, plane

DRAWN = 201  # places of the curve


class LeastSquaresSteps(Scene):
    name = "least-squares"
    family = "regression"
    rows = ("003/3/ols", "000-b/12/least-squares", "004/1/least-squares")
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(3, 200, 12, integer=True),
        noise=Slider(0.0, 1.0, 0.3),
        limit=300,
        least=2,
        domain=((-1.0, 1.0), (-1.5, 1.5)),
    )
    basis = Choice(BASES, "polynomial")
    most = Slider(1, 12, 7, integer=True)
    level = Slider(0.5, 0.99, 0.95)
    views = (
        plane(points="rows", squares="squares", lines="lines", editable=True, linked="points"),
        number("rss", r"\sum_i (y_i - w^\top \phi(x_i))^2"),
        number("sigma"),
        number("coefficients"),
        intervals(middle="coef", low="low", high="high", labels="names"),
        bars(id="residuals", values="residuals", labels="numbers", linked="points"),
        curve(series=[{"value": "rss", "label": "value.rss"}]),
    )

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.linear_model import LinearRegression

        X, y = s.points.X, s.points.y
        low, high = s.points.domain[0]
        at = np.linspace(low, high, DRAWN)[:, None]
        before: list[Any] = []
        last = 0.0
        for size in range(s.most + 1):
            phi = basis_columns(s.basis, size, X)
            model = LinearRegression(fit_intercept=False).fit(phi(X), y)
            fitted = model.predict(phi(X))
            residuals, coef = y - fitted, model.coef_
            rss = float((residuals**2).sum())
            left = len(X) - len(coef)
            low = high = np.full(len(coef), np.nan)
            if left > 0:
                table = model.inference(level=s.level)
                low, high = table.lower, table.upper
            now = {"p": np.column_stack([at, model.predict(phi(at))]).tolist(), "role": "now"}
            drawn = {
                "rows": np.column_stack([X, y]),
                "squares": np.column_stack([X[:, 0], fitted, residuals]),
                "lines": [*before, now],
                "coef": coef,
                "low": low,
                "high": high,
                "names": basis_names(s.basis, size),
                "residuals": residuals,
                "numbers": [str(i + 1) for i in range(len(X))],
            }
            values = {
                "rss": rss,
                "sigma": float(np.sqrt(rss / left)) if left > 0 else None,
                "coefficients": len(coef),
            }
            said = {"n": size, "rss": rss, "by": last - rss, "left": max(left, 0), "name": drawn["names"][-1]}
            key = "constant" if size == 0 else "through" if left <= 0 else "added" if rss <= last else "moved"
            yield Frame(size, values, drawn, (key, said))
            before, last = [{**now, "role": "before"}], rss

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.linear_model import LinearRegression",
                basis_code(s.basis, n),
                "model = LinearRegression(fit_intercept=False).fit(phi(X), y)",
                "print(float(((y - model.predict(phi(X))) ** 2).sum()))",
            ]
        )
