"""Ways down a surface, step by step: gradients, momentum, Adam, single rows, Newton's method and L-BFGS."""

import warnings
from collections.abc import Iterator
from inspect import getsource
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import NotConverged
from novum.lab.calls import python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.surfaces import DOMAINS, SURFACES
from novum.lab.views import curve, number, plane

DRIVERS = {"gradient": "gradient_descent", "momentum": "gradient_descent", "newton": "newton", "lbfgs": "lbfgs"}
KINKED = ("absolute", "hinge")
OF_LINES = ((-3.0, 3.0), (-3.0, 3.0))  # offset and slope of the lines of the losses
OUTSIDE = 1e6  # of a coordinate: the path has left for good
LEVELS = [18 * k for k in range(1, 14)]
ACROSS = 121  # places of the cut


class DescentSteps(Scene):
    name = "descent"
    family = "regression"
    rows = (
        *(
            "004/3/gradient-descent",
            "003/3/lms-sgd",
            "002/P1.3/plot-newton-vs-gd",
            "000-c/16/momentum",
            "000-c/16/adam",
        ),
        *("000-b/12/plot-loss-vs-weight", "000-b/13/plot-hinge", "000-b/13/plot-subgradients"),
    )
    points = Points(
        "xy",
        presets={**LINE, **SINE},
        n=Slider(2, 200, 20, integer=True),
        noise=Slider(0.0, 1.0, 0.2),
        limit=300,
        domain=((-1.0, 1.0), (-1.5, 1.5)),
    )
    surface = Choice(tuple(SURFACES), "valley")
    rule = Choice(("gradient", "momentum", "adam", "rows", "newton", "lbfgs"), "gradient")
    rate = Slider(0.001, 2.0, 0.15, log=True, hidden_when={"rule": ["newton", "lbfgs"]})
    momentum = Slider(0.0, 0.99, 0.8, hidden_when={"rule": ["gradient", "adam", "rows", "newton", "lbfgs"]})
    steps = Slider(1, 300, 40, integer=True)
    start = Matrix(1, 2, -100.0, 100.0, default=[[-2.2, 1.4]])
    views = (
        plane(
            points="ends", classes="end_classes", map="map", map_kind="level", map_scale="sequential", map_levels="levels",
            lines="path", domain="sides", pointer="start",
        ),
        number("value", r"f(w_t)"),
        number("norm", r"\lVert \nabla f(w_t) \rVert"),
        number("limit"),
        curve(series=[{"value": "value", "label": "value.value"}]),
        curve(id="lengths", series=[{"value": "length", "label": "value.length"}]),
        curve(
            id="cut", x="across", x_label="value.second", marker="second",
            series=[{"array": "cut", "label": "value.cut"}, {"array": "tangent", "label": "value.tangent", "role": "truth"}],
        ),
        plane(id="data", points="rows", lines="fit", editable=True, linked="points"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if s.surface in KINKED and s.rule in ("newton", "lbfgs"):
            raise Refusal(f"rule={s.rule!r}: needs second derivatives; a loss with kinks has none.", "rule")
        if s.rule == "rows" and s.surface in DOMAINS:
            raise Refusal(f"rule={s.rule!r}: goes from row to row; choose a loss of the points.", "rule")

    def made(self, s: State) -> Any:
        """Return the surface."""
        return SURFACES[s.surface]() if s.surface in DOMAINS else SURFACES[s.surface](s.points.X[:, 0], s.points.y)

    def options(self, s: State) -> dict[str, Any]:
        """Return what the driver of a rule is given beside the surface and the start."""
        shared: dict[str, Any] = {"tol": 0.0, "keep_path": True}
        if s.rule in ("newton", "lbfgs"):
            return shared
        return {"learning_rate": s.rate, "momentum": s.momentum if s.rule == "momentum" else 0.0, **shared}

    def path(self, s: State, surface: Any) -> NDArray:
        """Return the points that are visited."""
        from novum import optimize

        if s.rule in DRIVERS:
            driver = getattr(optimize, DRIVERS[s.rule])
            more = {"hessian": surface.hessian} if s.rule == "newton" else {}
            options = {**self.options(s), **more, "max_iter": s.steps}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConverged)  # so many steps were asked for, not the minimum
                return driver(surface.value, s.start[0], gradient=surface.gradient, **options).path
        rule = optimize.Adam(s.rate) if s.rule == "adam" else optimize.SGD(s.rate)
        w = np.array(s.start[0])
        state, path = rule.init(w), [w]
        for k in range(s.steps):
            rows = (slice(k % len(s.points.X), k % len(s.points.X) + 1),) if s.rule == "rows" else ()
            move, state = rule.update(surface.gradient(w, *rows), state, k)
            w = w + move
            path.append(w)
        return np.array(path)

    def frames(self, s: State) -> Iterator[Frame]:
        surface, domain = self.made(s), DOMAINS.get(s.surface, OF_LINES)
        heights = surface.value(pixel_centers(domain).T)
        scaled = np.log1p(heights - heights.min())
        fixed = {
            "map": np.round(255 * (1 - scaled / max(float(scaled.max()), 1e-300)))
            .astype(np.uint8)
            .reshape(PIXELS, PIXELS),
            "levels": LEVELS,
            "sides": domain,
            "rows": np.column_stack([s.points.X, s.points.y]),
        }
        path, across = self.path(s, surface), np.linspace(domain[1][0], domain[1][1], ACROSS)
        ends = np.array(s.points.domain[0])
        before = float(surface.value(path[0]))
        for n, w in enumerate(path):
            value, gradient = float(surface.value(w)), surface.gradient(w)
            norm = float(np.linalg.norm(gradient))
            if not np.isfinite(value) or np.abs(w).max() > OUTSIDE:
                return  # the frame before said that it leaves
            curvature = float(np.linalg.eigvalsh(surface.hessian(w)).max())
            length = float(np.linalg.norm(w - path[n - 1])) if n else 0.0
            drawn = {
                **fixed,
                "ends": np.array([w]),
                "end_classes": [5],
                "path": [{"p": path[: n + 1].tolist(), "role": "path"}],
                "across": across,
                "cut": surface.value([np.full(ACROSS, w[0]), across]),
                "tangent": value + gradient[1] * (across - w[1]),
                "fit": [] if s.surface in DOMAINS else [{"p": np.column_stack([ends, w[0] + w[1] * ends]).tolist()}],
            }
            values = {
                "value": value,
                "norm": norm,
                "limit": 2 / curvature if curvature > 0 else None,
                "length": length if n else None,
                "second": float(w[1]),
            }
            said = {"n": n, "value": value, "by": before - value, "norm": norm, "length": length, "rate": s.rate}
            beyond = n + 1 < len(path) and not np.abs(path[n + 1]).max() <= OUTSIDE
            key = "start" if n == 0 else "gone" if beyond else "down" if value <= before else "up"
            yield Frame(n, values, drawn, (key, {**said, "limit": values["limit"] or 0.0}))
            before = value

    def script(self, s: State, n: int, part: str) -> str:
        source = getsource(SURFACES[s.surface])
        name, own = SURFACES[s.surface].__name__, s.surface in DOMAINS
        head = [
            "" if own else s.points.code,
            "from typing import Any",
            source,
            f"surface = {name}({'' if own else 'X[:, 0], y'})",
            f"w = np.array({s.start[0]!r})",
        ]
        if s.rule in DRIVERS:
            options = {**self.options(s), "max_iter": n}
            given = ", ".join(f"{key}={value!r}" for key, value in options.items())
            more = "hessian=surface.hessian, " if s.rule == "newton" else ""
            driver = DRIVERS[s.rule]
            body = [
                f"from novum.optimize import {driver}",
                f"path = {driver}(surface.value, w, gradient=surface.gradient, {more}{given}).path",
                "print(float(surface.value(path[-1])))",
            ]
            return python_script([*head, *(body if n else ["print(float(surface.value(w)))"])])
        rule = "Adam" if s.rule == "adam" else "SGD"
        row = f", slice(k % {len(s.points.X)}, k % {len(s.points.X)} + 1)" if s.rule == "rows" else ""
        return python_script(
            [
                *head,
                f"from novum.optimize import {rule}",
                f"rule = {rule}({s.rate!r})\nstate = rule.init(w)",
                f"for k in range({n}):",
                f"    move, state = rule.update(surface.gradient(w{row}), state, k)\n    w = w + move",
                "print(float(surface.value(w)))",
            ]
        )
