"""What all clusterers share that label the rows they were fitted on, and no others."""

from typing import TYPE_CHECKING, Any

from novum.base.estimator import Estimator
from novum.base.sklearn_base import ClusterMixin

__all__ = ["LabelModel"]


class LabelModel(ClusterMixin, Estimator):
    """Base of the clusterers whose result is `labels_` alone."""

    if not TYPE_CHECKING:  # a checker would take every attribute for known

        def __getattr__(self, name: str) -> Any:
            """Say why there is no `predict`; `hasattr` answers False, as the contract of scikit-learn wants it."""
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name == "predict":
                text += (
                    ": it labels the rows it was fitted on. Take labels_ or fit_predict(X); for new rows fit a classifier on X and"
                    " labels_ (novum.neighbors.KNeighborsClassifier, say), or cluster by KMeans."
                )
            raise AttributeError(text, name=name, obj=self)
