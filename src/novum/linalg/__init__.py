"""Linear algebra by hand: small, exact tools that decide with a stated tolerance and show the certificate of what they say."""

from novum.linalg.bases import (
    Independence,
    Membership,
    are_independent,
    change_of_basis,
    coordinates,
    in_span,
    matrix_of_map,
)
from novum.linalg.definite import Definiteness, is_psd, square_root
from novum.linalg.eigen import EigenPairs, eigen_by_deflation, orthonormal_extension, rayleigh_quotient
from novum.linalg.gradients import GradientCheck, check_gradient
from novum.linalg.moments import correlation, covariance

__all__ = [
    "Definiteness",
    "EigenPairs",
    "GradientCheck",
    "Independence",
    "Membership",
    "are_independent",
    "change_of_basis",
    "check_gradient",
    "coordinates",
    "correlation",
    "covariance",
    "eigen_by_deflation",
    "in_span",
    "is_psd",
    "matrix_of_map",
    "orthonormal_extension",
    "rayleigh_quotient",
    "square_root",
]
