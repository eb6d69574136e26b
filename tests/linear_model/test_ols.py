"""LinearRegression against the notes' numbers, exact arithmetic, NIST and identities."""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from artists import canvas, curve, scatters
from numpy.testing import assert_allclose
from reference.nist import digits, exact_least_squares, longley, wampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures

from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression

RNG = np.random.default_rng(0)
LINE = np.arange(4.0)[:, None]


@pytest.mark.notes("000-b", "least-squares")
def test_notes_pseudo_inverse():
    X = np.column_stack([np.ones(4), LINE])
    y = np.array([1.0, 3, 2, 5])
    model = LinearRegression(fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, [1.1, 1.1], rtol=1e-14)
    assert_allclose(((y - model.predict(X)) ** 2).sum(), 2.7, rtol=1e-13)
    square = LinearRegression(fit_intercept=False).fit([[2.0, 1], [1, 3]], [3.0, 5])
    assert_allclose(square.coef_, [0.8, 1.4], rtol=1e-14)


@pytest.mark.notes("004", "least-squares")
@pytest.mark.notes("004", "gaussian-noise-regression")
def test_notes_maximum_likelihood():
    model = LinearRegression().fit(LINE, [1.0, 3, 2, 5])
    assert_allclose([model.intercept_, *model.coef_], [1.1, 1.1], rtol=1e-14)
    assert_allclose(model.predict([[4.0]]), [5.5], rtol=1e-14)
    assert_allclose(model.noise_variance_, 0.675, rtol=1e-13)
    assert_allclose(model.log_likelihood_, -4.889669, rtol=1e-6)
    mean, deviation = model.predict([[4.0], [5.0]], return_std=True)
    assert_allclose(mean, [5.5, 6.6], rtol=1e-14)
    assert_allclose(deviation, np.sqrt([0.675, 0.675]), rtol=1e-13)


@pytest.mark.notes("003", "ols")
@pytest.mark.notes("003", "gaussian-mle-regression")
@pytest.mark.notes("003", "ols-covariance")
def test_notes_normal_equations_and_covariance():
    t = np.array([1.0, 3, 4, 7])
    model = LinearRegression().fit(LINE, t)
    assert_allclose([model.intercept_, *model.coef_], [0.9, 1.9], rtol=1e-14)
    assert_allclose(((t - model.predict(LINE)) ** 2).sum(), 0.7, rtol=1e-13)
    assert_allclose(model.noise_variance_, 0.175, rtol=1e-13)
    assert_allclose(model.log_likelihood_, -2.1898155, rtol=1e-7)
    table = model.inference()
    assert_allclose(table.noise_variance, 0.35, rtol=1e-13)
    assert_allclose(table.covariance, [[0.245, -0.105], [-0.105, 0.07]], rtol=1e-13)
    rng = np.random.default_rng(8)
    X = rng.normal(size=(25, 3))
    y = X @ [1.0, 0.0, -0.5] + rng.normal(size=25)
    A = np.column_stack([np.ones(25), X])
    w = np.linalg.solve(A.T @ A, A.T @ y)
    rss, tss = ((y - A @ w) ** 2).sum(), ((y - y.mean()) ** 2).sum()
    table = LinearRegression().fit(X, y).inference()
    assert_allclose(table.covariance, rss / 21 * np.linalg.inv(A.T @ A), rtol=1e-9)
    assert_allclose(table.r_squared, 1 - rss / tss, rtol=1e-11)
    assert_allclose(table.adjusted_r_squared, 1 - (rss / 21) / (tss / 24), rtol=1e-11)
    assert_allclose(table.f_statistic, ((tss - rss) / 3) / (rss / 21), rtol=1e-10)
    likely = scipy.stats.norm(A @ w, np.sqrt(rss / 25)).logpdf(y).sum()
    assert_allclose(table.log_likelihood, likely, rtol=1e-11)
    assert_allclose(
        [table.aic, table.bic], [10 - 2 * likely, 5 * np.log(25) - 2 * likely], rtol=1e-11
    )  # w and the noise


