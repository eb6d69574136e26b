"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.feed_forward.graph import FeedForwardGraph
from novum.neural_network.feed_forward.threshold import logic_to_network, parity_network
from novum.neural_network.generative.autoencoder import Autoencoder
from novum.neural_network.generative.boltzmann.deep import DeepBoltzmannMachine
from novum.neural_network.generative.boltzmann.restricted import RestrictedBoltzmannMachine
from novum.neural_network.generative.gan import GAN
from novum.neural_network.generative.variational import VariationalAutoencoder
from novum.neural_network.message_passing.network import GraphNetwork
from novum.neural_network.mlp.classifier import MLPClassifier
from novum.neural_network.mlp.regressor import MLPRegressor
from novum.neural_network.multi_task import MultiTaskNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor
from novum.neural_network.recurrent.estimators import RecurrentClassifier, RecurrentRegressor
from novum.neural_network.recurrent.recursive import RecursiveNetwork
from novum.neural_network.recurrent.seq2seq import Seq2Seq
from novum.neural_network.transformer.estimators import TransformerClassifier, TransformerSeq2Seq
from novum.runtime.moved_names import moved_names

__all__ = [
    "GAN",
    "Autoencoder",
    "ConvNetClassifier",
    "DeepBoltzmannMachine",
    "FeedForwardGraph",
    "GraphNetwork",
    "MLPClassifier",
    "MLPRegressor",
    "MultiTaskNetwork",
    "RecurrentClassifier",
    "RecurrentRegressor",
    "RecursiveNetwork",
    "RestrictedBoltzmannMachine",
    "Seq2Seq",
    "TorchClassifier",
    "TorchRegressor",
    "TransformerClassifier",
    "TransformerSeq2Seq",
    "VariationalAutoencoder",
    "logic_to_network",
    "parity_network",
]

__getattr__ = moved_names(
    __name__,
    {
        ".convolution.formulas": "convolve convolve_gradients max_pool",
        ".generative.diversity": "Diversity",
        ".generative.variational": "Bound",
        ".message_passing.aggregation": "aggregate_neighbors",
        ".message_passing.plots": "plot_graph",
        ".message_passing.unrolled": "ComputationGraph computation_graph",
        ".sketches": "Architecture plot_architecture",
        ".diagram": "draw_network",
        ".feed_forward.structure": "convolution_pattern",
        ".feed_forward.threshold": "ParityNetworks ThresholdNetwork",
        ".gradients": "GradientReport gradient_report",
        ".mlp.starts": "initialize",
        ".modules": "Activate BatchNorm Dense Sequential backpropagate collapse_linear",
        ".training.curve": "TrainingCurve",
        ".training.network": "NetworkEstimator",
        ".training.rates": "RateCurve rate_curve",
        ".transformer.formulas": "causal_mask positional_encoding scaled_dot_attention",
    },
)
