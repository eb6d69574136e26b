"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.multi_task import MultiTaskNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor
from novum.runtime.moved_names import moved_names

__all__ = [
    "ConvNetClassifier",
    "MultiTaskNetwork",
    "TorchClassifier",
    "TorchRegressor",
]

__getattr__ = moved_names(
    __name__,
    {
        ".convolution.formulas": "convolve convolve_gradients max_pool",
        ".training.curve": "TrainingCurve",
        ".training.network": "NetworkEstimator",
        ".training.rates": "RateCurve rate_curve",
    },
)