@pytest.mark.notes("002", "linreg-ml")
def test_basis_functions_and_noise_precision():
    x = RNG.uniform(-1, 1, 40)
    Phi = np.exp(-((x[:, None] - np.linspace(-1, 1, 4)) ** 2) / 0.5)
    t = Phi @ [1.0, -2, 0.5, 3] + 0.1 * RNG.normal(size=40)
    model = LinearRegression(fit_intercept=False).fit(Phi, t)
    w = np.linalg.lstsq(Phi, t)[0]
    assert_allclose(model.coef_, w, rtol=1e-9)
    assert_allclose(1 / model.noise_variance_, 40 / ((t - Phi @ w) ** 2).sum(), rtol=1e-10)
    distribution = scipy.stats.norm(Phi @ w, np.sqrt(((t - Phi @ w) ** 2).mean()))
    assert_allclose(model.log_likelihood_, distribution.logpdf(t).sum(), rtol=1e-11)
    count = RNG.integers(0, 4, 40)  # rows that count several times
    counted = LinearRegression(fit_intercept=False).fit(Phi, t, sample_weight=count)
    v = np.linalg.lstsq(np.repeat(Phi, count, axis=0), np.repeat(t, count))[0]
    rest = np.repeat(t - Phi @ v, count)
    assert_allclose(counted.coef_, v, rtol=1e-8)
    assert_allclose([counted.noise_variance_, 1.0], [(rest**2).mean(), 1.0], rtol=1e-10)
    assert_allclose(
        counted.log_likelihood_, scipy.stats.norm(0, np.sqrt((rest**2).mean())).logpdf(rest).sum(), rtol=1e-10
    )


@pytest.mark.notes("001", "polynomial-hypothesis")
@pytest.mark.notes("003", "quadratic-model-demo")
@pytest.mark.parametrize("bias", [False, True])
def test_polynomials_are_linear_in_their_parameters(bias):
    x = np.linspace(-2, 3, 9)[:, None]
    y = 0.5 * x[:, 0] ** 2 - 1.5 * x[:, 0] + (2.0 if bias else 0.0)
    degree = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression(fit_intercept=bias)).fit(x, y)
    assert_allclose(degree[-1].coef_, [-1.5, 0.5], rtol=1e-13)
    assert_allclose(degree[-1].intercept_, 2.0 if bias else 0.0, rtol=1e-13)


@pytest.mark.notes("000-b", "feature-map")
@pytest.mark.notes("002", "basis-functions")
@pytest.mark.notes("004", "feature-map")
@pytest.mark.notes("003", "linear-regression-model")
@pytest.mark.notes("004", "basis-function-model")
def test_fixed_basis_in_a_pipeline():
    x = np.linspace(0, 6, 30)[:, None]
    basis = FunctionTransformer(lambda x: np.hstack([np.sin(x), np.cos(2 * x)]))
    model = make_pipeline(basis, LinearRegression()).fit(x, 1 + 2 * np.sin(x[:, 0]) - np.cos(2 * x[:, 0]))
    assert_allclose(model.predict(np.array([[0.5]])), 1 + 2 * np.sin(0.5) - np.cos(1.0), rtol=1e-13)
    plain = LinearRegression().fit(x, 3 * x[:, 0])  # the identity basis
    assert_allclose(plain.coef_, [3.0], rtol=1e-14)


@pytest.mark.notes("003", "multi-output-ols")
def test_several_targets_decouple():
    X, T = RNG.normal(size=(50, 4)), RNG.normal(size=(50, 3))
    together = LinearRegression().fit(X, T)
    for k in range(3):
        alone = LinearRegression().fit(X, T[:, k])
        assert_allclose(together.coef_[k], alone.coef_, rtol=1e-12)
        assert_allclose(together.intercept_[k], alone.intercept_, rtol=1e-11, atol=1e-14)
        assert_allclose(together.noise_variance_[k], alone.noise_variance_, rtol=1e-12)
    assert_allclose(together.predict(X)[:, 1], LinearRegression().fit(X, T[:, 1]).predict(X), rtol=1e-11, atol=1e-13)


