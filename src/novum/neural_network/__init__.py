"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.neural_network.convolution import ConvNetClassifier
    from novum.neural_network.feed_forward.graph import FeedForwardGraph
    from novum.neural_network.feed_forward.structure import convolution_pattern
    from novum.neural_network.generative.autoencoder import Autoencoder
    from novum.neural_network.generative.boltzmann.deep import DeepBoltzmannMachine
    from novum.neural_network.generative.boltzmann.restricted import RestrictedBoltzmannMachine
    from novum.neural_network.generative.diversity import Diversity
    from novum.neural_network.generative.gan import GAN
    from novum.neural_network.generative.variational import AutoencoderBound, VariationalAutoencoder
    from novum.neural_network.gradients import GradientReport, gradient_report
    from novum.neural_network.message_passing.network import GraphNetwork
    from novum.neural_network.message_passing.plots import plot_graph
    from novum.neural_network.message_passing.unrolled import ComputationGraph, computation_graph
    from novum.neural_network.mlp.classifier import MLPClassifier
    from novum.neural_network.mlp.regressor import MLPRegressor
    from novum.neural_network.mlp.starts import initialize
    from novum.neural_network.modules import Activate, BatchNorm, Dense, Sequential, backpropagate
    from novum.neural_network.multi_task import MultiTaskNetwork
    from novum.neural_network.own_module import TorchClassifier, TorchRegressor
    from novum.neural_network.plots.layers import draw_network
    from novum.neural_network.recurrent.estimators import RecurrentClassifier, RecurrentRegressor
    from novum.neural_network.recurrent.recursive import RecursiveNetwork
    from novum.neural_network.recurrent.seq2seq import Seq2Seq
    from novum.neural_network.training.curve import TrainingCurve
    from novum.neural_network.training.rates import RateCurve
    from novum.neural_network.transformer.classifier import TransformerClassifier
    from novum.neural_network.transformer.formulas import positional_encoding
    from novum.neural_network.transformer.seq2seq import TransformerSeq2Seq
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".convolution": "ConvNetClassifier",
            ".feed_forward.graph": "FeedForwardGraph",
            ".feed_forward.structure": "convolution_pattern",
            ".generative.autoencoder": "Autoencoder",
            ".generative.boltzmann.deep": "DeepBoltzmannMachine",
            ".generative.boltzmann.restricted": "RestrictedBoltzmannMachine",
            ".generative.diversity": "Diversity",
            ".generative.gan": "GAN",
            ".generative.variational": "AutoencoderBound VariationalAutoencoder",
            ".gradients": "GradientReport gradient_report",
            ".message_passing.network": "GraphNetwork",
            ".message_passing.plots": "plot_graph",
            ".message_passing.unrolled": "ComputationGraph computation_graph",
            ".mlp.classifier": "MLPClassifier",
            ".mlp.regressor": "MLPRegressor",
            ".mlp.starts": "initialize",
            ".modules": "Activate BatchNorm Dense Sequential backpropagate",
            ".multi_task": "MultiTaskNetwork",
            ".own_module": "TorchClassifier TorchRegressor",
            ".plots.layers": "draw_network",
            ".recurrent.estimators": "RecurrentClassifier RecurrentRegressor",
            ".recurrent.recursive": "RecursiveNetwork",
            ".recurrent.seq2seq": "Seq2Seq",
            ".training.curve": "TrainingCurve",
            ".training.rates": "RateCurve",
            ".transformer.classifier": "TransformerClassifier",
            ".transformer.formulas": "positional_encoding",
            ".transformer.seq2seq": "TransformerSeq2Seq",
        },
    )

__all__ = [
    "GAN",
    "Activate",
    "Autoencoder",
    "AutoencoderBound",
    "BatchNorm",
    "ComputationGraph",
    "ConvNetClassifier",
    "DeepBoltzmannMachine",
    "Dense",
    "Diversity",
    "FeedForwardGraph",
    "GradientReport",
    "GraphNetwork",
    "MLPClassifier",
    "MLPRegressor",
    "MultiTaskNetwork",
    "RateCurve",
    "RecurrentClassifier",
    "RecurrentRegressor",
    "RecursiveNetwork",
    "RestrictedBoltzmannMachine",
    "Seq2Seq",
    "Sequential",
    "TorchClassifier",
    "TorchRegressor",
    "TrainingCurve",
    "TransformerClassifier",
    "TransformerSeq2Seq",
    "VariationalAutoencoder",
    "backpropagate",
    "computation_graph",
    "convolution_pattern",
    "draw_network",
    "gradient_report",
    "initialize",
    "plot_graph",
    "positional_encoding",
]
