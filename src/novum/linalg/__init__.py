"""Linear algebra by hand: small, exact tools that decide with a stated tolerance and show the certificate of what they say."""

from novum.linalg.bases import are_independent, change_of_basis, coordinates, in_span, matrix_of_map
from novum.linalg.definite import is_psd, square_root
from novum.linalg.eigen import eigen_by_deflation, orthonormal_extension, rayleigh_quotient
from novum.linalg.gradients import check_gradient
from novum.linalg.moments import correlation, covariance
from novum.runtime.moved_names import moved_names

__all__ = [
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

__getattr__ = moved_names(
    __name__,
    {
        ".bases": "Independence Membership",
        ".definite": "Definiteness",
        ".eigen": "EigenPairs",
        ".gradients": "GradientCheck",
    },
)
