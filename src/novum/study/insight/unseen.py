"""What the kept kind of model says of rows that it has not seen: those put away, and those of the training part fold by fold.

The model is fitted again, with the settings that were found, without every fold in turn. Together with the rows put away there
is then one prediction per row by a model that had not seen it. They find slices, choose thresholds and calibrate intervals,
which takes more rows than were put away; scores are never taken from them.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.study.comparison.compare import EnsembleMember
from novum.study.comparison.fits import Rows
from novum.study.final import fit_kept
from novum.study.insight.explain import members_of, predict_members
from novum.study.scoring.measures import Predicted

__all__ = ["Unseen", "join_unseen", "predict_folds"]

FOLDS = (5, 3)  # as many as there is time for


class Unseen(NamedTuple):
    """Predictions of rows by models that had not seen them."""

    rows: np.ndarray  # their numbers in the study
    said: Predicted
    folds: int  # that the training rows were parted in; 0 where there was no time, and only the rows put away are here


def predict_folds(
    rows: Rows,
    parts: list[EnsembleMember],
    changes: list[dict[str, Any]],
    train: np.ndarray,
    fit_seconds: float,
    seconds: float,
) -> Unseen | None:
    """Return predictions of the training rows by models fitted without their fold; None where there is no time for it."""
    fitting = [k for k in FOLDS if (k - 1) * fit_seconds <= seconds]
    if not fitting:
        return None
    judge, found, said = rows.judge, [], []
    for inside, outside in judge.split(train, fitting[0]):
        if judge.classes is not None and len(np.unique(rows.y[train[inside]])) < len(judge.classes):
            continue  # a class that stands in one fold only
        model, _ = fit_kept(rows, parts, train[inside], changes)
        found.append(train[outside])
        said.append(predict_members(members_of(model, rows.frame.iloc[train[outside]]), judge))
    if not found:
        return None
    return Unseen(np.concatenate(found), join_predicted(said), fitting[0])


def join_predicted(parts: list[Predicted]) -> Predicted:
    """Return predictions one after the other."""
    proba = None if parts[0].proba is None else np.concatenate([np.asarray(part.proba) for part in parts])
    return Predicted(np.concatenate([part.values for part in parts]), proba)


def join_unseen(folds: Unseen | None, held: np.ndarray, said: Predicted) -> Unseen:
    """Return the predictions of training rows and of rows put away together."""
    if folds is None:
        return Unseen(held, said, 0)
    return Unseen(np.concatenate([folds.rows, held]), join_predicted([folds.said, said]), folds.folds)
