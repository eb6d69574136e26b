"""Which kernels are valid, stationary and isotropic; their names, formulas and machines."""

import numpy as np
import pytest
from sklearn import clone
from sklearn.gaussian_process import kernels as peer
from sklearn.metrics import pairwise

import novum.gaussian_process.kernels as named
from novum.exceptions import DataError, ParameterError
from novum.kernels import (
    RBF,
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    Radial,
    RationalQuadratic,
    Sigmoid,
    Spectrum,
    White,
)

RNG = np.random.default_rng(1)


X, Y = RNG.standard_normal((12, 3)), RNG.standard_normal((7, 3))


def close(found, want):
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)


@pytest.mark.notes("000-c", "gram-matrix")
@pytest.mark.notes("003", "gram-matrix")
@pytest.mark.notes("002", "gram-check")
def test_gram_matrices_symmetry_and_definiteness():
    kernel = 0.7 * RBF(0.9) + Polynomial(degree=2, coef0=0.2)
    K = kernel.gram(X)
    for i in range(12):
        for j in range(12):
            x, z = X[i], X[j]
            want = 0.7 * np.exp(-np.sum((x - z) ** 2) / (2 * 0.81)) + (x @ z + 0.2) ** 2
            assert K[i, j] == pytest.approx(want, rel=1e-12)
    assert kernel.is_valid and kernel.is_psd().proved  # by the rules, without points
    assert all(k.is_valid is None for k in (Polynomial(degree=-1), Polynomial(degree=1.5), Polynomial(coef0=-0.1)))
    assert (K == K.T).all() and kernel.gram(X, Y).shape == (12, 7) and kernel.is_psd(X)
    assert (Linear().gram(X) < 0).any() and Linear().is_psd(X)  # entries may be negative, eigenvalues not
    assert np.linalg.matrix_rank(Linear().gram(X)) == 3  # and may be zero


class Minimum(Kernel):
    """A kernel of a user's own: min(x, z) of positive numbers, or its negative."""

    def __init__(self, sign=1.0):
        self.sign = sign

    def __call__(self, X, Y=None, eval_gradient=False):
        X = np.atleast_2d(X)
        return self.sign * np.minimum(X, np.atleast_2d(X if Y is None else Y).T)

    def diag(self, X):
        return self.sign * np.ravel(X)


class Lopsided(Minimum):
    """Not symmetric: no kernel."""

    def __call__(self, X, Y=None, eval_gradient=False):
        return np.subtract.outer(np.ravel(X), np.ravel(X if Y is None else Y))


@pytest.mark.notes("004", "sigmoid-kernel")
@pytest.mark.notes("004", "kernel-validity")
@pytest.mark.notes("000-c", "kernel-validity")
@pytest.mark.notes("003", "mercer-check")
def test_validity_by_rules_by_points_and_by_random_points():
    points = np.array([[1.0], [2.0], [3.0]])
    assert Minimum().is_psd(points) and Minimum().is_valid is None
    least = np.linalg.eigvalsh(np.minimum(points, points.T))[0]
    assert Minimum().is_psd(points).smallest_eigenvalue == pytest.approx(least, rel=1e-12)
    found = Minimum(-1.0).is_psd(points)
    assert not found and found.weights @ Minimum(-1.0)(points) @ found.weights < 0 and "not positive" in repr(found)
    assert "not symmetric" in Lopsided().is_psd(points).verdict and not Lopsided().is_psd(points)
    for size in (1e-9, 1e9):  # both judged beside the largest entry
        assert "not symmetric" in Lopsided().is_psd(size * points).verdict
        assert Minimum().is_psd(size * points) and not Minimum(-1.0).is_psd(size * points)
        turned = Linear().of(lambda Z: np.asarray(Z) @ [[0.6, -0.8], [0.8, 0.6]])  # rounding is no lack of symmetry
        assert turned.is_psd(size * RNG.standard_normal((30, 2)))
    proved = (2.0 * RBF(1.0) + Linear()).is_psd()
    assert proved and proved.proved and not Minimum().is_psd(points).proved
    mapped = (Minimum() + Minimum()).is_psd(points)
    assert mapped and not mapped.proved
    close((Minimum() + 2.0 * Minimum())(points), 3 * np.minimum(points, points.T))
    for mixed in (RBF(1.0) + Minimum(), Minimum() * Linear(), RBF(1.0) + Sigmoid(), (RBF(1.0) + Minimum()).exp()):
        assert mixed.is_valid is None  # one part that is not known to be a kernel is enough
    with pytest.raises(DataError, match="give is_psd some objects"):
        Radial(np.cos).of(lambda Z: Z).is_psd()


