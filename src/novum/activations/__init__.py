"""Activation functions with their derivatives: callable objects (`sigmoid(x)`, `sigmoid.derivative(x)`)."""

from novum.activations.base import Activation
from novum.activations.names import get_activation
from novum.activations.normalizers import Softmax, log_softmax, softmax
from novum.activations.rectifiers import ELU, LeakyReLU, elu, gelu, leaky_relu, relu, selu, softplus
from novum.activations.sigmoids import sigmoid, tanh
from novum.activations.thresholds import identity, sign, step

__all__ = [
    "ELU",
    "Activation",
    "LeakyReLU",
    "Softmax",
    "elu",
    "gelu",
    "get_activation",
    "identity",
    "leaky_relu",
    "log_softmax",
    "relu",
    "selu",
    "sigmoid",
    "sign",
    "softmax",
    "softplus",
    "step",
    "tanh",
]


def __dir__() -> list[str]:
    return sorted(__all__)
