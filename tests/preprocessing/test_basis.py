"""Feature maps against their formulas, in every home; the notes' maps that scikit-learn serves, shown to be its."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, OneHotEncoder, PolynomialFeatures, StandardScaler

import novum
from novum.datasets import make_sine
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression
from novum.preprocessing import GaussianBasis, PolarFeatures, RadialBasis, SigmoidBasis

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))


@pytest.mark.notes("003", "gaussian-basis")
@pytest.mark.notes("002", "basis-functions")
def test_gaussian_basis_is_its_formula():
    model = GaussianBasis(5).fit(X)
    assert_allclose(model.centers_[1], np.linspace(X[:, 1].min(), X[:, 1].max(), 5))
    assert_allclose(model.width_, (X.max(0) - X.min(0)) / 4)
    expected = [
        math.exp(-((x[j] - mu) ** 2) / (2 * model.width_[j] ** 2))
        for x in X
        for j in range(3)
        for mu in model.centers_[j]
    ]
    assert_allclose(model.transform(X).ravel(), expected, rtol=1e-14)
    assert model.get_feature_names_out()[0].startswith("g(x0-")
    bias = GaussianBasis([0.0, 1.0], width=0.5, include_bias=True).fit(X)
    assert bias.transform(X).shape == (40, 7) and (bias.transform(X)[:, 0] == 1).all()
    assert list(bias.get_feature_names_out())[:3] == ["1", "g(x0-0)", "g(x0-1)"]


@pytest.mark.notes("002", "basis-functions")
@pytest.mark.notes("003", "sigmoid-basis")
def test_sigmoid_basis_is_its_formula_and_half_at_its_center():
    model = SigmoidBasis([[0.0, 1], [2, 3], [4, 5]], width=0.3).fit(X)
    expected = expit((X[:, :, None] - model.centers_) / 0.3).reshape(40, 6)
    assert_allclose(model.transform(X), expected, rtol=1e-14)
    assert SigmoidBasis([7.0], width=2.0).fit([[1.0]]).transform([[7.0]]) == 0.5
    assert_array_equal(SigmoidBasis([0.0], width=1e-3).fit([[1.0]]).transform([[1e6], [-1e6]]), [[1.0], [0.0]])


@pytest.mark.notes("003", "radial-basis-function")
def test_radial_basis_is_a_function_of_the_distance():
    centers = RNG.normal(size=(4, 3))
    r = np.sqrt(((X[:, None] - centers) ** 2).sum(2)) / 2
    profiles = {
        "gaussian": np.exp(-(r**2) / 2),
        "multiquadric": np.sqrt(1 + r**2),
        "inverse_multiquadric": 1 / np.sqrt(1 + r**2),
        "thin_plate": r**2 * np.log(r),
        "linear": r,
    }
    for name, expected in profiles.items():
        assert_allclose(
            RadialBasis(centers, profile=name, width=2.0).fit(X).transform(X), expected, rtol=1e-12, atol=1e-15
        )
    assert_allclose(RadialBasis(centers, profile=np.cos, width=2.0).fit_transform(X), np.cos(r), rtol=1e-13)
    assert RadialBasis(centers, profile="thin_plate").fit(X).transform(centers)[0, 0] == 0
    drawn = RadialBasis(8, random_state=3).fit(X)
    assert drawn.centers_.shape == (8, 3) and all((c == X).all(1).any() for c in drawn.centers_)
    distance = np.sqrt(((drawn.centers_[:, None] - drawn.centers_) ** 2).sum(2)) + np.diag([np.inf] * 8)
    assert_allclose(drawn.width_, distance.min(1).mean(), rtol=1e-14)
    weight = np.zeros(40)
    weight[:5] = 1
    assert len(RadialBasis(8, random_state=0).fit(X, sample_weight=weight).centers_) == 5


@pytest.mark.notes("003", "polar-features")
def test_circles_become_lines_in_polar_coordinates():
    rng = np.random.default_rng(1)
    radius, angle = np.repeat([1.0, 3.0], 100) + rng.uniform(-0.5, 0.5, 200), rng.uniform(-np.pi, np.pi, 200)
    plane = np.column_stack([2 + radius * np.cos(angle), -1 + radius * np.sin(angle)])
    label = np.repeat([0, 1], 100)
    polar = PolarFeatures(origin=(2.0, -1.0)).fit(plane)
    assert_allclose(polar.transform(plane), np.column_stack([radius, angle]), rtol=1e-12)
    assert_allclose(polar.inverse_transform(polar.transform(plane)), plane, rtol=1e-12)
    assert LogisticRegression().fit(plane, label).score(plane, label) < 0.75
    assert (
        make_pipeline(PolarFeatures((2.0, -1.0)), LogisticRegression(C=100)).fit(plane, label).score(plane, label)
        == 1.0
    )
    assert list(polar.get_feature_names_out()) == ["radius", "angle"]


@pytest.mark.notes("000-b", "feature-map")
@pytest.mark.notes("004", "feature-map")
def test_any_map_composes_with_any_linear_learner():
    """f(x) = w'phi(x) + w0, fitted in feature space, evaluated in input space; the linear solve is that of the kernel."""
    x, y = make_sine(30, noise=0.1, random_state=0, return_X_y=True)
    model = make_pipeline(GaussianBasis(8), LinearRegression()).fit(x, y)
    phi, step = model[0].transform(x), np.ptp(x) / 7
    assert_allclose(phi, np.exp(-0.5 * ((x - np.linspace(x.min(), x.max(), 8)) / step) ** 2), rtol=1e-12)
    single = GaussianBasis(1).fit(x + 3).transform(x + 3)  # one center in the middle, as wide as the range
    middle = (x.min() + x.max()) / 2
    assert_allclose(single, np.exp(-0.5 * ((x - middle) / np.ptp(x)) ** 2), rtol=1e-10)
    assert_allclose(model.predict(x), phi @ model[1].coef_ + model[1].intercept_, rtol=1e-12)
    assert model.score(x, y) > 0.9 > LinearRegression().fit(x, y).score(x, y)
    square = PolynomialFeatures(2, include_bias=False).fit(np.eye(2))
    u, v = square.transform([[1.0, 2.0]])[0][2:], square.transform([[3.0, 4.0]])[0][2:]
    scale = np.array([1, math.sqrt(2), 1])
    assert_allclose((scale * u) @ (scale * v), (1 * 3 + 2 * 4) ** 2)


