"""Kernel ridge regression: least squares with a penalty, in the space of a kernel."""

from novum.kernel_ridge.estimator import KernelRidge

__all__ = ["KernelRidge"]


def __dir__() -> list[str]:
    return sorted(__all__)
