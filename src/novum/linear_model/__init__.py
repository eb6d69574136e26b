"""Models linear in their parameters."""

from novum.linear_model.ard import ARDRegression
from novum.linear_model.bayesian import BayesianLinearRegression
from novum.linear_model.bayesian_ridge import BayesianRidge
from novum.linear_model.evidence import compare_evidence
from novum.linear_model.generalized.estimators import GammaRegressor, PoissonRegressor, TweedieRegressor
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.least_squares_classifier import LeastSquaresClassifier
from novum.linear_model.logistic.cv import LogisticRegressionCV
from novum.linear_model.logistic.estimator import LogisticRegression
from novum.linear_model.ols import LinearRegression
from novum.linear_model.penalized.elastic_net import ElasticNet, Lasso
from novum.linear_model.penalized.elastic_net_cv import ElasticNetCV, LassoCV
from novum.linear_model.penalized.multi_task import MultiTaskElasticNet, MultiTaskLasso
from novum.linear_model.penalized.multi_task_cv import MultiTaskElasticNetCV, MultiTaskLassoCV
from novum.linear_model.penalized.paths import enet_path, lasso_path
from novum.linear_model.penalized.plot import plot_path
from novum.linear_model.perceptron import Perceptron
from novum.linear_model.ridge import Ridge, ridge_regression
from novum.linear_model.ridge_classifier import RidgeClassifier, RidgeClassifierCV
from novum.linear_model.ridge_cv import RidgeCV
from novum.linear_model.robust.huber import HuberRegressor
from novum.linear_model.robust.quantile import QuantileRegressor
from novum.linear_model.separability import is_linearly_separable
from novum.linear_model.sgd_classifier import SGDClassifier
from novum.linear_model.sgd_regressor import SGDRegressor
from novum.runtime.moved_names import moved_names

__all__ = [
    "ARDRegression",
    "BayesianLinearRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "GammaRegressor",
    "HuberRegressor",
    "Hyperplane",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "Perceptron",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "TweedieRegressor",
    "compare_evidence",
    "enet_path",
    "is_linearly_separable",
    "lasso_path",
    "plot_path",
    "ridge_regression",
]

__getattr__ = moved_names(
    __name__,
    {
        ".evidence": "EvidenceComparison occam_factor",
        ".least_squares.inference": "Inference",
        ".logistic.inference": "LogisticInference",
        ".penalized.plot": "plot_norm_balls",
        ".pictures.beliefs": "plot_equivalent_kernel plot_posterior_steps plot_predictive_band",
        ".pictures.evidence_axis": "plot_evidence_over_datasets",
        ".pictures.feature_lift": "plot_feature_lift",
        ".pictures.reductions": "plot_multiclass_regions",
        ".pictures.rivals": "plot_masking plot_outlier_pull",
        ".separability": "MistakeBound Separability perceptron_mistake_bound",
    },
)
