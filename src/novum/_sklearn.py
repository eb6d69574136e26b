"""The only door to scikit-learn's private and experimental parts. Everything else imports its public names.

When a new release of scikit-learn moves one of these, this file changes and nothing else. The callback machinery is
imported when first asked for: it brings the whole of rich with it, which a plain fit does not need; so are the trees.
"""

from importlib import import_module
from typing import Any

from sklearn.utils.validation import _assert_all_finite as assert_all_finite
from sklearn.utils.validation import _check_feature_names as check_feature_names
from sklearn.utils.validation import _check_n_features as check_n_features
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _check_y as check_y

__all__ = ["assert_all_finite", "check_feature_names", "check_n_features", "check_sample_weight", "check_y"]

_LATER = {  # name here: module and name there
    "AutoPropagatedCallback": ("sklearn.callback", "AutoPropagatedCallback"),
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


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'novum._sklearn' has no attribute {name!r}")
    module, attribute = _LATER[name]
    return getattr(import_module(module), attribute)
