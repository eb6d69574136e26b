"""Kernel ridge regression: the notes' numbers, both forms by literal formulas, leave-one-out by refitting, scikit-learn's class."""

import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.metrics.pairwise import pairwise_kernels

import novum
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.kernel_ridge import KernelRidge, solve
from novum.kernels import RBF, Constant, Linear, Polynomial, SetKernel, Spectrum
from novum.runtime.interrupts import while_listening

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 4)) + [3, 0, -1, 0], RNG.normal(size=(15, 4))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=60)
WEIGHT = np.select([np.arange(60) % 7 == 0, np.arange(60) % 5 == 0], [0.0, 1.0], RNG.uniform(0.2, 3, 60))


@pytest.mark.notes("003", "kernel-ridge")
@pytest.mark.parametrize("solver", ["dual", "primal", "auto"])
def test_notes_line(solver):
    Phi, t = np.column_stack([np.ones(4), np.arange(4.0)]), [1.0, 3, 4, 7]
    model = KernelRidge(2.0, solver=solver).fit(Phi, t)
    assert_allclose(model.dual_coef_, [0.1, 0.25, -0.1, 0.55], atol=1e-13)
    assert_allclose(model.coef_, [0.8, 1.7], atol=1e-13)
    assert_allclose(model.predict([[1, 1.5]]), [3.35], atol=1e-13)


@pytest.mark.notes("002", "kernel-ridge")
def test_dual_form_is_the_inverse_with_the_n_by_n_identity():
    """The notes print I_M where the identity of the dual must be N x N; of 5 rows and 3 features only that one fits."""
    Phi, t = RNG.normal(size=(5, 3)), RNG.normal(size=5)
    a = np.linalg.inv(Phi @ Phi.T + 0.3 * np.eye(5)) @ t
    w = np.linalg.inv(Phi.T @ Phi + 0.3 * np.eye(3)) @ Phi.T @ t
    model = KernelRidge(0.3, solver="dual").fit(Phi, t)
    assert_allclose(model.dual_coef_, a, atol=1e-12)
    assert_allclose(model.coef_, w, atol=1e-12)
    assert_allclose(Phi.T @ model.dual_coef_, w, atol=1e-12)
    new = RNG.normal(size=(4, 3))
    assert_allclose(model.predict(new), [sum(a[n] * (Phi[n] @ x) for n in range(5)) for x in new], atol=1e-12)


@pytest.mark.notes("003", "primal-or-dual")
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(
    ("kernel", "features"),
    [
        ("linear", 4),
        (Linear(), 4),
        (Polynomial(degree=2, coef0=0.7, gamma=0.4), 15),
        (Polynomial(degree=3, coef0=0.0), 20),
        ("poly", 35),
    ],
)
def test_both_forms_predict_the_same_and_the_cheaper_one_is_taken(kernel, features, weight):
    forms = {s: KernelRidge(0.5, kernel=kernel, solver=s).fit(X, Y, weight) for s in ("primal", "dual", "auto")}
    assert_allclose(forms["primal"].predict(NEW), forms["dual"].predict(NEW), rtol=1e-9, atol=1e-9)
    assert_allclose(forms["primal"].dual_coef_, forms["dual"].dual_coef_, rtol=1e-8, atol=1e-8)
    assert len(forms["primal"]._weights) == features
    assert forms["auto"].solver_ == ("primal" if features <= 20 else "dual")  # 60 * 35^2 > 60^3 / 3
    few = KernelRidge(0.5, kernel=kernel).fit(X[:3], Y[:3])
    assert few.solver_ == "dual"


def test_infinitely_many_features_force_the_dual():
    assert KernelRidge(kernel="rbf").fit(X, Y).solver_ == "dual"
    for kernel in ("rbf", Polynomial(RBF(), degree=2), Polynomial(degree=2, coef0=-1.0)):
        with pytest.raises(ParameterError, match=r"KernelRidge\(solver='primal'"):
            KernelRidge(kernel=kernel, solver="primal").fit(X, Y)
    with pytest.raises(ParameterError, match="alpha > 0"):
        KernelRidge(0, solver="primal").fit(X, Y)


