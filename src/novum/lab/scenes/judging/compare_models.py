"""Is A better than B? Ten paired scores and two tests of their differences, and how often each test is wrong."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, literal, python_script
from novum.lab.controls import Choice, Matrix, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, intervals, number, plane

FOLDS, DRAWS = 10, 15  # parts of a cross-validation, and random parts that hold out a third of the rows each
RATIOS = {"folds": 1 / (FOLDS - 1), "random": 0.5}  # test rows over training rows
NOTES = (
    *((0.81, 0.80), (0.82, 0.77), (0.84, 0.70), (0.78, 0.83), (0.85, 0.80)),
    *((0.86, 0.78), (0.82, 0.75), (0.83, 0.80), (0.82, 0.78), (0.81, 0.77)),
)


class ComparisonSteps(Scene):
    name = "compare-models"
    family = "judging"
    rows = ("000-a/6/t-test-paired-kfold", "000-a/6/data-tenfold-scores", "001/1/cv-compare")
    source = Choice(("scores", "models"), "scores")
    scores = Matrix(FOLDS, 2, 0.0, 1.0, default=NOTES, drag="plane")
    parts_of = Choice(("folds", "random"), "random", hidden_when={"source": "scores"})
    n = Slider(40, 300, 100, integer=True, hidden_when={"source": "scores"})
    difference = Slider(0.0, 1.5, 0.0, hidden_when={"source": "scores"})
    experiments = Slider(5, 80, 50, integer=True, hidden_when={"source": "scores"})
    significance = Slider(0.01, 0.2, 0.05)
    views = (
        plane(points="none", crosses="pairs", lines="lines", domain="domain", drag="scores", equal=True),
        number("t", r"\frac{\bar{d}}{s_d / \sqrt{k}}"),
        number("corrected", r"\frac{\bar{d}}{s_d \sqrt{\frac{1}{k} + \frac{n_2}{n_1}}}"),
        number("p"),
        number("p_corrected"),
        bars(values="gaps", labels="folds"),
        intervals(middle="middle", low="low", high="high", labels="tests", truth="zero"),
        curve(series=[{"value": "t", "label": "value.t"}, {"value": "corrected", "label": "value.corrected"}]),
        curve(
            id="rates",
            series=[
                {"value": "rejected", "label": "value.t"},
                {"value": "rejected_corrected", "label": "value.corrected"},
                {"value": "significance", "label": "value.significance", "role": "bound"},
            ],
        ),
    )

    def experiment(self, s: State, r: int) -> tuple[NDArray, NDArray]:
        """Return the scores of two naive Bayes models on parts of fresh rows, one column each, the first better by `difference`."""
        from novum.evaluation import cross_validate
        from novum.naive_bayes import GaussianNB

        generator = np.random.default_rng([s.seed, r])
        y = generator.permutation(s.n) % 2
        X = generator.normal(size=(s.n, 2)) + np.outer(y, [1 + s.difference, 1.0])
        splits = list(self.splitter(s, r)().split(X))
        a, b = (cross_validate(GaussianNB(), X[:, [j]], y, cv=splits)["test_score"] for j in (0, 1))
        return a, b

    def splitter(self, s: State, r: int) -> Call:
        """Return the call that makes the parts of an experiment."""
        if s.parts_of == "folds":
            return Call("sklearn.model_selection.KFold", FOLDS)
        return Call("sklearn.model_selection.ShuffleSplit", DRAWS, test_size=1 / 3, random_state=r)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.evaluation import corrected_test, t_test

        wrong = np.zeros(2)
        ratio = RATIOS["folds" if s.source == "scores" else s.parts_of]
        before: float | None = None
        last = FOLDS if s.source == "scores" else s.experiments
        for n in range(2 if s.source == "scores" else 1, last + 1):
            a, b = np.array(s.scores)[:n].T if s.source == "scores" else self.experiment(s, n)
            plain, corrected = t_test(a, b, paired=True), corrected_test(a, b, ratio)
            ends = np.array(
                [plain.interval(1 - s.significance), corrected_test(a, b, ratio, 1 - s.significance).interval]
            )
            wrong += [plain.p_value <= s.significance, corrected.p_value <= s.significance]
            drawn = {
                "none": np.zeros((0, 2)),
                "pairs": np.column_stack([a, b]) if s.source == "models" else np.array(s.scores),
                "lines": [{"p": [[0.0, 0.0], [1.0, 1.0]], "role": "truth"}],
                "domain": [[0.4, 1.0], [0.4, 1.0]] if min(a.min(), b.min()) >= 0.4 else [[0.0, 1.0], [0.0, 1.0]],
                "gaps": a - b,
                "folds": [str(i + 1) for i in range(len(a))],
                "middle": np.full(2, float((a - b).mean())),
                "low": ends[:, 0],
                "high": ends[:, 1],
                "tests": ["t", "t*"],
            }
            values: dict[str, Any] = {
                "t": plain.statistic,
                "corrected": corrected.statistic,
                "p": plain.p_value,
                "p_corrected": corrected.p_value,
                "significance": s.significance,
                "zero": 0.0,
                "rejected": None,
                "rejected_corrected": None,
            }
            said = {"n": n, "gap": float((a - b).mean()), "t": plain.statistic, "corrected": corrected.statistic}
            said |= {"p": plain.p_value, "p_corrected": corrected.p_value}
            key = "fold"
            if s.source == "models":
                values |= {"rejected": wrong[0] / n, "rejected_corrected": wrong[1] / n}
                said |= {"times": int(wrong[0]), "fewer": int(wrong[1])}
                key = "equal" if s.difference == 0 else "different"
            elif before is not None and before <= s.significance < plain.p_value:
                key = "lost"
            before = plain.p_value
            yield Frame(n, values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        if s.source == "scores":
            lines = [f"a, b = np.array({literal(s.scores)})[:{n}].T"]
        else:
            lines = [
                self.splitter(s, n).imports,
                "from novum.evaluation import cross_validate",
                "from novum.naive_bayes import GaussianNB",
                f"generator = np.random.default_rng([{s.seed}, {n}])",
                f"y = generator.permutation({s.n}) % 2",
                f"X = generator.normal(size=({s.n}, 2)) + np.outer(y, [{1 + s.difference!r}, 1.0])",
                f"splits = list({self.splitter(s, n).code}.split(X))",
                'a = cross_validate(GaussianNB(), X[:, [0]], y, cv=splits)["test_score"]',
                'b = cross_validate(GaussianNB(), X[:, [1]], y, cv=splits)["test_score"]',
            ]
        return python_script(
            [*lines, "from novum.evaluation import t_test", "print(t_test(a, b, paired=True).statistic)"]
        )
