"""Neural networks: multilayer perceptrons and general feed-forward graphs."""

from novum.neural_network.mlp.classifier import MLPClassifier
from novum.neural_network.mlp.regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
