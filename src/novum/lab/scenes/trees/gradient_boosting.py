"""Gradient boosting of a curve, tree by tree: every tree is fitted to what the sum so far has left over."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.unseen import unseen_rows
from novum.lab.views import curve, number, plane

PLACES = 241  # of the curves


class ResidualSteps(Scene):
    name = "gradient-boosting"
    family = "trees"
    rows = ("000-c/17/boosting",)
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(4, 500, 60, integer=True),
        noise=Slider(0.0, 1.0, 0.3),
        limit=500,
        least=3,
        domain=((0.0, 1.0), (-2.0, 2.0)),
    )
    trees = Slider(1, 100, 40, integer=True)
    rate = Slider(0.02, 1.0, 0.2, log=True)
    leaves = Slider(2, 16, 4, integer=True)
    smallest = Slider(1, 20, 3, integer=True)
    loss = Choice(("squared_error", "absolute_error"), "squared_error")
    views = (
        plane(points="rows", lines="sum", editable=True, linked="points"),
        number("train", r"\frac{1}{n} \sum_i L(y_i, F_m(x_i))"),
        number("test"),
        number("leaves"),
        plane(id="residuals", points="left", lines="tree", domain="sides", linked="points"),
        curve(series=[{"value": "train", "label": "value.train"}, {"value": "test", "label": "value.test"}]),
    )

    def model(self, s: State) -> Any:
        from novum.ensemble import HistGradientBoostingRegressor

        return HistGradientBoostingRegressor(
            s.loss,
            learning_rate=s.rate,
            max_iter=s.trees,
            max_leaf_nodes=s.leaves,
            min_samples_leaf=s.smallest,
            early_stopping=False,
        )

    def frames(self, s: State) -> Iterator[Frame]:
        X, y, unseen = s.points.X, s.points.y, unseen_rows(self, s)
        model = self.model(s).fit(X, y)
        low, high = s.points.domain[0]
        at = np.linspace(low, high, PLACES)[:, None]
        start = float(np.mean(y) if s.loss == "squared_error" else np.median(y))
        before, rows_before = np.full(PLACES, start), np.full(len(y), start)
        reach = max(float(np.abs(y - start).max()), 0.1) * 1.05
        best, last = np.inf, mean_loss(y - rows_before, s.loss)
        stages = zip(
            model.staged_predict(at), model.staged_predict(X), model.staged_predict(X if unseen is None else unseen[0])
        )
        for m, (curve_now, fitted, guessed) in enumerate(stages, start=1):
            tree = (curve_now - before) / s.rate
            train = mean_loss(y - fitted, s.loss)
            test = None if unseen is None else mean_loss(unseen[1] - guessed, s.loss)
            lines = [{"p": np.column_stack([at, before]).tolist(), "role": "before"}] if m > 1 else []
            drawn = {
                "rows": np.column_stack([X, y]),
                "sum": [*lines, {"p": np.column_stack([at, curve_now]).tolist(), "role": "now"}],
                "left": np.column_stack([X, y - rows_before]),
                "tree": [{"p": np.column_stack([at, tree]).tolist(), "role": "now", "k": 5}],
                "sides": [[low, high], [-reach, reach]],
            }
            values = {"train": train, "test": test, "leaves": len(np.unique(np.round(fitted - rows_before, 12)))}
            said = {"m": m, "by": last - train, "train": train, "test": test or 0.0, "rate": s.rate}
            said["best"] = best if np.isfinite(best) else 0.0
            worse = test is not None and test > best
            key = "first" if m == 1 else "drawn" if test is None else "worse" if worse else "better"
            yield Frame(m, values, drawn, (key, said))
            best, last = min(best, np.inf if test is None else test), train
            before, rows_before = curve_now, fitted

    def script(self, s: State, n: int, part: str) -> str:
        error = "(y - fitted) ** 2" if s.loss == "squared_error" else "np.abs(y - fitted)"
        return python_script(
            [
                s.points.code,
                "from novum.ensemble import HistGradientBoostingRegressor",
                f"model = {code_of(self.model(s))}.fit(X, y)",
                f"fitted = list(model.staged_predict(X))[{n - 1}]",
                f"print(float(np.mean({error})))",
            ]
        )


def mean_loss(residual: Any, loss: str) -> float:
    """Return the mean of the squares, or of the distances."""
    return float(np.mean(residual**2 if loss == "squared_error" else np.abs(residual)))