@pytest.mark.notes("003", "fig-sample-3d")
def test_plane_is_drawn_through_the_sample():
    X = RNG.normal(size=(20, 2))
    t = X @ [1.0, 2] + 3 + 0.3 * RNG.normal(size=20)
    w = np.linalg.lstsq(np.column_stack([np.ones(20), X]), t, rcond=None)[0]
    axes = LinearRegression().fit(X, t).plot(X, t)
    cloud, surface = axes.collections
    assert axes.name == "3d"
    assert_allclose(np.column_stack(cloud._offsets3d), np.column_stack([X, t]))
    held = getattr(surface, "_faces", None)
    corners = surface._vec[:3].T if held is None else np.asarray(held).reshape(-1, 3)
    assert_allclose(np.column_stack([np.ones(len(corners)), corners[:, :2]]) @ w, corners[:, 2], rtol=1e-9)
    assert_allclose(corners[:, :2].min(0), X.min(0))
    assert_allclose(corners[:, :2].max(0), X.max(0))
    ax = LinearRegression().fit(X[:, :1], t).plot(X[:, :1], t, ax=canvas())
    slope, level = np.polyfit(X[:, 0], t, 1)
    x, height = curve(ax)
    assert_allclose(x, [X[:, 0].min(), X[:, 0].max()])
    assert_allclose(height, slope * x + level, rtol=1e-9)
    assert_allclose(scatters(ax)[0], np.column_stack([X[:, 0], t]))
    wide = LinearRegression().fit(RNG.normal(size=(9, 3)), np.arange(9.0))
    assert wide.plot(RNG.normal(size=(9, 3)), np.arange(9.0)).get_ylabel() == "target"  # against the predictions
    with pytest.raises(DataError, match="give X and y"):
        wide.plot(RNG.normal(size=(9, 3)))


@pytest.mark.parametrize("which, least", [(1, 9.0), (2, 12.0)])
def test_nist_wampler(which, least):
    X, y, truth = wampler(which)
    model = LinearRegression().fit(X, y)
    assert digits([model.intercept_, *model.coef_], truth) >= least
    assert model.rank_ == 5


def test_nist_longley():
    X, y = longley()
    model = LinearRegression().fit(X, y)
    assert digits([model.intercept_, *model.coef_], exact_least_squares(X, y)) >= 12
    table = model.inference()
    # certified standard deviations of NIST's StRD
    certified = [
        890420.383607373,
        84.9149257747669,
        0.0334910077722432,
        0.488399681651699,
        0.214274163161675,
        0.22607320006937,
        455.478499142212,
    ]
    assert digits(table.standard_error, certified) >= 11
    assert digits([np.sqrt(table.noise_variance), table.r_squared], [304.854073561965, 0.995479004577296]) >= 12


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_offsets_cost_no_digits(offset):
    X = RNG.normal(size=(400, 3)) + offset
    y = (X - offset) @ [1.0, -2, 3] + 0.1 * RNG.normal(size=400)
    model = LinearRegression().fit(X, y)
    exact = exact_least_squares(X[:60], y[:60])
    small = LinearRegression().fit(X[:60], y[:60])
    assert_allclose(small.coef_, exact[1:], rtol=1e-11)
    assert_allclose(model.coef_, np.linalg.lstsq(X - X.mean(0), y - y.mean())[0], rtol=1e-9)


def test_sorted_rows_repeat_the_pass_about_the_mean():
    X = np.sort(RNG.normal(size=(200_000, 2)) * [1, 1e-3], axis=0) + [5, 1e4]
    y = X @ [1.0, 100.0]
    model = LinearRegression().fit(X, y)
    assert_allclose(model.coef_, [1, 100], rtol=1e-8)


@pytest.mark.notes("000-b", "least-squares")
def test_rank_deficient_gives_the_shortest_solution():
    X = RNG.normal(size=(60, 4))
    X = np.column_stack([X, X[:, 0] + 100 * X[:, 1], 3 * X[:, 2]])
    y = RNG.normal(size=60)
    model = LinearRegression().fit(X, y)
    centred = X - X.mean(0)
    expected = np.linalg.pinv(centred, rcond=1e-12) @ (y - y.mean())
    assert model.rank_ == 4
    assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)


def test_wide_constant_and_single_row():
    X, y = RNG.normal(size=(10, 40)), RNG.normal(size=10)
    wide = LinearRegression().fit(X, y)
    assert_allclose(wide.predict(X), y, rtol=1e-10)
    assert_allclose(wide.coef_, np.linalg.pinv(X - X.mean(0)) @ (y - y.mean()), rtol=1e-9, atol=1e-13)
    constant = LinearRegression().fit(np.column_stack([np.full(10, 7.1), X[:, 0]]), y)
    assert constant.coef_[0] == 0 and constant.rank_ == 1
    one = LinearRegression().fit([[1.0, 2.0]], [3.0])
    assert_allclose(one.coef_, 0) and one.intercept_ == 3.0


