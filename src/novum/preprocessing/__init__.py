"""Feature maps: columns made from columns, so that linear methods reach further. Polynomials, scalers, encoders: scikit-learn's."""

from novum.preprocessing.bumps import GaussianBasis, SigmoidBasis
from novum.preprocessing.dependent import DropDependentFeatures
from novum.preprocessing.last_values import LastValues
from novum.preprocessing.level_means import LevelMeans
from novum.preprocessing.polar import PolarFeatures
from novum.preprocessing.radial import RadialBasis

__all__ = [
    "DropDependentFeatures",
    "GaussianBasis",
    "LastValues",
    "LevelMeans",
    "PolarFeatures",
    "RadialBasis",
    "SigmoidBasis",
]


def __dir__() -> list[str]:
    return sorted(__all__)
