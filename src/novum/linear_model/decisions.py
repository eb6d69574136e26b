r"""Linear functions of classes and what follows from them: decisions, probabilities, coefficients that can be kept sparse.

two classes:  f(x) = w'x + b, the second class where f > 0;    K classes: the largest f_k                     (1)
    p(second class) = 1 / (1 + exp(-f));    p_k = exp(f_k) / sum_j exp(f_j)                                   (2)
"""

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.fold.blocks import Block
from novum.linear_model.least_squares.model import Line, predict_block
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["LinearDecisions", "LinearProbabilities", "SparseCoefficients", "dense_coef"]


class Decision(NamedTuple):
    line: Line
    classes: np.ndarray


def dense_coef(coef: Any) -> np.ndarray:
    """Return coefficients as an array, whether or not they were made sparse."""
    return coef.toarray() if scipy.sparse.issparse(coef) else coef


def label(decision: Decision, block: Block) -> Any:
    """Return the class (1) of every row."""
    f = predict_block(decision.line, block)
    if decision.line.flat and len(decision.classes) == 2:
        return arrays.class_of(decision.classes, arrays.whole(f > 0))
    return arrays.class_of(decision.classes, arrays.argmax(f.reshape(len(f), -1)))


def log_probability(line: Line, block: Block) -> Any:
    """Return the logarithm of (2) for every row and class."""
    f = predict_block(line._replace(flat=False), block)
    return arrays.log_softmax(arrays.concat([0 * f, f]) if line.flat else f)


def probability(line: Line, block: Block) -> Any:
    """Return (2) for every row and class."""
    return arrays.exp(log_probability(line, block))


class SparseCoefficients:
    """Coefficients that can be turned into a CSR matrix and back."""

    coef_: Any

    def sparsify(self) -> Self:
        """Turn `coef_` into a CSR matrix: less memory where most coefficients are zero."""
        check_is_fitted(self)
        self.coef_ = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Turn `coef_` back into an array; needed before another fit."""
        check_is_fitted(self)
        self.coef_ = dense_coef(self.coef_)
        return self


class LinearDecisions(SparseCoefficients, ClassifierMixin, Estimator):
    """Classifiers with one linear function for two classes, one per class for more."""

    classes_: np.ndarray
    intercept_: np.ndarray

    def _decision_line(self) -> Line:
        check_is_fitted(self)
        coef = dense_coef(self.coef_)
        return Line(coef, np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1]), len(coef) == 1)

    def decision_function(self, X: Rows) -> Any:
        """Return f of every row, (n_samples,) for two classes and (n_samples, n_classes) for more."""
        return self._rows(X, predict_block, self._decision_line())

    def predict(self, X: Rows) -> Any:
        """Return the class of every row."""
        return self._rows(X, label, Decision(self._decision_line(), self.classes_))


class LinearProbabilities(LinearDecisions):
    """The same with the probabilities (2)."""

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, one row per row of X."""
        return self._rows(X, probability, self._decision_line())

    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithm of `predict_proba`, also where that is zero in floating point."""
        return self._rows(X, log_probability, self._decision_line())
