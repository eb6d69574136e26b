"""The one door to scikit-learn's kernels, which carry no types: the stub beside it says what they have."""

from sklearn.gaussian_process.kernels import Hyperparameter, Kernel, KernelOperator, PairwiseKernel

__all__ = ["Hyperparameter", "Kernel", "KernelOperator", "PairwiseKernel"]
