"""Find-S as a classifier: the most specific conjunction that covers all positives, eq. (1) of `conjunctions`."""

from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import column_or_1d

from novum.base.domains import Domain
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError
from novum.runtime.typing import Rows, Target
from novum.theory.conjunctions import covers, generalize, rows_of

__all__ = ["FindS"]


class FindS(ClassifierMixin, Estimator):
    """The most specific conjunction of attribute values that is true of all positives.

    Negatives are not looked at while learning; `consistent_` says afterwards whether the conjunction leaves them all out. If
    not, no conjunction does.

    Attributes
    ----------
    hypothesis_ : tuple or None
        A value per attribute, or "?" where any will do; None, which covers nothing, without a positive.
    classes_ : array of shape (2,)
        The second is the concept.
    consistent_ : bool
        Whether every row of the fit gets its label.
    n_features_in_ : int

    Examples
    --------
    >>> from novum.theory import FindS
    >>> X = [["sunny", "warm", "high"], ["sunny", "warm", "normal"], ["rainy", "cold", "high"]]
    >>> model = FindS().fit(X, [True, True, False])
    >>> model.hypothesis_, model.predict([["sunny", "warm", "low"]])
    (('sunny', 'warm', '?'), array([ True]))
    """

    _domains: dict[str, Domain] = {}
    hypothesis_: tuple[Any, ...] | None
    classes_: np.ndarray
    consistent_: bool

    @fits
    def fit(self, X: Rows, y: Target) -> Self:
        """Generalize from the positives.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_attributes)
            Values of any kind; two are the same where they are equal.
        y : array-like of shape (n_samples,)
            Labels of one or two classes.
        """
        rows, labels = rows_of("FindS", X), column_or_1d(y)
        if not rows:
            raise DataError("FindS: Found array with 0 sample(s); give at least one example.")
        if len(rows) != len(labels):
            raise DataError(f"FindS: {len(rows)} rows and {len(labels)} labels; give one label per row.")
        check_classification_targets(labels)
        self.classes_ = unique_labels(labels)
        if len(self.classes_) > 2:
            raise DataError(f"FindS: y has {len(self.classes_)} classes; a concept is one class against the other.")
        self.n_features_in_ = len(rows[0])
        positive = labels == self.classes_[-1]
        if len(self.classes_) == 1 and self.classes_.dtype.kind in "bif":
            positive = labels > 0  # False, 0 and -1 alone are no concept
        found: Any = None
        for row, is_positive in zip(rows, positive):
            found = generalize(found, row) if is_positive else found
        self.hypothesis_ = found
        self.consistent_ = all(covers(found, row) == is_positive for row, is_positive in zip(rows, positive))
        return self

    def predict(self, X: Rows) -> Any:
        """Return the concept's label for every row that the conjunction covers, the other label for the rest."""
        check_is_fitted(self)
        rows = rows_of("FindS", X)
        if any(len(row) != self.n_features_in_ for row in rows):
            raise DataError(
                f"X has {len(rows[0])} features, but FindS is expecting {self.n_features_in_} features as input."
            )
        return self.classes_[np.array([-1 if covers(self.hypothesis_, row) else 0 for row in rows], dtype=np.int64)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # rows of categories, not of numbers
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.classifier_tags.multi_class = False
        return tags
