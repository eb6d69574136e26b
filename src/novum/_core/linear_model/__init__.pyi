"""Descent for linear models."""

from novum._core.linear_model import (
    descent as descent,
    logistic as logistic,
    logistic_dual as logistic_dual,
    newton as newton,
    proximal as proximal,
    sgd as sgd
)
