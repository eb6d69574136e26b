"""Activation functions with their derivatives: callable objects (`sigmoid(x)`, `sigmoid.derivative(x)`)."""

from ._base import Activation
from .names import get_activation
from .normalizers import Softmax, log_softmax, softmax
from .plots import plot_activations
from .rectifiers import ELU, GELU, SELU, LeakyReLU, ReLU, Softplus, elu, gelu, leaky_relu, relu, selu, softplus
from .sigmoids import Sigmoid, Tanh, sigmoid, tanh
from .thresholds import Identity, Sign, Step, identity, sign, step

__all__ = [
    "ELU",
    "GELU",
    "SELU",
    "Activation",
    "Identity",
    "LeakyReLU",
    "ReLU",
    "Sigmoid",
    "Sign",
    "Softmax",
    "Softplus",
    "Step",
    "Tanh",
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
