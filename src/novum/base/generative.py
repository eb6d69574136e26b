r"""Bayes' rule as every generative classifier applies it: from the joint log-density of row and class to all answers.

    s_c(x) = log p(x, c) = log pi_c + log p(x | c)                                                 (1)
    p(c | x) = exp s_c(x) / sum_k exp s_k(x)                                                       (2)
    log-odds of a against b = s_a(x) - s_b(x),   p(a | x) = sigmoid of it where there are two      (3)

A classifier brings `_joint()`: a function of a block that gives (1) and its parameters. Scores of an array are normalised in
place by a compiled kernel, those of a tensor where they are.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.fitted import check_is_fitted
from novum.base.large_numbers import MOST_SIZE, largest_of, too_large
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import ParameterError
from novum.report.result import result
from novum.runtime import arrays, sklearn_private
from novum.runtime.typing import Rows

__all__ = [
    "BayesRule",
    "LinearForm",
    "Query",
    "all_finite",
    "checked_priors",
    "class_position",
    "dense_best",
    "dense_linear",
    "joint_of",
]


@result
class LinearForm(NamedTuple):
    """Scores as linear functions: log p(x, c) = weights[c] . t(x) + bias[c], up to what all classes share; or a difference."""

    weights: NDArray  # (classes, features), or (features,) of a difference
    bias: NDArray


class Query(NamedTuple):
    """A function (params, block) that gives (1), its parameters, the labels of the classes, and whose rows they are.

    `best` is a function of the same that gives the place of the largest score of every row without keeping the scores, or None
    where it cannot: the scores are then looked at.
    """

    joint: Callable[[Any, Any], Any]
    params: Any
    classes: NDArray[Any]
    owner: str = ""
    allow_nan: bool = False
    best: Callable[[Any, Any], NDArray[np.int64] | None] | None = None


def joint_of(query: Query, block: Any) -> Any:
    """Return (1) of every row and class, in the dtype and home of the block.

    Cells that are not finite show in the scores, so rows need no pass of their own to be checked.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        score = query.joint(query.params, block)
    if not all_finite(score):
        values = block.X.data if arrays.is_sparse(block.X) else arrays.to_numpy(block.X)
        sklearn_private.assert_all_finite(values, allow_nan=query.allow_nan, estimator_name=query.owner, input_name="X")
        check_scores(query.owner, arrays.to_numpy(score), values if arrays.is_tensor(block.X) else block.X)
    return score


def all_finite(score: Any) -> bool:
    """Return whether scores, of a tensor or an array, hold neither NaN nor infinity."""
    if not isinstance(score, np.ndarray):
        return arrays.all_finite(score)
    return bool(_core.runtime.tiles.all_finite(np.ascontiguousarray(score)))


def check_scores(owner: str, score: NDArray[Any], X: Any) -> None:
    """Raise DataError for a row so far away that all its scores overflow: no class is then more probable than another."""
    lost = np.isnan(score).any(axis=1) | (score == -np.inf).all(axis=1)
    if lost.any() and (largest := largest_of(X[lost])) > MOST_SIZE:
        raise too_large(owner, "X", largest)


