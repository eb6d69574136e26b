"""`random_state=None` follows NumPy's global state, as in scikit-learn: `np.random.seed` makes a script repeat."""

import numpy as np
import pytest
import scipy.sparse
from contract.cases import estimators
from sklearn.base import clone

DRAWS = [model for model in estimators() if "random_state" in model.get_params()]


def answers(model, X, y):
    """Return what can be asked of a model after fitting it to some rows."""
    model.fit(X, y)
    for method in ("predict_proba", "decision_function", "predict", "transform", "score_samples"):
        if hasattr(model, method):
            found = getattr(model, method)(X)
            return found.toarray() if scipy.sparse.issparse(found) else np.asarray(found)
    return np.concatenate([np.ravel(v) for k, v in sorted(vars(model).items()) if k.endswith("_") and np.ndim(v)])


@pytest.mark.parametrize("model", DRAWS, ids=[type(model).__name__ for model in DRAWS])
@pytest.mark.filterwarnings("ignore")
def test_a_seed_of_the_global_state_repeats_a_fit(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    X[:45] += 3
    y = (X[:, 0] > 1.5).astype(int)
    model = clone(model).set_params(random_state=None)
    try:
        np.random.seed(5)  # noqa: NPY002 - what users type
        first = answers(model, X, y)
    except (ValueError, TypeError):
        pytest.skip("takes other data")
    np.random.seed(5)  # noqa: NPY002 - what users type
    np.testing.assert_array_equal(answers(clone(model), X, y), first)
