"""What naive Bayes on counts shares: smoothing, class priors, `fit` and `partial_fit` as one fold, scores linear in the rows."""

from numbers import Real as Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Bool, Domain, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.generative import BayesRule, LinearForm
from novum.base.validation import open_rows
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.fold.blocks import Source
from novum.naive_bayes.counts import (
    Counts,
    Plan,
    best_score,
    class_counts,
    linear_scores,
    merge_counts,
    scores_of,
    sparse_counts,
)
from novum.report.numbers import counted
from novum.runtime.threads import thread_count
from novum.runtime.typing import Numbers, Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["COMMON_DOMAINS", "DiscreteNB", "PartialFit", "class_log_prior", "smoothing", "total_of"]

MOST_ALPHA = 1e300  # of all features together
LEAST_ALPHA = 1e-10  # what `force_alpha=False` raises smaller values to, as in scikit-learn
SPARSE_BLOCKS = 4  # pieces in which sparse rows are scored: their work is short, and a piece costs a call
SHORT_WORK = 2**19  # entries that are scored at once: to wake a second thread would take as long


COMMON_DOMAINS: dict[str, Domain] = {
    "alpha": Real(0) | ArrayLike(),
    "force_alpha": Bool(),
    "fit_prior": Bool(),
    "class_prior": ArrayLike() | Null(),
}


def smoothing(alpha: Any, force_alpha: bool, d: int) -> Any:
    """Return alpha as a number or an array (d,) after scikit-learn's checks."""
    values: Any = float(alpha) if isinstance(alpha, Number) else np.asarray(alpha, np.float64)
    if isinstance(values, np.ndarray):
        if values.shape != (d,):
            raise ParameterError(
                f"When alpha is an array, it should contains `n_features`. Got {values.shape[0] if values.ndim else 0}"
                f" elements instead of {d}."
            )
        if values.min() < 0:
            raise ParameterError("All values in alpha must be greater than 0.")
    if total_of(values, d) > MOST_ALPHA:
        raise ParameterError(
            f"alpha={alpha!r:.80} is too large: added to the counts of {counted(d, 'feature')} it leaves the "
            "range of floating point. Give"
            f" a pseudo-count near one."
        )
    if not force_alpha and np.min(values) < LEAST_ALPHA:
        warn(
            f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use `force_alpha=True` to"
            " keep alpha unchanged.",
            DataWarning,
        )
        return np.maximum(values, LEAST_ALPHA)
    return values


def total_of(alpha: Any, d: int) -> float:
    """Return the sum of alpha over d features."""
    return float(np.sum(alpha)) if np.ndim(alpha) else float(alpha) * d


def class_log_prior(mass: NDArray, class_prior: Any, fit_prior: bool) -> NDArray:
    """Return the logarithms of the class probabilities: those given, the shares of the data, or equal ones."""
    k = len(mass)
    with np.errstate(divide="ignore"):  # a class of probability zero
        if class_prior is not None:
            given = np.asarray(class_prior, np.float64)
            if given.shape != (k,):
                raise ParameterError(
                    f"Number of priors must match number of classes. class_prior has {given.size}, y has {counted(k, 'class')}."
                )
            return np.log(given)
        return np.log(mass) - np.log(mass.sum()) if fit_prior else np.full(k, -np.log(k))