@pytest.mark.notes("002", "kernel-ridge")
@pytest.mark.notes("003", "kernel-ridge")
@pytest.mark.filterwarnings(
    "ignore:KernelRidge. the kernel matrix has the eigenvalue", "ignore:Singular matrix:UserWarning"
)
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "sigmoid", "cosine", "polynomial"])
def test_scikit_learn(kernel, weight):
    ours, theirs = (cls(0.3, kernel=kernel, gamma=0.2).fit(X, Y, weight) for cls in (KernelRidge, Theirs))
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-8, atol=1e-8)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings(
    "ignore:KernelRidge. the kernel matrix has the eigenvalue", "ignore:Singular matrix:UserWarning"
)
@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_kernels_of_histograms(kernel):
    ours, theirs = (cls(0.3, kernel=kernel, gamma=1.0).fit(abs(X), Y) for cls in (KernelRidge, Theirs))
    assert_allclose(ours.predict(abs(NEW)), theirs.predict(abs(NEW)), rtol=1e-9)
    assert_allclose(KernelRidge(0.3, kernel=kernel).fit(abs(X), Y).predict(abs(NEW)), ours.predict(abs(NEW)))


def test_penalty_per_target():
    both = np.column_stack([Y, X[:, 0]])
    ours, theirs = (cls([0.1, 5.0], kernel="rbf").fit(X, both) for cls in (KernelRidge, Theirs))
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-10)
    many = RNG.normal(size=(60, 20))
    ours, theirs = (cls(np.geomspace(0.01, 10, 20), kernel="rbf").fit(X, many) for cls in (KernelRidge, Theirs))
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-9, atol=1e-10)
    with pytest.raises(ParameterError, match="zero or more"):
        KernelRidge([1, -2.0]).fit(X, both)
    with pytest.raises(ParameterError, match="3 != 2"):
        KernelRidge([1, 2, 3.0]).fit(X, both)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sparse_rows(kernel):
    sparse = scipy.sparse.csr_matrix(np.where(abs(X) > 1, X, 0))
    dense = KernelRidge(0.3, kernel=kernel).fit(sparse.toarray(), Y, WEIGHT)
    model = KernelRidge(0.3, kernel=kernel).fit(sparse, Y, WEIGHT)
    assert_allclose(model.predict(sparse), dense.predict(sparse.toarray()), rtol=1e-9)
    assert_allclose(model.leave_one_out([0.3]).predictions, dense.leave_one_out([0.3]).predictions, rtol=1e-8)


