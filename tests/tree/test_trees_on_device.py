"""Single trees fitted on tensors that count as elsewhere: those of memory where a column has few values, of files under a limit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError, ParameterError
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
N = 1200
X = RNG.normal(size=(N, 4))
Y = X[:, 0] ** 2 + X[:, 1] + 0.3 * RNG.normal(size=N)
LABELS = np.digitize(Y, [0, 1.5])
WEIGHT = RNG.integers(0, 3, N).astype(float)
TREES = [
    (DecisionTreeClassifier, LABELS),
    (DecisionTreeRegressor, Y),
    (ExtraTreeClassifier, LABELS),
    (ExtraTreeRegressor, Y),
]


def there(model, rows, y, weight=None):
    weight = None if weight is None else torch.as_tensor(weight)
    with elsewhere(10**5):
        return model.fit(torch.as_tensor(rows), torch.as_tensor(y), sample_weight=weight)


def same_tree(one, other):
    for name in ("feature", "threshold", "children_left", "children_right", "n_node_samples", "missing_go_to_left"):
        assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
    assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-12, atol=1e-13)
    assert_allclose(one.tree_.impurity, other.tree_.impurity, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("cls", "y"), TREES)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weights"])
def test_few_values_give_the_tree_of_memory(cls, y, weight):
    rows = np.round(8 * X)
    rows[RNG.random(X.shape) < 0.02] = np.nan
    for more in ({"max_features": 2}, {"max_depth": 6, "ccp_alpha": 0.002}):
        one = there(cls(random_state=3, min_samples_leaf=4, **more), rows, y, weight)
        same_tree(one, cls(random_state=3, min_samples_leaf=4, **more).fit(rows, y, sample_weight=weight))


@pytest.mark.parametrize(("cls", "y"), TREES[:2])
def test_a_limit_of_leaves_gives_the_tree_of_files(cls, y, tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    source = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy")
    one = there(cls(random_state=0, max_leaf_nodes=25), X, y)
    same_tree(one, cls(random_state=0, max_leaf_nodes=25).fit(source))
    assert one.get_n_leaves() == 25


def test_many_values_cost_little():
    new = RNG.normal(size=(4000, 4))
    truth = new[:, 0] ** 2 + new[:, 1]
    one = there(DecisionTreeRegressor(min_samples_leaf=10), X, Y)
    other = DecisionTreeRegressor(min_samples_leaf=10).fit(X, Y)
    errors = [np.mean((model.predict(new) - truth) ** 2) for model in (one, other)]
    assert abs(errors[0] / errors[1] - 1) < 0.1


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"branching": "multiway"}, "branching='multiway'.* on a device"),
        ({"missing": "fractional"}, "missing='fractional'"),
        ({"pruning": "reduced_error"}, "pruning='reduced_error'"),
        ({"criterion": "gain_ratio"}, "criterion='gain_ratio'"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
        ({"categorical_features": [0]}, "categorical_features"),
    ],
)
def test_what_needs_memory_is_said(options, match):
    with pytest.raises(ParameterError, match=match):
        there(DecisionTreeClassifier(**options), X, LABELS)


def test_what_looks_at_all_rows_refuses():
    with elsewhere(10**5), pytest.raises(DataError, match="looks at rows in memory"):
        DecisionTreeRegressor().pruning_curve(torch.as_tensor(X), torch.as_tensor(Y))
