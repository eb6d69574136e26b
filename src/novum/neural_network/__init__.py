"""Neural networks: perceptrons in C++, and networks on PyTorch that train themselves with scikit-learn's contract."""

from novum.neural_network.convolution import ConvNetClassifier
from novum.neural_network.generative.autoencoder import Autoencoder
from novum.neural_network.generative.boltzmann.deep import DeepBoltzmannMachine
from novum.neural_network.generative.boltzmann.restricted import RestrictedBoltzmannMachine
from novum.neural_network.generative.gan import GAN
from novum.neural_network.generative.variational import VariationalAutoencoder
from novum.neural_network.message_passing.network import GraphNetwork
from novum.neural_network.own_module import TorchClassifier, TorchRegressor

__all__ = [
    "GAN",
    "Autoencoder",
    "ConvNetClassifier",
    "DeepBoltzmannMachine",
    "GraphNetwork",
    "RestrictedBoltzmannMachine",
    "TorchClassifier",
    "TorchRegressor",
    "VariationalAutoencoder",
]
