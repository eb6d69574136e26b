"""Gaussian classes: one covariance for all, one for each, variances alone, and beside them a model of the border alone."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import ellipse_of
from novum.lab.maps import class_map, level_map
from novum.lab.points import Points, Preset
from novum.lab.presets import MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, number, plane

FORMS = ("shared", "own", "diagonal", "border")
NAMES = ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB", "LogisticRegression")
HOMES = ("discriminant_analysis", "discriminant_analysis", "naive_bayes", "linear_model")
LINE = 3  # what a line of the plane has to learn
CLASSES = 3


def gaussians(means: Any, matrices: Any, n: int, noise: float, seed: int) -> Call:
    """Return Gaussian classes, `noise` times as wide as the matrices say."""
    scaled = (noise**2 * np.array(matrices)).tolist()
    path = "novum.datasets.make_gaussian_classes"
    return Call(path, n, means=means, covariances=scaled, random_state=seed, return_X_y=True)


SLANTED, WIDE, NARROW = [[1.6, 1.0], [1.0, 1.0]], [[4.0, 0.0], [0.0, 2.5]], [[0.25, 0.1], [0.1, 0.25]]
OWN = [[[2.0, -1.2], [-1.2, 1.2]], [[0.4, 0.3], [0.3, 1.0]]]
EQUAL = partial(gaussians, [[-1.2, 0.6], [1.2, -0.6]], [SLANTED, SLANTED])
UNEQUAL = partial(gaussians, [[-1.2, -0.4], [1.2, 0.6]], OWN)
THREE = partial(gaussians, [[-2.0, 0.0], [0.8, 1.3], [1.2, -1.3]], [*OWN, [[2.0, 0.4], [0.4, 0.2]]])
INSIDE = partial(gaussians, [[0.0, 0.0], [0.3, 0.2]], [WIDE, NARROW])


class GenerativeSteps(Scene):
    name = "generative"
    family = "classifiers"
    rows = (
        *("002/P1.3/lda", "002/P1.3/qda", "001/3/gaussian-nb", "002/P1.3/plot-lda-posterior"),
        *("001/3/gaussian-classes-plot", "002/P1.3/plot-lda-failure", "000-a/1/fig-disc-vs-gen"),
    )
    points = Points(
        "classes",
        presets={
            "unequal": Preset(UNEQUAL),
            "equal": Preset(EQUAL),
            "inside": Preset(INSIDE),
            "three": Preset(THREE),
            **XOR,
            **MOONS,
            **TOUCHING,
        },
        n=Slider(8, 1000, 160, integer=True),
        noise=Slider(0.2, 1.5, 0.8),
        classes=CLASSES,
    )
    query = Matrix(1, 2, -1e5, 1e5, default=[[1.0, -1.0]])
    views = (
        plane(
            points="X", target="y", classes="predicted", map="regions", ellipses="ellipses", pointer="query", editable=True,
            linked="points",
        ),
        number("odds", r"\ln \frac{p(x \mid 2) P(2)}{p(x \mid 1) P(1)}"),
        number("posterior"),
        number("parameters"),
        number("errors"),
        plane(
            id="surface", points="X", target="y", classes="y", map="map", map_kind="level", pointer="query", linked="points",
        ),
        bars(values="errors_by_form", labels="forms", marked="now"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        present = sorted(set(s.points.y.tolist()))
        if len(present) < 2:
            raise Refusal("points: two classes at least must have points.", "points")
        for k in present:
            rows = s.points.X[s.points.y == k]
            if len(rows) < 3 or np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False).min() < 1e-6:
                raise Refusal(f"points: class {k + 1} needs three points at least that are not on one line.", "points")

    def models(self) -> list[Any]:
        from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
        from novum.linear_model import LogisticRegression
        from novum.naive_bayes import GaussianNB

        return [
            LinearDiscriminantAnalysis(store_covariance=True),
            QuadraticDiscriminantAnalysis(store_covariance=True),
            GaussianNB(),
            LogisticRegression(C=np.inf),
        ]

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.discriminant_analysis import parameter_count

        X, y, query = s.points.X, s.points.y, np.array(s.query)
        fitted = [model.fit(X, y) for model in self.models()]
        wrong = [int((model.predict(X) != y).sum()) for model in fitted]
        before = 0.0
        for n, (form, model) in enumerate(zip(FORMS, fitted)):
            odds = log_odds(model, query)
            drawn = {
                "X": X,
                "y": y,
                "predicted": model.predict(X),
                "regions": class_map(model.predict, s.points.domain),
                "map": level_map(partial(second_class, model), s.points.domain),
                "ellipses": ellipses(model),
                "errors_by_form": np.array(wrong),
                "forms": ["Σ", "Σ₁, Σ₂", "σ²", "w"],
                "now": [n],
            }
            k = len(model.classes_)
            parameters = LINE * (k - 1) if form == "border" else parameter_count(2, k, form)
            values = {
                "odds": odds,
                "posterior": float(model.predict_proba(query)[0, 1]),
                "parameters": parameters,
                "errors": wrong[n],
            }
            said = {"errors": wrong[n], "parameters": parameters, "odds": odds, "by": odds - before}
            yield Frame(n, values, drawn, (form, said))
            before = odds

    def script(self, s: State, n: int, part: str) -> str:
        several = len(set(s.points.y.tolist())) > 2
        odds = "joint[1] - joint[0]" if n == 2 or several else "model.decision_function(query)[0]"
        method = "predict_joint_log_proba" if n == 2 else "decision_function"
        return python_script(
            [
                s.points.code,
                f"from novum.{HOMES[n]} import {NAMES[n]}",
                f"query = {s.query!r}",
                f"model = {code_of(self.models()[n]).replace('=inf', '=np.inf')}.fit(X, y)",
                f"joint = model.{method}(query)[0]" if n == 2 or several else "",
                f"print(float({odds}))",
            ]
        )


def log_odds(model: Any, query: NDArray) -> float:
    """Return the log-odds of the second class against the first at one point."""
    values = model.predict_joint_log_proba(query) if hasattr(model, "theta_") else model.decision_function(query)
    return float(values[0]) if values.ndim == 1 else float(values[0, 1] - values[0, 0])


def second_class(model: Any, X: NDArray) -> NDArray:
    """Return the probability of the second class."""
    return model.predict_proba(X)[:, 1]


def ellipses(model: Any) -> NDArray:
    """Return the ellipse of two standard deviations of every class that a model holds; none where it models the border alone."""
    if hasattr(model, "theta_"):
        pairs = list(zip(model.theta_, map(np.diag, model.var_)))
    elif hasattr(model, "means_"):
        pairs = list(zip(model.means_, np.broadcast_to(model.covariance_, (len(model.means_), 2, 2))))
    else:
        return np.zeros((0, 5))
    return np.array([ellipse_of(mean, covariance) for mean, covariance in pairs])
