"""A support vector machine, one pair of multipliers at a time, until primal and dual meet."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map
from novum.lab.points import Points
from novum.lab.presets import CIRCLES, CLOUDS, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number, plane

EACH = 60  # steps that are all shown; then every following one is further on
FURTHER = 1.15
MOST_STEPS = 20_000
QUARTER = 255 / 4  # of the bytes of a map: what one unit of the decision function takes


class MarginSteps(Scene):
    name = "svm"
    family = "kernels"
    rows = (
        *("002/P1.6/svm-soft", "003/10/svm-dual", "003/10/svm-soft", "000-b/13/sv-taxonomy", "004/6/kkt-conditions"),
        *("004/7/kernel-svm", "000-b/13/plot-separators", "000-b/13/plot-svm-margin", "002/P1.6/plot-svm-nonlinear"),
        *("002/P1.6/plot-svm-slack", "003/10/fig-svm", "004/6/margin-plot"),
    )
    points = Points(
        "classes",
        presets={**TOUCHING, **CLOUDS, **MOONS, **CIRCLES, **XOR},
        n=Slider(4, 300, 60, integer=True),
        noise=Slider(0.05, 1.5, 0.6),
        classes=2,
        limit=300,
    )
    C = Slider(0.01, 1000.0, 1.0, log=True)
    kernel = Choice(("linear", "rbf", "poly"), "linear")
    gamma = Slider(0.05, 20.0, 1.0, log=True, hidden_when={"kernel": "linear"})
    degree = Slider(2, 6, 3, integer=True, hidden_when={"kernel": ["linear", "rbf"]})
    views = (
        plane(
            points="X", target="y", classes="y", marked="pair", sizes="sizes", map="map", map_kind="level",
            map_levels=[QUARTER, 2 * QUARTER, 3 * QUARTER], editable=True, linked="points",
        ),
        number("gap", r"\text{primal} - \text{dual} \ge 0"),
        number("dual", r"\sum_i \alpha_i - \frac{1}{2} \lVert w \rVert^2"),
        number("primal", r"\frac{1}{2} \lVert w \rVert^2 + C \sum_i \xi_i"),
        number("width", r"\frac{2}{\lVert w \rVert}"),
        curve(series=[{"value": "primal", "label": "value.primal"}, {"value": "dual", "label": "value.dual"}], log_y=True),
        bars(id="roles", values="roles", labels="role_names"),
        bars(id="multipliers", values="multipliers", labels="numbers", linked="points"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State, **options: Any) -> Any:
        from novum.svm import SVC

        kernels = {
            "linear": {},
            "rbf": {"gamma": s.gamma},
            "poly": {"gamma": s.gamma, "degree": s.degree, "coef0": 1.0},
        }
        return SVC(C=s.C, kernel=s.kernel, **kernels[s.kernel], **options)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.svm import kkt_report

        X, y = s.points.X, s.points.y
        before = np.zeros(len(X))
        n, last = 1, MOST_STEPS
        while n <= last:
            model = self.model(s, max_iter=n).fit(X, y)
            if int(model.n_iter_.max()) < n:
                return  # the step before was the last one
            report = kkt_report(model, X, y)
            multipliers = report.multiplier
            pair = np.flatnonzero(multipliers != before)
            free = (multipliers > 0) & (multipliers < s.C)
            counts = [int((multipliers <= 0).sum()), int(free.sum()), int((multipliers >= s.C).sum())]
            drawn = {
                "X": X,
                "y": y,
                "pair": pair.tolist() if len(pair) <= 2 else [],
                "sizes": 0.12 + 0.6 * np.clip(multipliers, 0, None) / max(multipliers.max(), 1e-300),
                "map": level_map(partial(level_of, model), s.points.domain),
                "roles": np.array(counts),
                "role_names": ["α = 0", "0 < α < C", "α = C"],
                "multipliers": multipliers,
                "numbers": [str(i + 1) for i in range(len(X))],
            }
            values = {
                "gap": float(report.gap),
                "dual": float(report.dual),
                "primal": float(report.primal),
                "width": float(2 / report.norm) if report.norm > 0 else None,
            }
            said: dict[str, Any] = {"n": n, "gap": values["gap"], "support": len(X) - counts[0]}
            if len(pair) == 2:
                said |= {"i": int(pair[0]) + 1, "j": int(pair[1]) + 1}
            yield Frame(n, values, drawn, ("pair" if len(pair) == 2 else "steps", said))
            before = multipliers
            n = following(n, s, self)

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.svm import SVC, kkt_report",
                f"model = {code_of(self.model(s, max_iter=n))}.fit(X, y)",
                "print(float(kkt_report(model, X, y).gap))",
            ]
        )


def level_of(model: Any, grid: NDArray) -> NDArray:
    """Return the decision function, a quarter of the scale for each unit, the border in the middle."""
    return 0.5 + model.decision_function(grid) / 4


def following(n: int, s: State, scene: MarginSteps) -> int:
    """Return the next step that is shown; the last one of the fit where that would be beyond it."""
    if n < EACH:
        return n + 1
    further = int(n * FURTHER) + 1
    last = int(scene.model(s, max_iter=min(further, MOST_STEPS)).fit(s.points.X, s.points.y).n_iter_.max())
    return further if last >= further else last if last > n else MOST_STEPS + 1