@pytest.mark.notes("003", "ols")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_equal_repetition(fit_intercept):
    X, y = RNG.normal(size=(40, 3)) + 2, RNG.normal(size=40)
    w = RNG.integers(0, 4, 40)
    weighted = LinearRegression(fit_intercept=fit_intercept).fit(X, y, w)
    repeated = LinearRegression(fit_intercept=fit_intercept).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    for name in ("coef_", "intercept_", "noise_variance_", "log_likelihood_", "singular_"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-11, atol=1e-14)
    assert_allclose(
        weighted.inference(weights="frequency").standard_error, repeated.inference().standard_error, rtol=1e-11
    )


@pytest.mark.parametrize("container", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_equals_dense(container, fit_intercept):
    X = scipy.sparse.random(200, 15, 0.2, random_state=0).toarray()
    y, w = X.sum(1) + RNG.normal(size=200), RNG.uniform(size=200)
    dense = LinearRegression(fit_intercept=fit_intercept).fit(X, y, w)
    sparse = LinearRegression(fit_intercept=fit_intercept).fit(container(X), y, w)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-10)
    assert_allclose(sparse.predict(container(X)), dense.predict(X), rtol=1e-10)


def test_sparse_with_many_columns_is_solved_iteratively():
    X = scipy.sparse.random(300, 3000, 0.01, format="csr", random_state=0)
    y = RNG.normal(size=300)
    model = LinearRegression(tol=1e-12).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-6)
    with pytest.raises(DataError, match="iteratively"):
        model.inference()


def test_positive_coefficients():
    from scipy.optimize import nnls

    X, y = RNG.normal(size=(80, 5)), RNG.normal(size=80)
    model = LinearRegression(positive=True, fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, nnls(X, y)[0], rtol=1e-9, atol=1e-12)


def test_leave_one_out_is_refitting():
    X, y, w = RNG.normal(size=(25, 3)), RNG.normal(size=25), RNG.uniform(0.5, 2, 25)
    closed = LinearRegression().fit(X, y, w).leave_one_out_predict(X, y, w)
    keep = ~np.eye(25, dtype=bool)
    refitted = [LinearRegression().fit(X[k], y[k], w[k]).predict(X[i : i + 1])[0] for i, k in enumerate(keep)]
    assert_allclose(closed, refitted, rtol=1e-10)


def test_inference_prints_and_refuses():
    X, y = RNG.normal(size=(30, 2)), RNG.normal(size=30)
    model = LinearRegression().fit(X, y)
    table = model.inference(level=0.9)
    assert "std err" in repr(table) and "<table>" in table._repr_html_() and "[.05" in repr(table)
    assert list(table.to_frame().index) == ["intercept", "x0", "x1"]
    with pytest.raises(ParameterError, match=r"inference\(X, y, covariance='HC3'\)"):
        model.inference(covariance="HC3")
    with pytest.raises(ParameterError, match="covariance='HC9' is none of"):
        model.inference(covariance="HC9")
    with pytest.raises(DataError, match="no degrees of freedom"):
        LinearRegression().fit(X[:3], y[:3]).inference()
    with pytest.raises(DataError, match="other columns"):
        model.inference(X[:, :1], y, covariance="HC0")


@pytest.mark.notes("004", "least-squares")
@pytest.mark.notes("000-b", "least-squares")
@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e200])
def test_units_do_not_matter(scale):
    X, y = RNG.normal(size=(100, 3)), RNG.normal(size=100)
    expected = LinearRegression().fit(X, y)
    model = LinearRegression().fit(X * scale, y)
    assert model.rank_ == 3
    assert_allclose(model.coef_ * scale, expected.coef_, rtol=1e-12)
    assert_allclose(model.intercept_, expected.intercept_, rtol=1e-10)


def test_polynomial_of_degree_ten():
    x = np.linspace(-8.8, -3.1, 82)
    y = 0.8 + 0.1 * np.sin(x) + 0.003 * RNG.normal(size=82)
    X = np.stack([x**k for k in range(1, 11)], axis=1)  # the shape of NIST's Filip: condition 1e10 after scaling
    model = LinearRegression().fit(X, y)
    assert model.rank_ == 10
    assert digits([model.intercept_, *model.coef_], exact_least_squares(X, y)) >= 5  # 16 less the condition


def test_perfect_fit_has_a_table():
    table = LinearRegression().fit(RNG.normal(size=(20, 2)), np.full(20, 3.3)).inference()
    assert table.noise_variance == 0 and table.coef[0] == 3.3 and "std err" in repr(table)
