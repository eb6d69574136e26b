"""Shares of the classes in leaves, of one output or of several: what trees and forests of classifiers have in common."""

from typing import Any

import numpy as np

from novum.base.sklearn_base import ClassifierMixin
from novum.fold.batch_results import of_results
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["ClassShares"]


def logarithms(share: Any) -> Any:
    """Return the logarithms of shares, or of a list of them."""
    with np.errstate(divide="ignore"):
        return [arrays.log(one) for one in share] if isinstance(share, list) else arrays.log(share)


class ClassShares(ClassifierMixin):
    """Base of classifiers whose `predict_proba` returns an array, or a list of them, one per output."""

    def predict_log_proba(self: Any, X: Rows) -> Any:
        """Return the logarithms of `predict_proba`; of a share of zero, minus infinity."""
        return of_results(logarithms, self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
