"""Perceptrons from files and Dask, and saved ones: the same numbers as in memory."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import novum
from novum.exceptions import DataError
from novum.neural_network import MLPClassifier, MLPRegressor

quiet = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)


@quiet
def test_files_and_dask_are_memory(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(533, 4))
    y = (rows[:, 0] * rows[:, 1] > 0).astype(int) + (rows[:, 2] > 1)
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list("abcd")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet")
    scan = novum.scan(tmp_path / "rows.parquet", target="y", batch_rows=100)
    options = {"hidden_layer_sizes": (6,), "shuffle": False, "batch_size": 32, "max_iter": 4, "random_state": 0}
    memory = MLPClassifier(**options).fit(frame[list("abcd")], y)
    read = MLPClassifier(**options).fit(scan)
    np.testing.assert_allclose(read.loss_curve_, memory.loss_curve_, rtol=1e-12)
    np.testing.assert_allclose(read.coefs_[0], memory.coefs_[0], atol=1e-12)
    dask = pytest.importorskip("dask.array")
    chunks = MLPClassifier(**options).fit(dask.from_array(rows, (77, 4)), dask.from_array(y, 77))
    np.testing.assert_allclose(chunks.coefs_[0], memory.coefs_[0], atol=1e-12)
    np.testing.assert_array_equal(
        chunks.predict(dask.from_array(rows, (50, 4))).compute(), memory.predict(frame[list("abcd")])
    )
    whole = [
        MLPClassifier((6,), solver="lbfgs", max_iter=8, random_state=0).fit(*d)
        for d in ((scan,), (frame[list("abcd")], y))
    ]
    np.testing.assert_allclose(whole[0].coefs_[0], whole[1].coefs_[0], atol=1e-7)
    shuffled = MLPClassifier(**options | {"shuffle": True}).fit(scan)
    assert not np.allclose(shuffled.coefs_[0], memory.coefs_[0], atol=1e-4)
    with pytest.raises(DataError, match="early_stopping"):
        MLPClassifier(early_stopping=True).fit(scan)
    regress = MLPRegressor(**options).fit(scan)
    np.testing.assert_allclose(
        regress.coefs_[0], MLPRegressor(**options).fit(frame[list("abcd")], y).coefs_[0], atol=1e-12
    )


@quiet
def test_saved_networks_say_the_same(tmp_path):
    for model in (
        MLPClassifier((4, 3), batch_norm=True, max_iter=3, random_state=0).fit(X, Y),
        MLPClassifier((4,), n_init=2, combine="average", max_iter=3, random_state=0).fit(X, Y),
        MLPClassifier((4,), max_iter=3, early_stopping=True, random_state=0).fit(
            X, np.column_stack([Y == 1, Y == 2]) * 1
        ),
        MLPRegressor("poisson", (4,), dropout=0.3, max_iter=3, random_state=0).fit(X, Y),
    ):
        novum.save(model, tmp_path / "net.novum")
        again = novum.load(tmp_path / "net.novum")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        if not model.early_stopping and model.n_init == 1:  # training goes on from where it was
            y = Y
            assert np.array_equal(again.partial_fit(X, y).coefs_[0], model.partial_fit(X, y).coefs_[0])
