"""The kernels of `novum.kernels` under scikit-learn's names: the same objects."""

from sklearn.gaussian_process.kernels import GenericKernelMixin, NormalizedKernelMixin, StationaryKernelMixin

from novum.kernels.base import Hyperparameter, Kernel
from novum.kernels.constants import ConstantKernel, WhiteKernel
from novum.kernels.operators import CompoundKernel, Exponentiation, KernelOperator, Product, Sum
from novum.kernels.pairwise import PairwiseKernel
from novum.kernels.products import DotProduct
from novum.kernels.stationary import RBF, ExpSineSquared, Matern, RationalQuadratic

__all__ = [
    "RBF",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "GenericKernelMixin",
    "Hyperparameter",
    "Kernel",
    "KernelOperator",
    "Matern",
    "NormalizedKernelMixin",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "StationaryKernelMixin",
    "Sum",
    "WhiteKernel",
]


def __dir__() -> list[str]:
    return sorted(__all__)
