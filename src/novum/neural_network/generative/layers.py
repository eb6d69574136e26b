r"""Encoders that narrow rows or images to codes, and decoders that widen codes to rows or images: mirrors of each other.

dense:          level 0 is the row, level k = g(W_k level_{k-1} + b_k); the decoder goes back from level K to level 0            (1)
convolutional:  maps are halved by convolutions of stride 2 and doubled by copying pixels, then convolving                      (2)

Every level but the last has the activation g. Decoder layer k leads from level k + 1 back to level k, so the layers of a
shallower network have the same names in a deeper one: what was learned there can be put here.
"""

from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

__all__ = ["ACTIVATIONS", "CodeNet", "make_decoder", "make_encoder"]

ACTIVATIONS = {
    "relu": F.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "elu": F.elu,
    "gelu": F.gelu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "identity": lambda x: x,
}


def bounded(layer: nn.Module, spectral: bool) -> nn.Module:
    """Return a layer whose weights are divided by their largest singular value, or as it is."""
    return spectral_norm(layer) if spectral else layer


class DenseEncoder(nn.Module):
    """(1) upwards; `sizes` runs from the row to the code, of which the last layer gives `width` times as many."""

    def __init__(self, sizes: list[int], activation: str, width: int = 1, spectral: bool = False) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        sizes = [*sizes[:-1], width * sizes[-1]]
        self.layers = nn.ModuleList(bounded(nn.Linear(a, b), spectral) for a, b in pairwise(sizes))

    def forward(self, x: Any) -> Any:
        """Return the last level, before any activation."""
        last = len(self.layers) - 1
        for k, layer in enumerate(self.layers):
            x = layer(x) if k == last else self.activation(layer(x))
        return x


class DenseDecoder(nn.Module):
    """(1) downwards."""

    def __init__(self, sizes: list[int], activation: str) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.layers = nn.ModuleList(nn.Linear(b, a) for a, b in pairwise(sizes))

    def forward(self, z: Any) -> Any:
        """Return level 0."""
        for k in range(len(self.layers) - 1, 0, -1):
            z = self.activation(self.layers[k](z))
        return self.layers[0](z)


def map_sizes(image_shape: list[int], depth: int) -> list[tuple[int, int]]:
    """Return rows and columns of the maps of every level: halves, rounded up."""
    sizes = [(image_shape[1], image_shape[2])]
    for _ in range(depth):
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    return sizes


class ConvolutionalEncoder(nn.Module):
    """(2) down to maps of a few pixels, then a dense layer to the code."""

    def __init__(self, config: dict[str, Any], width: int = 1, spectral: bool = False) -> None:
        super().__init__()
        shape, channels = config["image_shape"], config["channels"]
        self.shape, self.activation = tuple(shape), ACTIVATIONS[config["activation"]]
        self.layers = nn.ModuleList(
            bounded(nn.Conv2d(a, b, 3, stride=2, padding=1), spectral) for a, b in pairwise([shape[0], *channels])
        )
        height, columns = map_sizes(shape, len(channels))[-1]
        self.dense = bounded(nn.Linear(channels[-1] * height * columns, width * config["sizes"][-1]), spectral)

    def forward(self, x: Any) -> Any:
        """Return the code, before any activation."""
        x = x.unflatten(1, self.shape)
        for layer in self.layers:
            x = self.activation(layer(x))
        return self.dense(x.flatten(1))


class ConvolutionalDecoder(nn.Module):
    """(2) back."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        shape, channels = config["image_shape"], config["channels"]
        self.activation = ACTIVATIONS[config["activation"]]
        self.sizes = map_sizes(shape, len(channels))
        self.small = (channels[-1], *self.sizes[-1])
        self.dense = nn.Linear(config["sizes"][-1], channels[-1] * self.sizes[-1][0] * self.sizes[-1][1])
        self.layers = nn.ModuleList(nn.Conv2d(b, a, 3, padding=1) for a, b in pairwise([shape[0], *channels]))

    def forward(self, z: Any) -> Any:
        """Return images as rows."""
        x = self.dense(z).unflatten(1, self.small)
        for layer, size in zip(reversed(self.layers), reversed(self.sizes[:-1])):
            x = layer(F.interpolate(self.activation(x), size=size))
        return x.flatten(1)


def make_encoder(config: dict[str, Any], width: int = 1, spectral: bool = False) -> nn.Module:
    """Return the encoder that a configuration describes; `width` numbers for every component of the code."""
    if config["image_shape"] is not None:
        return ConvolutionalEncoder(config, width, spectral)
    return DenseEncoder(config["sizes"], config["activation"], width, spectral)


def make_decoder(config: dict[str, Any]) -> nn.Module:
    """Return the decoder that a configuration describes."""
    if config["image_shape"] is not None:
        return ConvolutionalDecoder(config)
    return DenseDecoder(config["sizes"], config["activation"])


class Scaled(nn.Module):
    """What brings rows to mean zero and to a common scale, and back."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(config["mean"]))
        self.register_buffer("scale", torch.tensor(config["scale"]))

    def scaled(self, x: Any) -> Any:
        """Return rows as the network sees them."""
        return (x - self.mean) / self.scale

    def unscaled(self, x: Any) -> Any:
        """Return rows of the network in the units of X."""
        return x * self.scale + self.mean


class CodeNet(Scaled):
    """The network of an `Autoencoder`."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self.encoder, self.decoder = make_encoder(config), make_decoder(config)
        self.code_activation = ACTIVATIONS[config["code_activation"]]

    def encode(self, x: Any) -> Any:
        """Return the codes of rows."""
        return self.code_activation(self.encoder(self.scaled(x)))

    def decode(self, z: Any) -> Any:
        """Return the rows that codes stand for."""
        return self.unscaled(self.decoder(z))

    def forward(self, x: Any) -> Any:
        """Return rows after the way through their codes."""
        return self.decode(self.encode(x))
