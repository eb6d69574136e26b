"""Many learners that decide together: forests, boosting, mixtures of experts, averages over models."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.ensemble.adaboost.classifier import AdaBoostClassifier
    from novum.ensemble.adaboost.regressor import AdaBoostRegressor
    from novum.ensemble.boosting.classifier import HistGradientBoostingClassifier
    from novum.ensemble.boosting.regressor import HistGradientBoostingRegressor
    from novum.ensemble.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
    from novum.ensemble.isolation_forest import IsolationForest
    from novum.ensemble.mixture_of_experts import MixtureOfExperts
    from novum.ensemble.model_averaging import BayesianModelAveraging
    from novum.ensemble.random_forest import RandomForestClassifier, RandomForestRegressor
    from novum.ensemble.trees_embedding import RandomTreesEmbedding
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".adaboost.classifier": "AdaBoostClassifier",
            ".adaboost.regressor": "AdaBoostRegressor",
            ".boosting.classifier": "HistGradientBoostingClassifier",
            ".boosting.regressor": "HistGradientBoostingRegressor",
            ".extra_trees": "ExtraTreesClassifier ExtraTreesRegressor",
            ".isolation_forest": "IsolationForest",
            ".mixture_of_experts": "MixtureOfExperts",
            ".model_averaging": "BayesianModelAveraging",
            ".random_forest": "RandomForestClassifier RandomForestRegressor",
            ".trees_embedding": "RandomTreesEmbedding",
        },
    )

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BayesianModelAveraging",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "MixtureOfExperts",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
]