@pytest.mark.notes("003", "kernel-properties")
def test_stationary_and_isotropic_as_stated_and_as_measured():
    shift, turn = np.array([0.3, -1.2, 0.7]), np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    kernels = [
        RBF(0.8),
        RBF([0.5, 1.0, 2.0]),
        Matern(0.7, nu=2.5),
        RationalQuadratic(0.5, 2.0),
        Laplacian(0.9),
        Constant(2.0),
        Linear(),
        Polynomial(degree=2),
        Sigmoid(gamma=0.3),
        RBF(0.5) + 0.3 * Matern(1.0),
        RBF(0.5) * Linear(),
        RBF(0.5).exp(),
        (0.1 * Linear()).exp(),
        RBF(0.5) ** 2,
        Linear() ** 2,
        RBF(0.5).of(np.sin),
        Gaussian(Linear()),
        Periodic(0.7, 1.5),
        Radial(np.cos),
    ]
    for kernel in kernels:
        moved = np.allclose(kernel(X + shift, Y + shift), kernel(X, Y), atol=1e-10)
        turned = np.allclose(kernel(X @ turn, Y @ turn), kernel(X, Y), atol=1e-10)
        stated = kernel.is_stationary(), kernel.is_isotropic()
        if not isinstance(kernel, Gaussian):  # of a linear kernel: stationary though its inner kernel is not
            assert stated[0] == moved, kernel
        assert (moved and turned) or not stated[1], kernel
        assert kernel.is_homogeneous() == stated[1]
    assert not RBF([0.5, 1.0, 2.0]).is_isotropic() and not Laplacian().is_isotropic() and Matern().is_isotropic()


