"""Linear algebra by hand: small, exact tools that decide with a stated tolerance and show the certificate of what they say."""

from novum.linalg.definite import is_psd, square_root
from novum.linalg.eigen import rayleigh_quotient
from novum.linalg.gradients import check_gradient
from novum.linalg.moments import correlation, covariance
from novum.runtime.moved_names import moved_names

__all__ = [
    "check_gradient",
    "correlation",
    "covariance",
    "is_psd",
    "rayleigh_quotient",
    "square_root",
]

__getattr__ = moved_names(
    __name__,
    {
        ".axioms": "AxiomCheck check_bilinear_form check_group check_norm check_subspace check_vector_space",
        ".bases": "Independence Membership are_independent change_of_basis coordinates in_span matrix_of_map",
        ".definite": "Definiteness",
        ".eigen": "EigenPairs eigen_by_deflation orthonormal_extension",
        ".spectrum": "EigenReport eigen_report is_eigenpair",
        ".gradients": "GradientCheck",
        ".identities": "MatrixIdentities check_identities",
        ".inner_products": "angle are_orthonormal bilinear_form",
    },
)
