"""Plain float64 tensors, with and without gradients: every estimator answers or refuses by name."""

import numpy as np
import pytest
from contract.cases import data, estimators, quick

from novum.exceptions import DataError
from novum.naive_bayes import GaussianNB

pytestmark = pytest.mark.deep


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_tensors(estimator, gradient):
    torch = pytest.importorskip("torch")
    X, y = data(estimator, n=60)
    rows, name = torch.tensor(X, requires_grad=gradient), type(estimator).__name__
    try:
        model = quick(estimator).fit(rows, None if y is None else torch.tensor(y))
    except (ValueError, TypeError) as error:
        assert name in str(error)
        model = quick(estimator).fit(X, y)
    for method in ("predict", "predict_proba", "transform", "score_samples", "decision_function"):
        if hasattr(model, method):
            try:
                getattr(model, method)(rows)
            except (ValueError, TypeError) as error:
                assert name in str(error)


def test_probabilities_of_a_far_row_add_up_to_one():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    model = GaussianNB().fit(rng.normal(size=(60, 3)), rng.integers(2, size=60))
    far = np.array([[1e8, 0.0, 0.0], [3e12, 1.0, 0.0]])
    found = model.predict_proba(torch.tensor(far)).numpy()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found, model.predict_proba(far), atol=1e-12)


@pytest.mark.parametrize("far", [1e154, 1e200, 1e307])
def test_far_rows_are_refused_in_every_home(far):
    import torch

    from novum.cluster import KMeans, KMedoids
    from novum.mixture import BayesianGaussianMixture, GaussianMixture

    rows = np.random.default_rng(0).normal(size=(60, 3))
    models = [KMeans(2, random_state=0), KMedoids(2, random_state=0)]
    models += [
        GaussianMixture(2, covariance_type=kind, random_state=0) for kind in ("full", "tied", "diag", "spherical")
    ]
    for model in [*models, BayesianGaussianMixture(n_components=2, max_iter=500, random_state=0)]:
        model.fit(rows)
        for X in (far * rows, torch.tensor(far * rows)):
            for method in ("predict", "predict_proba", "transform"):
                if hasattr(model, method):
                    with pytest.raises(
                        DataError, match=f"{type(model).__name__}: X holds numbers up to .* squares overflow"
                    ):
                        getattr(model, method)(X)
