"""The only door to scikit-learn's private and experimental parts. Everything else imports its public names.

When a new release of scikit-learn moves one of these, this file changes and nothing else.
"""

from sklearn.callback import AutoPropagatedCallback, CallbackContext, CallbackSupportMixin, FitCallback
from sklearn.callback._callback_support import callback_management_context
from sklearn.callback._transport import ListenerHandle, close_listener, open_listener
from sklearn.callback._transport import send as send_to_listener
from sklearn.utils.validation import (
    _assert_all_finite as assert_all_finite,
)
from sklearn.utils.validation import (
    _check_feature_names as check_feature_names,
)
from sklearn.utils.validation import (
    _check_n_features as check_n_features,
)
from sklearn.utils.validation import (
    _check_sample_weight as check_sample_weight,
)
from sklearn.utils.validation import (
    _check_y as check_y,
)

__all__ = [
    "AutoPropagatedCallback",
    "CallbackContext",
    "CallbackSupportMixin",
    "FitCallback",
    "ListenerHandle",
    "assert_all_finite",
    "callback_management_context",
    "check_feature_names",
    "check_n_features",
    "check_sample_weight",
    "check_y",
    "close_listener",
    "open_listener",
    "send_to_listener",
]