@pytest.mark.notes("002", "basis-functions")
@pytest.mark.notes("003", "polynomial-basis")
@pytest.mark.notes("004", "polynomial-features")
def test_powers_of_x_are_scikit_learns():
    x = np.array([[2.0], [3.0]])
    assert_array_equal(PolynomialFeatures(4).fit_transform(x), x ** np.arange(5))
    y = 1 - 2 * x[:, 0] + 0.5 * x[:, 0] ** 2
    grid = np.linspace(0, 3, 9)[:, None]
    model = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression())
    model.fit(grid, 1 - 2 * grid[:, 0] + 0.5 * grid[:, 0] ** 2)
    assert_allclose(model.predict(x), y, rtol=1e-12)


@pytest.mark.notes("000-b", "polynomial-map")
@pytest.mark.parametrize("n, d, exactly, at_most", [(2, 2, 3, 5), (2, 3, 4, 9), (10, 3, 220, 285)])
def test_sizes_of_polynomial_maps(n, d, exactly, at_most):
    ones = np.ones((1, n))
    assert (
        PolynomialFeatures((d, d), include_bias=False).fit_transform(ones).shape[1]
        == exactly
        == math.comb(n + d - 1, d)
    )
    assert PolynomialFeatures(d, include_bias=False).fit_transform(ones).shape[1] == at_most == math.comb(n + d, d) - 1


@pytest.mark.notes("002", "kernel-poly")
@pytest.mark.notes("000-c", "explicit-poly-map")
@pytest.mark.parametrize("degree", [2, 3])
def test_scaled_monomials_are_the_polynomial_kernel(degree):
    """Coefficients sqrt(d! / prod e_i!) of the homogeneous map on (1, x) give (1 + x.z)^d."""
    points = RNG.normal(size=(5, 3))
    lifted = np.column_stack([np.ones(5), points])
    monomials = PolynomialFeatures((degree, degree), include_bias=False).fit(lifted)
    scale = [math.sqrt(math.factorial(degree) / math.prod(map(math.factorial, map(int, e)))) for e in monomials.powers_]
    phi = monomials.transform(lifted) * scale
    assert_allclose(phi @ phi.T, (1 + points @ points.T) ** degree, rtol=1e-12, atol=1e-13)


@pytest.mark.notes("000-b", "augment-bias")
@pytest.mark.notes("001", "linear-function")
def test_a_leading_one_absorbs_the_bias():
    w0, w = 0.7, RNG.normal(size=3)
    augmented = PolynomialFeatures(1).fit_transform(X)
    assert_array_equal(augmented[:, 0], np.ones(40))
    assert_allclose(augmented @ np.r_[w0, w], X @ w + w0, rtol=1e-13)


