r"""Categorical naive Bayes: every attribute is one of a few values, independently given the class.

    p(x | c) = prod_j theta_cj(x_j)                                                                (6)
    N_cj(a) = weight of the rows of class c with x_j = a                                           (7)
    log p(x, c) = log pi_c + sum_j log theta_cj(x_j)                                               (8)

The m-estimate draws frequencies towards a prior p_j(a) with the strength of m rows; additive smoothing is one case of it:

    theta_cj(a) = (N_cj(a) + m p_j(a)) / (N_cj + m),    N_cj = sum_a N_cj(a)                       (9)
    alpha smoothing: m = alpha |A_j|, p_j = 1 / |A_j|;  Laplace: alpha = 1

Counts are of rows with the value and in the class: over all rows the ratio could exceed one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.domains import ArrayLike, Domain, Int, Null, Real
from novum.base.generative import BayesRule
from novum.exceptions import DataError, ParameterError, UnknownCategory
from novum.fold.blocks import Block, Source
from novum.naive_bayes.discrete import COMMON_DOMAINS, PartialFit, class_log_prior, smoothing
from novum.runtime import arrays, sklearn_private
from novum.runtime.typing import Numbers

__all__ = ["CategoricalNB", "category_numbers", "m_estimate", "merge_ranges", "range_of"]

MOST_CATEGORIES = 2**28  # of a column; beyond, its table alone would take gigabytes


class Range(NamedTuple):
    """Least and largest cell of every column, over rows that have weight."""

    low: NDArray  # (d,)
    high: NDArray  # (d,)


class Plan(NamedTuple):
    k: int
    offset: NDArray  # (d + 1,): where the categories of each column begin


class Counts(NamedTuple):
    """(7), all columns one below the other."""

    mass: NDArray  # (k,)
    counts: NDArray  # (offset[d], k)


class Table(NamedTuple):
    """The parameters of (8), in the layout of the kernel."""

    offset: NDArray
    table: NDArray  # (offset[d], k)
    constant: NDArray  # (k,)


def m_estimate(count: Any, total: Any, prior: Any, strength: Any) -> Any:
    """Return (9): a frequency drawn towards a prior.

        theta_cj(a) = (N_cj(a) + m p_j(a)) / (N_cj + m),   N_cj = sum_a N_cj(a)    (9)

    Parameters
    ----------
    count, total : float or array
        How often the value occurred, of how many.
    prior : float or array
        The probability expected beforehand.
    strength : float
        How many rows the prior is worth (m); 0 gives the frequency itself.

    Examples
    --------
    >>> from novum.naive_bayes import m_estimate
    >>> m_estimate(2, 9, prior=1 / 3, strength=3)
    0.25
    """
    value = (np.asarray(count, np.float64) + strength * np.asarray(prior)) / (np.asarray(total) + strength)
    return float(value) if value.ndim == 0 else value


def range_of(_: Any, block: Block) -> Range:
    """Return the range of every column of one block."""
    X = arrays.to_numpy(block.X)
    if block.weight is not None:
        X = X[arrays.to_numpy(block.weight) > 0]
    if not len(X):
        return Range(np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf))
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)  # a missing cell is neither
    return Range(low.astype(np.float64), high.astype(np.float64))


def merge_ranges(a: Range, b: Range) -> Range:
    """Return the range of two blocks together."""
    return Range(np.fmin(a.low, b.low), np.fmax(a.high, b.high))


def counts_of(plan: Plan, block: Block) -> Counts:
    """Return (7) for one block; a tensor's block is counted on the host."""
    X, code = arrays.to_numpy(block.X), arrays.to_numpy(block.y)
    weight = None if block.weight is None else arrays.to_numpy(block.weight)
    if weight is not None and not weight.all():  # a row without weight may hold anything
        X, code, weight = X[weight > 0], code[weight > 0], weight[weight > 0]
    mass, count = np.zeros(plan.k), np.zeros((plan.offset[-1], plan.k))
    X, code = np.ascontiguousarray(X), np.ascontiguousarray(code, np.int64)
    _core.classes.counts.category_counts(X, code, weight, plan.offset, mass, count)
    return Counts(mass, count)


def table_scores(params: Table, block: Block) -> Any:
    """Return (8) of every row and class."""
    X = np.ascontiguousarray(arrays.to_numpy(block.X))
    out = np.empty((len(X), len(params.constant)), X.dtype)
    bad = _core.classes.counts.category_scores(X, params.offset, params.table, params.constant, out)
    if bad >= 0:
        sklearn_private.assert_all_finite(X, allow_nan=True, estimator_name="CategoricalNB", input_name="X")
        cells, most = X[:, bad], int(params.offset[bad + 1] - params.offset[bad])
        worst = cells[(cells < 0) | (cells >= most)][0]
        if worst < 0:
            raise DataError(f"Negative values in data passed to CategoricalNB (input X): column {bad} has {worst:g}.")
        raise UnknownCategory(
            f"index {worst:g} is out of bounds for axis 1 with size {most}: CategoricalNB did not see this category of"
            f" column {bad} in fit; give min_categories={worst + 1:g} or more there."
        )
    return arrays.like(block.X, out) if arrays.is_tensor(block.X) else out


