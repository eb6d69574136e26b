"""What can be learned, from how many examples, with what guarantee: version spaces, PAC, VC, concentration."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.theory.bounds import ErrorBound, error_bound
    from novum.theory.capacity import VCDimension, growth_function
    from novum.theory.concentration import bernstein, chebyshev, clt_interval, hoeffding
    from novum.theory.conjunctions import candidate_elimination
    from novum.theory.counting import hypothesis_count
    from novum.theory.find_s import FindS
    from novum.theory.rectangles import RectangleLearner
    from novum.theory.sample_size import pac_sample_size
    from novum.theory.selection import structural_risk_minimization
    from novum.theory.shattering import shatters, vc_dimension
    from novum.theory.version_space import VersionSpace
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".bounds": "ErrorBound error_bound",
            ".capacity": "VCDimension growth_function",
            ".concentration": "bernstein chebyshev clt_interval hoeffding",
            ".conjunctions": "candidate_elimination",
            ".counting": "hypothesis_count",
            ".find_s": "FindS",
            ".rectangles": "RectangleLearner",
            ".sample_size": "pac_sample_size",
            ".selection": "structural_risk_minimization",
            ".shattering": "shatters vc_dimension",
            ".version_space": "VersionSpace",
        },
    )

__all__ = [
    "ErrorBound",
    "FindS",
    "RectangleLearner",
    "VCDimension",
    "VersionSpace",
    "bernstein",
    "candidate_elimination",
    "chebyshev",
    "clt_interval",
    "error_bound",
    "growth_function",
    "hoeffding",
    "hypothesis_count",
    "pac_sample_size",
    "shatters",
    "structural_risk_minimization",
    "vc_dimension",
]
