"""A Gaussian process: functions before any observation, one observation at a time, then steps uphill on the evidence."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import NotConverged
from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.maps import pixel_centers
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

PLACES = 81  # of the functions
DRAWS = 5
PIXELS = 24  # of a side of the picture of the evidence
HALVED = 4.0  # of the log evidence: so far below the best a pixel is half as dark
HYPER = ((-2.0, 1.0), (-2.0, 2.0))  # powers of ten of length and variance in that picture
KERNELS: dict[str, tuple[str, dict[str, Any]]] = {
    "rbf": ("RBF", {}),
    "matern": ("Matern", {}),
    "exponential": ("Matern", {"nu": 0.5}),
    "periodic": ("Periodic", {"periodicity_bounds": "fixed"}),
}


class ProcessSteps(Scene):
    name = "gp"
    family = "kernels"
    rows = ("003/9/gp-regression", "002/P1.6/gp-prior", "003/9/fig-gp-band", "002/P1.6/plot-gp-samples")
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(1, 100, 12, integer=True),
        noise=Slider(0.0, 1.0, 0.1),
        limit=200,
        domain=((0.0, 1.0), (-2.0, 2.0)),
    )
    kernel = Choice(tuple(KERNELS), "rbf")
    length = Slider(0.01, 10.0, 0.1, log=True)
    variance = Slider(0.01, 100.0, 1.0, log=True)
    sigma = Slider(0.01, 2.0, 0.15, log=True)
    steps = Slider(0, 60, 20, integer=True)
    parts = ("observed", "learned")
    views = (
        plane(points="rows", classes="seen", marked="newest", lines="lines", bands="band", editable=True, linked="points"),
        number("evidence", r"-\frac{1}{2} y^\top K^{-1} y - \frac{1}{2} \ln \, \det \, K - \frac{n}{2} \ln 2 \pi"),
        number("scale"),
        number("height"),
        plane(
            id="surface", points="theta", map="surface", map_kind="level", map_scale="sequential", map_levels="levels",
            lines="path", domain="sides",
        ),
        curve(series=[{"value": "evidence", "label": "value.evidence"}]),
        curve(id="deviation", x="places", series=[{"array": "sd", "label": "value.sd"}], marker="next"),
    )  # fmt: skip

    def model(self, s: State, theta: NDArray | None = None) -> Any:
        from novum import kernels
        from novum.gaussian_process import GaussianProcessRegressor

        name, options = KERNELS[s.kernel]
        kernel = s.variance * getattr(kernels, name)(s.length, **options)
        kernel = kernel if theta is None else kernel.clone_with_theta(theta)
        return GaussianProcessRegressor(kernel, alpha=s.sigma**2, optimizer=None)

    def climb(self, s: State) -> NDArray:
        """Return the logarithms of variance and length that are visited uphill on the evidence."""
        from novum.optimize import gradient_descent

        visited = []

        def walk(objective: Any, start: NDArray, bounds: Any) -> tuple[NDArray, float]:
            def inside(theta: NDArray) -> Any:
                held = (theta >= bounds[:, 0]).all() and (theta <= bounds[:, 1]).all()
                return objective(theta) if held else (np.inf, np.zeros(len(theta)))

            found = gradient_descent(inside, start, gradient=True, tol=1e-5, max_iter=s.steps, keep_path=True)
            visited.append(found.path)
            return found.x, found.value

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # so many steps were asked for, not the summit
            self.model(s).set_params(optimizer=walk).fit(s.points.X, s.points.y)
        return np.array(visited[0])

    def frames(self, s: State) -> Iterator[Frame]:
        X, y, model = s.points.X, s.points.y, self.model(s)
        low, high = s.points.domain[0]
        at = np.linspace(low, high, PLACES)[:, None]
        theta = np.log([s.variance, s.length])
        surface: dict[str, Any] = {"surface": np.zeros((PIXELS, PIXELS), np.uint8), "levels": []}
        path = [theta]

        def shown(n: int, part: str, key: str, count: int, said: dict[str, Any]) -> Frame:
            mean, sd = model.predict(at, return_std=True)
            draws = np.asarray(model.sample_y(at, DRAWS, random_state=s.seed)).reshape(PLACES, DRAWS)
            widest = int(sd.argmax())
            logs = np.array(path)[:, ::-1] / np.log(10)
            lines = [{"p": np.column_stack([at, one]).tolist(), "role": "faint"} for one in draws.T]
            drawn = {
                "rows": np.column_stack([X, y]),
                "seen": np.where(np.arange(len(X)) < count, 0, -1),
                "newest": [count - 1] if count > 0 and part == "observed" else [],
                "lines": [*lines, {"p": np.column_stack([at, mean]).tolist(), "role": "now"}],
                "band": [{"x": at[:, 0].tolist(), "low": (mean - 2 * sd).tolist(), "high": (mean + 2 * sd).tolist()}],
                "theta": logs[-1:],
                "path": [{"p": logs.tolist(), "role": "path"}],
                "sides": HYPER,
                "places": at[:, 0],
                "sd": sd,
                **surface,
            }
            evidence = float(model.log_marginal_likelihood_value_) if count else None
            values = {
                "evidence": evidence,
                "scale": float(np.exp(path[-1][1])) if path[1:] else s.length,
                "height": float(np.exp(path[-1][0])) if path[1:] else s.variance,
                "next": float(at[widest, 0]),
            }
            said = {**said, "widest": float(sd[widest]), "next": values["next"], "evidence": evidence or 0.0}
            return Frame(n, values, drawn, (key, said), part)

        yield shown(0, "observed", "prior", 0, {})
        for n in range(1, len(X) + 1):
            x = X[n - 1 : n]
            before = float(model.predict(x, return_std=True)[1][0])
            model = model.fit(x, y[:1]) if n == 1 else model.update(x, y[n - 1 : n])
            now = float(model.predict(x, return_std=True)[1][0])
            said = {"n": n, "x": float(x[0, 0]), "before": before, "now": now}
            yield shown(n, "observed", "observed", n, said)
        if not s.steps:
            return
        climbed = self.climb(s)
        surface |= picture(model)
        last = float(model.log_marginal_likelihood_value_)
        for step, theta in enumerate(climbed[1:], start=1):
            model = self.model(s, theta).fit(X, y)
            path.append(theta)
            found = float(model.log_marginal_likelihood_value_)
            said = {
                "step": step,
                "by": found - last,
                "length": float(np.exp(theta[1])),
                "variance": float(np.exp(theta[0])),
            }
            yield shown(len(X) + step, "learned", "learned", len(X), said)
            last = found

    def script(self, s: State, n: int, part: str) -> str:
        name, options = KERNELS[s.kernel]
        given = "".join(f", {key}={value!r}" for key, value in options.items())
        head = [
            s.points.code,
            "from novum.gaussian_process import GaussianProcessRegressor",
            f"from novum.kernels import {name}",
            f"kernel = {s.variance!r} * {name}({s.length!r}{given})",
        ]
        make = f"GaussianProcessRegressor(kernel, alpha={s.sigma**2!r}, optimizer=None)"
        if n == 0:
            return python_script([*head, f'model = {make}\nprint("nothing observed yet: the prior")'])
        if part == "learned":
            theta = self.climb(s)[n - len(s.points.X)].tolist()
            body = f"kernel = kernel.clone_with_theta(np.array({theta!r}))\nmodel = {make}.fit(X, y)"
        else:
            body = f"model = {make}.fit(X[:1], y[:1])"
            if n > 1:
                body += f"\nfor i in range(1, {n}):\n    model.update(X[i : i + 1], y[i : i + 1])"
        return python_script([*head, body, "print(float(model.log_marginal_likelihood_value_))"])


def picture(model: Any) -> dict[str, Any]:
    """Return the log evidence by length and variance as bytes, the largest as 255."""
    logs = pixel_centers(HYPER, PIXELS) * np.log(10)
    values = np.array([model.log_marginal_likelihood(theta[::-1]) for theta in logs])
    shade = 255 / (1 + (values.max() - values) / HALVED)
    return {"surface": np.round(shade).astype(np.uint8).reshape(PIXELS, PIXELS), "levels": [25, 60, 100, 150, 200, 240]}
