"""Overfitting: what the training error promises, what new rows say, and what the evidence knew without any new row."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.unseen import unseen_rows
from novum.lab.views import bars, curve, number, plane

DRAWN = 201  # places of the curve


class DegreeSteps(Scene):
    name = "overfitting"
    family = "regression"
    rows = (
        *("003/3/overfit-demo", "001/1/capacity-curve", "002/P1.2/plot-evidence-vs-order"),
        "002/P1.2/evidence-linreg",
    )
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(4, 300, 10, integer=True),
        noise=Slider(0.0, 1.0, 0.3),
        limit=1000,
        least=2,
        domain=((0.0, 1.0), (-2.0, 2.0)),
    )
    most = Slider(1, 12, 9, integer=True)
    ridge = Slider(1e-12, 10.0, 1e-12, log=True)
    alpha = Slider(1e-4, 100.0, 0.01, log=True)
    beta = Slider(0.1, 1000.0, 11.0, log=True)
    views = (
        plane(points="rows", lines="lines", editable=True, linked="points"),
        number("train", r"\sqrt{\frac{1}{n} \sum_i (y_i - \hat{y}(x_i))^2}"),
        number("test"),
        number("evidence", r"\ln p(y \mid M, \alpha, \beta)"),
        curve(
            series=[{"value": "train", "label": "value.train"}, {"value": "test", "label": "value.test"}], log_y=True
        ),
        curve(id="evidences", series=[{"value": "evidence", "label": "value.evidence"}]),
        bars(values="chances", labels="degrees", marked="now"),
    )

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.linear_model import BayesianLinearRegression, Ridge, compare_evidence

        X, y, unseen = s.points.X, s.points.y, unseen_rows(self, s)
        degrees = range(s.most + 1)
        believed = {
            str(degree): BayesianLinearRegression(alpha=s.alpha, beta=s.beta, fit_intercept=False).fit(
                X ** np.arange(degree + 1), y
            )
            for degree in degrees
        }
        compared = compare_evidence(believed)
        low, high = s.points.domain[0]
        at = np.linspace(low, high, DRAWN)[:, None]
        errors: list[float] = []
        before: list[Any] = []
        for degree in degrees:
            powers = np.arange(degree + 1)
            model = Ridge(s.ridge, fit_intercept=False).fit(X**powers, y)
            now = {"p": np.column_stack([at, model.predict(at**powers)]).tolist(), "role": "now"}
            train = rmse(model.predict(X**powers), y)
            test = None if unseen is None else rmse(model.predict(unseen[0] ** powers), unseen[1])
            drawn = {
                "rows": np.column_stack([X, y]),
                "lines": [*before, now],
                "chances": compared.probability,
                "degrees": list(map(str, degrees)),
                "now": [degree],
            }
            values = {"train": train, "test": test, "evidence": float(compared.log_evidence[degree])}
            said = {
                "degree": degree,
                "train": train,
                "test": test or 0.0,
                "chance": float(compared.probability[degree]),
                "best": int(compared.best),
                "largest": float(np.abs(model.coef_).max()),
            }
            known = test is not None
            worse = known and bool(errors) and test > min(errors)  # type: ignore[operator]
            yield Frame(degree, values, drawn, ("worse" if worse else "better" if known else "drawn", said))
            errors.append(test if test is not None else np.inf)
            before = [{**now, "role": "before"}]

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.linear_model import Ridge",
                f"powers = np.arange({n + 1})",
                f"model = Ridge({s.ridge!r}, fit_intercept=False).fit(X**powers, y)",
                "print(float(np.sqrt(np.mean((y - model.predict(X**powers)) ** 2))))",
            ]
        )


def rmse(predicted: Any, y: Any) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((y - predicted) ** 2)))
