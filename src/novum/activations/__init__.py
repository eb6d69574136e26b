"""Activation functions with their derivatives: callable objects (`sigmoid(x)`, `sigmoid.derivative(x)`)."""

from novum.activations._base import Activation
from novum.activations.names import get_activation
from novum.activations.normalizers import Softmax, log_softmax, softmax
from novum.activations.plots import plot_activations
from novum.activations.rectifiers import (
    ELU,
    GELU,
    SELU,
    LeakyReLU,
    ReLU,
    Softplus,
    elu,
    gelu,
    leaky_relu,
    relu,
    selu,
    softplus,
)
from novum.activations.sigmoids import Sigmoid, Tanh, sigmoid, tanh
from novum.activations.thresholds import Identity, Sign, Step, identity, sign, step

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
