r"""Least squares on indicator targets: linear regression used as a classifier.

    T_ik = 1 if row i is of class k, else 0;   minimise sum_ik w_i (T_ik - a_k - b_k'x_i)^2;   predict the largest    (1)
    two classes: targets -1 and +1, predict the sign; the same boundary, as the two functions of (1) sum to one       (2)

With an intercept the K fitted functions sum to one in every row, but they are no probabilities: they leave [0, 1]. Rows far on
the right side of the boundary count as errors and pull it over (outliers); with three classes in line the middle function is
nowhere the largest (masking). Logistic regression and linear discriminants have neither defect. The normal equations are those
of novum.linear_model.least_squares.solve: one pass, wherever the data live. Derivation: docs/theory/online_learning.md.
"""

from typing import Any, Self

import numpy as np

from novum.base.classes import labels_of
from novum.base.domains import Bool, Domain
from novum.base.estimator import Estimator, fits
from novum.linear_model.decisions import LinearDecisions
from novum.linear_model.least_squares.solve import solve
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["LeastSquaresClassifier"]


class Indicators:
    """Codes of classes to the targets of (1) or (2), one block at a time."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def __call__(self, code: Any) -> Any:
        """Return the targets, one column per function."""
        codes = code.reshape(-1)
        if self.n_classes == 2:
            return 2 * arrays.double(codes == 1)[:, None] - 1
        return arrays.double(codes[:, None] == arrays.like(codes, np.arange(self.n_classes), "int64"))


class LeastSquaresClassifier(LinearDecisions, Estimator):
    """Linear regression of class indicators; predicts the class of the largest.

    Parameters
    ----------
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        One function for two classes, whose targets are -1 and +1; one per class for more, with targets 0 and 1.
    intercept_ : array of shape (1,) or (n_classes,)
    classes_ : array of shape (n_classes,)
    rank_ : int
        Rank of the design.

    Examples
    --------
    Three classes in line: the middle one is masked.

    >>> import numpy as np
    >>> from novum.linear_model import LeastSquaresClassifier
    >>> X = np.array([[-3.0], [-2], [0], [0.5], [2], [3]])
    >>> LeastSquaresClassifier().fit(X, [0, 0, 1, 1, 2, 2]).predict(X)
    array([0, 0, 0, 2, 2, 2])
    """

    _domains: dict[str, Domain] = {"fit_intercept": Bool()}
    rank_: int

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        targets = coded.map_target(Indicators(k))
        targets.n_targets = 1 if k == 2 else k
        solution = solve(targets, fit_intercept=self.fit_intercept)
        self.coef_ = solution.coef.astype(source.dtype)
        self.intercept_ = solution.intercept.astype(source.dtype)
        self.rank_ = solution.rank
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
