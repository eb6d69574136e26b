"""Kernels: similarities of points, strings, sets and graphs that are inner products of features, and their algebra."""

from novum.kernels.base import Kernel
from novum.kernels.composition import Exponential, Gaussian
from novum.kernels.constants import ConstantKernel as Constant
from novum.kernels.constants import WhiteKernel as White
from novum.kernels.products import Linear, Polynomial, QuadraticForm, Sigmoid
from novum.kernels.stationary import RBF, Laplacian, Matern, Radial, RationalQuadratic
from novum.kernels.stationary import ExpSineSquared as Periodic
from novum.kernels.structured import Convolution, Match, SetKernel
from novum.runtime.moved_names import moved_names

__all__ = [
    "RBF",
    "Constant",
    "Convolution",
    "Exponential",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Match",
    "Matern",
    "Periodic",
    "Polynomial",
    "QuadraticForm",
    "Radial",
    "RationalQuadratic",
    "SetKernel",
    "Sigmoid",
    "White",
]

__getattr__ = moved_names(
    __name__,
    {
        ".operators": "CompoundKernel Exponentiation Product Sum",
        ".pairwise": "PairwiseKernel",
        ".products": "DotProduct",
        ".program": "GramProgram",
        ".validity": "KernelCheck",
    },
)
