"""A line in Bayes' way, one observation at a time: what one point says of the weights, and what is known of them so far."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Slider
from novum.lab.frames import Frame
from novum.lab.geometry import ellipse_of
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

WEIGHTS = ((-2.0, 2.0), (-2.0, 2.0))  # the square of (w0, w1) that is drawn
SAMPLED = 6  # lines


def shade_of(log_prob: NDArray) -> NDArray:
    """Return a density over the pixels as bytes, the largest as 255."""
    return np.round(255 * np.exp(log_prob - log_prob.max())).astype(np.uint8).reshape(PIXELS, PIXELS)


class BayesianLine(Scene):
    name = "bayes-line"
    family = "regression"
    rows = (
        "002/P1.2/bayes-linreg-sequential",
        "002/P1.2/plot-sequential-bayes",
        "003/3/bayesian-linear-regression",
        "002/P1.2/plot-predictive-band",
    )
    points = Points(
        "xy",
        presets={**LINE, **SINE},
        n=Slider(1, 100, 20, integer=True),
        noise=Slider(0.0, 1.0, 0.2),
        limit=200,
        domain=((-1.0, 1.0), (-1.5, 1.5)),
    )
    alpha = Slider(0.01, 100.0, 2.0, log=True)
    beta = Slider(0.1, 1000.0, 25.0, log=True)
    views = (
        plane(points="rows", classes="seen", marked="newest", lines="lines", bands="band", editable=True, linked="points"),
        number("evidence", r"\ln p(t \mid \alpha, \beta)"),
        number("slope"),
        number("slope_sd"),
        plane(id="likelihood", points="mean", map="likelihood", map_kind="level", map_scale="sequential", domain="weights"),
        plane(
            id="posterior", points="mean", map="posterior", map_kind="level", map_scale="sequential", domain="weights",
            ellipses="ellipse",
        ),
        curve(series=[{"value": "slope_sd", "label": "value.slope_sd"}, {"value": "offset_sd", "label": "value.offset_sd"}]),
    )  # fmt: skip

    def model(self, s: State) -> Any:
        from novum.linear_model import BayesianLinearRegression

        return BayesianLinearRegression(alpha=s.alpha, beta=s.beta)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.distributions import MultivariateNormal, Normal

        X, t, model = s.points.X, s.points.y, self.model(s)
        ends = np.array(s.points.domain[0])
        at = np.linspace(ends[0], ends[1], 41)
        known = MultivariateNormal(np.zeros(2), np.eye(2) / s.alpha)  # the prior
        grid = pixel_centers(WEIGHTS)
        flat = np.full((PIXELS, PIXELS), 255, np.uint8)

        def shown(n: int, likelihood: Any, mean: Any, sd: Any, say: tuple[str, dict[str, Any]]) -> Frame:
            sampled = np.atleast_2d(known.sample(SAMPLED, random_state=s.seed))
            lines = [{"p": np.column_stack([ends, w[0] + w[1] * ends]).tolist(), "role": "faint"} for w in sampled]
            log_prob = known.log_prob(grid)
            drawn = {
                "rows": np.column_stack([X, t]),
                "seen": np.where(np.arange(len(X)) < n, 0, -1),
                "newest": [n - 1] if n else [],
                "lines": [*lines, {"p": np.column_stack([at, mean]).tolist(), "role": "now"}],
                "band": [{"x": at.tolist(), "low": (mean - sd).tolist(), "high": (mean + sd).tolist()}],
                "likelihood": likelihood,
                "posterior": shade_of(log_prob),
                "mean": np.array([known.mean]),
                "ellipse": np.array([ellipse_of(known.mean, known.cov)]),
                "weights": WEIGHTS,
            }
            deviations = np.sqrt(np.diag(known.cov))
            values = {
                "evidence": float(model.log_evidence_) if n else None,
                "slope": float(known.mean[1]),
                "slope_sd": float(deviations[1]),
                "offset_sd": float(deviations[0]),
            }
            return Frame(n, values, drawn, say)

        before = np.sqrt(1 / s.alpha)
        sd = np.sqrt(1 / s.beta + (1 + at**2) / s.alpha)
        yield shown(0, flat, np.zeros(len(at)), sd, ("prior", {"sd": float(before)}))
        for n in range(1, len(X) + 1):
            x, value = X[n - 1, 0], t[n - 1]
            model.partial_fit(X[n - 1 : n], t[n - 1 : n])
            known = model.posterior_
            log_prob = Normal(grid[:, 0] + grid[:, 1] * x, 1 / s.beta).log_prob(value)
            likelihood = shade_of(log_prob)
            mean, sd = model.predict(at[:, None], return_std=True)
            now = float(np.sqrt(known.cov[1, 1]))
            said = {"n": n, "x": float(x), "t": float(value), "before": float(before), "now": now}
            yield shown(n, likelihood, mean, sd, ("observed", said))
            before = now

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.linear_model import BayesianLinearRegression",
                f"model = {code_of(self.model(s))}",
                f"for i in range({n}):",
                "    model.partial_fit(X[i : i + 1], y[i : i + 1])",
                "print(float(model.log_evidence_))" if n else 'print("nothing observed yet: the prior")',
            ]
        )
