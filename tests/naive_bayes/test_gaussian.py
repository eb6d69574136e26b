"""GaussianNB against the notes' numbers, the definition and scikit-learn."""

import numpy as np
import pytest
import scanfiles
from numpy.testing import assert_allclose
from scipy.stats import norm

from novum import scan
from novum.exceptions import DataError, ParameterError
from novum.naive_bayes import GaussianNB

RNG = np.random.default_rng(0)


@pytest.mark.notes("003", "naive-bayes")
def test_notes_two_classes_on_a_line():
    model = GaussianNB(var_smoothing=0).fit([[1.0], [2], [3], [6], [8]], [0, 0, 0, 1, 1])
    assert_allclose(model.var_.ravel(), [2 / 3, 1], rtol=1e-14)
    joint = np.exp(model.predict_joint_log_proba([[4.0], [4.5]]))
    assert_allclose(joint, [[0.0145957, 0.0017727], [0.0026999, 0.0070113]], rtol=3e-5)
    assert list(model.predict([[4.0], [4.5]])) == [0, 1]


@pytest.mark.notes("001", "gaussian-nb")
def test_variance_is_divided_by_the_class_size():
    model = GaussianNB(var_smoothing=0).fit([[1.0], [2], [4], [0], [1]], [0, 0, 0, 1, 1])
    assert_allclose(model.var_[0], 14 / 9, rtol=1e-14)  # 1.5556, where the notes print the bare sum 4.6667
    assert_allclose(model.theta_[0], 7 / 3, rtol=1e-15)


@pytest.mark.notes("001", "gaussian-nb")
def test_blocks_of_a_file_have_the_moments_of_all_rows(tmp_path):
    frame = scanfiles.table(600, d=2)[["x0", "x1", "number"]].sort_values("x0")  # every block has another mean
    scanfiles.write(frame, tmp_path / "rows.parquet", rows=50)
    model = GaussianNB(var_smoothing=0).fit(scan(tmp_path / "rows.parquet", ["x0", "x1"], "number", batch_rows=50))
    X, y = frame[["x0", "x1"]].to_numpy(), frame["number"].to_numpy()
    assert_allclose(model.theta_, [X[y == c].mean(axis=0) for c in (0, 3)], rtol=1e-12)
    assert_allclose(model.var_, [X[y == c].var(axis=0) for c in (0, 3)], rtol=1e-12)


@pytest.mark.notes("004", "gaussian-naive-bayes")
def test_height_weight_foot():
    male = [[6, 180, 12], [5.92, 190, 11], [5.58, 170, 12], [5.92, 165, 10]]
    female = [[5, 100, 6], [5.5, 150, 8], [5.42, 130, 7], [5.75, 150, 9]]
    model = GaussianNB(var_smoothing=0).fit(male + female, ["male"] * 4 + ["female"] * 4)
    joint = np.exp(model.predict_joint_log_proba([[6.0, 130, 8]]))[0]
    assert_allclose(joint, [4.50553e-4, 6.95783e-11], rtol=2e-6)
    assert model.predict([[6.0, 130, 8]])[0] == "female"


@pytest.mark.notes("001", "gaussian-nb")
@pytest.mark.notes("003", "naive-bayes")
@pytest.mark.notes("004", "gaussian-naive-bayes")
def test_joint_log_against_definition():
    X, y = RNG.normal(size=(50, 21)), RNG.integers(3, size=50)
    model = GaussianNB().fit(X, y)
    brute = np.array(
        [
            [
                np.log(model.class_prior_[c]) + norm.logpdf(x, model.theta_[c], np.sqrt(model.var_[c])).sum()
                for c in range(3)
            ]
            for x in X
        ]
    )
    assert_allclose(model.predict_joint_log_proba(X), brute, rtol=1e-12)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-14)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-14)


@pytest.mark.notes("001", "gaussian-nb")
@pytest.mark.notes("003", "naive-bayes")
@pytest.mark.notes("004", "gaussian-naive-bayes")
@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-10), (np.float32, 2e-4)])
def test_equals_scikit_learn(dtype, rtol):
    from sklearn.naive_bayes import GaussianNB as Peer

    X, y = (RNG.normal(size=(500, 7)) + 1e3).astype(dtype), RNG.integers(4, size=500)
    X += y[:, None].astype(dtype)
    ours, peer = GaussianNB().fit(X, y), Peer().fit(X.astype(np.float64), y)
    assert ours.theta_.dtype == ours.predict_proba(X).dtype == dtype
    assert_allclose(ours.theta_, peer.theta_, rtol=1e-6 if dtype == np.float32 else 1e-13)
    assert_allclose(ours.var_, peer.var_, rtol=rtol)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X.astype(np.float64)), rtol=100 * rtol, atol=rtol)


@pytest.mark.notes("001", "gaussian-nb")
@pytest.mark.parametrize("cuts", [[100], [1, 2, 150], [50, 51, 199]])
def test_portions_equal_one_fit(cuts):
    X, y, w = RNG.normal(size=(200, 5)) * [1, 1e3, 1e-3, 1, 1] + 1e4, RNG.integers(3, size=200), RNG.uniform(size=200)
    whole, parts = GaussianNB().fit(X, y, w), GaussianNB()
    for rows in np.split(np.arange(200), cuts):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=w[rows])
    for name in ("theta_", "var_", "class_prior_", "class_count_", "epsilon_"):
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-10)


def test_far_shift_is_repeated_about_the_class_means():
    y = np.repeat([0, 1], 60_000)
    X = RNG.normal(size=(120_000, 3)) + 1e7 * y[:, None]  # the second class never occurs in the first block
    model = GaussianNB(var_smoothing=0).fit(X, y)
    assert_allclose(model.var_[1], X[y == 1].var(axis=0), rtol=1e-9)


def test_constant_attribute_and_class_without_mass():
    model = GaussianNB().fit([[1.0, 5], [2, 5], [3, 5]], [0, 1, 1], sample_weight=[0, 1, 1])
    assert np.isfinite(model.predict_proba([[1.0, 5]])).all() and model.predict([[1.0, 5]])[0] == 1
    still = GaussianNB().fit([[5.0], [5.0]], [0, 1])
    assert_allclose(still.predict_proba([[5.0]]), [[0.5, 0.5]])


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"priors": [0.5, 0.5, 0.0]}, "Number of priors must match number of classes"),
        ({"priors": [0.5, 0.6]}, "The sum of the priors should be 1"),
        ({"priors": [1.5, -0.5]}, "Priors must be non-negative"),
        ({"var_smoothing": -1.0}, "The 'var_smoothing' parameter of GaussianNB"),
    ],
)
def test_errors(parameters, message):
    with pytest.raises(ParameterError, match=message):
        GaussianNB(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_partial_fit_errors_change_nothing():
    model = GaussianNB()
    with pytest.raises(ParameterError, match="classes must be passed on the first call"):
        model.partial_fit([[1.0]], [0])
    model.partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1])
    before = model.theta_.copy()
    with pytest.raises(DataError, match="do not exist in the initial classes"):
        model.partial_fit([[1.0]], [2])
    with pytest.raises(ParameterError, match="is not the same as on last call"):
        model.partial_fit([[1.0]], [0], classes=[0, 3])
    assert_allclose(model.theta_, before)


def test_prediction_follows_the_fitted_attributes():
    X, y = RNG.normal(size=(60, 2)) + np.repeat([[0, 0], [5, 5]], 30, axis=0), np.repeat([0, 1], 30)
    model = GaussianNB().fit(X, y)
    model.theta_ = model.theta_[::-1]
    assert (model.predict(X) == y).mean() < 0.1