@pytest.mark.notes("000-c", "gaussian-kernel")
@pytest.mark.notes("000-c", "linear-kernel")
@pytest.mark.notes("002", "kernel-gaussian")
@pytest.mark.notes("002", "kernel-linear")
@pytest.mark.notes("003", "gaussian-kernel")
@pytest.mark.notes("003", "linear-kernel")
@pytest.mark.notes("004", "rbf-kernel")
def test_pairwise_kernels_of_scikit_learn():
    close(Laplacian(1 / 0.7)(X, Y), pairwise.laplacian_kernel(X, Y, gamma=0.7))
    close(Linear()(X, Y), pairwise.linear_kernel(X, Y))
    assert Linear() + White(0.3) == White(0.3) + Linear() != Linear() + White(0.2)
    for ours, theirs in (
        (RationalQuadratic(0.7, 1.3), peer.RationalQuadratic(0.7, 1.3)),
        (Periodic(0.7, 1.3), peer.ExpSineSquared(0.7, 1.3)),
        (Matern([0.7, 1.0, 1.3], nu=2.5), peer.Matern([0.7, 1.0, 1.3], nu=2.5)),
        (Matern(0.7, nu=0.8), peer.Matern(0.7, nu=0.8)),
        (named.DotProduct(0.6) ** 2, peer.DotProduct(0.6) ** 2),
        (2.0 * RBF(0.7) + White(0.3), 2.0 * peer.RBF(0.7) + peer.WhiteKernel(0.3)),
    ):
        K, dK = ours(X, eval_gradient=True)
        want, slopes = theirs(X, eval_gradient=True)
        np.testing.assert_allclose(K, want, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(dK, slopes, rtol=1e-10, atol=1e-5 if "nu=0.8" in repr(ours) else 1e-12)
        assert repr(ours) == repr(theirs) and ours.theta == pytest.approx(theirs.theta)
        np.testing.assert_array_equal(ours.bounds, theirs.bounds)
        assert [h.name for h in ours.hyperparameters] == [h.name for h in theirs.hyperparameters]
        assert ours.get_params().keys() == theirs.get_params().keys() and clone(ours) == ours


def test_names_of_scikit_learn_are_the_same_objects():
    assert named.RBF is RBF and named.WhiteKernel is White and named.ConstantKernel is Constant
    assert named.ExpSineSquared is Periodic and named.Matern is Matern and isinstance(RBF() + RBF(), named.Sum)
    assert isinstance(RBF(), peer.Kernel) and isinstance(RBF() * 2.0, peer.KernelOperator)


def test_formulas_and_parameters():
    kernel = 2.0 * RBF(1.5) + Constant(0.5) + 0.1 * Linear()
    assert kernel.formula() == "2 exp(-|x - z|^2 / (2 1.5^2)) + 0.5 + 0.1 x'z"
    assert Polynomial(degree=2, coef0=0.5).formula() == "(x'z + 0.5)^2"
    assert Gaussian(Linear(), 2.0).formula() == "exp(-d(x, z)^2 / (2 2^2)), d the distance of x'z"
    assert ((RBF() + 1.0) * Linear()).formula() == "(exp(-|x - z|^2 / (2 1^2)) + 1) x'z"
    for each in (
        Sigmoid(),
        Periodic(),
        Matern(nu=0.5),
        Matern(nu=0.7),
        Laplacian(),
        White(),
        RationalQuadratic(),
        RBF().exp(),
    ):
        assert each.formula() and "object at" not in each.formula()
    nested = Polynomial(RBF(0.7), degree=2)
    nested.set_params(kernel__length_scale=1.1, degree=3)
    assert nested.kernel.length_scale == 1.1 and nested.theta == pytest.approx([np.log(1.1)])
    nested.theta = [0.0]
    assert nested.kernel.length_scale == 1.0 and clone(nested) == nested and nested != Polynomial(RBF(0.7), degree=2)


def test_machines_of_scikit_learn_take_them():
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVC

    y = np.sin(X[:, 0]) + 0.3 * RNG.standard_normal(12)
    ours = GaussianProcessRegressor(2.0 * RBF(1.0) + White(0.1)).fit(X, y)
    theirs = GaussianProcessRegressor(2.0 * peer.RBF(1.0) + peer.WhiteKernel(0.1)).fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
    np.testing.assert_allclose(ours.predict(Y), theirs.predict(Y), atol=1e-4)
    assert SVC(kernel=RBF(0.7)).fit(X, y > 0).score(X, y > 0) > 0.8
    ridge = KernelRidge(kernel="precomputed", alpha=0.1).fit(RBF(0.7)(X), y)
    assert ridge.predict(RBF(0.7)(Y, X)).shape == (7,)


def test_trace_is_the_gradient_of_a_marginal_likelihood():
    from sklearn.gaussian_process import GaussianProcessRegressor

    y = np.sin(X[:, 0]) + 0.1 * RNG.standard_normal(12)
    kernel = 1.5 * Matern([0.7, 1.0, 1.3], nu=2.5) + White(0.2)
    model = GaussianProcessRegressor(
        1.5 * peer.Matern([0.7, 1.0, 1.3], nu=2.5) + peer.WhiteKernel(0.2), optimizer=None, alpha=0.0
    )
    value, slope = model.fit(X, y).log_marginal_likelihood(kernel.theta, eval_gradient=True)
    inverse = np.linalg.inv(kernel(X))
    found = 0.5 * kernel.gradient_trace(X, inverse, vectors=inverse @ y, scale=-1.0)
    np.testing.assert_allclose(found, slope, rtol=1e-9, atol=1e-10)
    assert np.isfinite(value)


def test_negative_powers_are_refused():
    X = np.ones((2, 2))
    for kernel, name in (
        (Polynomial(degree=-1), "Polynomial"),
        (RBF(1.0) ** -2, "Exponentiation"),
        (Spectrum(1) ** -1, "Exp"),
    ):
        with pytest.raises(ParameterError, match=rf"{name}.*=-[12]\): a negative power of a kernel is no kernel"):
            kernel(["ab", "b"] if "Spectrum" in repr(kernel) else X)
