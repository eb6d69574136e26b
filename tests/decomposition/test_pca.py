"""PCA against the notes, its definition, scikit-learn and hard spectra."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA as Theirs
from threadpoolctl import threadpool_limits

from novum.decomposition import PCA, plot_components, spectrum
from novum.decomposition.dimension import components_for_share, log_evidence
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
SMITH = np.array(
    [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0], [2.3, 2.7], [2, 1.6], [1, 1.1], [1.5, 1.6], [1.1, 0.9]]
)
STAR = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2], [3, 3], [-3, -3]])
FOUR = np.array([[2.0, 0], [0, 2], [4, 4], [2, 6]])
FIVE = np.array([[2.0, 0], [0, 2], [3, 3], [-1, -1], [1, 1]])
SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


@pytest.fixture(autouse=True)
def one_blas_thread():
    """Several test processes with a BLAS pool each would wait for one another."""
    with threadpool_limits(1, user_api="blas"):
        yield


def rows_of_spectrum(n, p, values, seed=0, mean=0.0):
    """Return n x p centred data with the given singular values, moved to a mean."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(n, len(values)))
    U = np.linalg.qr(U - U.mean(axis=0))[0]
    V = np.linalg.qr(rng.normal(size=(p, len(values))))[0]
    return (U * values) @ V.T + mean


@pytest.mark.notes("000-a", "pca")
def test_axes_of_ten_points():
    model = PCA().fit(SMITH)
    assert_allclose(model.mean_, [1.81, 1.91])
    share = 9 / 10  # the notes divide by n
    assert_allclose(share * model.get_covariance(), [[0.5549, 0.5539], [0.5539, 0.6449]], atol=5e-5)
    assert_allclose(share * model.explained_variance_, [1.155625, 0.044175], atol=5e-7)
    assert_allclose(model.components_[0], [0.677873, 0.735179], atol=5e-7)
    assert_allclose(model.explained_variance_ratio_, [0.963181, 0.036819], atol=5e-7)
    scores = model.transform(SMITH)
    assert_allclose(np.cov(scores.T), np.diag(model.explained_variance_), atol=1e-15)  # decorrelated
    assert_allclose(
        model.transform(SMITH[:1] - SMITH.mean(axis=0) + model.mean_), scores[:1]
    )  # new points are centred too


@pytest.mark.notes("000-a", "pca-reduce")
def test_keeping_k_axes_leaves_the_other_eigenvalues():
    X = RNG.normal(size=(80, 6)) @ RNG.normal(size=(6, 6))
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    for k in range(7):
        model = PCA(k).fit(X)
        assert_allclose(model.transform(X), PCA().fit_transform(X)[:, :k], atol=1e-12)
        assert_allclose(model.reconstruction_error(X), values[k:].sum() * 79 / 80, rtol=1e-10, atol=1e-20)


@pytest.mark.notes("002", "pca")
def test_six_points():
    model = PCA(1).fit(STAR)
    assert_allclose(model.explained_variance_ * 5 / 6, [7.333333], atol=5e-7)
    assert_allclose(model.components_, [[np.sqrt(0.5)] * 2])
    assert_allclose(model.explained_variance_ratio_, [0.846154], atol=5e-7)
    assert_allclose(model.reconstruction_error(STAR), 1.333333, atol=5e-7)


@pytest.mark.notes("002", "pca-choose-m")
def test_smallest_number_that_reaches_a_share():
    ratio = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])
    cumulative = np.cumsum(ratio)
    for share in (0.3, 0.6, 0.76, 0.9):
        assert components_for_share(ratio, share) == next(k for k in range(1, 6) if cumulative[k - 1] > share)
    X = RNG.normal(size=(200, 5)) * np.sqrt(ratio)
    model = PCA(0.9).fit(X)
    shares = PCA().fit(X).explained_variance_ratio_.cumsum()
    assert shares[model.n_components_ - 1] > 0.9 >= shares[model.n_components_ - 2]
    axes = PCA().fit(X).plot()
    assert_allclose(axes.lines[0].get_ydata(), shares)


