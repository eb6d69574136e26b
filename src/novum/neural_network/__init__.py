"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.multi_task import MultiTaskNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor
from novum.neural_network.recurrent.estimators import RecurrentClassifier, RecurrentRegressor
from novum.neural_network.recurrent.recursive import RecursiveNetwork
from novum.neural_network.recurrent.seq2seq import Seq2Seq
from novum.neural_network.transformer.estimators import TransformerClassifier, TransformerSeq2Seq
from novum.runtime.moved_names import moved_names

__all__ = [
    "ConvNetClassifier",
    "MultiTaskNetwork",
    "RecurrentClassifier",
    "RecurrentRegressor",
    "RecursiveNetwork",
    "Seq2Seq",
    "TorchClassifier",
    "TorchRegressor",
    "TransformerClassifier",
    "TransformerSeq2Seq",
]

__getattr__ = moved_names(
    __name__,
    {
        ".convolution.formulas": "convolve convolve_gradients max_pool",
        ".sketches": "Architecture plot_architecture",
        ".training.curve": "TrainingCurve",
        ".training.network": "NetworkEstimator",
        ".training.rates": "RateCurve rate_curve",
        ".transformer.formulas": "causal_mask positional_encoding scaled_dot_attention",
    },
)
