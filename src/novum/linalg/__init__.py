"""Linear algebra by hand: small, exact tools that decide with a stated tolerance and show the certificate of what they say."""

from novum.linalg.definite import Definiteness, is_psd, square_root
from novum.linalg.gradients import GradientCheck, check_gradient
from novum.linalg.moments import correlation, covariance

__all__ = ["Definiteness", "GradientCheck", "check_gradient", "correlation", "covariance", "is_psd", "square_root"]


def __dir__() -> list[str]:
    return sorted(__all__)