@pytest.mark.notes("002", "pca-decorrelate-whiten")
@pytest.mark.parametrize("solver", SOLVERS)
def test_whitening(solver):
    X = RNG.normal(size=(300, 4)) @ RNG.normal(size=(4, 4)) + 10
    model = PCA(3, whiten=True, svd_solver=solver, random_state=0).fit(X)
    white = model.transform(X)
    assert_allclose(np.cov(white.T), np.eye(3), atol=1e-10)
    plain = PCA(3).fit_transform(X)
    assert_allclose(white, plain / plain.std(axis=0, ddof=1), rtol=1e-8)  # the exponent is minus one half
    assert_allclose(model.inverse_transform(white), PCA(3).fit(X).inverse_transform(plain), rtol=1e-10)


@pytest.mark.notes("002", "pca-reconstruct")
def test_reconstruction_is_the_nearest_point_of_the_subspace():
    X = RNG.normal(size=(50, 5)) @ RNG.normal(size=(5, 5)) + 3
    model = PCA(2).fit(X)
    back = model.inverse_transform(model.transform(X))
    assert_allclose(((X - back) ** 2).sum(axis=1).mean(), model.reconstruction_error(X), rtol=1e-12)
    assert_allclose((X - back) @ model.components_.T, 0, atol=1e-12)
    weight = RNG.integers(0, 3, 50)
    error = model.reconstruction_error(X, sample_weight=weight)
    assert_allclose(error, weight @ ((X - back) ** 2).sum(axis=1) / weight.sum(), rtol=1e-12)


@pytest.mark.notes("003", "pca")
def test_four_points():
    model = PCA().fit(FOUR)
    assert_allclose(model.mean_, [2, 3])
    assert_allclose(model.get_covariance(), [[2.666667, 1.333333], [1.333333, 6.666667]], atol=5e-7)
    assert_allclose(model.explained_variance_, [7.070368, 2.262966], atol=5e-7)
    assert_allclose(model.components_[0], [0.289784, 0.957092], atol=5e-7)
    assert_allclose(model.explained_variance_ratio_[0], 0.757539, atol=5e-7)
    assert_allclose(model.transform(FOUR)[:, 0], [-2.871276, -1.536660, 1.536660, 2.871276], atol=5e-7)


@pytest.mark.notes("003", "pca-choose-k")
def test_share_of_the_variance_not_of_the_dimensions():
    assert PCA(0.9).fit(FOUR).n_components_ == 2
    assert PCA(0.7).fit(FOUR).n_components_ == 1
    assert [PCA(share).fit(FOUR).n_components_ for share in (0.7575, 0.7576)] == [1, 2]  # the first has 0.757539
    X = RNG.normal(size=(400, 6)) * [5, 4, 3, 2, 1, 0.5]
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    for k in range(1, 6):
        model = PCA(values[:k].sum() / values.sum() - 1e-6).fit(X)
        assert model.n_components_ == k
        assert_allclose(model.noise_variance_, values[k:].mean(), rtol=1e-9)


@pytest.mark.notes("004", "pca")
def test_five_points_centred_and_standardized():
    model = PCA(1).fit(FIVE)
    assert_allclose(PCA().fit(FIVE).explained_variance_ * 4 / 5, [3.2, 0.8])
    assert_allclose(model.transform(FIVE).ravel(), [0, 0, 2.828427, -2.828427, 0], atol=5e-7)
    assert_allclose(model.reconstruction_error(FIVE), 0.8)
    standard = (FIVE - FIVE.mean(axis=0)) / FIVE.std(axis=0)
    assert_allclose(PCA().fit(standard).explained_variance_ * 4 / 5, [1.6, 0.4])


@pytest.mark.notes("000-a", "pca-reduce")
def test_wide_rows_are_multiplied_in_chunks(monkeypatch):
    X = RNG.normal(size=(20, 70)) + 3
    whole = Theirs(4, svd_solver="full").fit(X)
    monkeypatch.setattr(spectrum, "CHUNK_VALUES", 200)  # ten columns at a time
    model = PCA(4, svd_solver="covariance_eigh").fit(X)
    assert_allclose(model.components_, whole.components_, atol=1e-10)
    assert_allclose(model.explained_variance_, whole.explained_variance_, rtol=1e-10)