@pytest.mark.notes("000-a", "centre")
@pytest.mark.notes("000-a", "z-score")
@pytest.mark.notes("000-c", "standardise-inputs")
@pytest.mark.notes("002", "standardise")
@pytest.mark.notes("004", "standardise")
def test_standardization_is_scikit_learns():
    constant = np.column_stack([X, np.full(40, 5.0)])
    scaler = StandardScaler().fit(constant)
    z = scaler.transform(constant)
    assert_allclose(z[:, :3], (X - X.mean(0)) / X.std(0), rtol=1e-12)
    assert (z[:, 3] == 0).all()  # no variance: guarded
    assert_allclose(scaler.inverse_transform(z), constant, rtol=1e-12)
    assert_allclose(StandardScaler(with_std=False).fit_transform(X), X - X.mean(0), atol=1e-15)


@pytest.mark.notes("000-a", "one-hot")
@pytest.mark.notes("000-b", "one-hot")
@pytest.mark.notes("001", "one-hot")
@pytest.mark.notes("003", "one-hot")
@pytest.mark.notes("004", "label-coding")
def test_one_of_k_codes_are_scikit_learns():
    labels = np.array(["c1", "c2", "c3", "c4", "c5", "c2"])
    binarizer = LabelBinarizer().fit(labels)
    assert_array_equal(binarizer.transform(["c2"]), [[0, 1, 0, 0, 0]])
    assert_array_equal(binarizer.inverse_transform(binarizer.transform(labels)), labels)
    assert_array_equal(binarizer.transform(labels).sum(0), [1, 2, 1, 1, 1])  # sums over positions are counts
    assert_array_equal(LabelBinarizer(neg_label=-1).fit_transform([0, 1, 1])[:, 0], [-1, 1, 1])
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(labels[:, None])
    assert_array_equal(encoder.transform([["c9"]]), [[0, 0, 0, 0, 0]])


def test_points_on_a_line_are_separable_when_lifted():
    x = np.array([[-2.0], [-1.5], [-0.5], [0.0], [0.4], [1.4], [2.0]])
    label = (np.abs(x[:, 0]) > 1).astype(int)
    assert LogisticRegression(C=1e6).fit(x, label).score(x, label) < 1
    lifted = PolynomialFeatures(2, include_bias=False).fit_transform(x)
    assert_array_equal(lifted, np.column_stack([x, x**2]))
    assert LogisticRegression(C=1e6).fit(lifted, label).score(lifted, label) == 1.0


@pytest.mark.parametrize("model", [GaussianBasis(4), SigmoidBasis(4), RadialBasis(5, random_state=0), PolarFeatures()])
def test_homes_agree(model, tmp_path):
    data = np.ascontiguousarray(X[:, :2])
    np.save(tmp_path / "x.npy", data)
    expected = model.fit(data).transform(data)
    from_file = type(model)(**model.get_params()).fit(novum.scan(tmp_path / "x.npy"))
    assert_array_equal(np.concatenate(list(from_file.transform(novum.scan(tmp_path / "x.npy")))), expected)
    assert model.fit(data.astype(np.float32)).transform(data.astype(np.float32)).dtype == np.float32


@pytest.mark.deep
@pytest.mark.parametrize("model", [GaussianBasis(4), SigmoidBasis(4), RadialBasis(5, random_state=0), PolarFeatures()])
def test_tensors_agree(model):
    torch = pytest.importorskip("torch")
    data = np.ascontiguousarray(X[:, :2])
    expected = model.fit(data).transform(data)
    tensor = torch.from_numpy(data)
    found = model.fit(tensor).transform(tensor)
    assert isinstance(found, torch.Tensor)
    assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-14)


def test_errors_name_the_way_out():
    with pytest.raises(
        ParameterError, match=r"GaussianBasis\(centers=...\) has the shape \(2, 2\).*each of the 3 columns"
    ):
        GaussianBasis([[0.0, 1], [2, 3]]).fit(X)
    with pytest.raises(ParameterError, match="width"):
        SigmoidBasis(3, width=0.0).fit(X)
    with pytest.raises(ParameterError, match="rows of 3 columns"):
        RadialBasis([[0.0, 1.0]]).fit(X)
    with pytest.raises(DataError, match="a line has no angles"):
        PolarFeatures().fit(X[:, :1])
    with pytest.raises(ParameterError, match="holds NaN or infinity: give finite numbers"):
        PolarFeatures((0.0, np.nan)).fit(X[:, :2])


def test_spheres_become_planes():
    points = RNG.normal(size=(50, 4))
    polar = PolarFeatures(origin=[0.1, 0.2, 0.3, 0.4]).fit(points)
    found = polar.transform(points)
    assert_allclose(found[:, 0], np.linalg.norm(points - polar.origin_, axis=1), rtol=1e-14)
    assert (found[:, 1:3] >= 0).all() and (found[:, 1:3] <= np.pi).all()
    assert_allclose(polar.inverse_transform(found), points, rtol=1e-12, atol=1e-14)
    assert list(polar.get_feature_names_out()) == ["radius", "angle1", "angle2", "angle3"]
