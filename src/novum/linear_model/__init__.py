"""Models linear in their parameters."""

from novum.linear_model.ard import ARDRegression
from novum.linear_model.bayesian import BayesianLinearRegression
from novum.linear_model.bayesian_ridge import BayesianRidge
from novum.linear_model.evidence import EvidenceComparison, compare_evidence, occam_factor
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.inference import Inference
from novum.linear_model.logistic import LogisticRegression
from novum.linear_model.logistic_cv import LogisticRegressionCV
from novum.linear_model.logistic_inference import LogisticInference
from novum.linear_model.ols import LinearRegression
from novum.linear_model.ridge import Ridge

__all__ = [
    "ARDRegression",
    "BayesianLinearRegression",
    "BayesianRidge",
    "EvidenceComparison",
    "Hyperplane",
    "Inference",
    "LinearRegression",
    "LogisticInference",
    "LogisticRegression",
    "LogisticRegressionCV",
    "Ridge",
    "compare_evidence",
    "occam_factor",
]
