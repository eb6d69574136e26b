"""Two files of equal models are equal, byte by byte: what a study says of sizes can be repeated, and files can be compared."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novum
from novum.cluster import KMeans
from novum.ensemble import RandomForestClassifier
from novum.linear_model import LogisticRegression
from novum.svm import SVC

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_pipeline(StandardScaler(), LogisticRegression()),
        lambda: RandomForestClassifier(5, random_state=0),
        lambda: SVC(),
        lambda: KMeans(2, random_state=0),
    ],
    ids=["pipeline", "forest", "SVC", "KMeans"],
)
def test_equal_models_give_equal_files(make, tmp_path):
    held = [np.empty(k) for k in range(50)]  # memory that moves what comes after
    first = novum.save(make().fit(X, Y), tmp_path / "a.novum").read_bytes()
    held.append(np.empty(10**5))
    second = novum.save(make().fit(X, Y), tmp_path / "b.novum").read_bytes()
    assert first == second
    again = novum.load(tmp_path / "b.novum")
    assert novum.save(again, tmp_path / "c.novum").stat().st_size == len(second)
    np.testing.assert_array_equal(again.predict(X), make().fit(X, Y).predict(X))