@pytest.mark.notes("002", "pca-choose-m")
@pytest.mark.notes("000-a", "fig-pca")
@pytest.mark.notes("003", "fig-pca")
def test_picture_before_and_after():
    model = PCA().fit(FOUR)
    before, after = plot_components(model, FOUR)
    arrows = [text for text in before.texts if text.arrow_patch is not None]
    for j, arrow in enumerate(arrows):
        length = np.sqrt(model.explained_variance_[j])
        assert_allclose(np.asarray(arrow.xy), model.mean_ + length * model.components_[j])
        assert_allclose(arrow.xyann, model.mean_)
        own = np.cov((FOUR - FOUR.mean(axis=0)).T) @ (np.asarray(arrow.xy) - arrow.xyann)  # an eigenvector of the rows
        assert_allclose(own, length**2 * (np.asarray(arrow.xy) - arrow.xyann), atol=1e-12)
    assert len(arrows) == 2
    assert_allclose(before.collections[0].get_offsets(), FOUR)
    ring = before.lines[0].get_xydata() - FOUR.mean(axis=0)  # two standard deviations in every direction
    assert_allclose(np.einsum("ni,ij,nj->n", ring, np.linalg.inv(np.cov(FOUR.T)), ring), 4, rtol=1e-9)
    assert_allclose(ring.max(axis=0), 2 * FOUR.std(axis=0, ddof=1), rtol=1e-2)
    assert_allclose(after.collections[0].get_offsets(), model.transform(FOUR), atol=1e-12)
    with pytest.raises(DataError, match="plot_components draws points of the plane"):
        plot_components(PCA().fit(np.eye(3)), np.eye(3))


@pytest.mark.notes("000-a", "pca")
@pytest.mark.notes("000-a", "pca-reduce")
@pytest.mark.notes("002", "pca")
@pytest.mark.notes("003", "pca")
@pytest.mark.notes("004", "pca")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(150, 4), (400, 60), (30, 100)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_scikit_learn(shape, solver, dtype):
    X = (RNG.normal(size=shape) * np.linspace(3, 1, shape[1]) + 5).astype(dtype)
    k = 3 if solver != "full" else None
    ours = PCA(k, svd_solver=solver, iterated_power=20, random_state=0).fit(X)
    theirs = Theirs(k, svd_solver="full").fit(X.astype(np.float64))
    stable = theirs.explained_variance_ > 1e-9
    tolerance = {"rtol": 1e-10, "atol": 1e-10} if dtype == np.float64 else {"rtol": 2e-4, "atol": 2e-5}
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        assert getattr(ours, name).dtype == dtype
        assert_allclose(getattr(ours, name)[stable], getattr(theirs, name)[stable], **tolerance, err_msg=name)
    assert_allclose(ours.mean_, theirs.mean_, rtol=1e-6 if dtype == np.float32 else 1e-13)
    assert_allclose(
        ours.noise_variance_, theirs.noise_variance_, rtol=1e-5 if dtype == np.float32 else 1e-10, atol=1e-25
    )
    assert_allclose(
        ours.transform(X)[:, stable],
        theirs.transform(X)[:, stable],
        rtol=1e-3,
        atol=1e-10 if dtype == np.float64 else 1e-3,
    )
    if shape[0] > shape[1] and k is not None and dtype == np.float64:
        for method in ("get_covariance", "get_precision"):
            assert_allclose(getattr(ours, method)(), getattr(theirs, method)(), rtol=1e-9, atol=1e-10)
        assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-10)
        assert_allclose(ours.score(X), theirs.score(X), rtol=1e-10)


@pytest.mark.parametrize("shape", [(300, 20), (20, 300)])
@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_full_keeps_the_digits_of_small_singular_values(shape, mean):
    values = np.logspace(0, -7, 12)
    X = rows_of_spectrum(*shape, values, mean=mean)
    exact = scipy.linalg.svdvals(X - np.array([np.mean(c.astype(np.longdouble)) for c in X.T], dtype=float))[:12]
    rtol = 1e-12 if mean == 0 else 1e-7  # beyond, digits of the data themselves are missing
    for solver in ("full", "auto"):  # auto sees that squares would not do
        model = PCA(12, svd_solver=solver).fit(X)
        assert model._fit_svd_solver == "full"
        assert_allclose(model.singular_values_[:8], exact[:8], rtol=rtol, atol=4e-16 * max(1, mean))
        assert_allclose(model.components_ @ model.components_.T, np.eye(12), atol=1e-13)
    squares = PCA(12, svd_solver="covariance_eigh").fit(X)
    assert_allclose(squares.singular_values_[:4], exact[:4], rtol=1e-9)


