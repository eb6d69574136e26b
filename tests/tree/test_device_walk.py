"""Trees and forests fitted in memory, asked about rows on a device: the leaves, means and labels of memory, to the last bit."""

import numpy as np
import pytest

from novum.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from novum.exceptions import DataError
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep


def rows(dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) - np.nan_to_num(X[:, 1]) ** 2


def agrees(model, X, *methods):
    there = torch.tensor(X)
    for name in methods:
        expected = getattr(model, name)(X)
        with elsewhere():
            found = getattr(model, name)(there)
        for a, b in zip(*((v if isinstance(v, list) else [v]) for v in (expected, found)), strict=True):
            assert b.numpy().dtype == a.dtype, name
            if name.endswith("log_proba"):  # the logarithm is that of the device
                np.testing.assert_allclose(b.numpy(), a, rtol=4 * np.finfo(a.dtype).eps)
            else:
                assert (b.numpy() == a).all(), name


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers(dtype):
    X, y = rows(dtype)
    two = np.column_stack([y, -y])
    for target in (y, two):
        agrees(DecisionTreeRegressor(random_state=0).fit(X, target), X, "predict", "apply")
        agrees(RandomForestRegressor(9, random_state=0).fit(X, target), X, "predict", "apply")
    agrees(ExtraTreesRegressor(5, random_state=0, max_depth=4).fit(np.nan_to_num(X), y), np.nan_to_num(X), "predict")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_classes(dtype):
    X, y = rows(dtype)
    code = np.digitize(y, [-1.0, 0.5]) * 3
    both = np.column_stack([code, (y > 0).astype(int)])
    for target in (code, both):
        for model in (DecisionTreeClassifier(max_depth=6), RandomForestClassifier(7, random_state=0)):
            agrees(model.fit(X, target), X, "predict", "predict_proba", "predict_log_proba", "apply")


def test_walks_are_cut_and_a_root_alone_is_a_leaf(monkeypatch):
    from novum.engines.trees.device import walk

    X, y = rows()
    monkeypatch.setattr(walk, "AT_ONCE", 100)
    agrees(RandomForestRegressor(9, random_state=0).fit(X, y), X, "predict", "apply")
    agrees(DecisionTreeRegressor().fit(X, np.ones(len(X))), X, "predict", "apply")


def test_labels_that_are_text_come_as_an_array():
    X, y = rows()
    model = RandomForestClassifier(3, random_state=0).fit(X, np.where(y > 0, "up", "down"))
    with elsewhere(most=len(X)):
        found = model.predict(torch.tensor(X))
    assert (found == model.predict(X)).all()


def test_categories_are_refused_in_words():
    X = np.random.default_rng(0).integers(0, 4, size=(80, 2)).astype(float)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(X, X[:, 0] % 2)
    with elsewhere(), pytest.raises(DataError, match=r"give X\.cpu\(\)"):
        tree.predict(torch.tensor(X))
