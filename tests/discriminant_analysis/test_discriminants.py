"""Linear and quadratic discriminants: the notes' numbers, scikit-learn's classes, the definition, every home of data."""

import dask.array as da
import numpy as np
import pytest
import sklearn.discriminant_analysis as peer
from artists import canvas, contours, curve, scatters
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.covariance import LedoitWolf
from sklearn.datasets import load_iris

import novum
from novum.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    parameter_count,
    plot_class_densities,
    plot_posterior_surface,
)
from novum.exceptions import DataError, ParameterError

SEVEN = np.array([[1.0, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7], [7, 6]])
LABELS = np.array([1, 1, 1, 2, 2, 2, 2])


def blobs(n=400, d=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    mix = rng.normal(size=(d, d))
    return rng.normal(size=(n, d)) @ mix + 2 * rng.normal(size=(k, d))[y], y


@pytest.mark.notes("001", "gda-two-class")
@pytest.mark.notes("001", "lda-linear-form")
@pytest.mark.notes("001", "log-odds")
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_two_classes_of_the_notes(solver):
    model = LinearDiscriminantAnalysis(solver=solver, store_covariance=True).fit(SEVEN, LABELS)
    assert_allclose(model.means_, [[2, 8 / 3], [7, 6.5]])
    assert_allclose(model.covariance_, [[0.571429, 0.428571], [0.428571, 0.809524]], atol=5e-7)
    weights, bias = model.linear_form(1, 2)
    assert_allclose(weights, [-8.621951, -0.170732], atol=5e-7)
    assert_allclose(bias, 39.293619, atol=5e-6)
    assert_allclose(model.log_odds([[4, 5]], 1, 2), 3.952155, atol=5e-6)
    assert_allclose(model.predict_proba([[4, 5]])[0, 0], 0.981149, atol=5e-7)
    joint = model.predict_joint_log_proba([[4, 5]])[0]
    assert_allclose(joint[0] - joint[1], 3.952155, atol=5e-6)


@pytest.mark.notes("004", "lda")
@pytest.mark.notes("004", "log-odds")
def test_unbiased_divisor():
    model = LinearDiscriminantAnalysis(unbiased=True, store_covariance=True).fit(SEVEN, LABELS)
    assert_allclose(model.covariance_, [[0.8, 0.6], [0.6, 1.133333]], atol=5e-7)
    weights, bias = model.linear_form(1, 2)
    assert_allclose(weights, [-6.158537, -0.121951], atol=5e-7)
    assert_allclose(bias, 27.984676, atol=5e-6)
    assert_allclose(model.log_odds([[4, 5]], 1, 2), 2.740773, atol=5e-6)


@pytest.mark.notes("002", "lda")
def test_second_example():
    X = np.array([[2.0, 2], [3, 3], [4, 2], [0, 0], [1, 1], [0, 2], [-1, 1]])
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, [1, 1, 1, 2, 2, 2, 2])
    assert_allclose(model.covariance_, np.diag([0.571429, 0.380952]), atol=5e-7)
    weights, bias = model.linear_form(1, 2)
    assert_allclose(weights, [5.25, 3.5], atol=1e-9)
    assert_allclose(bias, -13.996015, atol=5e-7)
    assert_allclose(model.predict_proba([[1, 2]])[0, 0], 0.148550, atol=5e-7)


@pytest.mark.notes("000-b", "gaussian-classifier")
def test_weights_of_given_gaussians_and_samples():
    root = np.linalg.cholesky([[1, 0.5], [0.5, 2]])
    corners = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]) @ root.T  # mean zero, covariance as given
    X = np.vstack([corners, corners + [2, 1]])
    y = np.repeat([0, 1], 4)
    weights, bias = LinearDiscriminantAnalysis().fit(X, y).linear_form()
    assert_allclose(weights, [2, 0], atol=1e-12)
    assert_allclose(bias, -2, atol=1e-12)
    model = QuadraticDiscriminantAnalysis().fit(*blobs(2000, 2, 2))
    rows, labels = model.sample(4000, random_state=1)
    again = QuadraticDiscriminantAnalysis().fit(rows, labels)
    assert_allclose(again.means_, model.means_, atol=0.25)
    assert_allclose(again.priors_, model.priors_, atol=0.05)


@pytest.mark.notes("001", "log-odds")
@pytest.mark.notes("004", "qda")
@pytest.mark.notes("002", "qda")
@pytest.mark.notes("001", "gda-separate-covariance")
@pytest.mark.parametrize("unbiased, scores", [(False, (-18.199379, -10.569201)), (True, (-12.271511, -8.231883))])
def test_quadratic_scores_of_the_notes(unbiased, scores):
    model = QuadraticDiscriminantAnalysis(unbiased=unbiased).fit(SEVEN, LABELS)
    assert_allclose(model.predict_joint_log_proba([[4, 5]])[0] + np.log(2 * np.pi), scores, atol=5e-6)
    assert model.predict([[4, 5]])[0] == 2 and LinearDiscriminantAnalysis().fit(SEVEN, LABELS).predict([[4, 5]])[0] == 1


