"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.feed_forward.graph import FeedForwardGraph
from novum.neural_network.feed_forward.threshold import logic_to_network, parity_network
from novum.neural_network.mlp.classifier import MLPClassifier
from novum.neural_network.mlp.regressor import MLPRegressor
from novum.neural_network.multi_task import MultiTaskNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor
from novum.runtime.moved_names import moved_names

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

__getattr__ = moved_names(
    __name__,
    {
        ".convolution.formulas": "convolve convolve_gradients max_pool",
        ".diagram": "draw_network",
        ".feed_forward.structure": "convolution_pattern",
        ".feed_forward.threshold": "ParityNetworks ThresholdNetwork",
        ".gradients": "GradientReport gradient_report",
        ".mlp.starts": "initialize",
        ".modules": "Activate BatchNorm Dense Sequential backpropagate collapse_linear",
        ".training.curve": "TrainingCurve",
        ".training.network": "NetworkEstimator",
        ".training.rates": "RateCurve rate_curve",
    },
)
