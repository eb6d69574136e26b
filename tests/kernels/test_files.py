"""Kernels in model files: as parameters of machines, with everything that they are made of."""

import inspect

import networkx as nx
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

import novum
from novum import kernels
from novum.exceptions import FileFormatError
from novum.gaussian_process.kernels import CompoundKernel, DotProduct, PairwiseKernel
from novum.kernels import (
    RBF,
    Constant,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    QuadraticForm,
    RationalQuadratic,
    SetKernel,
    Sigmoid,
    Spectrum,
    WeisfeilerLehman,
    White,
)
from novum.kernels.stationary_base import Scaled
from novum.persistence.attributes import declared_attributes

X = np.random.default_rng(0).standard_normal((12, 2))
KERNELS = [
    2.0 * RBF([1.0, 2.0]) + White(0.1),
    RBF(np.array([1.0, 2.0]), length_scale_bounds=(0.1, 10.0)) + 1.0,
    Matern(0.7, nu=2.5) * RationalQuadratic(0.5, 1.5) + Constant(0.3, constant_value_bounds="fixed"),
    Polynomial(Laplacian(0.8) + 0.5, degree=2) + Sigmoid(gamma=0.1) + Periodic(1.0, 2.0),
    Gaussian(Linear() + 0.1, sigma=2.0) + RBF(1.0).normalized() + RBF(0.7).exp(),
    QuadraticForm(np.array([[2.0, 0.5], [0.5, 1.0]])) + DotProduct(0.5) ** 2,
    PairwiseKernel(gamma=0.5, metric="rbf") + RBF(length_scale=1.5),
    CompoundKernel([RBF(1.0), Matern(2.0)]),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_machine_comes_back_with_its_kernel(kernel, tmp_path):
    model = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.5)
    if not isinstance(kernel, CompoundKernel):
        model.fit(X, X[:, 0])
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    assert again.kernel == kernel and type(again.kernel) is type(kernel) and repr(again.kernel) == repr(kernel)
    np.testing.assert_array_equal(again.kernel(X), kernel(X))


@pytest.mark.parametrize(
    "kernel, objects",
    [
        (Spectrum(2, gaps=1).normalized() + White(0.1), ["banana", "ananas"]),
        (SetKernel(RBF(0.5)), [[[0.0], [1.0]], [[2.0]]]),
        (WeisfeilerLehman(2, SetKernel()), [nx.path_graph(4), nx.star_graph(3)]),
    ],
    ids=["words", "sets", "graphs"],
)
def test_kernels_of_objects_come_back(kernel, objects, tmp_path):
    novum.save(GaussianProcessRegressor(kernel), tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum").kernel
    np.testing.assert_array_equal(again(objects), kernel(objects))


def test_functions_are_not_written(tmp_path):
    with pytest.raises(FileFormatError):
        novum.save(GaussianProcessRegressor(RBF().of(np.sin)), tmp_path / "model.novum")


LEAVES = [
    *(
        RBF([1.0, 2.0]),
        Matern(0.7),
        Laplacian([1.0, 2.0]),
        RationalQuadratic(),
        Periodic(),
        Constant(),
        White(),
        DotProduct(),
    ),
    *(Polynomial(), Sigmoid(), Gaussian(Linear()), PairwiseKernel(metric="rbf", pairwise_kernels_kwargs={"n_jobs": 1})),
]


@pytest.mark.parametrize("kernel", LEAVES, ids=lambda kernel: type(kernel).__name__)
def test_bounds_and_scales_of_every_kind_come_back(kernel, tmp_path):
    names = [name for name in kernel.get_params(deep=False) if name.endswith("_bounds")]
    scaled = isinstance(kernel, Scaled)
    variants = []
    for bounds in ("fixed", (0.5, 2.0), [0.5, 2.0], np.array([[0.5, 2.0]])):
        for form in (float, np.float64, lambda value: np.array([value, value]), lambda value: [value, value])[
            : 4 if scaled else 1
        ]:
            variants.append(kernel.clone_with_theta(kernel.theta))
            variants[-1].set_params(**dict.fromkeys(names, bounds), **({"length_scale": form(1.5)} if scaled else {}))
    for given in variants:
        novum.save(GaussianProcessRegressor(given), tmp_path / "model.novum")
        again = novum.load(tmp_path / "model.novum").kernel
        np.testing.assert_array_equal(again(X), given(X))
        np.testing.assert_array_equal(again.bounds, given.bounds)


def is_kernel(value):
    return inspect.isclass(value) and issubclass(value, kernels.Kernel)


def test_no_kernel_is_missing():
    """A file holds what is declared, and only tests that try every form of a parameter declare them all."""
    public = [getattr(kernels, name) for name in kernels.__all__]
    found = {cls: list(inspect.signature(cls).parameters) for cls in public if is_kernel(cls)}
    bounded = {cls.__name__ for cls, names in found.items() if any(name.endswith("_bounds") for name in names)}
    assert bounded - {type(kernel).__name__ for kernel in LEAVES} == set(), "put one of each into LEAVES above"
    undeclared = {cls.__name__ for cls, names in found.items() if names} - {*declared_attributes()}
    assert undeclared == set(), "run `python tools/model_attributes.py tests/kernels`"
