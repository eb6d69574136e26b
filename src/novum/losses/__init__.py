"""Losses: what a prediction costs. Value, gradient, curvature, risk and best constant, defined once for all."""

from novum.losses._base import Loss, Pieces, empirical_risk
from novum.losses.cross_entropy import CrossEntropyLoss
from novum.losses.likelihood import GammaLoss, GaussianLoss, PoissonLoss
from novum.losses.margin import (
    ExponentialLoss,
    HingeLoss,
    LogisticLoss,
    MarginLoss,
    PerceptronLoss,
    SquaredHingeLoss,
    ZeroOneLoss,
)
from novum.losses.plots import plot_losses, plot_risk
from novum.losses.regression import (
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    HuberLoss,
    MinkowskiLoss,
    QuantileLoss,
    ResidualLoss,
    SquaredLoss,
)
from novum.losses.split import LossSplit, split_squared_loss

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
    "LossSplit",
    "MarginLoss",
    "MinkowskiLoss",
    "PerceptronLoss",
    "Pieces",
    "PoissonLoss",
    "QuantileLoss",
    "ResidualLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "ZeroOneLoss",
    "empirical_risk",
    "plot_losses",
    "plot_risk",
    "split_squared_loss",
]
