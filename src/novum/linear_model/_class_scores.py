r"""Linear scores of classes and what follows from them: decisions, probabilities, sparse coefficients.

two classes:  z = coef . x + intercept,   p(class 1) = 1 / (1 + exp(-z)),   decide class 1 where z > 0      (1)
K classes:    z_k = coef_k . x + intercept_k,   p_k = exp(z_k) / sum_j exp(z_j),   decide the largest       (2)
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from novum import _array
from novum.base.estimator import Estimator
from novum.fold.blocks import Block

__all__ = ["LinearClassifier"]


class Scorer(NamedTuple):
    coef: Any  # (1 or K, p), dense or CSR
    intercept: np.ndarray  # (1 or K,)
    classes: np.ndarray


def scores(scorer: Scorer, block: Block) -> Any:
    """Return z of (1) as a column, of (2) as a matrix."""
    X = block.X
    if _array.is_tensor(X):
        coef = scorer.coef.toarray() if scipy.sparse.issparse(scorer.coef) else scorer.coef
        return X @ _array.like(X, np.ascontiguousarray(coef.T)) + _array.like(X, scorer.intercept)
    out = X @ scorer.coef.T
    out = out.toarray() if scipy.sparse.issparse(out) else out
    return out + scorer.intercept


def decision(scorer: Scorer, block: Block) -> Any:
    """Return z, flat for two classes."""
    z = scores(scorer, block)
    return z[:, 0] if z.shape[1] == 1 else z


def log_probability(scorer: Scorer, block: Block) -> Any:
    """Return log p for every row and class."""
    z = scores(scorer, block)
    if z.shape[1] == 1:
        z = _array.concat([0 * z, z])
    return _array.log_softmax(z)


def probability(scorer: Scorer, block: Block) -> Any:
    """Return p for every row and class."""
    return _array.exp(log_probability(scorer, block))


def label(scorer: Scorer, block: Block) -> Any:
    """Return the class decided for every row."""
    z = _array.to_numpy(scores(scorer, block))
    return scorer.classes[(z[:, 0] > 0).astype(np.int64) if z.shape[1] == 1 else z.argmax(axis=1)]


class LinearClassifier(ClassifierMixin, Estimator):
    """Base of classifiers with `coef_`, `intercept_` and `classes_`."""

    coef_: Any
    intercept_: Any
    classes_: np.ndarray

    def _scorer(self) -> Scorer:
        check_is_fitted(self)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), (self.coef_.shape[0],))
        return Scorer(self.coef_, intercept, self.classes_)

    def decision_function(self, X):
        """Return the score of every class, one row per row of X; for two classes that of the second, flat."""
        return self._rows(X, decision, self._scorer())

    def predict(self, X):
        """Return the most probable class of every row."""
        return self._rows(X, label, self._scorer())

    def predict_proba(self, X):
        """Return the probability of every class, one row per row of X."""
        return self._rows(X, probability, self._scorer())

    def predict_log_proba(self, X):
        """Return the logarithm of `predict_proba`, also where that is zero in floating point."""
        return self._rows(X, log_probability, self._scorer())

    def sparsify(self):
        """Turn `coef_` into a CSR matrix: smaller and faster where most coefficients are zero. Returns self."""
        check_is_fitted(self)
        self.coef_ = scipy.sparse.csr_array(self.coef_)
        return self

    def densify(self):
        """Turn `coef_` back into an array. Returns self."""
        check_is_fitted(self)
        if scipy.sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