class PartialFit(Estimator):
    """`fit` and `partial_fit` for learners whose counts add; a subclass counts (`_count`) and solves (`_learn`)."""

    _sums_show_gaps = False  # whether a cell that is not finite makes counts that are not; else rows are checked first

    def _count(self, source: Source, k: int, first: bool) -> None:
        """Add the counts of a source to the state, or begin with them."""
        raise NotImplementedError

    def _learn(self) -> None:
        """Turn counts into parameters."""
        raise NotImplementedError

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit from scratch.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes", defer=self._sums_show_gaps, sparse_too=True)
        self.classes_, coded = labels_of(source)
        self._count(coded, len(self.classes_), True)
        self._learn()
        return self

    @fits
    def partial_fit(
        self, X: Rows, y: Target = None, classes: Numbers | None = None, sample_weight: RowWeights = None
    ) -> Self:
        """Learn from one more portion; the result is that of `fit` on all portions together.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like of shape (n_classes,)
            All labels that can ever occur; needed at the first call.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit. Give every label that can occur."
            )
        known = np.unique(np.asarray(classes)) if classes is not None else self.classes_
        if not first and not np.array_equal(known, self.classes_):
            raise ParameterError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
                f" {type(self).__name__} learns a fixed set of classes; name them all at the first call."
            )
        source = self._source(X, y, sample_weight, target="classes", reset=first, defer=self._sums_show_gaps)
        self.classes_, coded = labels_of(source, known)
        self._count(coded, len(known), first)
        self._learn()
        return self


class DiscreteNB(BayesRule, PartialFit):
    """Naive Bayes whose scores are linear in the rows; a subclass gives weights and bias from counts."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: NDArray[Any]
    feature_count_: NDArray[Any]
    _best = staticmethod(best_score)
    _positive_only = True
    _sums_show_gaps = True
    _takes_gaps = False
    class_log_prior_: np.ndarray
    feature_log_prob_: np.ndarray

    def _threshold(self) -> float | None:
        return None

    def _log_prob(self, alpha: Any) -> NDArray:
        """Return `feature_log_prob_` from the counts."""
        raise NotImplementedError

    def _weights_and_bias(self) -> tuple[NDArray, NDArray]:
        """Return the linear form of the scores."""
        return self.feature_log_prob_, self.class_log_prior_

    def _count(self, source: Source, k: int, first: bool) -> None:
        plan = Plan(k, self._threshold())
        found: Counts
        if source.sparse:
            X: Any = source.in_memory()
            found = sparse_counts(plan, X.array(), np.asarray(X.y), X.weight, min(k, thread_count(X.n_jobs)))
        else:
            found = source.total(class_counts, plan, merge_counts)
        source.check_results(found.counts)
        if self._positive_only and found.least < 0:
            raise DataError(
                f"Negative values in data passed to {type(self).__name__} (input X): the least is {found.least:g}. Give"
                " counts or shares, zero or more."
            )
        self.class_count_ = found.mass if first else self.class_count_ + found.mass
        self.feature_count_ = found.counts if first else self.feature_count_ + found.counts

    def _learn(self) -> None:
        alpha = smoothing(self.alpha, self.force_alpha, self.n_features_in_)
        with np.errstate(divide="ignore", invalid="ignore"):  # no smoothing: the logarithm of zero; an empty class
            self.feature_log_prob_ = self._log_prob(alpha)
        self.class_log_prior_ = class_log_prior(self.class_count_, self.class_prior, self.fit_prior)

    def _joint(self) -> Any:
        return scores_of, linear_scores(*self._weights_and_bias(), self._threshold())

    def _rows(self, X: Rows, function: Any, params: Any = None, verify: bool = True, *, shows: bool = False) -> Any:
        source = open_rows(self, X, defer=not verify, sparse_too=True)
        if source.sparse:
            pieces = SPARSE_BLOCKS if source.array().nnz > SHORT_WORK else 1
            source = source.cut(lambda n, _: -(-n // pieces))
        return source.rows(function, params)

    def linear_form(self) -> LinearForm:
        """Return weights and bias per class: the classifier as a log-linear one."""
        self._query()
        return LinearForm(*self._weights_and_bias())

    def parameter_count(self) -> int:
        """Return the number of free parameters: the class priors and the probabilities of every class."""
        self._query()
        return len(self.classes_) - 1 + len(self.classes_) * self._per_class()

    def _per_class(self) -> int:
        return self.n_features_in_ - 1

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the probabilities of every class as a heat table, class by feature; return the axes."""
        from novum.naive_bayes.plots import plot_class_tables

        return plot_class_tables(self, ax=ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._positive_only
        tags.classifier_tags.poor_score = True
        return tags
