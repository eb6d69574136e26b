"""Linear classifiers beside each other: who is pulled by far points, who is masked, and where several classes stay undecided."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import line_across
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.points import Points, Preset
from novum.lab.presets import TOUCHING
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

METHODS = ("squares", "logistic", "hinge")
CLASSES = 4
UNDECIDED = 7  # the grey of the palette, which no class has
HALF = 0.5  # of its points: a class of which less is recognized is masked
CLOUD_PATH, BLOB_PATH = "novum.datasets.make_gaussian_classes", "sklearn.datasets.make_blobs"


def far(n: int, noise: float, seed: int) -> Call:
    """Return two classes and as many as a sixth more points far on the right side of the second."""
    wide = 0.41 * noise**2
    means, matrices = [[-2.6, 1.6], [-0.8, 0.5]], [[[wide, 0.0], [0.0, 2 * wide]]] * 2
    options = {"means": means, "covariances": matrices, "outliers": n // 6}
    return Call(CLOUD_PATH, n, **options, random_state=seed, return_X_y=True)


def in_line(n: int, noise: float, seed: int) -> Call:
    """Return three classes, one behind the other."""
    centers = [[-2.5, -1.8], [0.0, 0.0], [2.5, 1.8]]
    return Call(BLOB_PATH, n, centers=centers, cluster_std=0.6 * noise, random_state=seed)


def around(n: int, noise: float, seed: int) -> Call:
    """Return four classes around a middle that belongs to none."""
    centers = [[-2.2, -1.5], [2.2, -1.5], [2.2, 1.5], [-2.2, 1.5]]
    return Call(BLOB_PATH, n, centers=centers, cluster_std=0.6 * noise, random_state=seed)


class BoundarySteps(Scene):
    name = "boundaries"
    family = "classifiers"
    rows = (
        *("002/P1.3/plot-ls-outliers", "002/P1.3/plot-ls-masking", "003/4/fig-ambiguous-regions"),
        *("000-b/12/one-vs-all", "000-b/12/plot-multiclass-regions", "004/2/decision-boundary-plot"),
        "002/P1.3/plot-decision-regions",
    )
    points = Points(
        "classes",
        presets={
            "in_line": Preset(in_line),
            "far": Preset(far, ((-5.0, 5.0), (-4.0, 3.0))),
            "around": Preset(around),
            **TOUCHING,
        },
        n=Slider(12, 500, 90, integer=True),
        noise=Slider(0.05, 1.5, 0.7),
        classes=CLASSES,
        limit=1000,
    )
    scheme = Choice(("together", "rest", "pairs"), "together")
    C = Slider(0.001, 1000.0, 1.0, log=True)
    views = (
        plane(points="X", target="y", classes="y", map="map", lines="lines", marked="wrong", editable=True, linked="points"),
        number("errors", r"\sum_i \left[ \hat{y}(x_i) \ne y_i \right]"),
        number("undecided"),
        number("least"),
        curve(
            x="margins", x_label="value.margin",
            series=[{"array": name, "label": f"value.{name}"} for name in (*METHODS, "zero_one")],
        ),
    )  # fmt: skip

    def check(self, s: State) -> None:
        counts = np.bincount(s.points.y)
        if (counts > 0).sum() < 2:
            raise Refusal("points: two classes at least must have a point.", "points")

    def model(self, s: State, method: str) -> Any:
        """Return a method for the classes of these points, by the scheme."""
        from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

        from novum.linear_model import LeastSquaresClassifier, LogisticRegression
        from novum.svm import LinearSVC

        several = len(set(s.points.y.tolist())) > 2
        if method == "squares":
            model: Any = LeastSquaresClassifier()
        elif method == "logistic":
            model = LogisticRegression(C=s.C)
        else:
            together = several and s.scheme == "together"
            model = LinearSVC(C=s.C, loss="hinge", multi_class="crammer_singer" if together else "ovr")
        if not several or s.scheme == "together":
            return model
        return OneVsRestClassifier(model) if s.scheme == "rest" else OneVsOneClassifier(model)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.losses import HingeLoss, LogisticLoss, SquaredLoss, ZeroOneLoss

        X, y, domain = s.points.X, s.points.y, s.points.domain
        pixels, margins = pixel_centers(domain), np.linspace(-2, 3, 101)
        losses = dict(zip((*METHODS, "zero_one"), (SquaredLoss(), LogisticLoss(), HingeLoss(), ZeroOneLoss())))
        ones = np.ones(len(margins))
        fixed = {
            "X": X,
            "y": y,
            "margins": margins,
            **{name: loss.value(ones, margins) for name, loss in losses.items()},
        }
        before: list[dict[str, Any]] = []
        for n, method in enumerate(METHODS):
            model = self.model(s, method).fit(X, y)
            shown = model.predict(pixels)
            doubt = claims(model, pixels) != 1
            wrong = model.predict(X) != y
            right = [float(1 - wrong[y == k].mean()) for k in model.classes_]
            worst = int(np.argmin(right))
            lines = borders(model, domain)
            drawn = {
                **fixed,
                "map": np.where(doubt, UNDECIDED, shown).astype(np.uint8).reshape(PIXELS, PIXELS),
                "lines": [*({**line, "role": "before"} for line in before), *lines],
                "wrong": np.flatnonzero(wrong).tolist(),
            }
            values = {"errors": int(wrong.sum()), "undecided": float(doubt.mean()), "least": right[worst]}
            key = "masked" if right[worst] < HALF else "undecided" if doubt.any() else "all_decided"
            said = {**values, "method": n, "lost": int(model.classes_[worst]) + 1}
            yield Frame(n, values, drawn, (key, said))
            before = lines if len(lines) == 1 else []

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s, METHODS[n])
        inner = getattr(model, "estimator", model)
        home = "novum.svm" if n == 2 else "novum.linear_model"
        scheme = "" if inner is model else f"from sklearn.multiclass import {type(model).__name__}"
        return python_script(
            [
                s.points.code,
                f"from {home} import {type(inner).__name__}",
                scheme,
                f"model = {code_of(model)}.fit(X, y)",
                "print(int((model.predict(X) != y).sum()))",
            ]
        )


def claims(model: Any, points: NDArray) -> NDArray:
    """Return how many classes claim a point: have a positive function against the rest, or as many votes as the most."""
    learners, k = getattr(model, "estimators_", None), len(model.classes_)
    if learners is None:
        return np.ones(len(points))
    if type(model).__name__ == "OneVsRestClassifier":
        return (model.decision_function(points) > 0).sum(axis=1)
    votes, pairs = np.zeros((len(points), k)), [(i, j) for i in range(k) for j in range(i + 1, k)]
    for learner, (i, j) in zip(learners, pairs):
        second = learner.predict(points) == 1
        votes[:, i] += ~second
        votes[:, j] += second
    return (votes == votes.max(axis=1, keepdims=True)).sum(axis=1)


def borders(model: Any, domain: Any) -> list[dict[str, Any]]:
    """Return the line of a two-class learner, or those of all that a scheme asks; none where classes are told apart together."""
    learners = getattr(model, "estimators_", [model] if len(model.classes_) == 2 else [])
    role = "now" if len(learners) == 1 else "margin"
    return [
        line for one in learners for line in line_across(one.coef_, float(np.ravel(one.intercept_)[0]), domain, role)
    ]
