r"""Curves of a model of two classes on the rows put away: ROC, precision and recall, calibration, with their intervals.

The curves, their pointwise bands and the intervals of their areas are those of `novum.evaluation.RocCurveDisplay` and
`PrecisionRecallDisplay`, whose points are scikit-learn's; calibration is `novum.evaluation.calibration` by as many bins as the
study takes. The point on a curve is the threshold t.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novum.lab.analyst.folder import Study, study_in
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import slice_control
from novum.lab.analyst.thresholds import closed, positive_of, rows_of, usual_threshold
from novum.lab.controls import Control, Slider
from novum.lab.views import number, plane

__all__ = ["closed", "controls", "shown"]

SQUARE = [[-0.02, 1.02], [-0.02, 1.02]]
MOST_ROWS = 20_000  # of which a band is made by as many resamples as the displays take
RESAMPLES, FEWER = 500, 100
ROWS_PER_BIN, BINS = 15, (3, 10)


class Curves(NamedTuple):
    """The curves of some rows."""

    roc: Any
    pr: Any
    calibration: Any


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    return {"threshold": Slider(0.0, 1.0, usual_threshold(study)), **slice_control(study)}


@lru_cache(maxsize=4)
def curves_of(folder: Path, data: Path | None, words: str) -> Curves:
    """Return the curves of the rows put away, or of those of a slice."""
    from novum.evaluation import PrecisionRecallDisplay, RocCurveDisplay, calibration

    rows = rows_of(study_in(folder, data), words)
    assert rows is not None
    truth, p = rows
    resamples = RESAMPLES if len(p) <= MOST_ROWS else FEWER
    bins = int(np.clip(len(p) // ROWS_PER_BIN, *BINS))
    return Curves(
        RocCurveDisplay.from_predictions(truth, p, pos_label=True, n_resamples=resamples),
        PrecisionRecallDisplay.from_predictions(truth, p, pos_label=True, n_resamples=resamples),
        calibration(truth, p, n_bins=bins, strategy="quantile"),
    )


def shown(study: Study, state: dict[str, Any]) -> Shown:
    words = state.get("slice", "")
    found, rows = curves_of(study.folder, study.data, words), rows_of(study, words)
    assert rows is not None
    truth, p = rows
    said = p >= state["threshold"]
    recall, fall_out = float(said[truth].mean()), float(said[~truth].mean())
    precision = float(truth[said].mean()) if said.any() else None
    curve = found.calibration
    arrays = {
        "square": SQUARE,
        "roc_now": np.array([[fall_out, recall]]),
        "roc": [*banded(found.roc.fpr, found.roc.tpr, found.roc.band), {"p": [[0, 0], [1, 1]], "role": "truth"}],
        "pr_now": np.zeros((0, 2)) if precision is None else np.array([[recall, precision]]),
        "pr": [
            *banded(found.pr.recall, found.pr.precision, found.pr.band),
            {"p": [[0, truth.mean()], [1, truth.mean()]], "role": "truth"},
        ],
        "forecasts": np.column_stack([curve.predicted, curve.observed]),
        "forecast_bars": np.column_stack([curve.predicted, curve.lower, curve.predicted, curve.upper]),
        "diagonal": [{"p": [[0, 0], [1, 1]], "role": "truth"}],
    }
    ends = {"auc": found.roc.roc_auc_interval, "average_precision": found.pr.average_precision_interval}
    values = {
        "auc": found.roc.roc_auc,
        "average_precision": found.pr.average_precision,
        "brier": curve.brier,
        "calibration_error": curve.expected_error,
        "recall": recall,
        "fall_out": fall_out,
        "precision": precision,
    }
    for name, interval in ends.items():
        values |= {f"{name}_low": interval and interval[0], f"{name}_high": interval and interval[1]}
    views = [
        plane(id="roc", points="roc_now", lines="roc", domain="square", equal=True),
        plane(id="pr", points="pr_now", lines="pr", domain="square", equal=True),
        plane(
            id="calibration",
            points="forecasts",
            segments="forecast_bars",
            lines="diagonal",
            domain="square",
            equal=True,
        ),
        *(number(name) for name in ("auc", "auc_low", "auc_high")),
        *(number(name) for name in ("average_precision", "average_precision_low", "average_precision_high")),
        number("brier", r"\frac1N \sum_i (p_i - y_i)^2"),
        number("calibration_error"),
    ]
    summary = {
        "positive": positive_of(study),
        "rows": len(p),
        "positives": int(truth.sum()),
        "threshold": state["threshold"],
        "recall": recall,
        "fall_out": fall_out,
    }
    return Shown(values, arrays, views, ("judged", summary))


def banded(x: np.ndarray, y: np.ndarray, band: Any) -> list[dict[str, Any]]:
    """Return a curve and the ends of its band as lines."""
    lines: list[dict[str, Any]] = [{"p": np.column_stack([x, y]).tolist(), "k": 0}]
    if band is not None:
        lines += [
            {"p": [[a, b] for a, b in zip(band.places, end) if np.isfinite(b)], "role": "faint"}
            for end in (band.lower, band.upper)
        ]
    return lines
