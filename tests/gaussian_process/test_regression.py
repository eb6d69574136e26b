"""Gaussian process regression against closed forms, brute force, finite differences and scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor as SklearnRegressor
from sklearn.gaussian_process import kernels as sklearn_kernels

import novum
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.gaussian_process import GaussianProcessRegressor
from novum.kernels import RBF, Constant, Linear, Matern, Periodic, RationalQuadratic, Sigmoid, Spectrum, White
from novum.linear_model import BayesianLinearRegression

RNG = np.random.default_rng(7)
X = RNG.standard_normal((40, 3))
Y = np.column_stack([np.sin(2 * X[:, 0]) + 0.3 * X[:, 1], X[:, 1] * X[:, 2]]) + 0.1 * RNG.standard_normal((40, 2))
NEW = RNG.standard_normal((7, 3))
KERNELS = [
    1.5 * RBF([0.7, 1.2, 2.0]) + White(0.05),
    Matern([1.0, 0.5, 2.0], nu=2.5) + 0.3 * Linear() + White(0.1),
    Constant(0.5) * RationalQuadratic(1.1, 0.8) + 0.1 * Periodic(1.3, 2.2) + White(0.5),
]


def by_definition(kernel, X, y, new, noise):
    """Condition the joint Gaussian of training targets and new function values, with explicit inverses."""
    both = np.concatenate([X, new])
    n = len(X)
    K = np.array([[float(kernel(a[None], b[None])[0, 0]) for b in both] for a in both])
    C = K[:n, :n] + noise * np.eye(n)
    inverse = np.linalg.inv(C)
    return K[n:, :n] @ inverse @ y, K[n:, n:] - K[n:, :n] @ inverse @ K[:n, n:], multivariate_normal(None, C).logpdf(y)


@pytest.mark.notes("002", "gp-regression")
def test_the_notes_example_of_part_one():
    model = GaussianProcessRegressor(RBF(1.0), alpha=1 / 100, optimizer=None)
    model.fit(np.array([[-1.0], [0.0], [1.0]]), np.array([0.5, 1.0, 0.2]))
    mean, std = model.predict([[0.5]], return_std=True)
    assert mean[0] == pytest.approx(0.689612, abs=5e-7)
    assert std[0] ** 2 == pytest.approx(0.025020, abs=5e-7)
    assert model.predict_distribution([[0.5]]).var[0] == pytest.approx(0.035020, abs=5e-7)
    assert model.log_marginal_likelihood() == pytest.approx(-2.928667, abs=5e-7)


@pytest.mark.notes("003", "gp-regression")
def test_the_notes_example_of_chapter_nine():
    model = GaussianProcessRegressor(RBF(1.0) + White(0.1), alpha=0.0, optimizer=None)
    model.fit(np.array([[0.0], [1.0], [3.0]]), np.array([0.0, 1.0, -1.0]))
    mean, std = model.predict([[2.0]], return_std=True)
    assert (mean[0], std[0] ** 2) == pytest.approx((0.1360433, 0.4673953), abs=5e-8)
    assert model.log_marginal_likelihood_value_ == pytest.approx(-3.9951560, abs=5e-8)


def test_a_linear_kernel_is_bayesian_linear_regression():
    kernel = 0.5 * Linear()
    model = GaussianProcessRegressor(kernel, alpha=0.04, optimizer=None).fit(X, Y[:, 0])
    line = BayesianLinearRegression(beta=1 / 0.04, prior_covariance=0.5 * np.eye(3), fit_intercept=False)
    line.fit(X, Y[:, 0])
    mean, std = line.predict(NEW, return_std=True)
    distribution = model.predict_distribution(NEW)
    np.testing.assert_allclose(distribution.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(distribution.var, std**2, rtol=1e-9)


@pytest.mark.notes("002", "gp-regression")
@pytest.mark.notes("003", "gp-regression")
def test_the_posterior_is_the_conditional_of_the_joint_gaussian():
    kernel = 1.5 * RBF([0.7, 1.2, 2.0]) + 0.2 * Linear()
    model = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(X, Y[:, 0])
    mean, cov, evidence = by_definition(kernel, X, Y[:, 0], NEW, 0.05)
    found = model.predict(NEW, return_cov=True)
    np.testing.assert_allclose(found[0], mean, rtol=1e-9)
    np.testing.assert_allclose(found[1], cov, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.predict(NEW, return_std=True)[1], np.sqrt(np.diag(cov)), rtol=1e-8)
    assert model.log_marginal_likelihood_value_ == pytest.approx(evidence, rel=1e-10)
    far = 50 + 7 * Y[:, 0]  # targets in units of their own standard deviation: predictions come back in theirs
    model = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None, normalize_y=True).fit(X, far)
    mean, cov, _ = by_definition(kernel, X, (far - far.mean()) / far.std(), NEW, 0.05)
    distribution = model.predict_distribution(NEW)
    np.testing.assert_allclose(distribution.mean, far.mean() + far.std() * mean, rtol=1e-9)
    np.testing.assert_allclose(distribution.var, far.var() * (np.diag(cov) + 0.05), rtol=1e-8)


@pytest.mark.notes("003", "gp-regression")
@pytest.mark.notes("002", "gp-regression")
@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern", "mixed"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_the_gradient_is_that_of_finite_differences(kernel, outputs):
    y = Y[:, 0] if outputs == 1 else Y
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    theta = kernel.theta + 0.1
    value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood(theta), rel=1e-12)
    for s in range(len(theta)):
        step = 1e-5 * np.eye(len(theta))[s]
        slope = (model.log_marginal_likelihood(theta + step) - model.log_marginal_likelihood(theta - step)) / 2e-5
        assert gradient[s] == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.notes("002", "gp-regression")
@pytest.mark.notes("003", "gp-regression")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
def test_fits_agree_with_scikit_learn(normalize, outputs):
    y = Y[:, 0] if outputs == 1 else Y
    options = {"normalize_y": normalize, "n_restarts_optimizer": 2, "random_state": 0}
    ours = GaussianProcessRegressor(1.0 * RBF([1.0, 1.0, 1.0], (1e-2, 1e2)) + White(0.1, (1e-3, 1e1)), **options)
    theirs = SklearnRegressor(
        1.0 * sklearn_kernels.RBF([1.0, 1.0, 1.0], (1e-2, 1e2)) + sklearn_kernels.WhiteKernel(0.1, (1e-3, 1e1)),
        **options,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(X, y), theirs.fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)
    for mine, other in zip(ours.predict(NEW, return_std=True), theirs.predict(NEW, return_std=True), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)
    theta = ours.kernel_.theta + 0.2
    mine, other = ours.log_marginal_likelihood(theta, True), theirs.log_marginal_likelihood(theta, True)
    np.testing.assert_allclose(mine[1], other[1], rtol=1e-7, atol=1e-8)
    assert mine[0] == pytest.approx(other[0], rel=1e-10)


def test_leave_one_out_is_what_leaving_one_out_gives():
    kernel = KERNELS[0]
    model = GaussianProcessRegressor(kernel, alpha=0.02, optimizer=None).fit(X, Y)
    mean, std = model.leave_one_out_predict(return_std=True)
    for i in (0, 7, 39):
        rest = np.delete(np.arange(40), i)
        other = GaussianProcessRegressor(kernel, alpha=0.02, optimizer=None).fit(X[rest], Y[rest])
        distribution = other.predict_distribution(X[i : i + 1])
        np.testing.assert_allclose(mean[i], distribution.mean[0], rtol=1e-9)
        np.testing.assert_allclose(std[i] ** 2, distribution.var[0], rtol=1e-9)


@pytest.mark.parametrize("noise", ["one", "each"])
def test_points_are_added_without_a_new_fit(noise):
    alpha = 0.03 if noise == "one" else np.linspace(0.01, 0.1, 40)
    first = alpha if noise == "one" else alpha[:30]
    grown = GaussianProcessRegressor(KERNELS[1], alpha=first, optimizer=None).fit(X[:30], Y[:30])
    for part in (slice(30, 31), slice(31, 40)):
        grown.update(X[part], Y[part], None if noise == "one" else alpha[part])
    whole = GaussianProcessRegressor(KERNELS[1], alpha=alpha, optimizer=None).fit(X, Y)
    np.testing.assert_allclose(grown.L_, whole.L_, rtol=1e-9, atol=1e-12)
    for a, b in zip(grown.predict(NEW, return_std=True), whole.predict(NEW, return_std=True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8)
    assert grown.log_marginal_likelihood_value_ == pytest.approx(whole.log_marginal_likelihood_value_, rel=1e-10)
    with pytest.raises(DataError, match="update"):
        grown.update(X[:2], Y[:2, 0])


def test_a_row_that_is_already_there_can_be_added():
    model = GaussianProcessRegressor(RBF(1.0), optimizer=None).fit(X, Y[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model.update(X[:3], Y[:3, 0])
    np.testing.assert_allclose(model.predict(X[:3]), Y[:3, 0], atol=1e-4)


@pytest.mark.notes("002", "gp-prior")
@pytest.mark.notes("003", "gp-prior")
def test_prior_draws_have_the_covariance_of_the_kernel():
    kernel = 2.0 * RBF(0.7) + 0.5 * Linear() + Constant(0.3)
    grid = np.linspace(-1, 1, 6)[:, None]
    draws = GaussianProcessRegressor(kernel).sample_y(grid, n_samples=200_000, random_state=3)
    K = 2.0 * np.exp(-0.5 * (grid - grid.T) ** 2 / 0.49) + 0.5 * grid @ grid.T + 0.3
    assert draws.shape == (6, 200_000)
    np.testing.assert_allclose(draws.mean(axis=1), 0, atol=0.02)
    np.testing.assert_allclose(np.cov(draws), K, atol=0.03)
    mean, std = GaussianProcessRegressor(kernel).predict(grid, return_std=True)
    np.testing.assert_allclose(std**2, np.diag(K), rtol=1e-12)
    assert not mean.any()


@pytest.mark.notes("002", "gp-prior")
@pytest.mark.notes("003", "gp-prior")
def test_weight_space_functions_have_the_covariance_of_their_features():
    features = np.column_stack([np.ones(5), np.linspace(-1, 1, 5), np.linspace(-1, 1, 5) ** 2])
    draws = GaussianProcessRegressor(0.25 * Linear()).sample_y(features, n_samples=200_000, random_state=0)
    np.testing.assert_allclose(np.cov(draws), 0.25 * features @ features.T, atol=0.01)


@pytest.mark.notes("002", "gp-regression")
def test_posterior_draws_follow_the_posterior():
    model = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(X, Y)
    mean, cov = model.predict(NEW, return_cov=True)
    draws = model.sample_y(NEW, n_samples=100_000, random_state=1)
    np.testing.assert_allclose(draws.mean(axis=2), mean, atol=0.02)
    np.testing.assert_allclose(np.cov(draws[:, 1]), cov[:, :, 1], atol=0.03)
    np.testing.assert_array_equal(model.sample_y(NEW, 2, 5), model.sample_y(NEW, 2, 5))
    assert np.isfinite(GaussianProcessRegressor(RBF(1.0), optimizer=None).fit(X, Y).sample_y(X, 2)).all()


@pytest.mark.notes("003", "gp-subsampling")
def test_a_subset_is_drawn_evenly_or_by_clusters():
    middle = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    rows = np.concatenate([np.repeat(middle[:1], 997, axis=0), middle[1:]])
    rows = rows + 0.1 * np.random.default_rng(0).standard_normal(rows.shape)
    y = rows[:, 0] - rows[:, 1]
    model = GaussianProcessRegressor(RBF(5.0), alpha=1e-3, optimizer=None, subset_size=4, subset_by="cluster")
    model.set_params(random_state=0).fit(rows, y)
    assert len(model.subset_) == 4 and set(range(997, 1000)) < set(
        model.subset_
    )  # one row of every cluster, the rare ones too
    np.testing.assert_array_equal(model.X_train_, rows[model.subset_])
    inside = rows[:997].mean(axis=0)
    assert np.linalg.norm(model.X_train_[0] - inside) < 0.05
    counts = np.zeros(50)
    for seed in range(400):
        drawn = GaussianProcessRegressor(RBF(5.0), alpha=1e-3, optimizer=None, subset_size=10, random_state=seed)
        drawn.fit(X[np.arange(50) % 40] + np.arange(50)[:, None], np.arange(50.0))
        assert len(np.unique(drawn.subset_)) == 10
        counts[drawn.subset_] += 1
    assert abs(counts - 80).max() < 5 * np.sqrt(80 * 0.8)


@pytest.mark.parametrize(
    "rows, kernel, alpha",
    [
        (np.repeat(X[:10], 4, axis=0), RBF(1.0), 0.0),
        (np.ones((30, 2)), RBF(1.0), 0.0),
        (X, Linear(), 0.0),
        (np.linspace(0, 1, 200)[:, None], RBF(1.0), 1e-16),
        (np.linspace(0, 1, 200)[:, None], RBF(10.0) + White(1e-8), 0.0),
        (X, 1e8 * RBF(1e3), 1e-8),
        (np.column_stack([X[:, 0], np.ones(40)]), Matern(nu=2.5), 0.0),
    ],
    ids=["repeated", "constant", "linear", "grid", "little noise", "wide", "constant column"],
)
def test_singular_covariances_get_a_jitter_that_is_reported(rows, kernel, alpha):
    y = np.sin(np.arange(len(rows)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(rows, y)
        assert np.isfinite(model.predict(rows, return_std=True)).all()
        learned = GaussianProcessRegressor(kernel, alpha=alpha).fit(rows, y)
    assert np.isfinite(learned.log_marginal_likelihood_value_)
    assert learned.log_marginal_likelihood_value_ >= model.log_marginal_likelihood_value_ - 1e-6
    C = kernel(rows) + (alpha + model.jitter_) * np.eye(len(rows))
    np.testing.assert_allclose(model.L_ @ model.L_.T, C, rtol=1e-7, atol=1e-9 * C.max())


def test_a_large_jitter_is_a_warning_and_an_invalid_kernel_an_error():
    with pytest.raises(np.linalg.LinAlgError, match=r"not returning a positive definite matrix.*is_psd"):
        GaussianProcessRegressor(Sigmoid(gamma=1.0, coef0=-1.0), alpha=0.0, optimizer=None).fit(X, Y)
    slightly = X @ X.T
    value, vector = np.linalg.eigh(slightly)
    value[0] = -3e-5 * np.mean(np.diag(slightly))

    class Given(RBF):
        def compile(self, X, Y=None):
            return None

        def __call__(self, X, Y=None, eval_gradient=False):
            return vector * value @ vector.T

    with pytest.warns(DataWarning, match="jitter of"):
        model = GaussianProcessRegressor(Given(), optimizer=None).fit(X, Y)
    assert model.jitter_ > 0


def test_noise_may_differ_from_point_to_point():
    noise = np.linspace(0.01, 2.0, 40)
    model = GaussianProcessRegressor(RBF(1.0), alpha=noise, optimizer=None).fit(X, Y[:, 0])
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    across = np.exp(-0.5 * ((NEW[:, None] - X) ** 2).sum(-1))
    np.testing.assert_allclose(model.predict(NEW), across @ np.linalg.solve(K + np.diag(noise), Y[:, 0]), rtol=1e-9)
    for bad, said in ((noise[:5], "same number of entries"), (-noise, "negative")):
        with pytest.raises(ParameterError, match=said):
            GaussianProcessRegressor(RBF(1.0), alpha=bad).fit(X, Y)


def test_strings_are_points_too():
    words = ["banana", "ananas", "bandana", "cabana", "nana", "canada"]
    kernel = Spectrum(2).normalized()
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(words, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    K = kernel(words)
    expected = kernel(["bananas"], words) @ np.linalg.solve(K + 0.1 * np.eye(6), np.arange(1.0, 7.0))
    np.testing.assert_allclose(model.predict(["bananas"]), expected, rtol=1e-10)
    model.update(["panama"], [7.0])
    assert len(model.X_train_) == 7


def test_homes_and_files(tmp_path):
    model = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(X, Y)
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict(NEW), model.predict(NEW))
    np.save(tmp_path / "rows.npy", X)
    with pytest.raises(DataError, match="SparseGaussianProcessRegressor"):
        model.fit(novum.scan(str(tmp_path / "rows.npy"), target=0))


@pytest.mark.notes("002", "gp-regression")
@pytest.mark.notes("003", "gp-regression")
def test_searches_say_where_they_end():
    with pytest.warns(NotConverged, match="close to the specified upper bound"):
        GaussianProcessRegressor(RBF(1.0, (0.5, 1.0)) + White(0.1), alpha=0.1).fit(X, 5 * X[:, 0])
    last = RBF([1.0, 1.0, 0.55], [(1e-2, 1e2), (1e-2, 1e2), (0.5, 0.6)])
    with pytest.warns(
        NotConverged, match="dimension 2 of parameter length_scale is close to the specified upper bound"
    ):
        GaussianProcessRegressor(last, alpha=0.1).fit(X, np.sin(X[:, 0]) + X[:, 1])
    with pytest.raises(ParameterError, match="all bounds are finite"):
        GaussianProcessRegressor(White(1.0, (-np.inf, np.inf)), n_restarts_optimizer=1).fit(X, Y)


def test_bad_input_is_named():
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(X, Y[:, 0])
    before = dict(vars(model))
    with pytest.raises(ParameterError, match="n_samples=0"):
        model.sample_y(X, 0)
    with pytest.raises(ParameterError, match="negative"):
        model.update(X[:1], Y[:1, 0], alpha=-1.0)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.update(X[:1, :2], Y[:1, 0])
    assert vars(model).keys() == before.keys() and all(vars(model)[key] is before[key] for key in before)
    with pytest.raises(ParameterError, match="'kernel' parameter"):
        GaussianProcessRegressor("rbf").fit(X, Y)
    words = GaussianProcessRegressor(Spectrum(2), optimizer=None, subset_size=1, subset_by="cluster")
    with pytest.raises(ParameterError, match="needs vectors"):
        words.fit(["ab", "abab"], [1.0, 2.0])