def refitted(kernel, alpha, weight, rows, **options):
    """Return what each row is predicted by a machine fitted to all others."""
    out = []
    for i in rows:
        others = np.arange(60) != i
        model = Theirs(alpha, kernel=kernel, **options).fit(
            X[others], Y[others], None if weight is None else weight[others]
        )
        out.append(model.predict(X[[i]])[0])
    return out


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("solver", ["dual", "primal"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_leave_one_out_is_refitting(kernel, solver, weight):
    if (kernel, solver) == ("rbf", "primal"):
        return
    alphas = [0.05, 1.0, 30.0]
    model = KernelRidge(1.0, kernel=kernel, degree=2, solver=solver).fit(X, Y, weight)
    path = model.leave_one_out(alphas)
    for alpha, found in zip(alphas, path.predictions, strict=True):
        some = range(0, 60, 7)  # every seventh row has no weight
        assert_allclose(found[some], refitted(kernel, alpha, weight, some, degree=2), rtol=1e-7, atol=1e-8)
        some = range(3, 60, 6)
        assert_allclose(found[some], refitted(kernel, alpha, weight, some, degree=2), rtol=1e-7, atol=1e-8)
    squares = (Y - path.predictions) ** 2
    assert_allclose(path.mean_squared_error, np.average(squares, axis=1, weights=weight), rtol=1e-12)
    assert_allclose(model.leave_one_out_predict(), path.predictions[1], rtol=1e-12)


def test_penalty_by_leave_one_out():
    noisy = Y + np.random.default_rng(1).normal(size=60)
    model = KernelRidge("loo", kernel="rbf").fit(X, noisy)
    path = model.leave_one_out()
    assert model.alpha_ == path.best_alpha == path.alphas[path.mean_squared_error.argmin()]
    assert path.alphas[0] < model.alpha_ < path.alphas[-1]
    assert_allclose(model.predict(NEW), Theirs(model.alpha_, kernel="rbf").fit(X, noisy).predict(NEW), rtol=1e-7)
    assert "leave-one-out: alpha=" in repr(path)
    ax = path.plot()
    assert_allclose(ax.lines[0].get_xydata(), np.column_stack([path.alphas, path.mean_squared_error]))
    assert_allclose(ax.lines[1].get_xdata(), path.best_alpha)
    both = KernelRidge([0.1, 1.0], kernel="rbf").fit(X, np.column_stack([Y, X[:, 0]])).leave_one_out_predict()
    assert_allclose(both[:9, 0], refitted("rbf", 0.1, None, range(9)), rtol=1e-8)
    with pytest.raises(DataError, match="Give more rows"):
        KernelRidge("loo").fit(X[:1], Y[:1])
    with pytest.raises(ParameterError, match="positive, finite penalties"):
        model.leave_one_out([0.0, 1.0])


def test_precomputed_kernels_and_rows_without_weight():
    K, new = pairwise_kernels(X, metric="rbf"), pairwise_kernels(NEW, X, metric="rbf")
    before = K.copy()
    model = KernelRidge(0.2, kernel="precomputed").fit(K, Y, WEIGHT)
    direct = KernelRidge(0.2, kernel="rbf").fit(X, Y, WEIGHT)
    kept = WEIGHT > 0
    without = Theirs(0.2, kernel="rbf").fit(X[kept], Y[kept], WEIGHT[kept])
    assert_allclose(model.predict(new), without.predict(NEW), rtol=1e-10)
    assert_allclose(model.leave_one_out([0.2]).predictions, direct.leave_one_out([0.2]).predictions, rtol=1e-9)
    assert (model.dual_coef_[~kept] == 0).all() and (before == K).all()
    with pytest.raises(DataError, match="Input is a 60x15 matrix"):
        KernelRidge(kernel="precomputed").fit(new.T, Y)
    with pytest.raises(TypeError, match="Sparse precomputed"):
        KernelRidge(kernel="precomputed").fit(scipy.sparse.csr_matrix(K), Y)


def test_kernel_objects_functions_and_things():
    kernel = 2.0 * RBF([1.0, 2.0, 1.0, 3.0]) + Constant(0.5)
    model = KernelRidge(0.1, kernel=kernel).fit(X, Y)
    c = np.linalg.solve(kernel(X) + 0.1 * np.eye(60), Y)
    assert_allclose(model.predict(NEW), kernel(NEW, X) @ c, rtol=1e-8)
    by_pairs = KernelRidge(0.1, kernel=lambda x, z, scale: scale * (x @ z), kernel_params={"scale": 2.0}).fit(X, Y)
    assert_allclose(by_pairs.predict(NEW), Theirs(0.05).fit(X, Y).predict(NEW), rtol=1e-8)
    words, values = ["abab", "babb", "cabc", "ccc"], [1.0, 2.0, 3.0, 4.0]
    K = Spectrum(2)(words)
    model = KernelRidge(0.5, kernel=Spectrum(2)).fit(words, values)
    assert_allclose(model.predict(["abc"]), Spectrum(2)(["abc"], words) @ np.linalg.solve(K + 0.5 * np.eye(4), values))
    assert model.leave_one_out([0.5]).predictions.shape == (1, 4)
    sets = KernelRidge(kernel=SetKernel()).fit([{"a"}, {"a", "b"}, {"c"}], [0.0, 1.0, 2.0])
    assert np.isfinite(sets.predict([{"b"}])).all()
    with pytest.raises(DataError, match="returned NaN or infinity"):
        KernelRidge(kernel=lambda x, z: np.nan).fit(X, Y)
    with pytest.raises(DataError, match="kernel='poly' returned NaN or infinity"), np.errstate(invalid="ignore"):
        KernelRidge(kernel="poly", degree=2.5).fit(5 * X, Y)


def test_singular_and_invalid_kernels_say_so():
    with pytest.warns(DataWarning, match=r"Singular matrix in solving dual problem.*56 eigenvalues"):
        model = KernelRidge(0, kernel="linear").fit(X, Y)
    assert_allclose(model.predict(NEW), NEW @ np.linalg.lstsq(X, Y, rcond=None)[0], rtol=1e-8)
    with pytest.warns(DataWarning, match="minimises nothing"):
        KernelRidge(1e-6, kernel="sigmoid", gamma=1.0).fit(X, Y)
    twice = np.vstack([X, X])
    model = KernelRidge(1e-3, kernel="rbf").fit(twice, np.append(Y, Y))
    assert_allclose(model.predict(NEW), KernelRidge(5e-4, kernel="rbf").fit(X, Y).predict(NEW), rtol=1e-6)


def test_coefficients_exist_for_linear_kernels_only():
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        KernelRidge(kernel="rbf").fit(X, Y).coef_  # noqa: B018


def test_predictions_in_every_home(tmp_path):
    da = pytest.importorskip("dask.array")
    np.save(tmp_path / "x.npy", NEW)
    for kernel in ("rbf", "linear", RBF(2.0)):
        model = KernelRidge(0.3, kernel=kernel).fit(X, Y)
        expected = model.predict(NEW)
        batches = list(model.predict(novum.scan(tmp_path / "x.npy", batch_rows=4)))
        assert len(batches) == 4
        assert_allclose(np.concatenate(batches), expected, rtol=1e-12)
        assert_allclose(np.asarray(model.predict(da.from_array(NEW, chunks=(6, 4)))), expected, rtol=1e-12)
    with pytest.raises(DataError, match="Nystroem"):
        model.fit(novum.scan(tmp_path / "x.npy", columns=[0, 1], target=2))


def test_saved_and_loaded(tmp_path):
    for kernel in ("rbf", "poly", 2.0 * RBF(1.5)):
        model = KernelRidge(0.3, kernel=kernel).fit(X, Y)
        novum.save(model, tmp_path / "m.novum")
        loaded = novum.load(tmp_path / "m.novum")
        assert (loaded.predict(NEW) == model.predict(NEW)).all()
        assert_allclose(loaded.leave_one_out([1.0]).predictions, model.leave_one_out([1.0]).predictions)


def test_large_matrices_are_factored_in_tiles(monkeypatch):
    monkeypatch.setattr(solve, "AT_ONCE", 10)
    monkeypatch.setattr(solve, "TILE", 17)
    A = RNG.normal(size=(60, 60))
    A = A @ A.T + np.eye(60)
    B = A.copy()
    U = solve.factor(B)
    assert_allclose(np.triu(U), np.linalg.cholesky(A).T, rtol=1e-10, atol=1e-12)
    assert (np.triu(B, 1) == np.triu(A, 1)).all()  # what `restore` needs
    A[40, 40] = -1.0
    assert solve.factor(A) is None
    expected = Theirs(0.1, kernel="rbf").fit(X, Y, WEIGHT)
    assert_allclose(KernelRidge(0.1, kernel="rbf").fit(X, Y, WEIGHT).predict(NEW), expected.predict(NEW), rtol=1e-8)
    with pytest.warns(DataWarning, match="Singular matrix"):
        KernelRidge(0.0, kernel="rbf").fit(np.concatenate([X, X]), np.append(Y, Y))


def interrupt_soon():
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    threading.Timer(0.2, interrupt).start()
    return sent


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals arrive in the main thread"
)
def test_an_interrupt_is_answered_while_a_library_computes():
    sent = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        while_listening(time.sleep, 3.0)  # like LAPACK: it lets go of Python's lock and looks for no signal
    assert time.monotonic() - sent[0] < 1.0
    assert while_listening(divmod, 7, 3) == (2, 1)
    with pytest.raises(ZeroDivisionError):
        while_listening(divmod, 7, 0)
