r"""Thresholds and costs: what saying the positive class from a probability t on brings, on the rows put away.

With the costs c of true and said class, y_i and p_i of N rows that the model had not seen,

    C(t) = 1/N sum_i c[y_i, 1{p_i >= t}]                                                                                   (1)

    recall(t) = share of positive rows with p >= t,     precision(t) = share of positive rows among those with p >= t      (2)

Both shares have Wilson's interval, the mean cost Student's. Rows put away judge; the study's own choice of a threshold was made on
other rows, where it had them, and its sentence says so.
"""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import in_slice, slice_control
from novum.lab.controls import Control, Matrix, Refusal, Slider
from novum.lab.views import curve, heat, intervals, number

AT = np.linspace(0.0, 1.0, 101)
HIGHEST = 1000.0


def rows_of(study: Study, words: str = "") -> tuple[np.ndarray, np.ndarray] | None:
    """Return which rows put away are positive, and the probability of that; None where they are not known.

    With the words of a slice, only those in it; a Refusal where they are all of one class.
    """
    kept, labels = study.document["kept"], study.labels
    if kept is None or len(labels) != 2 or not study.unseen:
        return None
    p = study.probabilities(study.leaders.index(kept["name"]), positive_of(study))
    if p is None:
        return None
    held = (study.unseen["part"] == "held") & np.isfinite(p)
    if words:
        held &= np.isin(study.unseen["row"], in_slice(study, words))
    truth = study.unseen["y"][held] == positive_of(study)
    if words and len(np.unique(truth)) < 2:
        raise Refusal(f"the rows put away of the slice {words} are not of both classes; choose all rows.", "slice")
    return (truth, p[held]) if len(np.unique(truth)) == 2 else None


def positive_of(study: Study) -> str:
    place = study.document["task"]["positive"]
    return study.labels[1 if place is None else place]


def closed(study: Study) -> str:
    if len(study.labels) != 2:
        return "two_classes"
    return "" if rows_of(study) is not None else "no_unseen"


def usual_threshold(study: Study) -> float:
    """Return the threshold by which the model decides."""
    found = study.document.get("thresholds")
    return min(1.0, max(0.0, round(found["usual"], 6))) if found else 0.5


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    usual = usual_threshold(study)
    negative, positive = (one for one in study.labels if one != positive_of(study)), positive_of(study)
    return {
        "threshold": Slider(0.0, 1.0, usual),
        "costs": Matrix(2, 2, 0.0, HIGHEST, default=[[0.0, 1.0], [1.0, 0.0]], labels=[*negative, positive]),
        **slice_control(study),
    }


def shown(study: Study, state: dict[str, Any]) -> Shown:
    from novum.evaluation import t_test, wilson_interval

    rows = rows_of(study, state.get("slice", ""))
    assert rows is not None
    truth, p = rows
    costs, t = np.array(state["costs"]), state["threshold"]
    positive = positive_of(study)
    negative = next(one for one in study.labels if one != positive)
    along = [measured(truth, p, at, costs) for at in AT]
    halves = [half_width(costs[truth.astype(int), (p >= at).astype(int)]) for at in AT]
    said = p >= t
    counts = np.array([[np.sum((truth == y) & (said == d)) for d in (False, True)] for y in (False, True)])
    each = costs[truth.astype(int), said.astype(int)]
    found, calls, hits = int(truth.sum()), int(said.sum()), int(counts[1, 1])
    recall = wilson_interval(hits, found)
    precision = wilson_interval(hits, calls) if calls else (None, None)
    # equal costs of all rows have no variance, and no interval by it
    cost = t_test(each).interval() if np.ptp(each) else (None, None)
    values = {"cost": each.mean(), "recall": hits / found, "precision": hits / calls if calls else None}
    ends = [recall, precision]
    arrays = {
        "at": AT,
        "along_cost": np.array([one[0] for one in along]),
        "cost_low": np.array([one[0] - half for one, half in zip(along, halves)]),
        "cost_high": np.array([one[0] + half for one, half in zip(along, halves)]),
        "along_recall": np.array([one[1] for one in along]),
        "along_precision": np.array([one[2] for one in along]),
        "confusion": counts.astype(np.float64),
        "truth": [negative, positive],
        "names": ["label.recall", "label.precision"],
        "shares": np.array([values["recall"], np.nan if not calls else values["precision"]]),
        "low": np.array([np.nan if one[0] is None else one[0] for one in ends]),
        "high": np.array([np.nan if one[1] is None else one[1] for one in ends]),
    }
    views = [
        curve(
            id="along",
            x="at",
            series=[{"array": "along_cost", "low": "cost_low", "high": "cost_high", "label": "value.cost"}],
            marker="threshold",
            drag="threshold",
        ),
        number("cost", r"\frac1N \sum_i c_{y_i,\, [p_i \ge t]}"),
        number("recall"),
        number("precision"),
        heat(id="confusion", values="confusion", rows="truth", columns="truth", text=True),
        curve(
            id="shares",
            x="at",
            series=[
                {"array": "along_recall", "label": "value.recall"},
                {"array": "along_precision", "label": "value.precision"},
            ],
            marker="threshold",
        ),
        intervals(id="certain", middle="shares", low="low", high="high", labels="names"),
    ]
    summary = {"positive": positive, "rows": len(p), "low": cost[0], "high": cost[1], "threshold": t}
    chosen = study.document.get("thresholds")
    notes = (chosen["sentence"],) if chosen else ()
    return Shown(values, arrays, views, ("judged" if np.ptp(each) else "equal", summary), notes)


def half_width(each: np.ndarray) -> float:
    """Return half of Student's 95 % interval of a mean, NaN where all are equal: these have no interval by their variance."""
    from scipy.stats import t

    if not np.ptp(each):
        return float("nan")
    return float(t.ppf(0.975, len(each) - 1) * each.std(ddof=1) / len(each) ** 0.5)


def measured(truth: np.ndarray, p: np.ndarray, t: float, costs: np.ndarray) -> tuple[float, float, float]:
    """Return cost, recall and precision at a threshold; the last NaN where no row is said to be positive."""
    said = p >= t
    hits = float((said & truth).sum())
    cost = float(costs[truth.astype(int), said.astype(int)].mean())
    return cost, hits / float(truth.sum()), hits / float(said.sum()) if said.any() else float("nan")
