"""Kernels: similarities of points, strings, sets and graphs that are inner products of features, and their algebra."""

from novum.kernels.base import Kernel
from novum.kernels.composition import Exponential, Gaussian
from novum.kernels.constants import ConstantKernel as Constant
from novum.kernels.constants import WhiteKernel as White
from novum.kernels.graphs import WeisfeilerLehman, wl_isomorphism_test
from novum.kernels.learning import MultipleKernelLearning
from novum.kernels.network import RBFNetwork
from novum.kernels.perceptron import KernelPerceptron
from novum.kernels.products import Linear, Polynomial, QuadraticForm, Sigmoid
from novum.kernels.stationary import RBF, Laplacian, Matern, Radial, RationalQuadratic
from novum.kernels.stationary import ExpSineSquared as Periodic
from novum.kernels.strings import Spectrum
from novum.kernels.structured import Convolution, Match, SetKernel
from novum.runtime.moved_names import moved_names

__all__ = [
    "RBF",
    "Constant",
    "Convolution",
    "Exponential",
    "Gaussian",
    "Kernel",
    "KernelPerceptron",
    "Laplacian",
    "Linear",
    "Match",
    "Matern",
    "MultipleKernelLearning",
    "Periodic",
    "Polynomial",
    "QuadraticForm",
    "RBFNetwork",
    "Radial",
    "RationalQuadratic",
    "SetKernel",
    "Sigmoid",
    "Spectrum",
    "WeisfeilerLehman",
    "White",
    "wl_isomorphism_test",
]

__getattr__ = moved_names(
    __name__,
    {
        ".graphs": "IsomorphismTest",
        ".operators": "CompoundKernel Exponentiation Product Sum",
        ".pairwise": "PairwiseKernel",
        ".products": "DotProduct",
        ".program": "GramProgram",
        ".strings": "SharedWords",
        ".validity": "KernelCheck",
    },
)
