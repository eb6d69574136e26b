"""Models linear in their parameters."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.linear_model.ard import ARDRegression
    from novum.linear_model.bayesian import BayesianLinearRegression
    from novum.linear_model.bayesian_ridge import BayesianRidge
    from novum.linear_model.evidence import EvidenceComparison, compare_evidence, occam_factor
    from novum.linear_model.generalized.estimators import GammaRegressor, PoissonRegressor, TweedieRegressor
    from novum.linear_model.hyperplane import Hyperplane
    from novum.linear_model.least_squares.inference import Inference
    from novum.linear_model.least_squares_classifier import LeastSquaresClassifier
    from novum.linear_model.log_target import LogTargetRegressor
    from novum.linear_model.logistic.cv import LogisticRegressionCV
    from novum.linear_model.logistic.estimator import LogisticRegression
    from novum.linear_model.logistic.inference_table import LogisticInference
    from novum.linear_model.ols import LinearRegression
    from novum.linear_model.penalized.elastic_net import ElasticNet, Lasso
    from novum.linear_model.penalized.elastic_net_cv import ElasticNetCV, LassoCV
    from novum.linear_model.penalized.multi_task import MultiTaskElasticNet, MultiTaskLasso
    from novum.linear_model.penalized.multi_task_cv import MultiTaskElasticNetCV, MultiTaskLassoCV
    from novum.linear_model.penalized.paths import enet_path, lasso_path
    from novum.linear_model.penalized.plots import plot_path
    from novum.linear_model.perceptron import Perceptron
    from novum.linear_model.ridge import Ridge, ridge_regression
    from novum.linear_model.ridge_classifier import RidgeClassifier, RidgeClassifierCV
    from novum.linear_model.ridge_cv import RidgeCV
    from novum.linear_model.robust.huber import HuberRegressor
    from novum.linear_model.robust.quantile import QuantileRegressor
    from novum.linear_model.separability import (
        MistakeBound,
        Separability,
        is_linearly_separable,
        perceptron_mistake_bound,
    )
    from novum.linear_model.sgd_classifier import SGDClassifier
    from novum.linear_model.sgd_regressor import SGDRegressor
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".ard": "ARDRegression",
            ".bayesian": "BayesianLinearRegression",
            ".bayesian_ridge": "BayesianRidge",
            ".evidence": "EvidenceComparison compare_evidence occam_factor",
            ".generalized.estimators": "GammaRegressor PoissonRegressor TweedieRegressor",
            ".hyperplane": "Hyperplane",
            ".least_squares.inference": "Inference",
            ".least_squares_classifier": "LeastSquaresClassifier",
            ".log_target": "LogTargetRegressor",
            ".logistic.cv": "LogisticRegressionCV",
            ".logistic.estimator": "LogisticRegression",
            ".logistic.inference_table": "LogisticInference",
            ".ols": "LinearRegression",
            ".penalized.elastic_net": "ElasticNet Lasso",
            ".penalized.elastic_net_cv": "ElasticNetCV LassoCV",
            ".penalized.multi_task": "MultiTaskElasticNet MultiTaskLasso",
            ".penalized.multi_task_cv": "MultiTaskElasticNetCV MultiTaskLassoCV",
            ".penalized.paths": "enet_path lasso_path",
            ".penalized.plots": "plot_path",
            ".perceptron": "Perceptron",
            ".ridge": "Ridge ridge_regression",
            ".ridge_classifier": "RidgeClassifier RidgeClassifierCV",
            ".ridge_cv": "RidgeCV",
            ".robust.huber": "HuberRegressor",
            ".robust.quantile": "QuantileRegressor",
            ".separability": "MistakeBound Separability is_linearly_separable perceptron_mistake_bound",
            ".sgd_classifier": "SGDClassifier",
            ".sgd_regressor": "SGDRegressor",
        },
    )

__all__ = [
    "ARDRegression",
    "BayesianLinearRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "EvidenceComparison",
    "GammaRegressor",
    "HuberRegressor",
    "Hyperplane",
    "Inference",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogTargetRegressor",
    "LogisticInference",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MistakeBound",
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
    "Separability",
    "TweedieRegressor",
    "compare_evidence",
    "enet_path",
    "is_linearly_separable",
    "lasso_path",
    "occam_factor",
    "perceptron_mistake_bound",
    "plot_path",
    "ridge_regression",
]
