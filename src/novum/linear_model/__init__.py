"""Models linear in their parameters."""

from novum.linear_model._path_plot import plot_norm_balls, plot_path
from novum.linear_model.ard import ARDRegression
from novum.linear_model.bayesian import BayesianLinearRegression
from novum.linear_model.bayesian_ridge import BayesianRidge
from novum.linear_model.elastic_net import ElasticNet, Lasso
from novum.linear_model.elastic_net_cv import ElasticNetCV, LassoCV
from novum.linear_model.evidence import EvidenceComparison, compare_evidence, occam_factor
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.inference import Inference
from novum.linear_model.logistic import LogisticRegression
from novum.linear_model.logistic_cv import LogisticRegressionCV
from novum.linear_model.logistic_inference import LogisticInference
from novum.linear_model.ols import LinearRegression
from novum.linear_model.paths import enet_path, lasso_path
from novum.linear_model.ridge import Ridge, ridge_regression
from novum.linear_model.ridge_classifier import RidgeClassifier, RidgeClassifierCV
from novum.linear_model.ridge_cv import RidgeCV

__all__ = [
    "ARDRegression",
    "BayesianLinearRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "EvidenceComparison",
    "Hyperplane",
    "Inference",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticInference",
    "LogisticRegression",
    "LogisticRegressionCV",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "compare_evidence",
    "enet_path",
    "lasso_path",
    "occam_factor",
    "plot_norm_balls",
    "plot_path",
    "ridge_regression",
]
