"""More rows or another model? Training and test scores while rows are added, with a verdict at every size."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import class_map
from novum.lab.points import Points, Preset
from novum.lab.presets import MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

PARTS = 10  # random thirds of the rows on which models are judged
LEAST, GROWTH = 12, 1.2  # rows that are begun with, and by how much they grow
MODELS: dict[str, tuple[str, str, list[Any]]] = {
    "line": ("novum.linear_model.LogisticRegression", "C", [0.001, 0.01, 0.1, 1.0, 10.0]),
    "knn": ("novum.neighbors.KNeighborsClassifier", "n_neighbors", [1, 3, 5, 7, 9]),
    "tree": ("novum.tree.DecisionTreeClassifier", "max_leaf_nodes", [2, 4, 8, 16, 32]),
}


def noisy(n: int, noise: float, seed: int) -> Call:
    """Return two half rings inside each other, with much noise."""
    return Call("sklearn.datasets.make_moons", n, noise=noise / 2, random_state=seed)


class LearningCurveSteps(Scene):
    name = "learning-curve"
    family = "judging"
    rows = ("003/6/learning-curve", "000-a/1/overfitting-diagnostic")
    points = Points(
        "classes",
        presets={"noisy": Preset(noisy, ((-2.0, 3.0), (-1.5, 2.0))), **MOONS, **TOUCHING, **XOR},
        n=Slider(30, 600, 300, integer=True),
        noise=Slider(0.05, 1.5, 0.6),
        classes=2,
        limit=600,
        least=30,
    )
    model = Choice(tuple(MODELS), "tree")
    richness = Slider(1, 5, 5, integer=True)
    target = Slider(0.5, 1.0, 0.9)
    views = (
        plane(points="X", classes="seen", target="y", map="map", editable=True, linked="points"),
        number("gap", r"\bar{s}_{\mathrm{train}} - \bar{s}_{\mathrm{test}}"),
        number("train"),
        number("test"),
        curve(
            x="sizes",
            series=[
                {"array": "trains", "low": "train_low", "high": "train_high", "label": "value.train"},
                {"array": "tests", "low": "test_low", "high": "test_high", "label": "value.test"},
                {"array": "aim", "label": "value.target", "role": "bound"},
            ],
            marker="n",
        ),
        curve(
            id="validation",
            x="levels",
            series=[{"array": "level_trains", "label": "value.train"}, {"array": "level_tests", "label": "value.test"}],
            marker="richness",
            drag="richness",
        ),
    )

    def check(self, s: State) -> None:
        least = int(np.bincount(s.points.y, minlength=2).min())
        if least < LEAST:
            raise Refusal(f"points: a class has {least} points; every class needs {LEAST} or more.", "points")

    def learner(self, s: State, level: int) -> Call:
        """Return the call that makes the model, at a level of richness from 1 to 5."""
        path, name, values = MODELS[s.model]
        value = values[5 - level] if s.model == "knn" else values[level - 1]
        return Call(path, **{name: value}, **({"random_state": 0} if s.model == "tree" else {}))

    def splitter(self, s: State, count: int = PARTS) -> Call:
        """Return the call that makes so many random parts."""
        return Call("sklearn.model_selection.StratifiedShuffleSplit", count, test_size=1 / 3, random_state=s.seed)

    def sizes(self, s: State) -> list[int]:
        """Return the numbers of rows that are trained on."""
        most = len(s.points.y) - round(np.ceil(len(s.points.y) / 3))
        made = [LEAST]
        while made[-1] < most:
            made.append(min(most, max(made[-1] + 1, int(made[-1] * GROWTH))))
        return made

    def frames(self, s: State) -> Iterator[Frame]:
        from sklearn.model_selection import learning_curve, validation_curve

        from novum.evaluation import LearningCurveDisplay

        X, y, learner, splitter = s.points.X, s.points.y, self.learner(s, s.richness), self.splitter(s)()
        sizes = self.sizes(s)
        first = next(splitter.split(X, y))[0]
        train, test = np.zeros((0, PARTS)), np.zeros((0, PARTS))
        _, name, values = MODELS[s.model]
        by_level = validation_curve(
            self.learner(s, 1)(),
            X,
            y,
            param_name=name,
            param_range=values[::-1] if s.model == "knn" else values,
            cv=self.splitter(s, PARTS // 2)(),
        )
        fixed = {
            "X": X,
            "y": y,
            "levels": np.arange(1.0, 6.0),
            "level_trains": by_level[0].mean(axis=1),
            "level_tests": by_level[1].mean(axis=1),
        }
        for i, n in enumerate(sizes):
            _, a, b = learning_curve(learner(), X, y, train_sizes=[n], cv=splitter)
            train, test = np.vstack([train, a]), np.vstack([test, b])
            found = LearningCurveDisplay(
                train_sizes=np.array(sizes[: i + 1]), train_scores=train, test_scores=test
            ).diagnose(s.target)
            seen = np.full(len(y), -1)
            seen[first[:n]] = y[first[:n]]
            model = learner().fit(X[first[:n]], y[first[:n]])
            drawn = {
                **fixed,
                "seen": seen,
                "map": class_map(model.predict, s.points.domain),
                "sizes": np.array(sizes[: i + 1], float),
                "aim": np.full(i + 1, s.target),
                **bands("train", "trains", train),
                **bands("test", "tests", test),
            }
            numbers = {"gap": found.gap, "train": found.train, "test": found.test, "n": n}
            said = {"n": n, "train": found.train, "test": found.test, "gap": found.gap}
            yield Frame(n, numbers, drawn, (found.kind.replace(" ", "_"), said))

    def script(self, s: State, n: int, part: str) -> str:
        learner, parts = self.learner(s, s.richness), self.splitter(s)
        sizes = [size for size in self.sizes(s) if size <= n]
        return python_script(
            [
                s.points.code,
                learner.imports,
                parts.imports,
                "from sklearn.model_selection import learning_curve",
                "from novum.evaluation import LearningCurveDisplay",
                f"parts = {parts.code}",
                f"sizes, train, test = learning_curve({learner.code}, X, y, train_sizes={sizes}, cv=parts)",
                "display = LearningCurveDisplay(train_sizes=sizes, train_scores=train, test_scores=test)",
                f"print(display.diagnose({s.target!r}).gap)",
            ]
        )


def bands(short: str, name: str, scores: Any) -> dict[str, Any]:
    """Return the mean of scores by size, and a standard deviation to either side."""
    mean, sd = scores.mean(axis=1), scores.std(axis=1)
    return {name: mean, f"{short}_low": mean - sd, f"{short}_high": mean + sd}
