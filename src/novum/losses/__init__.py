"""Losses: what a prediction costs. Value, gradient, curvature, risk and best constant of each.

Boosting and `novum.optimize` minimize these objects. Linear models have the sums of their own losses beside their solvers
(`linear_model/newton/losses`, `linear_model/logistic`), support vector machines and networks in their kernels.
"""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.losses.base import Loss, empirical_risk
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
    from novum.losses.regression import (
        AbsoluteLoss,
        EpsilonInsensitiveLoss,
        HuberLoss,
        MinkowskiLoss,
        QuantileLoss,
        SquaredLoss,
    )
    from novum.losses.residual import ResidualLoss
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".base": "Loss empirical_risk",
            ".cross_entropy": "CrossEntropyLoss",
            ".likelihood": "GammaLoss GaussianLoss PoissonLoss",
            ".margin": "ExponentialLoss HingeLoss LogisticLoss MarginLoss PerceptronLoss SquaredHingeLoss ZeroOneLoss",
            ".regression": "AbsoluteLoss EpsilonInsensitiveLoss HuberLoss MinkowskiLoss QuantileLoss SquaredLoss",
            ".residual": "ResidualLoss",
        },
    )

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
    "MarginLoss",
    "MinkowskiLoss",
    "PerceptronLoss",
    "PoissonLoss",
    "QuantileLoss",
    "ResidualLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "ZeroOneLoss",
    "empirical_risk",
]
