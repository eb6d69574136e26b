"""Cross-validation fold by fold: honest, with columns chosen before the folds, and with a search inside every fold."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider, Toggle
from novum.lab.frames import Frame
from novum.lab.points import Points, Preset
from novum.lab.presets import MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, heat, number, plane, table

KEPT = 5  # columns that are chosen
INNER = 3  # folds of the search
GRIDS = {
    "knn": ("n_neighbors", [1, 5, 15]),
    "tree": ("max_leaf_nodes", [2, 6, 20]),
    "bayes": ("var_smoothing", [1e-9, 0.1, 1.0]),
}
MODELS = {
    "knn": "novum.neighbors.KNeighborsClassifier",
    "tree": "novum.tree.DecisionTreeClassifier",
    "bayes": "novum.naive_bayes.GaussianNB",
}


def nothing(n: int, noise: float, seed: int) -> Call:
    """Return two classes that are one cloud: there is nothing to learn."""
    return Call(
        "sklearn.datasets.make_blobs", n, centers=[[0.0, 0.0], [0.0, 0.0]], cluster_std=noise, random_state=seed
    )


class Columns:
    """The rows of a state with columns of pure noise behind their own, and the folds."""

    def __init__(self, s: State) -> None:
        self.s, self.y = s, s.points.y
        noise = np.random.default_rng([s.seed, 1]).normal(size=(len(self.y), s.columns))
        self.X = np.column_stack([s.points.X, noise])

    @cached_property
    def splits(self) -> list[tuple[NDArray, NDArray]]:
        """Return training and test rows of every fold."""
        return list(self.splitter().split(self.X, self.y))

    @property
    def splitter(self) -> Call:
        """The call that makes the splitter."""
        if self.s.single:
            return Call("sklearn.model_selection.LeaveOneOut")
        return Call("sklearn.model_selection.StratifiedKFold", self.s.folds, shuffle=True, random_state=self.s.seed)


class FoldSteps(Scene):
    name = "cross-validation"
    family = "judging"
    rows = ("000-a/6/kfold-cv", "003/6/loo-cv", "002/P1.2/nested-cv", "002/P1.2/plot-nested-cv")
    points = Points(
        "classes",
        presets={**TOUCHING, "nothing": Preset(nothing), **MOONS, **XOR},
        n=Slider(12, 120, 60, integer=True),
        noise=Slider(0.05, 1.5, 0.9),
        classes=2,
        limit=120,
        least=4,
    )
    model = Choice(tuple(MODELS), "knn")
    folds = Slider(2, 20, 10, integer=True, hidden_when={"single": True})
    single = Toggle(False)
    columns = Slider(0, 300, 0, integer=True)
    leak = Toggle(False)
    views = (
        plane(points="X", classes="seen", target="y", marked="tested", editable=True, linked="points"),
        number("mean", r"\frac{1}{k} \sum_{j=1}^{k} s_j"),
        number("low"),
        number("high"),
        heat(values="parts", rows="names", marked="row", domain="ends", text=False),
        heat(id="inner", values="inner_parts", rows="inner_names", domain="ends", text=False),
        bars(values="scores", labels="names", domain="ends", marked="now"),
        curve(
            series=[
                {"value": "honest", "label": "value.honest"},
                {"value": "peeking", "label": "value.peeking"},
                {"value": "inner", "label": "value.inner"},
            ]
        ),
        table(id="search", columns="heads", rows="found", marked="now"),
    )

    def check(self, s: State) -> None:
        counts = np.bincount(s.points.y, minlength=2)
        least = 2 if s.single else s.folds
        if counts.min() < max(least, INNER + 1):
            raise Refusal(
                f"points: class {int(counts.argmin()) + 1} has {int(counts.min())} points; add some, or take fewer folds.",
                "points",
            )

    def learner(self, s: State) -> Any:
        """Return the model, with the choice of columns where there are any beside those of the plane."""
        from sklearn.feature_selection import SelectKBest
        from sklearn.pipeline import make_pipeline

        call = Call(MODELS[s.model], **({"random_state": 0} if s.model == "tree" else {}))
        return make_pipeline(SelectKBest(k=KEPT), call()) if s.columns > KEPT else call()

    def peeking(self, s: State, data: Columns) -> tuple[Any, NDArray]:
        """Return the bare model, and the columns that look best on all rows, those of the tests included."""
        from sklearn.feature_selection import SelectKBest

        learner = self.learner(s)
        if s.columns <= KEPT:
            return learner, data.X
        return learner[-1], SelectKBest(k=KEPT).fit_transform(data.X, data.y)

    def frames(self, s: State) -> Iterator[Frame]:
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

        from novum.evaluation import corrected_interval, cross_validate, nested_cross_validate

        data = Columns(s)
        y, splits = data.y, data.splits
        honest_model, (bare, chosen) = self.learner(s), self.peeking(s, data)
        kept, values = GRIDS[s.model]
        inner_folds = StratifiedKFold(INNER)
        search = GridSearchCV(bare, {kept: values}, cv=inner_folds)
        honest: list[float] = []
        peeked: list[float] = []
        inner: list[float] = []
        found: list[list[Any]] = []
        parts = np.array([np.isin(np.arange(len(y)), test) for _, test in splits], float)
        names = [str(j + 1) for j in range(len(splits))]
        for j, (train, test) in enumerate(splits):
            one = [(train, test)]
            honest.append(float(cross_validate(honest_model, data.X, y, cv=one)["test_score"][0]))
            peeked.append(float(cross_validate(bare, chosen, y, cv=one)["test_score"][0]))
            nested = nested_cross_validate(search, s.points.X, y, cv=one, refit=False)
            inner.append(float(nested.inner_scores[0]))
            choice = nested.chosen[0] or {}
            found.append([j + 1, choice.get(kept), inner[-1], float(nested.outer_scores[0])])
            scores = peeked if s.leak else honest
            ratio = len(test) / len(train)
            ends = corrected_interval(scores, ratio) if j else (None, None)
            model, X = (bare, chosen) if s.leak else (honest_model, data.X)
            seen = y.copy()
            seen[test] = model.fit(X[train], y[train]).predict(X[test])
            within = np.zeros((INNER, len(y)))
            for row, (rest, out) in zip(within, inner_folds.split(train, y[train])):
                row[train[rest]], row[train[out]] = 0.3, 1.0
            drawn = {
                "X": s.points.X,
                "y": y,
                "seen": seen,
                "tested": test.tolist(),
                "parts": parts,
                "names": names,
                "inner_parts": within,
                "inner_names": [f"{j + 1}.{i + 1}" for i in range(INNER)],
                "row": [[j, int(i)] for i in test],
                "ends": [0.0, 1.0],
                "scores": np.array([*scores, *[np.nan] * (len(splits) - j - 1)]),
                "now": [j],
                "heads": ["j", kept, "s₃", "s"],
                "found": found.copy(),
            }
            numbers: dict[str, Any] = {
                "mean": float(np.mean(scores)),
                "low": ends[0],
                "high": ends[1],
                "honest": float(np.mean(honest)),
                "peeking": float(np.mean(peeked)),
                "inner": float(np.mean(inner)),
            }
            said = {"j": j + 1, "rows": len(test), "score": scores[-1], "mean": numbers["mean"]}
            key = "cheating" if s.leak and s.columns > KEPT else "fold"
            yield Frame(j + 1, numbers, drawn, (key, {**said, "gap": numbers["peeking"] - numbers["honest"]}))

    def script(self, s: State, n: int, part: str) -> str:
        splitter, learner = Columns(s).splitter, self.learner(s)
        lines = [
            s.points.code,
            f"noise = np.random.default_rng([{s.seed}, 1]).normal(size=(len(y), {s.columns}))",
            "X = np.column_stack([X, noise])",
            splitter.imports,
            f"splits = list({splitter.code}.split(X, y))",
            "from novum.evaluation import cross_validate",
        ]
        model = learner[-1] if s.columns > KEPT else learner
        code = code_of(model)
        lines.append(f"from {MODELS[s.model].rpartition('.')[0]} import {type(model).__name__}")
        if s.columns > KEPT:
            lines.append("from sklearn.feature_selection import SelectKBest")
            if s.leak:
                lines.append(f"X = SelectKBest(k={KEPT}).fit_transform(X, y)  # the tests have been seen")
            else:
                lines.append("from sklearn.pipeline import make_pipeline")
                code = f"make_pipeline(SelectKBest(k={KEPT}), {code})"
        lines.append(f'scores = cross_validate({code}, X, y, cv=splits[:{n}])["test_score"]')
        return python_script([*lines, "print(float(np.mean(scores)))"])
