"""A kept model as one function of matrix rows, and the columns of the table as groups of matrix columns.

Everything that a pipeline does to a column (filling, scaling, 0/1 columns, words) looks at that column alone. So a row in which
some columns are replaced by those of another row has, as its matrix row, the matrix columns of both: rows are prepared once,
and explanations mix matrices. A date is one column of the table and several of the frame.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from novum.decision_theory import LossMatrixClassifier
from novum.study.comparison.blend import Combination
from novum.study.comparison.matrix_columns import condensed, dense, matrix_places
from novum.study.comparison.pipelines import WORDS
from novum.study.data.schema import Schema, date_columns

__all__ = ["ModelFunction", "frame_columns", "mixed_rows", "model_function_of"]

MOST_CELLS = 4_000_000  # of the matrix that a model predicts at once


class Member(NamedTuple):
    """A fitted pipeline."""

    model: Any
    columns: Any


class ModelFunction(NamedTuple):
    """A kept model: numbers, or the probabilities of the classes."""

    members: list[Member]
    classes: np.ndarray | None
    together: Combination | None = None  # how the members are made one, where there are several

    def matrices(self, frame: Any) -> list[np.ndarray]:
        """Return the matrix of prepared rows for every member."""
        return [dense(member.columns.transform(frame)) for member in self.members]

    def places(self, frame: Any, names: dict[str, list[str]]) -> list[list[np.ndarray]]:
        """Return, for every member, the matrix columns of every named group of the frame's columns."""
        found = []
        for member in self.members:
            places = matrix_places(member.columns, frame)
            found.append([np.concatenate([places[part] for part in parts]) for parts in names.values()])
        return found

    def values(self, matrices: list[np.ndarray]) -> np.ndarray:
        """Return what is said of rows, of shape (rows, 1) for numbers or (rows, classes)."""
        parts = []
        for member, X in zip(self.members, matrices):
            step = max(1, MOST_CELLS // max(1, X.shape[1]))
            said = [self.of_member(member, X[start : start + step]) for start in range(0, len(X), step)]
            parts.append(np.concatenate(said))
        return parts[0] if self.together is None else self.together.combined(np.stack(parts))

    def of_member(self, member: Member, X: np.ndarray) -> np.ndarray:
        """Return what one member says."""
        if self.classes is None:
            return np.asarray(member.model.predict(X), dtype=np.float64).reshape(-1, 1)
        said = np.zeros((len(X), len(self.classes)))
        if hasattr(member.model, "predict_proba"):
            said[:, np.searchsorted(self.classes, member.model.classes_)] = member.model.predict_proba(X)
        else:
            said[np.arange(len(X)), np.searchsorted(self.classes, member.model.predict(X))] = 1.0
        return said


def model_function_of(model: Any) -> ModelFunction:
    """Return the machine of a model that a study kept, as it is judged or as it is saved."""
    return ModelFunction(list(pipelines_of(model)), getattr(model, "classes_", None), combination_in(model))


def combination_in(model: Any) -> Combination | None:
    """Return what makes several models one inside a kept model; None where there is one."""
    if isinstance(model, Combination):
        return model
    if isinstance(model, LossMatrixClassifier):
        return combination_in(model.estimator_)
    return combination_in(model[-1]) if len(model.steps) == 1 else None


def pipelines_of(model: Any) -> Iterator[Member]:
    """Yield the pipelines inside a kept model: a combination of several, and what decides by costs, are opened."""
    if isinstance(model, Combination):
        for part in model.estimators:
            yield from pipelines_of(part)
    elif isinstance(model, LossMatrixClassifier):
        yield from pipelines_of(model.estimator_)
    elif len(model.steps) == 1:
        yield from pipelines_of(model[-1])
    else:
        yield Member(*reversed(condensed(model[0], model[-1])))


def frame_columns(schema: Schema) -> dict[str, list[str]]:
    """Return the columns of the prepared frame that every column of the table becomes."""
    found = {}
    for name, role in zip(schema.names, schema.roles):
        found[name] = (
            date_columns(name, name in schema.hours)
            if role == "date"
            else [name + WORDS]
            if role == "words"
            else [name]
        )
    return found


def mixed_rows(base: list[np.ndarray], other: list[np.ndarray], places: list[np.ndarray]) -> list[np.ndarray]:
    """Return the base rows with some matrix columns, per member, of the other rows."""
    found = []
    for X, Z, at in zip(base, other, places):
        mixed = X.copy()
        mixed[:, at] = Z[:, at]
        found.append(mixed)
    return found