def dense_linear(X: NDArray[Any], weights: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    """Return X weights + bias for rows in memory and a few classes, in the dtype of X."""
    out = np.empty((len(X), len(bias)), X.dtype)
    _core.products.narrow.narrow(X, np.ascontiguousarray(weights, X.dtype), np.ascontiguousarray(bias, X.dtype), out)
    return out


def dense_best(
    X: NDArray[Any], weights: NDArray[Any], bias: NDArray[Any], threshold: float | None = None
) -> NDArray[np.int64] | None:
    """Return the place of the largest of `dense_linear` in every row, or None where a score is not finite.

    With a threshold, cells above it count as one and others as zero.
    """
    label = np.empty(len(X), np.int64)
    parts = np.ascontiguousarray(weights, X.dtype), np.ascontiguousarray(bias, X.dtype)
    return label if _core.products.narrow.best(X, *parts, threshold, label) else None


def class_posterior(score: Any, logarithm: bool) -> Any:
    """Return (2), or its logarithm, of rows of scores; an array is overwritten."""
    if not isinstance(score, np.ndarray):
        found = arrays.log_softmax(score)
        return found if logarithm else arrays.exp(found)
    score = np.ascontiguousarray(score)
    _core.classes.posterior.normalize_rows(score, logarithm)
    return score


def posterior_of(query: Query, block: Any) -> Any:
    """Return (2)."""
    return class_posterior(joint_of(query, block), False)


def log_posterior_of(query: Query, block: Any) -> Any:
    """Return the logarithm of (2)."""
    return class_posterior(joint_of(query, block), True)


def best_position(score: Any) -> Any:
    """Return the position of the largest score of every row, the first of equals, where the scores are."""
    if not isinstance(score, np.ndarray):
        return arrays.argmax(score)
    label = np.empty(len(score), np.int64)
    _core.classes.posterior.best_of_rows(np.ascontiguousarray(score), label)
    return label


def label_of(query: Query, block: Any) -> Any:
    """Return the most probable class of every row."""
    best = None
    if query.best is not None and (isinstance(block.X, np.ndarray) or not arrays.is_tensor(block.X)):
        best = query.best(query.params, block)
    return arrays.class_of(query.classes, best_position(joint_of(query, block)) if best is None else best)


class Odds(NamedTuple):
    query: Query
    positive: int
    negative: int


def odds_of(odds: Odds, block: Any) -> Any:
    """Return (3)."""
    score = joint_of(odds.query, block)
    return score[:, odds.positive] - score[:, odds.negative]


def class_position(owner: str, classes: NDArray[Any], label: Any, name: str) -> int:
    """Return where a label stands among the classes; raise for one that is not there."""
    found = np.flatnonzero(classes == label)
    if len(found) != 1:
        raise ParameterError(f"{owner}: {name}={label!r} is no class; the classes are {classes.tolist()}.")
    return int(found[0])


def checked_priors(owner: str, priors: Any, k: int, name: str = "priors") -> NDArray[np.float64]:
    """Return given class probabilities after their checks, in scikit-learn's words."""
    values = np.asarray(priors, dtype=np.float64)
    if values.shape != (k,):
        raise ParameterError(
            f"Number of priors must match number of classes. {owner}({name}=...) has {values.size}, y has {k} classes."
        )
    if not np.isclose(values.sum(), 1.0):
        raise ParameterError(
            f"The sum of the priors should be 1. {owner}({name}=...) sums to {values.sum():g}; divide by the sum."
        )
    if (values < 0).any():
        raise ParameterError(f"Priors must be non-negative. {owner}({name}=...) has the value {values.min():g}.")
    return values


class BayesRule(ClassifierMixin):
    """The answers of a generative classifier; a subclass brings `_joint` and is an `Estimator`."""

    classes_: NDArray[Any]
    _rows: Callable[..., Any]
    _best: Callable[[Any, Any], NDArray[np.int64] | None] | None = None  # `Query.best`, as a static method
    _takes_gaps: bool | None = None  # whether rows may have missing cells; None: as the tags of the instance say
    _scores_show_gaps = True  # whether a cell that is not finite makes scores that are not; else rows are checked first

    def _joint(self) -> tuple[Callable[[Any, Any], Any], Any]:
        """Return the function of (1) and its parameters."""
        raise NotImplementedError

    def _query(self) -> Query:
        if "classes_" not in vars(self):
            check_is_fitted(self)
        gaps = bool(self.__sklearn_tags__().input_tags.allow_nan) if self._takes_gaps is None else self._takes_gaps
        return Query(*self._joint(), self.classes_, type(self).__name__, gaps, self._best)

    def _answers(self, X: Any, function: Callable[..., Any], params: Any) -> Any:
        return self._rows(X, function, params, verify=not self._scores_show_gaps)

    def predict(self, X: Rows) -> Any:
        """Return the most probable class of every row."""
        return self._answers(X, label_of, self._query())

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, eq. (2) of `novum.base.generative`, one row per row of X."""
        return self._answers(X, posterior_of, self._query())

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithm of `predict_proba`."""
        return self._answers(X, log_posterior_of, self._query())

    def predict_joint_log_proba(self, X: Rows) -> Any:
        """Return log p(x, c) for every row and class."""
        return self._answers(X, joint_of, self._query())

    def log_odds(self, X: Rows, positive: Any = None, negative: Any = None) -> Any:
        """Return log p(positive | x) - log p(negative | x) of every row.

        Parameters
        ----------
        X : rows
        positive, negative : class labels, default=None
            None takes, of two classes, the second as positive and the first as negative.
        """
        query = self._query()
        owner = f"{type(self).__name__}.log_odds"
        if positive is None and negative is None and len(query.classes) == 2:
            return self._answers(X, odds_of, Odds(query, 1, 0))
        a = class_position(owner, query.classes, positive, "positive")
        return self._answers(X, odds_of, Odds(query, a, class_position(owner, query.classes, negative, "negative")))
