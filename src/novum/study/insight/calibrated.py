"""Calibration of the rows put away, and how large its error would be by chance if every probability were right.

Few rows in a bin make the expected calibration error large even for a perfect model. So outcomes are drawn with the very
probabilities that were said, and the error of these draws is measured in the same bins: what lies above 95 % of them is a fault
of the model, not of chance.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.evaluation import calibration
from novum.evaluation.curves.reliability import Calibration
from novum.study.scoring.measures import Predicted

__all__ = ["Calibrated", "calibrated_rows"]

DRAWS = 300
ROWS_PER_BIN = 15
MOST_BINS, LEAST_BINS = 10, 3


class Calibrated(NamedTuple):
    """How probabilities agree with what happens."""

    curve: Calibration
    by_chance: float  # expected error that 95 % of draws stay below when every probability is right
    two: bool  # whether it is about one of two classes; else about the class that is said

    @property
    def off(self) -> bool:
        """Whether the error is larger than chance explains."""
        return bool(self.curve.expected_error > self.by_chance)


def calibrated_rows(judge: Any, y: np.ndarray, said: Predicted, positive: int | None) -> Calibrated | None:
    """Return the calibration of rows, None for a model without probabilities."""
    if judge.classes is None or said.proba is None or not np.isfinite(said.proba).all():
        return None
    proba = said.proba / said.proba.sum(axis=1, keepdims=True)
    two = len(judge.classes) == 2
    place = 1 if positive is None else positive
    bins = int(np.clip(len(y) // ROWS_PER_BIN, LEAST_BINS, MOST_BINS))
    label = judge.classes[place] if two else None
    curve = calibration(y, proba, classes=judge.classes, pos_label=label, n_bins=bins, strategy="quantile")
    q = proba[:, place] if two else proba.max(axis=1)
    return Calibrated(curve, error_by_chance(q, curve.edges, judge.seed), two)


def error_by_chance(q: np.ndarray, edges: np.ndarray, seed: int) -> float:
    """Return the expected calibration error that 95 % of draws with these probabilities stay below."""
    rng = np.random.default_rng(seed)
    place = np.clip(np.searchsorted(edges, q, side="right") - 1, 0, len(edges) - 2)
    errors = []
    for _ in range(DRAWS):
        gap = (rng.random(len(q)) < q) - q
        errors.append(np.abs(np.bincount(place, gap, minlength=len(edges) - 1)).sum() / len(q))
    return float(np.quantile(errors, 0.95))
