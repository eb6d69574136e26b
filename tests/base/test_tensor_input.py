"""Plain float64 tensors, with and without gradients: every estimator answers or refuses by name."""

import numpy as np
import pytest
from contract.cases import data, estimators, quick

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
