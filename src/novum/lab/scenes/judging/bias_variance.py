"""Bias, variance and noise: one data set after the other, the same learner on each."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

EACH = 12  # data sets that are shown one by one; later ones by powers of GROWTH
GROWTH = 1.2
PLACES = 41  # where fits are judged
SHOWN = 25  # fits that are drawn
AIMS = (10, 30)  # places of the bull's eye: x = 0.25 and 0.75
SIDE = 1.6  # of the bull's eye
CENTERS = 15  # of the Gaussian basis
DEGREES = tuple(range(10))
PENALTIES = tuple(float(k) for k in range(-6, 3))


class BiasVarianceSteps(Scene):
    name = "bias-variance"
    family = "judging"
    rows = (
        *("003/5/bias-variance-decomposition", "002/P1.2/plot-bias-variance-fits", "003/5/fig-bullseye"),
        *("004/5/bias-variance", "002/P1.2/plot-bias-variance-curve", "003/5/fig-bias-variance-curve"),
    )
    model = Choice(("polynomial", "bumps"), "polynomial")
    degree = Slider(0, 9, 1, integer=True, hidden_when={"model": "bumps"})
    penalty = Slider(-6.0, 2.0, -1.0, step=0.5, hidden_when={"model": "polynomial"})
    n = Slider(12, 100, 25, integer=True)
    noise = Slider(0.05, 1.0, 0.3)
    repeats = Slider(2, 60, 40, integer=True)
    views = (
        plane(points="places", lines="fits", domain="domain"),
        number("total", r"\mathrm{bias}^2 + \mathrm{variance} + \sigma^2"),
        number("bias", r"\frac{1}{m} \sum_j ( f(x_j) - \bar{y}(x_j) )^2"),
        number("variance", r"\frac{1}{m} \sum_j \frac{1}{R} \sum_r ( y_r(x_j) - \bar{y}(x_j) )^2"),
        plane(id="bullseye", points="shots", circles="rings", crosses="middle", domain="target", equal=True),
        curve(
            x="complexities",
            series=[
                {"array": "biases", "label": "value.bias"},
                {"array": "variances", "label": "value.variance"},
                {"array": "totals", "label": "value.total"},
            ],
            marker="complexity",
        ),
        curve(
            id="settling",
            series=[
                {"value": "bias", "label": "value.bias"},
                {"value": "variance", "label": "value.variance"},
                {"value": "exact_bias", "label": "value.exact", "role": "bound"},
                {"value": "exact_variance", "label": "value.exact", "role": "bound"},
            ],
        ),
    )

    def learner(self, s: State) -> Any:
        """Return the learner, least squares on powers or a ridge on bumps."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import PolynomialFeatures

        from novum.linear_model import LinearRegression, Ridge
        from novum.preprocessing import GaussianBasis

        if s.model == "polynomial":
            return make_pipeline(PolynomialFeatures(s.degree), LinearRegression(fit_intercept=False))
        return make_pipeline(GaussianBasis(CENTERS), Ridge(10.0**s.penalty))

    def decomposition(self, s: State, **options: Any) -> Any:
        """Return the decomposition; rows stay, targets get fresh noise."""
        from novum.evaluation import bias_variance_decomposition

        X = np.linspace(0, 1, s.n)[:, None]
        places = np.linspace(0, 1, PLACES)[:, None]
        fixed = {"X_test": places, "truth": truth, "noise": s.noise, "random_state": s.seed}
        return bias_variance_decomposition(self.learner(s), X, **fixed, **options)

    def frames(self, s: State) -> Iterator[Frame]:
        polynomial = s.model == "polynomial"
        name, values = ("polynomialfeatures__degree", DEGREES) if polynomial else ("ridge__alpha", PENALTIES)
        by_value = self.decomposition(
            s, method="exact", parameter=name, values=values if polynomial else [10.0**v for v in values]
        )
        exact = self.decomposition(s, method="exact")
        x = np.linspace(0, 1, PLACES)
        fixed = {
            "places": np.zeros((0, 2)),
            "domain": [[0.0, 1.0], [-2.0, 2.0]],
            "complexities": np.array(values, float),
            "biases": np.array([part.bias for part in by_value.parts]),
            "variances": np.array([part.variance for part in by_value.parts]),
            "totals": np.array([part.total for part in by_value.parts]),
            "rings": [[0.0, 0.0, r] for r in (0.25, 0.5, 1.0)],
            "target": [[-SIDE, SIDE], [-SIDE, SIDE]],
        }
        r = 1
        while r < s.repeats:
            r = r + 1 if r < EACH else min(s.repeats, max(r + 1, int(r * GROWTH)))
            found = self.decomposition(s, method="fresh", n_repeats=r)
            mean = found.predictions.mean(axis=0)
            shots = found.predictions[:, AIMS] - found.truth[list(AIMS)]
            fits = [
                {"p": np.column_stack([x, fit]).round(4).tolist(), "role": "faint"}
                for fit in found.predictions[-SHOWN:]
            ]
            drawn = {
                **fixed,
                "fits": [
                    *fits,
                    {"p": np.column_stack([x, found.truth]).tolist(), "role": "truth"},
                    {"p": np.column_stack([x, mean]).tolist(), "role": "now"},
                ],
                "shots": np.clip(shots, -SIDE, SIDE),
                "middle": shots.mean(axis=0)[None],
            }
            numbers = {
                "total": found.total,
                "bias": found.bias,
                "variance": found.variance,
                "exact_bias": exact.bias,
                "exact_variance": exact.variance,
                "complexity": s.degree if polynomial else s.penalty,
            }
            key = "biased" if found.bias > found.variance else "shaky"
            said = {"r": r, "bias": found.bias, "variance": found.variance, "noise": s.noise**2, "total": found.total}
            yield Frame(r, numbers, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        steps = [step for _, step in self.learner(s).steps]
        return python_script(
            [
                "from sklearn.pipeline import make_pipeline",
                *(f"from {public_module(step)} import {type(step).__name__}" for step in steps),
                "from novum.evaluation import bias_variance_decomposition",
                f"learner = make_pipeline({', '.join(map(code_of, steps))})",
                f"X, places = np.linspace(0, 1, {s.n})[:, None], np.linspace(0, 1, {PLACES})[:, None]",
                "truth = lambda X: np.sin(2 * np.pi * X[:, 0])",
                f'options = {{"noise": {s.noise!r}, "method": "fresh", "n_repeats": {n}, "random_state": {s.seed}}}',
                "print(bias_variance_decomposition(learner, X, X_test=places, truth=truth, **options).total)",
            ]
        )


def truth(X: Any) -> Any:
    """Return the sine that data are drawn around."""
    return np.sin(2 * np.pi * X[:, 0])


def public_module(step: Any) -> str:
    """Return where a step is imported from."""
    return ".".join(type(step).__module__.split(".")[:2])