@pytest.mark.notes("001", "gda-k-class")
def test_k_classes_by_definition():
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(X, y)
    share = np.bincount(y) / len(y)
    S = sum(share[c] * np.cov(X[y == c].T, bias=True) for c in range(3))
    scores = np.column_stack([np.log(share[c]) + multivariate_normal(X[y == c].mean(0), S).logpdf(X) for c in range(3)])
    expected = np.exp(scores - scores.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    assert_allclose(model.predict_proba(X), expected, atol=1e-10)
    assert_allclose(model.predict_joint_log_proba(X), scores, rtol=1e-9)
    assert (model.predict(X) == expected.argmax(1)).all()


@pytest.mark.notes("001", "parameter-count")
def test_parameter_counts():
    kinds = ("shared", "own", "diagonal")
    assert [parameter_count(2, 2, kind) for kind in kinds] == [8, 11, 9]
    assert [parameter_count(3, 4, kind) for kind in kinds] == [21, 39, 27]
    assert [parameter_count(10, 3, kind) for kind in kinds] == [87, 197, 62]
    assert [parameter_count(m, 2) for m in (2, 10)] == [m * (m + 5) // 2 + 1 for m in (2, 10)] == [8, 76]
    X, y = blobs()
    assert LinearDiscriminantAnalysis().fit(X, y).parameter_count() == parameter_count(5, 3)
    with pytest.raises(ParameterError, match="choose one of shared"):
        parameter_count(2, 2, "odd")


@pytest.mark.notes("000-b", "gaussian-classifier")
@pytest.mark.notes("001", "gda-k-class")
@pytest.mark.notes("001", "gda-two-class")
@pytest.mark.notes("002", "lda")
@pytest.mark.notes("004", "lda")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "lsqr"},
        {"solver": "eigen"},
        {"solver": "lsqr", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "lsqr", "shrinkage": "auto", "priors": [0.2, 0.5, 0.3]},
        {"priors": [0.2, 0.5, 0.3]},
        {"solver": "eigen", "priors": [0.2, 0.5, 0.3], "n_components": 1},
        {"solver": "eigen", "covariance_estimator": LedoitWolf()},
    ],
)
def test_linear_as_scikit_learn(options):
    X, y = blobs()
    a, b = LinearDiscriminantAnalysis(**options).fit(X, y), peer.LinearDiscriminantAnalysis(**options).fit(X, y)
    assert_allclose(a.coef_, b.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(a.intercept_, b.intercept_, rtol=1e-8)
    assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
    if a.solver != "lsqr":
        assert_allclose(np.abs(a.transform(X)), np.abs(b.transform(X)), rtol=1e-6, atol=1e-8)
        assert_allclose(a.explained_variance_ratio_, b.explained_variance_ratio_, rtol=1e-8, atol=1e-12)


@pytest.mark.notes("001", "gda-separate-covariance")
@pytest.mark.notes("002", "qda")
@pytest.mark.notes("004", "qda")
@pytest.mark.parametrize(
    "options",
    [{}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": 0.1}, {"solver": "eigen", "shrinkage": "auto"}],
)
def test_quadratic_as_scikit_learn(options):
    X, y = blobs()
    a = QuadraticDiscriminantAnalysis(**options, store_covariance=True).fit(X, y)
    b = peer.QuadraticDiscriminantAnalysis(**options, store_covariance=True).fit(X, y)
    assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-8, atol=1e-8)
    assert_allclose(np.stack(a.covariance_), np.stack(b.covariance_), rtol=1e-9, atol=1e-12)


def test_fewer_rows_than_columns_and_singular_covariances():
    X, y = blobs(40, 60, 3)
    a, b = LinearDiscriminantAnalysis().fit(X, y), peer.LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(a.coef_, b.coef_, rtol=1e-6, atol=1e-9)
    twice = np.column_stack([SEVEN, SEVEN[:, 0]])
    assert (LinearDiscriminantAnalysis(solver="lsqr").fit(twice, LABELS).predict(twice) == LABELS).all()
    with pytest.raises(np.linalg.LinAlgError, match="not full rank"):
        QuadraticDiscriminantAnalysis().fit(twice, LABELS)


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_forms_of_covariance(cls, kind):
    X, y = blobs()
    S = [np.cov(X[y == c].T, bias=True) for c in range(3)]
    if cls is LinearDiscriminantAnalysis:
        S = [np.average(S, axis=0, weights=np.bincount(y))] * 3
    form = {
        "full": lambda s: s,
        "diag": lambda s: np.diag(np.diag(s)),
        "spherical": lambda s: np.eye(5) * np.diag(s).mean(),
    }
    expected = [
        np.log((y == c).mean()) + multivariate_normal(X[y == c].mean(0), form[kind](S[c])).logpdf(X) for c in range(3)
    ]
    model = cls(covariance_type=kind).fit(X, y)
    assert_allclose(model.predict_joint_log_proba(X), np.column_stack(expected), rtol=1e-9)


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_missing_cells_are_integrated_out(cls):
    X, y = blobs(600, 3, 2)
    rng = np.random.default_rng(1)
    holes = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    model, whole = cls().fit(holes, y), cls().fit(X, y)
    assert_allclose(model.means_, whole.means_, atol=0.4)
    row = np.array([[X[0, 0], np.nan, X[0, 2]]])
    seen = [0, 2]
    S = whole._class_covariances()[:, seen][:, :, seen]
    expected = [
        np.log(whole.priors_[c]) + multivariate_normal(whole.means_[c, seen], S[c]).logpdf(row[0, seen]) for c in (0, 1)
    ]
    assert_allclose(whole.predict_joint_log_proba(row)[0], expected, rtol=1e-9)
    assert_allclose(whole.log_odds(row), expected[1] - expected[0], rtol=1e-8)
    # a stationary point: the gradient of the observed likelihood with respect to the means is zero
    mine = holes[y == 0]
    inverse_sum = np.zeros(3)
    S0, m0 = model._class_covariances()[0], model.means_[0]
    for x in mine:
        o = np.flatnonzero(~np.isnan(x))
        if len(o):
            inverse_sum[o] += np.linalg.solve(S0[np.ix_(o, o)], x[o] - m0[o])
    assert np.abs(inverse_sum).max() < 1e-2 * len(mine) ** 0.5
    with pytest.raises(DataError, match="missing in every row of class"):
        cls().fit(np.where(y[:, None] * [1, 0, 0] == 1, np.nan, X), y)


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_every_home_gives_the_same(cls, tmp_path):
    X, y = blobs(3000, 4, 3)
    here = cls().fit(X, y)
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    scanned = cls().fit(novum.scan(tmp_path / "rows.npy", target=4))
    chunks = cls().fit(da.from_array(X, chunks=(700, 4)), da.from_array(y, chunks=700))
    for there in (scanned, chunks):
        assert_allclose(there.means_, here.means_, rtol=1e-10)
        assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=1e-10)
    far = cls().fit(X + 1e7, y)
    assert_allclose(far._class_covariances(), here._class_covariances(), rtol=1e-5, atol=1e-7)


