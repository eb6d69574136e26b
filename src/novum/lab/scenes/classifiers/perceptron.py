"""The perceptron, one mistake at a time: the line turns toward the row that it had on the wrong side."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import line_across
from novum.lab.points import Points
from novum.lab.presets import CLOUDS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane


class PerceptronSteps(Scene):
    name = "perceptron"
    family = "classifiers"
    rows = (
        "000-b/12/perceptron-stochastic",
        "003/4/perceptron",
        "003/4/fig-perceptron-step",
        "003/4/perceptron-convergence",
        "000-b/12/plot-hyperplane-geometry",
        "002/P1.3/plot-discriminant-geometry",
        "000-b/12/plot-boolean",
    )
    points = Points(
        "classes",
        presets={**TOUCHING, **CLOUDS, **XOR},
        n=Slider(4, 500, 60, integer=True),
        noise=Slider(0.05, 1.5, 0.5),
        classes=2,
        limit=1000,
    )
    eta = Slider(0.01, 2.0, 1.0, log=True)
    order = Choice(("in order", "shuffled"), "in order")
    passes = Slider(1, 20, 10, integer=True)
    views = (
        plane(
            points="X", target="y", classes="predicted", lines="lines", arrows="arrow", marked="row", editable=True,
            linked="points",
        ),
        number("criterion", r"E(w) = \sum_{i \in M} -t_i (w^\top x_i + b)"),
        number("mistakes"),
        number("bound", r"\left( \frac{R}{\gamma} \right)^2"),
        curve(series=[{"value": "wrong", "label": "value.wrong"}]),
    )  # fmt: skip

    def visits(self, s: State) -> NDArray:
        """Return the rows in the order in which they are looked at, pass after pass."""
        count, generator = len(s.points.X), np.random.default_rng(s.seed)
        shuffled = s.order == "shuffled"
        return np.concatenate([generator.permutation(count) if shuffled else np.arange(count) for _ in range(s.passes)])

    def model(self, s: State) -> Any:
        from novum.linear_model import Perceptron

        return Perceptron(eta0=s.eta, shuffle=False)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.linear_model import perceptron_mistake_bound
        from novum.losses import PerceptronLoss

        X, y = s.points.X, s.points.y
        target, visits, model = 2 * y - 1, self.visits(s), self.model(s)
        separable = len(set(y.tolist())) == 2
        bound = perceptron_mistake_bound(X, y).bound if separable else None
        scores, line = np.zeros(len(X)), []  # type: ignore[var-annotated]
        at, mistakes = 0, 0

        def shown(n: int, row: list[int], lines: Any, arrow: Any, say: tuple[str, dict[str, Any]]) -> Frame:
            wrong = target * scores <= 0
            values = {
                "criterion": float(PerceptronLoss().value(target, scores).sum()),
                "mistakes": mistakes,
                "wrong": int(wrong.sum()),
                "bound": bound,
            }
            predicted = np.where(scores == 0, -1, scores > 0)
            arrays = {"X": X, "y": y, "predicted": predicted, "lines": lines, "row": row, "arrow": arrow}
            return Frame(n, values, arrays, say)

        yield shown(0, [], [], np.zeros((0, 4)), ("start", {"n": len(X)}))
        while (left := np.flatnonzero((target * scores <= 0)[visits[at:]])).size:
            at += int(left[0])
            row, before = int(visits[at]), line
            model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
            scores, mistakes, at = model.decision_function(X), mistakes + 1, at + 1
            line = line_across(model.coef_, model.intercept_[0], s.points.domain)
            added = s.eta * target[row] * X[row]
            now, old = model.coef_[0], model.coef_[0] - added
            lines = [*({**one, "role": "before"} for one in before), *line]
            wrong = int((target * scores <= 0).sum())
            yield shown(mistakes, [row], lines, np.array([[*old, *now]]), ("mistake", {"row": row + 1, "wrong": wrong}))
        clean = not (target * scores <= 0).any()
        yield shown(mistakes + 1, [], line, np.zeros((0, 4)), ("clean" if clean else "ended", {"mistakes": mistakes}))

    def script(self, s: State, n: int, part: str) -> str:
        if s.order == "in order":
            order = f"np.tile(np.arange(len(X)), {s.passes})"
        else:
            order = f"np.concatenate([generator.permutation(len(X)) for _ in range({s.passes})])"
        return python_script(
            [
                s.points.code,
                "from novum.linear_model import Perceptron\nfrom novum.losses import PerceptronLoss",
                f"generator = np.random.default_rng({s.seed})" if s.order == "shuffled" else "",
                f"t = 2 * y - 1\nmodel, scores, mistakes = {code_of(self.model(s))}, np.zeros(len(X)), 0",
                f"for i in {order}:",
                f"    if t[i] * scores[i] <= 0 and mistakes < {n}:",
                "        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])",
                "        scores, mistakes = model.decision_function(X), mistakes + 1",
                "print(float(PerceptronLoss().value(t, scores).sum()))",
            ]
        )
