"""A random forest, one tree at a time: each tree knows a sample of the rows, and the vote knows more than any of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Refusal, Slider, Toggle
from novum.lab.frames import Frame
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.points import Points
from novum.lab.presets import CIRCLES, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.unseen import unseen_rows
from novum.lab.views import curve, number, plane

SERIES = ("oob", "test", "single", "boosted")


class ForestSteps(Scene):
    name = "forest"
    family = "trees"
    rows = (
        *("000-c/17/random-forest", "000-c/17/oob-estimate", "003/7/bagging", "004/10/averaging"),
        "003/7/ensemble-comparison",
    )
    points = Points(
        "classes",
        presets={**MOONS, **TOUCHING, **XOR, **CIRCLES},
        n=Slider(10, 1000, 150, integer=True),
        noise=Slider(0.05, 1.5, 1.0),
        classes=2,
        limit=1000,
    )
    trees = Slider(2, 100, 40, integer=True)
    columns = Slider(1, 2, 1, integer=True)
    depth = Slider(1, 20, 20, integer=True)
    bootstrap = Toggle(True)
    views = (
        plane(points="X", target="y", classes="y", map="vote", map_kind="level", editable=True, linked="points"),
        number("oob", r"\frac{1}{n} \sum_i \left[ \hat{y}_{-i}(x_i) \ne y_i \right]"),
        number("correlation"),
        number("left_out"),
        plane(id="one", points="X", target="y", classes="y", sizes="drawn", map="tree", linked="points"),
        curve(span=2, series=[{"value": name, "label": f"value.{name}"} for name in SERIES]),
    )

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State) -> Any:
        from novum.ensemble import RandomForestClassifier

        return RandomForestClassifier(
            s.trees, max_features=s.columns, max_depth=s.depth, bootstrap=s.bootstrap, random_state=s.seed
        )

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.ensemble import AdaBoostClassifier

        X, y, unseen = s.points.X, s.points.y, unseen_rows(self, s)
        forest = self.model(s).fit(X, y)
        out = forest.oob_curve(X, y) if s.bootstrap else None
        wrong_out = dict(zip(out.n_trees.tolist(), (1 - out.score).tolist())) if out is not None else {}
        boosted: list[float] = []
        if unseen is not None:
            rounds = AdaBoostClassifier(n_estimators=s.trees).fit(X, y)
            boosted = [float((predicted != unseen[1]).mean()) for predicted in rounds.staged_predict(unseen[0])]
        pixels = pixel_centers(s.points.domain)
        votes, seen, standard = np.zeros(len(pixels)), np.zeros(0), np.zeros(len(pixels))
        if unseen is not None:
            seen = np.zeros(len(unseen[0]))
        turned = 0
        samples = forest.estimators_samples_ if s.bootstrap else None
        before: Any = None
        for n, tree in enumerate(forest.estimators_, start=1):
            answer = tree.predict_proba(pixels)[:, 1]
            votes = votes + answer
            deviation = answer.std()
            standard = standard + (answer - answer.mean()) / (deviation if deviation > 0 else np.inf)
            pairs = float((standard @ standard) / len(pixels) - n) / (n * (n - 1)) if n > 1 else None
            counts = np.ones(len(X)) if samples is None else np.bincount(samples[n - 1], minlength=len(X))
            test = single = None
            if unseen is not None:
                each = tree.predict_proba(unseen[0])[:, 1]
                seen = seen + each
                test = float(((seen / n > 0.5) != unseen[1]).mean())
                single = float(((each > 0.5) != unseen[1]).mean())
            judged = wrong_out.get(n)
            judged = judged if judged is not None and np.isfinite(judged) else None
            now = votes / n > 0.5
            turned = 0 if before is None else int((now != before).sum())
            drawn = {
                "X": X,
                "y": y,
                "vote": np.round(255 * votes / n).astype(np.uint8).reshape(PIXELS, PIXELS),
                "tree": (answer > 0.5).astype(np.uint8).reshape(PIXELS, PIXELS),
                "drawn": 0.05 + 0.1 * counts,
            }
            values = {
                "oob": judged,
                "correlation": pairs,
                "left_out": int((counts == 0).sum()),
                "test": test,
                "single": single,
                "boosted": boosted[n - 1] if n <= len(boosted) else None,
            }
            said = {
                "n": n,
                "left_out": values["left_out"],
                "oob": judged or 0.0,
                "share": turned / len(pixels),
                "single": single or 0.0,
                "test": test or 0.0,
            }
            key = (
                "whole"
                if samples is None
                else "unjudged"
                if judged is None
                else "first"
                if n == 1
                else "tree"
                if unseen is None
                else "better"
            )
            yield Frame(n, values, drawn, (key, said))
            before = now

    def script(self, s: State, n: int, part: str) -> str:
        if not s.bootstrap:
            return python_script(['print("without a bootstrap no row is left out of a tree")'])
        return python_script(
            [
                s.points.code,
                "from novum.ensemble import RandomForestClassifier",
                f"curve = {code_of(self.model(s))}.fit(X, y).oob_curve(X, y)",
                f"print(float(1 - curve.score[curve.n_trees == {n}][0]))",
            ]
        )
