r"""Another population: what a threshold brings where the positive class is rarer or more frequent than in the rows put away.

Let r be the recall and f the share of negative rows that are said to be positive, from a threshold t on. Where the rows of each
class are as they were and only the share pi of positive ones differs,

    precision(pi) = pi r / (pi r + (1 - pi) f)                                                                             (1)

    net benefit(pi, t) = pi r - (1 - pi) f t / (1 - t)                                                                     (2)

The net benefit counts right positive decisions per row, less the wrong ones at the price t / (1 - t) at which the threshold takes
them; saying it always has r = f = 1, saying it never has no benefit. Both rise with r and fall with f, which come from different
rows. So Clopper and Pearson's intervals of r and f at the level sqrt(.95), taken at their best and at their worst ends, make
intervals of (1) and (2) that hold at least .95.
"""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import slice_control
from novum.lab.analyst.thresholds import closed, positive_of, rows_of, usual_threshold
from novum.lab.controls import Control, Slider
from novum.lab.views import curve, number

__all__ = ["closed", "controls", "net_benefit", "precision_at", "shown"]

LEVEL = 0.95
LEAST = 0.001
SHARES = np.concatenate([[LEAST], np.arange(1, 100) / 100, [1 - LEAST]])
AT = np.arange(1, 100) / 100  # thresholds of the decision curve


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    rows = rows_of(study)
    share = LEAST if rows is None else float(np.clip(round(rows[0].mean(), 6), LEAST, 1 - LEAST))
    threshold = float(np.clip(usual_threshold(study), AT[0], AT[-1]))
    return {
        "prevalence": Slider(LEAST, 1 - LEAST, share),
        "threshold": Slider(float(AT[0]), float(AT[-1]), threshold),
        **slice_control(study),
    }


def precision_at(share: Any, recall: float, fall_out: float) -> Any:
    """Return (1), NaN where no row is said to be positive."""
    said = share * recall + (1 - share) * fall_out
    with np.errstate(invalid="ignore", divide="ignore"):
        return share * recall / said


def net_benefit(share: float, recall: Any, fall_out: Any, t: Any) -> Any:
    """Return (2)."""
    return share * recall - (1 - share) * fall_out * t / (1 - t)


def above(least: float, values: np.ndarray) -> np.ndarray:
    """Return values without those so low that they would press all others together: near t = 1 the price has no bound."""
    return np.where(values >= least, values, np.nan)


def shown(study: Study, state: dict[str, Any]) -> Shown:
    from novum.evaluation import clopper_pearson_interval

    rows = rows_of(study, state.get("slice", ""))
    assert rows is not None
    truth, p = rows
    share, t = state["prevalence"], state["threshold"]
    level = LEVEL**0.5
    counts = [(int((p[part] >= t).sum()), int(part.sum())) for part in (truth, ~truth)]
    recall, fall_out = (hits / of for hits, of in counts)
    ends = [clopper_pearson_interval(hits, of, level=level) for hits, of in counts]
    worst, best = (ends[0].lower, ends[1].upper), (ends[0].upper, ends[1].lower)
    along = [[float((p[part] >= at).mean()) for at in AT] for part in (truth, ~truth)]
    values = {
        "precision": float(precision_at(share, recall, fall_out)),
        "precision_low": float(precision_at(share, *worst)),
        "precision_high": float(precision_at(share, *best)),
        "benefit": net_benefit(share, recall, fall_out, t),
        "benefit_low": net_benefit(share, *worst, t),
        "benefit_high": net_benefit(share, *best, t),
    }
    arrays = {
        "shares": SHARES,
        "precisions": precision_at(SHARES, recall, fall_out),
        "precisions_low": precision_at(SHARES, *worst),
        "precisions_high": precision_at(SHARES, *best),
        "at": AT,
        "model": above(-share, net_benefit(share, np.array(along[0]), np.array(along[1]), AT)),
        "always": above(-share, net_benefit(share, 1.0, 1.0, AT)),
        "never": np.zeros(len(AT)),
    }
    views = [
        curve(
            id="precisions",
            x="shares",
            series=[
                {
                    "array": "precisions",
                    "low": "precisions_low",
                    "high": "precisions_high",
                    "label": "value.precision",
                }
            ],
            marker="prevalence",
            drag="prevalence",
        ),
        number("precision", r"\frac{\pi r}{\pi r + (1 - \pi) f}"),
        number("precision_low"),
        number("precision_high"),
        number("benefit", r"\pi r - (1 - \pi) f \frac{t}{1 - t}"),
        number("benefit_low"),
        number("benefit_high"),
        curve(
            id="decisions",
            x="at",
            series=[
                {"array": "model", "label": "value.model"},
                {"array": "always", "label": "value.always"},
                {"array": "never", "label": "value.never", "role": "bound"},
            ],
            marker="threshold",
            drag="threshold",
        ),
    ]
    summary = {
        "positive": positive_of(study),
        "prevalence": share,
        "threshold": t,
        "here": float(truth.mean()),
        "recall": recall,
        "fall_out": fall_out,
    }
    return Shown(values, arrays, views, ("shifted", summary))
