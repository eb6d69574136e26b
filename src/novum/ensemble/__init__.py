"""Many learners that decide together: boosting, mixtures of experts, averages over models."""

from novum.ensemble.adaboost_classifier import AdaBoostClassifier
from novum.ensemble.adaboost_regressor import AdaBoostRegressor
from novum.ensemble.hist_gradient_boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.ensemble.mixture_of_experts import MixtureOfExperts
from novum.ensemble.model_averaging import BayesianModelAveraging

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BayesianModelAveraging",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "MixtureOfExperts",
]
