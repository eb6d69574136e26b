import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import accuracy_score, r2_score

from novum.base.scores import ClassifierMixin, RegressorMixin


class Guesser(ClassifierMixin):
    def predict(self, X):
        return X


class Predictor(RegressorMixin):
    def predict(self, X):
        return X


RNG = np.random.default_rng(7)
LABELS = [
    (RNG.integers(0, 3, 50), RNG.integers(0, 3, 50)),
    (RNG.integers(0, 2, 50).astype(bool), RNG.integers(0, 2, 50).astype(bool)),
    (RNG.choice(["a", "bb"], 40), RNG.choice(["a", "bb"], 40)),
    (RNG.integers(0, 3, 50).astype(float), RNG.integers(0, 3, 50)),
    (list(RNG.integers(0, 3, 50)), RNG.integers(0, 3, 50)),
    (RNG.integers(0, 2, (30, 2)), RNG.integers(0, 2, (30, 2))),
    (RNG.integers(-5, 3, 50).astype(np.int8), RNG.integers(0, 3, 50)),
]
TARGETS = [
    (RNG.normal(size=50), RNG.normal(size=50)),
    (RNG.integers(0, 9, 50), RNG.normal(size=50)),
    (RNG.integers(0, 9, 50).astype(np.uint8), RNG.normal(size=50)),
    (RNG.normal(size=50).astype(np.float32), RNG.normal(size=50).astype(np.float32)),
    (1e8 + RNG.normal(size=50), 1e8 + RNG.normal(size=50)),
    (list(RNG.normal(size=50)), RNG.normal(size=50)),
    (RNG.normal(size=(30, 2)), RNG.normal(size=(30, 2))),
    (np.full(20, 3.0), RNG.normal(size=20)),
    (np.full(20, 3.0), np.full(20, 3.0)),
    (1e160 * RNG.normal(size=20), RNG.normal(size=20)),
]


@pytest.mark.parametrize(("y", "found"), LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_accuracy_is_that_of_scikit_learn(y, found, weighted):
    weight = RNG.random(len(y)) if weighted else None
    assert Guesser().score(found, y, weight) == pytest.approx(accuracy_score(y, found, sample_weight=weight), rel=1e-15)


@pytest.mark.parametrize(("y", "found"), TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid:RuntimeWarning")
def test_r2_is_that_of_scikit_learn(y, found, weighted):
    weight = RNG.random(len(y)) if weighted else None
    expected = r2_score(y, found, sample_weight=weight)
    assert Predictor().score(found, y, weight) == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_what_scikit_learn_refuses_is_refused():
    with pytest.raises(ValueError, match="continuous"):
        Guesser().score(np.array([0, 1]), np.array([0.5, 1.5]))
    with pytest.raises(ValueError, match="inconsistent"):
        Guesser().score(np.array([0, 1]), np.array([0, 1, 1]))
    with pytest.raises(ValueError, match="NaN"):
        Predictor().score(np.array([0.0, 1.0]), np.array([0.0, np.nan]))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(Predictor().score(np.array([1.0]), np.array([1.0])))
