"""What gradient boosting says of itself to stand in a study."""

from novum.base.candidacy import Candidacy

__all__ = ["CANDIDACY"]

CANDIDACY = Candidacy(  # of either in a study: of few rows the passes are a setting, of many they end by a curve
    rank=8,
    settings={"learning_rate": 0.1, "min_samples_leaf": 20},
    search=(
        {"learning_rate": 0.05, "max_leaf_nodes": 6, "max_features": 0.7, "min_samples_leaf": 5},
        {"learning_rate": 0.04, "max_leaf_nodes": 15, "max_features": 0.4, "min_samples_leaf": 5},
        {"learning_rate": 0.04, "max_features": 0.5, "l2_regularization": 5.0},
        {"learning_rate": 0.1, "max_leaf_nodes": 3, "min_samples_leaf": 5},
        {"learning_rate": 0.03, "max_leaf_nodes": 63, "max_features": 0.6, "min_samples_leaf": 10},
        {"learning_rate": 0.03, "max_leaf_nodes": 8, "max_features": 0.25, "l2_regularization": 1.0},
        {"learning_rate": 0.04, "max_leaf_nodes": 127, "max_features": 0.4, "min_samples_leaf": 40},
    ),
    shares={"min_samples_leaf": 0.1},
    stages=(25, 50, 100, 200, 400, 700),
    many={"max_iter": 1_000, "early_stopping": True, "n_iter_no_change": 20},
    order=1,
)
