"""Losses: what a prediction costs. Value, gradient, curvature, risk and best constant, defined once for all."""

from novum.losses._base import Loss, empirical_risk
from novum.losses.cross_entropy import CrossEntropyLoss
from novum.losses.likelihood import GammaLoss, GaussianLoss, PoissonLoss
from novum.losses.margin import ExponentialLoss, HingeLoss, LogisticLoss, PerceptronLoss, SquaredHingeLoss, ZeroOneLoss
from novum.losses.plots import plot_losses
from novum.losses.regression import (
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    HuberLoss,
    MinkowskiLoss,
    QuantileLoss,
    SquaredLoss,
)
from novum.runtime.moved_names import moved_names

__all__ = [
    "AbsoluteLoss",
    "CrossEntropyLoss",
    "EpsilonInsensitiveLoss",
    "ExponentialLoss",
    "GammaLoss",
    "GaussianLoss",
    "HingeLoss",
    "HuberLoss",
    "LogisticLoss",
    "Loss",
    "MinkowskiLoss",
    "PerceptronLoss",
    "PoissonLoss",
    "QuantileLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "ZeroOneLoss",
    "empirical_risk",
    "plot_losses",
]

__getattr__ = moved_names(
    __name__,
    {
        "._base": "Pieces",
        ".margin": "MarginLoss",
        ".plots": "plot_risk",
        ".regression": "ResidualLoss",
        ".split": "LossSplit split_squared_loss",
    },
)
