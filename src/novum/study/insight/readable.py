"""The kept model in a reader's own columns and units: coefficients with inference, or the rules of a tree.

A penalised fit has no standard errors of its own. So what is shown beside its weights is the same model without a penalty,
fitted on the training rows: every number in the table's units, every category against its most frequent level. Where the rows
are too few for that many columns, or give the classes away, there is no such table and it is said why.
"""

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from novum.evaluation import TemperatureScaledClassifier
from novum.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from novum.report.numbers import counted
from novum.study.comparison.isotonic import IsotonicScaled
from novum.study.comparison.matrix_columns import column_words
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

__all__ = ["Readable", "read_model"]

LINEAR = (LinearRegression, Ridge, Lasso, ElasticNet)
ROWS_PER_COLUMN = 5
MOST_COLUMNS = 60
MOST_LINES = 60
DEPTH = 5


class Effect(NamedTuple):
    """A coefficient."""

    name: str
    value: float
    error: float
    p_value: float
    lower: float
    upper: float


class Readable(NamedTuple):
    """A model that can be read."""

    effects: list[Effect]  # intercept first; empty for a tree
    rules: str  # of a tree; "" for a linear model
    about: str  # what the effects are, or why there are none


def read_model(model: Any, frame: Any, y: np.ndarray, weight: Any, positive: int | None = None) -> Readable | None:
    """Return the kept model in readable form, None where it has none.

    Parameters
    ----------
    model : the kept model, fitted on the rows that are given
    positive : int or None
        The class, by its place, that the effects of two classes speak for.
    """
    if not isinstance(model, Pipeline) or len(model.steps) != 2:
        return None
    columns, inner = model[0], model[-1]
    if isinstance(inner, TemperatureScaledClassifier):  # weights and rules are the same at any
        inner = inner.estimator_
    inner = inner.estimator if isinstance(inner, IsotonicScaled) else inner
    if isinstance(inner, DecisionTreeClassifier | DecisionTreeRegressor):
        return Readable([], rules_of(columns, inner), "")
    if isinstance(inner, LogisticRegression) and len(inner.classes_) == 2:
        return effects_of(LogisticRegression(C=np.inf, max_iter=1000), inner, columns, frame, y, weight, positive)
    if isinstance(inner, LINEAR):
        return effects_of(LinearRegression(), inner, columns, frame, y, weight)
    return None


def in_own_units(columns: Any, X: np.ndarray) -> np.ndarray:
    """Return the matrix with its numbers as they were before they were scaled."""
    found = np.array(X, dtype=np.float64)
    place = columns.output_indices_.get("numbers")
    part = columns.named_transformers_.get("numbers") if place is not None else None
    if part is not None and "scale" in part.named_steps:
        scaler = part.named_steps["scale"]
        found[:, place] = found[:, place] * scaler.scale_ + scaler.mean_
    return found


def effects_of(
    free: Any, kept: Any, columns: Any, frame: Any, y: np.ndarray, weight: Any, positive: int | None = None
) -> Readable:
    """Return the coefficients of the model without a penalty."""
    if columns.sparse_output_:
        return Readable([], "", "No standard errors: it weighs thousands of words and pieces of words")
    names, levels = column_words(columns)
    X = in_own_units(columns, columns.transform(frame))
    used = [j for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0]
    for number in {level[0] for level in levels if level is not None}:
        group = [j for j in used if levels[j] is not None and levels[j][0] == number]  # type: ignore[index]
        if group and np.allclose(X[:, group].sum(axis=1), 1.0):  # one of them says nothing new: the most frequent
            used.remove(max(group, key=lambda j: X[:, j].sum()))
    if not used or len(used) > MOST_COLUMNS or len(y) < ROWS_PER_COLUMN * (len(used) + 1):
        return Readable(
            [],
            "",
            f"No standard errors: {counted(len(y), 'row', 'are')} too few for {counted(len(used), 'coefficient')}",
        )
    target = y if positive is None else (y == kept.classes_[positive]).astype(int)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fitted = free.fit(X[:, used], target, **({} if weight is None else {"sample_weight": weight}))
            table = fitted.inference().to_frame()
    except (Warning, ValueError, ArithmeticError) as problem:
        text = str(problem).splitlines()[0].split(": ", 1)[-1].split(" (")[0].split(".")[0]
        return Readable([], "", f"No standard errors: {text}")
    named = ["intercept", *(names[j] for j in used)][-len(table) :]
    effects = [
        Effect(name, *(float(v) for v in row))
        for name, row in zip(named, table[["coef", "standard_error", "p", "lower", "upper"]].to_numpy())
    ]
    if not np.isfinite([effect[1:] for effect in effects]).all():
        return Readable([], "", "No standard errors: some columns follow from others")
    same = "" if isinstance(kept, LinearRegression) else " without its penalty"
    odds = "; a coefficient adds to the logarithm of the odds" if positive is not None else ""
    return Readable(effects, "", f"{type(kept).__name__}{same}, in the table's own units{odds}")


def rules_of(columns: Any, tree: Any) -> str:
    """Return the rules of a tree; a test of a 0/1 column is written as a statement."""
    names, levels = column_words(columns)
    marked = [f"\x1e{j}\x1e" for j in range(len(names))]
    text = export_text(tree, feature_names=marked, max_depth=DEPTH)

    def statement(match: re.Match) -> str:
        j, sign, value = int(match[1]), match[2], match[3]
        if names[j].endswith(" (day)") and names[j].removesuffix(" (day)") + " (year)" in names:
            return f"{names[j].removesuffix(' (day)')} {sign} {np.datetime64(int(float(value)), 'D')}"
        if levels[j] is None:
            return f"{names[j]} {sign} {value}"
        return names[j].replace(" is ", " is not ", 1) if sign == "<=" else names[j]

    text = re.sub("\x1e(\\d+)\x1e (<=|> ?) +?(-?[\\d.e+-]+)", statement, text)
    lines = text.replace(" >  ", " > ").splitlines()
    more = [f"... {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join(lines[:MOST_LINES] + more)
