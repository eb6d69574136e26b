"""Kernels: similarities of points, strings, sets and graphs that are inner products of features, and their algebra."""

from novum.kernels.base import Kernel
from novum.kernels.composition import Exponential, Gaussian
from novum.kernels.constants import ConstantKernel as Constant
from novum.kernels.constants import WhiteKernel as White
from novum.kernels.graphs import IsomorphismTest, WeisfeilerLehman, wl_isomorphism_test
from novum.kernels.learning import MultipleKernelLearning
from novum.kernels.network import RBFNetwork
from novum.kernels.operators import CompoundKernel, Exponentiation, Product, Sum
from novum.kernels.pairwise import PairwiseKernel
from novum.kernels.perceptron import KernelPerceptron
from novum.kernels.products import DotProduct, Linear, Polynomial, QuadraticForm, Sigmoid
from novum.kernels.stationary import RBF, Laplacian, Matern, Radial, RationalQuadratic
from novum.kernels.stationary import ExpSineSquared as Periodic
from novum.kernels.strings import SharedWords, Spectrum
from novum.kernels.structured import Convolution, Match, SetKernel
from novum.kernels.validity import KernelCheck

__all__ = [
    "RBF",
    "CompoundKernel",
    "Constant",
    "Convolution",
    "DotProduct",
    "Exponential",
    "Exponentiation",
    "Gaussian",
    "IsomorphismTest",
    "Kernel",
    "KernelCheck",
    "KernelPerceptron",
    "Laplacian",
    "Linear",
    "Match",
    "Matern",
    "MultipleKernelLearning",
    "PairwiseKernel",
    "Periodic",
    "Polynomial",
    "Product",
    "QuadraticForm",
    "RBFNetwork",
    "Radial",
    "RationalQuadratic",
    "SetKernel",
    "SharedWords",
    "Sigmoid",
    "Spectrum",
    "Sum",
    "WeisfeilerLehman",
    "White",
    "wl_isomorphism_test",
]


def __dir__() -> list[str]:
    return sorted(__all__)
