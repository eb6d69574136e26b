"""Calls for the results of linear algebra and of the textbook sums of learning theory."""

from novum import linalg, teaching

ALGEBRA = {
    "Independence of vectors": lambda: teaching.are_independent([[1.0, 0.0], [1.0, 1.0]]),
    "Membership": lambda: teaching.in_span([1.0, 2.0], [[1.0, 0.0], [1.0, 1.0]]),
    "Definiteness": lambda: linalg.is_psd([[2.0, 1.0], [1.0, 2.0]]),
    "EigenPairs": lambda: teaching.eigen_by_deflation([[2.0, 1.0], [1.0, 2.0]]),
    "GradientCheck": lambda: linalg.check_gradient(lambda x: x @ x, lambda x: 2 * x, [1.0, 2.0]),
    "AxiomCheck": lambda: teaching.check_group([[0, 1], [1, 0]]),
    "MatrixIdentities": lambda: teaching.check_identities([[2.0, 1.0], [0.0, 3.0]], [[1.0, 4.0], [1.0, 1.0]]),
    "EigenReport": lambda: teaching.eigen_report([[1.0, 2.0], [2.0, 4.0]]),
    "ReductionCost": lambda: teaching.reduction_cost([10, 20, 30], 2),
    "DimensionCurse": lambda: teaching.curse_of_dimensionality(),
    "VarianceBias": lambda: teaching.bias_of_variance(5, n_samples=100),
}
