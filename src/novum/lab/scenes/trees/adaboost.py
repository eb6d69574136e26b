"""AdaBoost, round by round: rows that were wrong weigh more, and the vote of weak learners becomes a strong one."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.points import Points
from novum.lab.presets import CIRCLES, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.scenes.trees.cart import parts_of
from novum.lab.unseen import unseen_rows
from novum.lab.views import curve, number, plane

LARGEST = 0.7  # of the sizes of points
SERIES = ("bound", "train", "test")


class BoostingSteps(Scene):
    name = "adaboost"
    family = "trees"
    rows = ("002/P1.7/adaboost", "000-c/17/plot-ensembles", "003/7/adaboost", "002/P1.7/exp-loss")
    points = Points(
        "classes",
        presets={**CIRCLES, **MOONS, **XOR, **TOUCHING},
        n=Slider(10, 1000, 120, integer=True),
        noise=Slider(0.05, 1.5, 0.8),
        classes=2,
        limit=1000,
    )
    rounds = Slider(1, 100, 40, integer=True)
    depth = Slider(1, 4, 1, integer=True)
    rate = Slider(0.05, 1.0, 1.0)
    rising = "down"
    views = (
        plane(
            points="X", target="y", classes="y", sizes="sizes", map="map", map_kind="level", marked="heaviest",
            editable=True, linked="points",
        ),
        number("bound", r"\frac{1}{n} \sum_i e^{-y_i f(x_i)} = \prod_m 2 \sqrt{\epsilon_m (1 - \epsilon_m)}"),
        number("epsilon", r"\epsilon_m"),
        number("alpha", r"\alpha_m"),
        plane(
            id="learner", points="X", target="y", classes="y", sizes="sizes", boxes="boxes", box_classes="box_classes",
            linked="points",
        ),
        curve(series=[{"value": name, "label": f"value.{name}"} for name in SERIES]),
        curve(
            id="margins", x="margins", x_label="value.margin",
            series=[{"array": "share", "label": "value.share"}, {"array": "loss", "label": "value.loss", "role": "truth"}],
        ),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State) -> Any:
        from novum.ensemble import AdaBoostClassifier
        from novum.tree import DecisionTreeClassifier

        weak = DecisionTreeClassifier(max_depth=s.depth)
        return AdaBoostClassifier(weak, n_estimators=s.rounds, learning_rate=s.rate, random_state=s.seed)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.losses import ExponentialLoss

        X, y, unseen, domain = s.points.X, s.points.y, unseen_rows(self, s), s.points.domain
        model = self.model(s).fit(X, y)
        target = 2 * y - 1
        stages = zip(
            model.estimators_,
            model.staged_weights(X, y),
            model.staged_exponential_loss(X, y),
            model.staged_decision_function(pixel_centers(domain)),
            model.staged_decision_function(X),
            model.staged_predict(X),
            model.staged_predict(X if unseen is None else unseen[0]),
        )
        for m, stage in enumerate(stages, start=1):
            learner, weight, bound, heights, decision, predicted, guessed = stage
            wrong = learner.predict(X) != y
            margins = np.sort(target * decision / 2)
            _, leaves, _ = parts_of(learner.tree_, domain, set())
            classes = learner.classes_[learner.tree_.value[[node for node, _ in leaves], 0].argmax(axis=1)]
            heaviest = int(weight.argmax())
            drawn = {
                "X": X,
                "y": y,
                "sizes": LARGEST * np.minimum(weight * len(X) / 8, 1),
                "heaviest": [heaviest],
                "map": np.round(255 * np.clip(0.5 + heights / 4, 0, 1)).astype(np.uint8).reshape(PIXELS, PIXELS),
                "boxes": np.array([[*box.sides[0], *box.sides[1]] for _, box in leaves]),
                "box_classes": classes,
                "margins": margins,
                "share": np.arange(1, len(X) + 1) / len(X),
                "loss": ExponentialLoss().value(np.ones(len(X)), margins),
            }
            values = {
                "bound": float(bound),
                "epsilon": float(model.estimator_errors_[m - 1]),
                "alpha": float(model.estimator_weights_[m - 1]),
                "train": float((predicted != y).mean()),
                "test": None if unseen is None else float((guessed != unseen[1]).mean()),
            }
            said = {
                "m": m,
                "wrong": int(wrong.sum()),
                "epsilon": values["epsilon"],
                "alpha": values["alpha"],
                "train": values["train"],
                "row": heaviest + 1,
                "times": float(weight[heaviest] * len(X)),
                "least": float(margins[0]),
            }
            yield Frame(m, values, drawn, ("first" if m == 1 else "clean" if values["train"] == 0 else "round", said))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.ensemble import AdaBoostClassifier\nfrom novum.tree import DecisionTreeClassifier",
                f"model = {code_of(self.model(s))}.fit(X, y)",
                f"print(float(list(model.staged_exponential_loss(X, y))[{n - 1}]))",
            ]
        )
