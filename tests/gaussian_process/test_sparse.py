"""The sparse process against the definition of its bound, finite differences, the exact process, itself in other homes."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import novum
from novum.exceptions import NotConverged, ParameterError
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.gaussian_process import GaussianProcessRegressor, SparseGaussianProcessRegressor, placement, sparse
from novum.gaussian_process.inducing import bound_of, gradient_of, objective_of, setting_of, summaries_of
from novum.gaussian_process.placement import greedy_rows
from novum.kernels import RBF, Linear, Matern, White

RNG = np.random.default_rng(3)
X = RNG.standard_normal((300, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2]) + 0.1 * RNG.standard_normal((300, 2))
NEW = RNG.standard_normal((9, 2))
Z = X[:15] + 0.05


def bound(kernel, theta, gradient=False):
    noise = np.exp(theta[-1])
    setting = setting_of(kernel.clone_with_theta(theta[:-1]), Z, np.zeros(2), np.ones(2))
    source = MemorySource(ArrayTiles(X), Y, None, None)
    sums = summaries_of(setting, source)
    found = bound_of(sums, noise)
    return (found.value, np.append(*gradient_of(setting, source, sums, found, noise))) if gradient else found.value


@pytest.mark.parametrize("kernel", [2.0 * RBF([1.0, 0.5]), Matern(0.8, nu=1.5) + 0.3 * Linear()], ids=["rbf", "linear"])
def test_the_bound_is_its_definition_and_the_gradient_its_derivative(kernel):
    theta = np.append(kernel.theta, -1.0)
    value, gradient = bound(kernel, theta, gradient=True)
    K, across, own, noise = kernel(X), kernel(Z, X), kernel(Z), np.exp(-1.0)
    Q = across.T @ np.linalg.solve(own, across)
    densities = [multivariate_normal(None, Q + noise * np.eye(300)).logpdf(y) for y in Y.T]
    assert value == pytest.approx(sum(densities) - 2 * np.trace(K - Q) / (2 * noise), rel=1e-8)
    for s in range(len(theta)):
        step = 1e-4 * np.eye(len(theta))[s]
        slope = (bound(kernel, theta + step) - bound(kernel, theta - step)) / 2e-4
        assert gradient[s] == pytest.approx(slope, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 65), (64, 3), (130, 129)])
def test_traces_over_two_sets_of_points_are_sums_over_all_pairs(rows, columns):
    a, b = RNG.standard_normal((rows, 2)), RNG.standard_normal((columns, 2))
    kernel = 1.3 * Matern([0.8, 1.5], nu=2.5) + 0.4 * Linear() + White(0.7)
    W = RNG.standard_normal((rows, columns))
    slopes = kernel(np.concatenate([a, b]), eval_gradient=True)[1][:rows, rows:]
    found = kernel.compile(a, b).trace(W, scale=-2.0)
    np.testing.assert_allclose(found, -2 * np.einsum("ij,ijs->s", W, slopes), rtol=1e-11, atol=1e-11)
    with pytest.raises(ValueError, match="weight per pair"):
        kernel.compile(a, b).trace(vectors=np.ones(rows))
    with pytest.raises(ValueError, match="weight per pair"):
        kernel.compile(a, b).trace(np.ones((rows, columns + 1)))


def test_kernels_that_run_in_python_have_the_same_gradient():
    class Plain(RBF):
        def compile(self, X, Y=None):
            return None

        def _python(self, X, Y, eval_gradient):
            return RBF(self.length_scale)(X, Y, eval_gradient)

    theta = np.array([0.1, -1.0])
    np.testing.assert_allclose(bound(Plain(1.0), theta, True)[1], bound(RBF(1.0), theta, True)[1], rtol=1e-9)


@pytest.mark.notes("003", "gp-subsampling")
def test_all_rows_as_inducing_points_make_the_process_exact():
    rows, y = X[:60], Y[:60]
    exact = GaussianProcessRegressor(1.5 * RBF(0.7), alpha=0.05, optimizer=None).fit(rows, y)
    sparse = SparseGaussianProcessRegressor(1.5 * RBF(0.7), inducing=rows, noise_level=0.05, optimizer=None).fit(
        rows, y
    )
    assert sparse.lower_bound_ == pytest.approx(exact.log_marginal_likelihood_value_, abs=1e-6)
    for a, b in zip(sparse.predict(NEW, return_std=True), exact.predict(NEW, return_std=True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sparse.predict_distribution(NEW).var, exact.predict_distribution(NEW).var, rtol=1e-5)


def test_the_bound_lies_below_the_evidence_and_rises_with_inducing_points():
    exact = GaussianProcessRegressor(1.5 * RBF(0.7) + White(0.05), alpha=0.0, optimizer=None).fit(X, Y)
    values = [
        SparseGaussianProcessRegressor(1.5 * RBF(0.7), inducing=X[:m], noise_level=0.05, optimizer=None)
        .fit(X, Y)
        .lower_bound_
        for m in (5, 20, 80)
    ]
    assert values[0] < values[1] < values[2] <= exact.log_marginal_likelihood_value_ + 1e-6


def test_learning_finds_what_the_exact_process_finds():
    sparse = SparseGaussianProcessRegressor(1.0 * RBF([1.0, 1.0]), n_inducing=60, random_state=0, normalize_y=True)
    exact = GaussianProcessRegressor(1.0 * RBF([1.0, 1.0]) + White(), normalize_y=True)
    sparse.fit(X, Y), exact.fit(X, Y)
    assert sparse.noise_level_ == pytest.approx(exact.kernel_.k2.noise_level, rel=0.05)
    assert sparse.lower_bound_ == pytest.approx(exact.log_marginal_likelihood_value_, rel=0.02)
    np.testing.assert_allclose(sparse.predict(NEW), exact.predict(NEW), atol=0.1)


def test_files_and_dask_give_what_memory_gives(tmp_path):
    pytest.importorskip("dask")
    import dask.array

    kernel = 1.5 * RBF(0.7)
    options = {"inducing": Z, "noise_level": 0.05, "optimizer": None}
    table = np.column_stack([X, Y[:, 0]])
    np.save(tmp_path / "rows.npy", table)
    here = SparseGaussianProcessRegressor(kernel, **options).fit(X, Y[:, 0])
    scanned = SparseGaussianProcessRegressor(kernel, **options).fit(novum.scan(str(tmp_path / "rows.npy"), target=2))
    distributed = SparseGaussianProcessRegressor(kernel, **options).fit(
        dask.array.from_array(X, chunks=(100, 2)), dask.array.from_array(Y[:, 0], chunks=100)
    )
    for other in (scanned, distributed):
        assert other.lower_bound_ == pytest.approx(here.lower_bound_, rel=1e-10)
        np.testing.assert_allclose(other.predict(NEW), here.predict(NEW), rtol=1e-8, atol=1e-10)
    drawn = SparseGaussianProcessRegressor(kernel, n_inducing=20, optimizer=None, random_state=0)
    drawn.fit(novum.scan(str(tmp_path / "rows.npy"), target=2))
    assert drawn.inducing_points_.shape == (20, 2)


def test_equal_rows_and_points_are_no_obstacle():
    rows = np.repeat(X[:10], 30, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SparseGaussianProcessRegressor(RBF(1.0), inducing=np.repeat(X[:10], 3, axis=0), noise_level=1e-6).fit(
            rows, Y
        )
    assert np.isfinite(model.predict(NEW, return_std=True)).all()
    few = SparseGaussianProcessRegressor(RBF(1.0), n_inducing=50, optimizer=None, random_state=0).fit(rows, Y)
    assert few.inducing_points_.shape == (10, 2)


def test_bad_parameters_are_named():
    with pytest.raises(ParameterError, match=r"white noise.*noise_level"):
        SparseGaussianProcessRegressor(RBF(1.0) + White(0.1)).fit(X, Y)
    with pytest.raises(ParameterError, match="noise_level_bounds"):
        SparseGaussianProcessRegressor(noise_level_bounds=(1, 2, 3)).fit(X, Y)
    with pytest.raises(ParameterError, match="inducing has shape"):
        SparseGaussianProcessRegressor(inducing=np.zeros((3, 5))).fit(X, Y)


def test_a_saved_model_predicts_the_same(tmp_path):
    model = SparseGaussianProcessRegressor(RBF(1.0), n_inducing=12, optimizer=None, random_state=0).fit(X, Y)
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict(NEW), model.predict(NEW))


def test_greedy_points_are_those_of_the_pivoted_factor():
    kernel = 1.3 * RBF([0.8, 2.0])
    rows, K = X[:80], kernel(X[:80])
    chosen = []
    for _ in range(7):  # the definition: the row with most variance given those before
        inner = np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen]) if chosen else np.empty((0, 80))
        chosen.append(int(np.argmax(K.diagonal() - np.einsum("ij,ij->j", K[chosen], inner))))
    np.testing.assert_array_equal(greedy_rows(kernel, rows, 7), rows[chosen])
    assert len(greedy_rows(kernel, np.repeat(rows[:3], 4, axis=0), 10)) == 3  # equal rows leave nothing
    assert len(greedy_rows(Linear(), rows, 10)) == 2


def test_points_by_variance_follow_the_kernel_and_raise_the_bound():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-3, 3, (1500, 3))  # two columns do not matter
    y = np.sin(2 * rows[:, 0]) + 0.1 * rng.standard_normal(1500)
    kernel = 1.0 * RBF(np.ones(3), (1e-2, 1e3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # length scales at their bounds
        by = {
            name: SparseGaussianProcessRegressor(kernel, n_inducing=12, inducing=name, noise_level=0.1, random_state=0)
            for name in ("cluster", "variance")
        }
        bounds = {name: model.fit(rows, y).lower_bound_ for name, model in by.items()}
    assert bounds["variance"] > bounds["cluster"] + 20
    gaps = np.diff(np.sort(by["variance"].inducing_points_[:, 0]))
    assert gaps.max() < 0.9  # the column that matters is covered
    fixed = SparseGaussianProcessRegressor(by["variance"].kernel_, n_inducing=12, inducing="variance", optimizer=None)
    assert len(fixed.fit(rows, y).inducing_points_) <= 12


def test_a_search_that_begins_with_a_sample_ends_where_one_on_all_rows_does(monkeypatch, tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.uniform(-3, 3, (4000, 1))
    y = np.sin(rows[:, 0]) + 0.1 * rng.standard_normal(4000)
    points = np.linspace(-3, 3, 10)[:, None]
    model = SparseGaussianProcessRegressor(1.0 * RBF(1.0), inducing=points, random_state=0)
    whole = model.fit(rows, y).lower_bound_
    visited = []
    monkeypatch.setattr(placement, "LEAST_SAMPLE", 400)
    monkeypatch.setattr(
        sparse,
        "objective_of",
        lambda search, source, *rest: visited.append(source) or objective_of(search, source, *rest),
    )
    started = model.fit(rows, y)
    assert started.lower_bound_ == pytest.approx(whole, abs=1.0)  # of 3500: a step that gains less than 0.1 is the last
    first, second = (source.without_features().total(sparse.target_sums).rows for source in visited)
    assert 300 < first < 500 and second == 4000
    np.save(tmp_path / "x.npy", rows)
    np.save(tmp_path / "y.npy", y)
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", batch_rows=700)
    assert model.fit(scan).lower_bound_ == pytest.approx(started.lower_bound_, rel=1e-6)
