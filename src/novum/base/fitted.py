"""Whether an estimator was fitted: scikit-learn's check, asked only where the answer is not plain."""

from typing import Any

from sklearn.utils import validation

__all__ = ["check_is_fitted"]


def check_is_fitted(estimator: Any, attributes: Any = None, **options: Any) -> None:
    """Raise NotFittedError unless the estimator was fitted.

    Every `fit` of ours that succeeds leaves the number of columns, and one that fails leaves nothing: where it is there,
    no more needs to be asked. Every prediction comes through here, and scikit-learn's check takes as long as a small one.
    """
    if attributes is None and "n_features_in_" in vars(estimator) and not hasattr(estimator, "__sklearn_is_fitted__"):
        return
    validation.check_is_fitted(estimator, attributes, **options)