def category_numbers(highest: NDArray, min_categories: Any) -> NDArray:
    """Return the number of categories of every column, at least `min_categories`."""
    if (high := float(highest.max(initial=0.0))) >= MOST_CATEGORIES:
        column = int(highest.argmax())
        raise DataError(
            f"Column {column} holds {high:g}, and categories are numbered 0, 1, 2, ...: a table of so many would not fit. Number"
            f" the values by sklearn.preprocessing.OrdinalEncoder."
        )
    found = highest.astype(np.int64) + 1
    if min_categories is None:
        return found
    least = np.asarray(min_categories)
    if least.dtype.kind != "i":
        raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
    if least.ndim and least.shape != found.shape:
        raise ParameterError(
            f"'min_categories' should have shape ({len(found)},) when an array-like is provided. Got {least.shape} instead."
        )
    return np.maximum(found, least)


class CategoricalNB(BayesRule, PartialFit):
    """Categorical naive Bayes; attributes are coded 0, 1, 2, ...

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count; 0 is maximum likelihood. Without effect where `prior_strength` is given.
    force_alpha : bool, default=True
        Whether a smaller alpha than 1e-10 is kept.
    fit_prior : bool, default=True
        Whether class probabilities are their shares of the data; else they are equal.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.
    min_categories : int or array-like of shape (n_features,), default=None
        Least number of categories of the attributes, where some may not occur in the data.
    prior_strength : float, default=None
        m of the m-estimate (9): how many rows the prior of the categories is worth; None smooths by alpha.
    category_prior : list of array-like, default=None
        p of the m-estimate, an array of probabilities for every attribute; None is the uniform one.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_log_prior_ : array of shape (n_classes,)
    category_count_, feature_log_prob_ : list of arrays of shape (n_classes, n_categories of the attribute)
        (7) and log theta of (9).
    n_categories_ : array of shape (n_features,)

    Notes
    -----
    A missing cell (NaN) is left out of the counts and of the product.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.naive_bayes import CategoricalNB
    >>> X = np.array([[0, 1], [0, 0], [1, 1], [1, 0], [2, 1]])  # outlook (sunny, overcast, rain), humid
    >>> model = CategoricalNB(prior_strength=3).fit(X, ["no", "no", "yes", "yes", "no"])
    >>> model.predict_proba([[0, 1]]).round(3)
    array([[0.814, 0.186]])
    """

    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "alpha": Real(0),
        "min_categories": Int(1) | ArrayLike() | Null(),
        "prior_strength": Real(0) | Null(),
        "category_prior": ArrayLike() | Null(),
    }

    class_count_: NDArray[Any]
    category_count_: list[NDArray[Any]]
    n_categories_: NDArray[Any]
    class_log_prior_: np.ndarray
    feature_log_prob_: list[np.ndarray]

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Numbers | None = None,
        min_categories: int | Numbers | None = None,
        prior_strength: float | None = None,
        category_prior: Sequence[Any] | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.prior_strength = prior_strength
        self.category_prior = category_prior

    def _count(self, source: Source, k: int, first: bool) -> None:
        span = source.total(range_of, None, merge_ranges)
        if span.low.min() < 0:
            raise DataError(
                f"Negative values in data passed to CategoricalNB (input X): the least is {span.low.min():g}. Code the"
                " categories 0, 1, 2, ..., for instance by OrdinalEncoder."
            )
        numbers = category_numbers(np.floor(np.nan_to_num(span.high, nan=0.0)), self.min_categories)
        if not first:
            numbers = np.maximum(numbers, self.n_categories_)
        offset = np.concatenate([[0], np.cumsum(numbers)])
        found = source.total(counts_of, Plan(k, offset))
        parts = [part.T.copy() for part in np.split(found.counts, offset[1:-1])]
        if not first:
            for part, known in zip(parts, self.category_count_):
                part[:, : known.shape[1]] += known
        self.class_count_ = found.mass if first else self.class_count_ + found.mass
        self.category_count_, self.n_categories_ = parts, numbers

    def _pulls(self) -> list[NDArray]:
        """Return m p_j(a) of (9) for every attribute."""
        numbers = self.n_categories_
        if self.prior_strength is None:
            alpha = smoothing(self.alpha, self.force_alpha, self.n_features_in_)
            return [np.full(n, float(alpha)) for n in numbers]
        if self.category_prior is None:
            return [np.full(n, self.prior_strength / n) for n in numbers]
        priors = [np.asarray(prior, np.float64) for prior in self.category_prior]
        for j, n in enumerate(numbers):
            if len(priors) != len(numbers) or priors[j].shape != (n,) or not np.isclose(priors[j].sum(), 1):
                raise ParameterError(
                    f"CategoricalNB(category_prior=...): give {len(numbers)} arrays of probabilities, that of attribute {j} for"
                    f" {n} categories, each with sum 1."
                )
        return [self.prior_strength * prior for prior in priors]

    def _learn(self) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):  # without smoothing: the logarithm of zero; an empty class
            self.feature_log_prob_ = [
                np.log(m_estimate(count, count.sum(axis=1, keepdims=True), pull / max(pull.sum(), 1e-300), pull.sum()))
                for count, pull in zip(self.category_count_, self._pulls())
            ]
        self.class_log_prior_ = class_log_prior(self.class_count_, self.class_prior, self.fit_prior)

    def _joint(self) -> Any:
        offset = np.concatenate([[0], np.cumsum([part.shape[1] for part in self.feature_log_prob_])])
        table = np.ascontiguousarray(np.hstack(self.feature_log_prob_).T)
        return table_scores, Table(offset.astype(np.int64), table, self.class_log_prior_)

    def parameter_count(self) -> int:
        """Return the number of free parameters: the class priors and a distribution per class and attribute."""
        self._query()
        return len(self.classes_) - 1 + len(self.classes_) * int((self.n_categories_ - 1).sum())

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the probabilities of every class as a heat table; return the axes."""
        from novum.naive_bayes.plots import plot_class_tables

        return plot_class_tables(self, ax=ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
