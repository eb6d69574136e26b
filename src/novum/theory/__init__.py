"""What can be learned, from how many examples, with what guarantee: version spaces, PAC, VC, concentration."""

from novum.runtime.moved_names import moved_names
from novum.theory.bounds import error_bound
from novum.theory.capacity import growth_function
from novum.theory.concentration import bernstein, chebyshev, clt_interval, hoeffding
from novum.theory.find_s import FindS
from novum.theory.rectangles import RectangleLearner
from novum.theory.sample_size import pac_sample_size
from novum.theory.selection import structural_risk_minimization
from novum.theory.shattering import shatters, vc_dimension
from novum.theory.version_space import VersionSpace

__all__ = [
    "FindS",
    "RectangleLearner",
    "VersionSpace",
    "bernstein",
    "chebyshev",
    "clt_interval",
    "error_bound",
    "growth_function",
    "hoeffding",
    "pac_sample_size",
    "shatters",
    "structural_risk_minimization",
    "vc_dimension",
]

__getattr__ = moved_names(
    __name__,
    {
        ".approximation": "plot_universal_approximation universal_approximation",
        ".bounds": "ErrorBound",
        ".capacity": "VCDimension",
        ".conjunctions": "candidate_elimination",
        ".counting": "hypothesis_count",
        ".demonstrations": "gauss_markov irrelevant_features no_free_lunch",
        ".diagram": "plot_hypothesis_space",
        ".dimensions": "DimensionCurse curse_of_dimensionality",
        ".reductions": "ReductionCost reduction_cost",
        ".variance_bias": "VarianceBias bias_of_variance",
    },
)
