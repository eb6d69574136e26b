r"""Unrestricted discrete class conditionals: a table of all patterns of the attributes, for every class.

    p(x, c) = (N(x, c) + alpha) / (N + alpha |X| K)     |X| = prod_j |A_j| patterns                (1)
    p(c | x) = p(x, c) / sum_b p(x, b)                                                             (2)

A class has |X| - 1 free probabilities: 2^d - 1 for d binary attributes, where naive Bayes has d. Nothing is assumed, so much
data is needed; a pattern that never occurred has, without smoothing, no posterior but the class priors.
"""

import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.generative import BayesRule
from novum.distributions import JointTable
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.naive_bayes.categorical import category_numbers, merge_ranges, range_of
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["JointTableClassifier"]

MOST_CELLS = 2**26  # of the table: half a gigabyte


class Shape(NamedTuple):
    numbers: NDArray  # (d,): categories of every attribute
    k: int


class Counts(NamedTuple):
    counts: NDArray  # (k, patterns)


class Scores(NamedTuple):
    numbers: NDArray
    table: NDArray  # (patterns, k): log p(x, c)
    log_prior: NDArray  # (k,): for patterns that never occurred


def patterns_of(numbers: NDArray, X: NDArray) -> NDArray:
    """Return the number of every row's pattern; raise for a category that is not known."""
    whole = np.floor(X)
    outside = (whole < 0) | (whole >= numbers)
    if outside.any():
        row, j = np.argwhere(outside)[0]
        raise DataError(
            f"JointTableClassifier: column {j} has the value {X[row, j]:g}; categories are 0 to {numbers[j] - 1}. Give"
            " min_categories if fit did not see all of them."
        )
    return np.ravel_multi_index(tuple(whole.astype(np.int64).T), tuple(numbers))


def counts_of(shape: Shape, block: Block) -> Counts:
    """Return the weighted counts of all patterns in every class, for one block."""
    X, y = arrays.to_numpy(block.X), arrays.to_numpy(block.y)
    weight = np.ones(len(X)) if block.weight is None else arrays.to_numpy(block.weight)
    X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
    cells = int(np.prod(shape.numbers))
    flat = y * cells + patterns_of(shape.numbers, X)
    return Counts(np.bincount(flat, weight, minlength=shape.k * cells).reshape(shape.k, cells))


def joint_log(scores: Scores, block: Block) -> Any:
    """Return log p(x, c) of every row and class; the priors where the pattern never occurred."""
    X = arrays.to_numpy(block.X)
    found = scores.table[patterns_of(scores.numbers, X)]
    never = np.isneginf(found).all(axis=1)
    found[never] = scores.log_prior
    found = found.astype(X.dtype)
    return arrays.like(block.X, found) if arrays.is_tensor(block.X) else found


class JointTableClassifier(BayesRule, Estimator):
    """A table of all patterns of discrete attributes, for every class.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of every pattern in every class; 0 is maximum likelihood.
    min_categories : int or array-like of shape (n_features,), default=None
        Least number of categories of the attributes, which are coded 0, 1, 2, ...

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_ : array of shape (n_classes,)
    n_categories_ : array of shape (n_features,)
    table_ : JointTable
        p(class, x0, x1, ...), for every question about it.

    Examples
    --------
    Exclusive or, which no naive Bayes can learn:

    >>> import numpy as np
    >>> from novum.decision_theory import JointTableClassifier
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    >>> model = JointTableClassifier(alpha=0).fit(X, [0, 1, 1, 0] * 2)
    >>> model.predict(X[:4]), model.parameter_count()
    (array([0, 1, 1, 0]), 7)
    """

    _domains: dict[str, Domain] = {"alpha": Real(0), "min_categories": Int(1) | ArrayLike() | Null()}
    _scores_show_gaps = False
    class_count_: np.ndarray
    n_categories_: np.ndarray
    table_: JointTable

    def __init__(self, *, alpha: float = 1.0, min_categories: int | Numbers | None = None) -> None:
        self.alpha = alpha
        self.min_categories = min_categories

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Count the patterns of every class.

        Categories 0, 1, 2, ...; a fraction counts as the number below it.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        span = coded.total(range_of, None, merge_ranges)
        if span.low.min() < 0:
            raise DataError(
                f"Negative values in data passed to JointTableClassifier (input X): the least is {span.low.min():g}. Code the"
                " categories 0, 1, 2, ..."
            )
        numbers, k = category_numbers(np.floor(span.high), self.min_categories), len(self.classes_)
        if float(np.prod(numbers.astype(np.float64))) * k > MOST_CELLS:
            raise DataError(
                f"JointTableClassifier: the table would have {np.prod(numbers.astype(np.float64)) * k:.3g} cells for"
                f" {len(numbers)} attributes; use CategoricalNB, or fewer attributes."
            )
        count = coded.total(counts_of, Shape(numbers, k)).counts
        names = ["class", *(f"x{j}" for j in range(len(numbers)))]
        states = {"class": self.classes_.tolist(), **{f"x{j}": list(range(n)) for j, n in enumerate(numbers.tolist())}}
        smoothed = (count + self.alpha).reshape(k, *numbers)
        self.table_ = JointTable.from_counts(smoothed, names, states)
        self.n_categories_, self.class_count_ = numbers, count.sum(axis=1)
        return self

    def _check_state(self) -> None:
        """Raise ValueError unless the table has the cells that its categories ask for."""
        if "table_" not in vars(self):
            return
        numbers = [len(self.classes_), *map(int, self.n_categories_)]
        if (
            min(numbers) < 1
            or math.prod(numbers) != np.asarray(self.table_.p).size
            or len(self.class_count_) != numbers[0]
        ):
            raise ValueError("its table has other categories")

    def _joint(self) -> Any:
        p = np.asarray(self.table_.p).reshape(len(self.classes_), -1)
        with np.errstate(divide="ignore"):  # a pattern without a row
            prior = np.log(self.class_count_ / self.class_count_.sum())
            return joint_log, Scores(self.n_categories_, np.ascontiguousarray(np.log(p).T), prior)

    def parameter_count(self) -> int:
        """Return the number of free parameters: class priors, and all patterns but one in every class."""
        check_is_fitted(self)
        k = len(self.classes_)
        return k - 1 + k * (int(np.prod(self.n_categories_)) - 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