@pytest.mark.notes("003", "pca")
def test_extreme_scales():
    X = RNG.normal(size=(40, 3)) * [3.0, 2.0, 1.0]
    for scale in (1e152, 1e-152):
        model = PCA(2).fit(X * scale)
        assert_allclose(model.components_, PCA(2).fit(X).components_, rtol=1e-9, atol=1e-12)
        assert_allclose(model.singular_values_ / scale, PCA(2).fit(X).singular_values_, rtol=1e-12)


def test_a_far_mean_costs_no_digits():
    X = RNG.normal(size=(5000, 6)) * np.linspace(2, 1, 6)
    near, far = PCA(3).fit(X), PCA(3).fit(X + 2.0**20)
    assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-8)
    assert_allclose(far.transform(X + 2.0**20), near.transform(X), atol=1e-7)
    single = X.astype(np.float32)
    assert_allclose(PCA(3).fit(single + 512).transform(single + 512), PCA(3).fit(single).transform(single), atol=2e-2)


def test_null_axes_depend_on_the_data_alone():
    X = RNG.normal(size=(12, 5)) @ RNG.normal(size=(5, 30))
    weight = RNG.integers(0, 4, 12)
    a, b = PCA().fit(X, sample_weight=weight), PCA().fit(np.repeat(X, weight, axis=0))
    assert a.n_components_ == b.n_components_ == min(weight.sum(), 30)
    assert_allclose(a.components_, b.components_, atol=1e-9)
    assert_allclose(a.components_ @ a.components_.T, np.eye(a.n_components_), atol=1e-12)
    constant = PCA().fit(np.ones((5, 3)))
    assert_allclose(constant.components_, np.eye(3))
    assert_array_equal(constant.explained_variance_ratio_, np.zeros(3))


@pytest.mark.parametrize("solver", ["auto", "arpack", "covariance_eigh"])
def test_sparse_is_centred_implicitly(solver):
    X = scipy.sparse.random(500, 40, 0.1, format="csr", random_state=0)
    sparse, dense = (PCA(5, svd_solver=solver).fit(data) for data in (X, X.toarray()))
    assert_allclose(sparse.components_, dense.components_, atol=1e-10)
    assert_allclose(sparse.noise_variance_, dense.noise_variance_, rtol=1e-11)
    assert_allclose(sparse.transform(X), dense.transform(X.toarray()), atol=1e-12)
    assert_allclose(sparse.score_samples(X), dense.score_samples(X.toarray()), rtol=1e-9)
    assert_allclose(sparse.reconstruction_error(X), dense.reconstruction_error(X.toarray()), rtol=1e-12)
    weight = RNG.integers(0, 3, 500)
    a, b = PCA(3).fit(X, sample_weight=weight), PCA(3).fit(X.toarray(), sample_weight=weight)
    assert_allclose(a.components_, b.components_, atol=1e-10)


def test_wide_sparse_by_lanczos():
    X = scipy.sparse.random(60, 2500, 0.02, format="csr", random_state=0)
    weight = np.ones(60)
    weight[:5] = 2
    for w in (None, weight):
        sparse = PCA(3, random_state=0).fit(X, sample_weight=w)
        dense = PCA(3, svd_solver="full").fit(X.toarray(), sample_weight=w)
        assert sparse._fit_svd_solver == "arpack"
        assert_allclose(sparse.components_, dense.components_, atol=1e-9)
        assert_allclose(sparse.explained_variance_ratio_, dense.explained_variance_ratio_, rtol=1e-10)


