"""Explicit features whose inner products are about those of a kernel: linear models behind them scale to any number of rows."""

from novum.kernel_approximation.fourier import RBFSampler
from novum.kernel_approximation.nystroem import Nystroem

__all__ = ["Nystroem", "RBFSampler"]


def __dir__() -> list[str]:
    return sorted(__all__)
