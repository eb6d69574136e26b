"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.feed_forward.graph import FeedForwardGraph
from novum.neural_network.feed_forward.threshold import logic_to_network, parity_network
from novum.neural_network.mlp.classifier import MLPClassifier
from novum.neural_network.mlp.regressor import MLPRegressor
from novum.neural_network.multi_task import MultiTaskNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor

__all__ = [
    "ConvNetClassifier",
    "FeedForwardGraph",
    "MLPClassifier",
    "MLPRegressor",
    "MultiTaskNetwork",
    "TorchClassifier",
    "TorchRegressor",
    "logic_to_network",
    "parity_network",
]
