"""Where the threshold of a classifier belongs: what every threshold buys and costs, with intervals."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, heat, intervals, number, plane

STEPS = 40
SHARES = ("precision", "recall", "specificity", "accuracy")
RESAMPLES = 100  # behind the intervals of F1 and cost
BINS = 40  # of the pictures of scores
SQUARE = ((-0.02, 1.02), (-0.02, 1.02))


class ThresholdSteps(Scene):
    name = "thresholds"
    family = "judging"
    rows = ("000-a/6/threshold-classifier", "000-a/6/pr-curve", "000-a/6/confusion-binary", "003/4/f1")
    n = Slider(50, 3000, 600, integer=True)
    share = Slider(0.005, 0.95, 0.3, log=True)
    apart = Slider(0.0, 4.0, 1.5)
    missed = Slider(0.1, 100.0, 3.0, log=True)
    alarm = Slider(0.1, 100.0, 1.0, log=True)
    sure = Slider(0.2, 5.0, 1.0, log=True)
    views = (
        curve(
            x="at",
            series=[{"array": "negatives", "label": "value.negatives"}, {"array": "positives", "label": "value.positives"}],
            marker="threshold",
        ),
        number("cost", r"\frac{1}{n} \left( c_{\mathrm{miss}} \mathrm{FN} + c_{\mathrm{alarm}} \mathrm{FP} \right)"),
        number("precision", r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}"),
        number("recall", r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}"),
        heat(values="confusion", rows="classes", columns="classes"),
        curve(id="costs", series=[{"value": "cost", "label": "value.cost"}]),
        curve(
            id="shares",
            series=[
                {"value": "precision", "label": "value.precision"},
                {"value": "recall", "label": "value.recall"},
                {"value": "f1", "label": "value.f1"},
            ],
        ),
        plane(id="roc", points="roc_now", lines="roc", boxes="roc_box", domain="square", equal=True),
        plane(id="pr", points="pr_now", lines="pr", boxes="pr_box", domain="square", equal=True),
        intervals(middle="middle", low="low", high="high", labels="names"),
        plane(id="calibration", points="forecasts", segments="forecast_bars", lines="diagonal", domain="square", equal=True),
    )  # fmt: skip

    def positives(self, s: State) -> int:
        """Return how many rows are positive: at least one, and not all."""
        return min(max(1, round(s.share * s.n)), s.n - 1)

    def rows_of(self, s: State) -> tuple[NDArray, NDArray]:
        """Return classes and scores, which are normal with mean 0 or `apart`."""
        y = (np.arange(s.n) < self.positives(s)).astype(int)
        return y, np.random.default_rng(s.seed).normal(size=s.n) + s.apart * y

    def forecast(self, s: State, y: NDArray, scores: NDArray) -> NDArray:
        """Return the probabilities that Bayes' rule gives to the scores, made more or less sure of themselves."""
        log_odds = s.apart * scores - s.apart**2 / 2 + np.log(y.mean() / (1 - y.mean()))
        return np.asarray(1 / (1 + np.exp(-s.sure * log_odds)))

    def threshold(self, s: State, k: int) -> float:
        """Return the threshold of step k, from the highest down."""
        return round(3.0 + s.apart - k * (6.0 + s.apart) / STEPS, 6)

    def evaluation(self, s: State, y: NDArray, scores: NDArray, k: int, scoring: list[str]) -> Any:
        from novum.evaluation import evaluate_predictions

        called = (scores >= self.threshold(s, k)).astype(int)
        cost = [[0.0, s.alarm], [s.missed, 0.0]]
        return evaluate_predictions(y, called, classes=[0, 1], cost=cost, scoring=scoring, n_resamples=RESAMPLES)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.evaluation import calibration, evaluate_predictions

        y, scores = self.rows_of(s)
        sweep = [self.evaluation(s, y, scores, k, list(SHARES)) for k in range(STEPS + 1)]
        edges = np.linspace(-4.0, 4.0 + s.apart, BINS + 1)
        judged = calibration(y, self.forecast(s, y, scores))
        diagonal = {"p": [[0.0, 0.0], [1.0, 1.0]], "role": "truth"}
        fixed = {
            "at": (edges[1:] + edges[:-1]) / 2,
            "negatives": np.histogram(scores[y == 0], edges)[0],
            "positives": np.histogram(scores[y == 1], edges)[0],
            "classes": ["0", "1"],
            "square": SQUARE,
            "names": ["precision", "recall", "specificity", "accuracy", "F1"],
            "roc": [{"p": [[1 - e["specificity"].value, e["recall"].value] for e in sweep], "role": "now"}, diagonal],
            "pr": [{"p": [[e["recall"].value, e["precision"].value] for e in sweep if e.confusion[:, 1].sum()], "role": "now"}],
            "diagonal": [diagonal],
            "forecasts": np.column_stack([judged.predicted, judged.observed]),
            "forecast_bars": np.column_stack([judged.predicted, judged.lower, judged.predicted, judged.upper]),
        }  # fmt: skip
        area = evaluate_predictions(y, y_score=scores, classes=[0, 1], scoring=["roc_auc"])["roc_auc"].value
        least = np.inf
        for k, shares in enumerate(sweep):
            rest = self.evaluation(s, y, scores, k, ["f1", "cost"])
            found = [*(shares[name] for name in SHARES), rest["f1"]]
            precision, recall, specificity = found[0], found[1], found[2]
            (_, alarms), (misses, hits) = shares.confusion.tolist()
            drawn = {
                **fixed,
                "confusion": np.array(shares.confusion, float),
                "middle": np.array([one.value for one in found]),
                "low": np.array([one.lower for one in found]),
                "high": np.array([one.upper for one in found]),
                "roc_now": [[1 - specificity.value, recall.value]],
                "roc_box": [[1 - specificity.upper, 1 - specificity.lower, recall.lower, recall.upper]],
                "pr_now": [[recall.value, precision.value]],
                "pr_box": [[recall.lower, recall.upper, precision.lower, precision.upper]],
            }
            cost = rest["cost"].value
            values = {
                "cost": cost,
                "precision": precision.value if hits + alarms else None,
                "recall": recall.value,
                "f1": rest["f1"].value,
                "threshold": self.threshold(s, k),
                "area": area,
            }
            said = {
                "t": values["threshold"],
                "called": int(hits + alarms),
                "alarms": int(alarms),
                "misses": int(misses),
            }
            key = "cheaper" if cost < least else "dearer"
            least = min(least, cost)
            yield Frame(k, values, drawn, (key, {**said, "cost": cost, "least": least}))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                "from novum.evaluation import evaluate_predictions",
                f"y = (np.arange({s.n}) < {self.positives(s)}).astype(int)",
                f"scores = np.random.default_rng({s.seed}).normal(size={s.n}) + {s.apart!r} * y",
                f"called = (scores >= {self.threshold(s, n)!r}).astype(int)",
                f"cost = [[0.0, {s.alarm!r}], [{s.missed!r}, 0.0]]",
                'options = {"classes": [0, 1], "cost": cost, "scoring": ["cost"], "n_resamples": 100}',
                'print(evaluate_predictions(y, called, **options)["cost"].value)',
            ]
        )
