"""Gaussian processes: regression, classification, and kernels under scikit-learn's names."""

from novum.gaussian_process.classification import GaussianProcessClassifier
from novum.gaussian_process.regression import GaussianProcessRegressor

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor"]
