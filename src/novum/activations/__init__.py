"""Activation functions with their derivatives: callable objects (`sigmoid(x)`, `sigmoid.derivative(x)`)."""

from novum.activations._base import Activation
from novum.activations.names import get_activation
from novum.activations.normalizers import log_softmax, softmax
from novum.activations.plots import plot_activations
from novum.activations.rectifiers import ELU, LeakyReLU, elu, gelu, leaky_relu, relu, selu, softplus
from novum.activations.sigmoids import sigmoid, tanh
from novum.activations.thresholds import identity, sign, step
from novum.runtime.moved_names import moved_names

__all__ = [
    "ELU",
    "Activation",
    "LeakyReLU",
    "elu",
    "gelu",
    "get_activation",
    "identity",
    "leaky_relu",
    "log_softmax",
    "plot_activations",
    "relu",
    "selu",
    "sigmoid",
    "sign",
    "softmax",
    "softplus",
    "step",
    "tanh",
]

__getattr__ = moved_names(
    __name__,
    {
        ".normalizers": "Softmax",
        ".rectifiers": "GELU ReLU SELU Softplus",
        ".sigmoids": "Sigmoid Tanh",
        ".thresholds": "Identity Sign Step",
    },
)
