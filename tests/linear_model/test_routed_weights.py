"""Weights under metadata routing: a penalty chosen by folds takes them without a request."""

import numpy as np
import pytest
import sklearn
from sklearn import linear_model as peers

from novum.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV


@pytest.mark.parametrize("kind", [RidgeCV, RidgeClassifierCV])
def test_folds_with_weights(kind):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 4)), rng.uniform(0.5, 2, 60)
    y = X[:, 0] + rng.normal(size=60)
    y = (y > 0).astype(int) if kind is RidgeClassifierCV else y
    plain = kind(cv=3).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = kind(cv=3).fit(X, y, sample_weight=weight)
        peer = getattr(peers, kind.__name__)(cv=3).fit(X, y, sample_weight=weight)
    assert routed.alpha_ == peer.alpha_
    np.testing.assert_allclose(np.ravel(routed.coef_), np.ravel(peer.coef_), rtol=1e-6)
    assert plain.coef_.shape == routed.coef_.shape


def test_passes_are_named_as_in_scikit_learn():
    heard = set()

    class Listener:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            heard.add(context.task_name)

        def on_fit_task_end(self, estimator, context):
            return False

        def teardown(self, estimator, context):
            pass

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    LogisticRegression().set_callbacks(Listener()).fit(X, (X[:, 0] > 0).astype(int))
    assert "lbfgs-iter" in heard