def test_passes_find_leading_axes_of_large_data():
    X = rows_of_spectrum(1500, 700, np.concatenate([[30, 20, 10, 5], np.full(300, 1.0)]), mean=2.0)
    model = PCA(4, random_state=0).fit(X)
    assert model._fit_svd_solver == "randomized"
    exact = PCA(4, svd_solver="full").fit(X)
    assert_allclose(model.singular_values_, [30, 20, 10, 5], rtol=1e-9)
    assert_allclose(model.components_, exact.components_, atol=1e-6)
    assert_allclose(model.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-9)
    assert_array_equal(model.components_, PCA(4, random_state=0).fit(X).components_)
    flat = RNG.normal(size=(1000, 650))
    theirs = Theirs(5, svd_solver="randomized", random_state=0).fit(flat)
    ours = PCA(5, svd_solver="randomized", random_state=0).fit(flat)
    assert ours.explained_variance_.sum() > theirs.explained_variance_.sum()  # in fewer passes
    weight = np.repeat([1.0, 3.0], 750)
    a = PCA(4, svd_solver="randomized", random_state=0, iterated_power=8).fit(X, sample_weight=weight)
    b = PCA(4, svd_solver="full").fit(X, sample_weight=weight)
    assert_allclose(a.components_, b.components_, atol=1e-7)


@pytest.mark.notes("002", "ppca")
@pytest.mark.notes("002", "pca-choose-m")
def test_evidence_is_minkas_formula():
    from sklearn.decomposition._pca import _assess_dimension

    values = np.array([9.0, 5.0, 1.2, 1.0, 0.9, 0.8])
    wanted = [_assess_dimension(values, k, 50) for k in range(1, 6)]
    assert_allclose(log_evidence(values, 50), wanted, rtol=1e-12)
    assert (
        PCA("mle").fit(load_iris().data).n_components_
        == Theirs("mle", svd_solver="full").fit(load_iris().data).n_components_
    )
    assert np.isfinite(log_evidence(np.array([2.0, 2.0, 1.0, 1.0]), 20)).all()


def test_digits():
    X = load_digits().data
    ours, theirs = PCA(30).fit(X), Theirs(30, svd_solver="full").fit(X)
    assert_allclose(ours.components_, theirs.components_, atol=1e-9)
    assert_allclose(
        ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), atol=1e-10
    )
    assert_array_equal(ours.get_feature_names_out()[:2], ["pca0", "pca1"])


@pytest.mark.parametrize(
    "options, words",
    [
        (
            {"n_components": 9},
            "n_components=9 must be between 0 and min.n_samples, n_features.=4 with svd_solver='full' in PCA",
        ),
        ({"n_components": 4, "svd_solver": "arpack"}, "strictly less than min.*'full' finds all"),
        ({"n_components": "mle", "svd_solver": "randomized"}, "cannot be a string .* use 'full' or 'auto'"),
        ({"n_components": 0.5, "svd_solver": "arpack"}, "n_components=0.5 must be between 1 and"),
        ({"n_components": 1.5}, "The 'n_components' parameter of PCA must be"),
        ({"svd_solver": "svd"}, "The 'svd_solver' parameter of PCA must be"),
    ],
)
def test_errors_name_the_remedy(options, words):
    with pytest.raises(ParameterError, match=words):
        PCA(**options).fit(load_iris().data)


def test_one_row_and_light_weights_are_refused():
    with pytest.raises(DataError, match="PCA needs a total weight above 1"):
        PCA().fit([[1.0, 2.0]])
    with pytest.raises(DataError, match=r"sum to 0\.3: weights count how often a row occurs"):
        PCA(1).fit(FOUR, sample_weight=[0.1, 0.1, 0.1, 0.0])


@pytest.mark.parametrize("p", [5, 600])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_found_wherever_they_are(p, bad):
    X = RNG.normal(size=(1300, p))
    model = PCA(2).fit(X)
    X[1200, p - 1] = bad
    words = "Input X contains NaN" if np.isnan(bad) else "Input X contains infinity"
    for call in (PCA(2).fit, PCA(2, svd_solver="full").fit, PCA(2, svd_solver="randomized").fit, model.transform):
        with pytest.raises(ValueError, match=words):
            call(X)
    with pytest.raises(ValueError, match=words):
        PCA(2).fit(X, sample_weight=np.arange(1300) < 1200)
    with pytest.raises(ValueError, match=words):
        PCA(2).fit(X[1190:1210])
