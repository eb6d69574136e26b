"""The only door to scikit-learn's private and experimental parts. Everything else imports its public names.

When a new release of scikit-learn moves one of these, this file changes and nothing else. The callback machinery is
imported when first needed: it brings the whole of rich with it, which a plain fit does not need; so are the trees.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.metadata_routing import _manual_routing as manual_routing
from sklearn.utils.metadata_routing import _raise_for_params as raise_for_params
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import _assert_all_finite as assert_all_finite
from sklearn.utils.validation import _check_categorical_features as check_categorical_features
from sklearn.utils.validation import _check_feature_names as check_feature_names
from sklearn.utils.validation import _check_feature_names_in as feature_names_in
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_monotonic_cst as check_monotonic_cst
from sklearn.utils.validation import _check_n_features as check_n_features
from sklearn.utils.validation import _check_psd_eigenvalues as check_psd_eigenvalues
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _check_y as check_y
from sklearn.utils.validation import _num_samples as num_samples

from novum.runtime.typing import Target

__all__ = [
    "NODE_DTYPE",
    "PREDICTOR_RECORD_DTYPE",
    "AutoPropagatedCallback",
    "BaseComposition",
    "CallbackContext",
    "CallbackSupportMixin",
    "FitCallback",
    "KNeighborsMixin",
    "ListenerHandle",
    "RadiusNeighborsMixin",
    "WordCounter",
    "as_configured",
    "assert_all_finite",
    "callback_management_context",
    "check_categorical_features",
    "check_feature_names",
    "check_method_params",
    "check_monotonic_cst",
    "check_n_features",
    "check_ngrams",
    "check_parameters",
    "check_psd_eigenvalues",
    "check_sample_weight",
    "check_y",
    "close_listener",
    "feature_names_in",
    "manual_routing",
    "num_samples",
    "open_listener",
    "raise_for_params",
    "routing_enabled",
    "send_to_listener",
    "take_rows",
]

_LATER = {  # name here: module and name there
    "AutoPropagatedCallback": ("sklearn.callback", "AutoPropagatedCallback"),
    "KNeighborsMixin": ("sklearn.neighbors._base", "KNeighborsMixin"),
    "RadiusNeighborsMixin": ("sklearn.neighbors._base", "RadiusNeighborsMixin"),
    "CallbackContext": ("sklearn.callback", "CallbackContext"),
    "CallbackSupportMixin": ("sklearn.callback", "CallbackSupportMixin"),
    "FitCallback": ("sklearn.callback", "FitCallback"),
    "ListenerHandle": ("sklearn.callback._transport", "ListenerHandle"),
    "callback_management_context": ("sklearn.callback._callback_support", "callback_management_context"),
    "close_listener": ("sklearn.callback._transport", "close_listener"),
    "open_listener": ("sklearn.callback._transport", "open_listener"),
    "send_to_listener": ("sklearn.callback._transport", "send"),
    "NODE_DTYPE": ("sklearn.tree._tree", "NODE_DTYPE"),
    "PREDICTOR_RECORD_DTYPE": ("sklearn.ensemble._hist_gradient_boosting.common", "PREDICTOR_RECORD_DTYPE"),
}


if TYPE_CHECKING:  # scikit-learn carries no types: all of them are Any
    AutoPropagatedCallback: Any
    KNeighborsMixin: Any
    RadiusNeighborsMixin: Any
    CallbackContext: Any
    CallbackSupportMixin: Any
    FitCallback: Any
    ListenerHandle: Any
    callback_management_context: Any
    close_listener: Any
    open_listener: Any
    send_to_listener: Any
    NODE_DTYPE: Any
    PREDICTOR_RECORD_DTYPE: Any
else:

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module 'novum.runtime.sklearn_private' has no attribute {name!r}")
        module, attribute = _LATER[name]
        return getattr(import_module(module), attribute)


class _InOrder(dict):
    """A vocabulary whose terms are sorted."""


class WordCounter:
    """Lets a vectorizer of scikit-learn count words by a method of its own, `count_words`.

    `count_words(documents, vocabulary)` returns a vocabulary and rows of counts; None leaves it to scikit-learn. The
    vocabulary is None where it is to be learned, and then returned in alphabetical order. `check_counts(X)` raises where
    counts do not fit the `dtype` of the matrix, or columns its width.
    """

    def fit_transform(self: Any, raw_documents: Iterable[str], y: Target = None) -> Any:
        """Learn the vocabulary and return the rows of counts, one per document."""
        X = super().fit_transform(raw_documents, y)  # type: ignore[misc]
        self._keep_plain_vocabulary()
        return X

    def fit(self: Any, raw_documents: Iterable[str], y: Target = None) -> Any:
        """Learn the vocabulary."""
        super().fit(raw_documents, y)  # type: ignore[misc]  # that of TfidfVectorizer passes `fit_transform` above by
        self._keep_plain_vocabulary()
        return self

    def _keep_plain_vocabulary(self: Any) -> None:
        if isinstance(self.vocabulary_, _InOrder):
            self.vocabulary_ = dict(self.vocabulary_)

    def _count_vocab(self: Any, raw_documents: Any, fixed_vocab: bool) -> Any:
        documents = list(raw_documents)
        counted = self.count_words(documents, self.vocabulary_ if fixed_vocab else None)
        if counted is None:
            given, self.dtype = self.dtype, np.int64 if np.dtype(self.dtype).kind in "iu" else self.dtype
            try:
                vocabulary, X = super()._count_vocab(documents, fixed_vocab)  # type: ignore[misc]
            finally:
                self.dtype = given
            self.check_counts(X)
            X.data = X.data.astype(given, copy=False)
            return vocabulary, X
        return counted[0] if fixed_vocab else _InOrder(counted[0]), as_configured(counted[1])

    def _limit_features(self, X: Any, vocabulary: Any, high: Any = None, low: Any = None, limit: Any = None) -> Any:
        everything = limit is None and (high is None or high >= X.shape[0]) and (low is None or low <= 1)
        return X if everything else super()._limit_features(X, vocabulary, high, low, limit)  # type: ignore[misc]

    def _sort_features(self, X: Any, vocabulary: Any) -> Any:
        return X if isinstance(vocabulary, _InOrder) else super()._sort_features(X, vocabulary)  # type: ignore[misc]


def as_configured(X: Any) -> Any:
    """Return a sparse array as an array or a matrix, as scikit-learn is configured to."""
    return import_module("sklearn.utils._sparse")._align_api_if_sparse(X)


def check_parameters(estimator: Any) -> None:
    """Raise scikit-learn's error for a parameter of one of its estimators that is out of range."""
    estimator._validate_params()


def check_ngrams(vectorizer: Any) -> None:
    """Raise scikit-learn's error for an `ngram_range` that is none."""
    vectorizer._validate_ngram_range()
