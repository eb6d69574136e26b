"""Models linear in their parameters."""

from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.inference import Inference
from novum.linear_model.ols import LinearRegression
from novum.linear_model.ridge import Ridge

__all__ = ["Hyperplane", "Inference", "LinearRegression", "Ridge"]