def test_parameters_that_do_not_go_together():
    with pytest.raises(NotImplementedError, match="shrinkage not supported"):
        LinearDiscriminantAnalysis(shrinkage=0.1).fit(SEVEN, LABELS)
    with pytest.raises(ParameterError, match="n_components cannot be larger"):
        LinearDiscriminantAnalysis(n_components=3).fit(SEVEN, LABELS)
    with pytest.raises(NotImplementedError, match="transform not implemented for 'lsqr'"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(SEVEN, LABELS).transform(SEVEN)
    with pytest.raises(ParameterError, match="positive=9 is no class"):
        LinearDiscriminantAnalysis().fit(SEVEN, LABELS).log_odds(SEVEN, 9, 1)


@pytest.mark.notes("002", "plot-lda-posterior")
@pytest.mark.notes("001", "gaussian-classes-plot")
@pytest.mark.notes("002", "plot-lda-failure")
def test_pictures_of_three_classes_with_unequal_covariances():
    rng = np.random.default_rng(0)
    X = np.vstack(
        [rng.normal(size=(50, 2)) * s + m for s, m in (((1, 1), (0, 0)), ((3, 0.3), (4, 0)), ((0.3, 3), (0, 4)))]
    )
    y = np.repeat([0, 1, 2], 50)
    mean = np.array([X[y == c].mean(0) for c in range(3)])
    within = [np.cov(X[y == c].T, bias=True) for c in range(3)]
    linear, quadratic = LinearDiscriminantAnalysis().fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
    shared = [np.mean(within, axis=0)] * 3
    right = []
    for ax, covariance in (
        (plot_class_densities(linear, X, y, ax=canvas()), shared),
        (quadratic.plot(X, y, ax=canvas()), within),
    ):
        deviation = np.sqrt([np.diag(S) for S in covariance])
        edges = [(mean - 3.5 * deviation).min(0), (mean + 3.5 * deviation).max(0)]
        edges = np.array([np.minimum(edges[0], X.min(0)), np.maximum(edges[1], X.max(0))])
        assert_allclose(ax.dataLim.get_points(), edges)  # three and a half deviations around the means, and all rows
        for c, S in enumerate(covariance):
            assert_allclose(curve(ax, str(c)), mean[c][:, None])
            for level, ring in contours(ax, c).items():
                gap = ring - mean[c]
                assert_allclose(np.sqrt(np.einsum("ni,ij,nj->n", gap, np.linalg.inv(S), gap)), level, rtol=0.08)
            assert list(contours(ax, c)) == [1, 2]
            assert_allclose(scatters(ax)[c], X[y == c])
        distributions = [multivariate_normal(m, S) for m, S in zip(mean, covariance)]  # equal shares
        borders = np.concatenate([contours(ax, k)[0.0] for k in (3, 4)])
        turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        around = borders[:, None] + 0.2 * np.stack([np.cos(turn), np.sin(turn)], -1)  # a step of the grid away
        classes = np.array([distribution.logpdf(around) for distribution in distributions]).argmax(0)
        assert len(borders) > 40 and (np.ptp(classes, axis=1) > 0).mean() > 0.97  # the decision changes there
        right.append((np.array([distribution.logpdf(X) for distribution in distributions]).argmax(0) == y).mean())
    assert right[1] > right[0]  # unequal covariances: the shared one draws the wrong boundaries
    one = LinearDiscriminantAnalysis().fit(SEVEN[:, :1], LABELS).plot(ax=canvas())
    deviation = np.sqrt((2 / 3 * 3 + 0.5 * 4) / 7)
    for name, m, share in (("1", 2, 3 / 7), ("2", 7, 4 / 7)):
        x, height = curve(one, name)
        assert_allclose(height, share * norm.pdf(x, m, deviation), rtol=1e-9)
    border = 4.5 + deviation**2 / 5 * np.log(3 / 4)
    at = (curve(one, 2)[0] - x[0]) / (x[1] - x[0])  # midway between the two points of the grid around the border
    assert_allclose(at, np.floor((border - x[0]) / (x[1] - x[0])) + 0.5, atol=1e-6)


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_many_columns_are_drawn_in_their_discriminants(cls):
    """As `transform` has them but for the scale: the covariance within is the unit matrix; a boundary where the choice changes."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    ax = cls().fit(X, y).plot(X, y, ax=canvas())
    drawn = np.concatenate(scatters(ax))
    linear = LinearDiscriminantAnalysis().fit(X, y)
    for k in range(2):
        assert abs(np.corrcoef(drawn[:, k], linear.transform(X)[:, k])[0, 1]) > 1 - 1e-9
    assert ax.get_xlabel() == "discriminant 1 of 4 columns (99 %)"
    assert sorted(contours(ax, 0)) == [1, 2]
    two = cls().fit(X[y > 0], y[y > 0]).plot(ax=canvas())  # one coordinate parts two classes: bell curves
    x, height = curve(two, "1")
    assert np.sum(height) * (x[1] - x[0]) == pytest.approx(0.5, abs=2e-3) and two.get_ylabel() == "density"
    assert len(two.lines) >= 3


@pytest.mark.notes("002", "plot-lda-posterior")
def test_the_posterior_surface_is_a_sigmoid_of_a_linear_function():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal([2.0, 1.0], size=(60, 2))])
    y = np.repeat([0, 1], [40, 60])
    ax = plot_posterior_surface(LinearDiscriminantAnalysis().fit(X, y), ax=canvas())
    mean = [X[y == c].mean(0) for c in (0, 1)]
    S = sum((X[y == c] - mean[c]).T @ (X[y == c] - mean[c]) for c in (0, 1)) / 100
    w = np.linalg.solve(S, mean[1] - mean[0])
    b = np.log(60 / 40) - w @ (mean[0] + mean[1]) / 2
    (filled,) = [c for c in ax.collections if len(getattr(c, "levels", ())) == 11]
    assert_allclose(filled.levels, np.linspace(0, 1, 11))
    shares = [1 / (1 + np.exp(-(path.vertices @ w + b))) for path in filled.get_paths()]
    for k, share in enumerate(shares):  # every band lies between its two levels
        assert share.min() > filled.levels[k] - 0.01 and share.max() < filled.levels[k + 1] + 0.01
    other = plot_posterior_surface(LinearDiscriminantAnalysis().fit(X, y), positive=0, ax=canvas())
    band = next(c for c in other.collections if len(getattr(c, "levels", ())) == 11).get_paths()[-1].vertices
    assert (1 / (1 + np.exp(-(band @ w + b)))).max() < 0.11  # the other class is sure where this one is not
