"""The network of a `ConvNetClassifier`: blocks of convolution and pooling, then dense layers, with heads on the way if requested.

block:  x -> dropout(pool(g(norm(conv(x)))))                                                                            (1)
body:   all blocks, flattened, then dense layers g(W x + b) with dropout                                                (2)
head:   scores of the classes; with auxiliary heads also W_l mean(x_l) after every block l but the last                 (3)
"""

from itertools import pairwise
from typing import Any

import torch
from torch import nn

from novum.neural_network.training.dropout import Dropout

__all__ = ["ConvNet"]


class Block(nn.Module):
    """(1)."""

    def __init__(self, n_in: int, n_out: int, kernel_size: int, pool: int, norm: bool, dropout: float) -> None:
        super().__init__()
        self.conv = nn.Conv2d(n_in, n_out, kernel_size, padding="same", bias=not norm)
        self.norm = nn.BatchNorm2d(n_out) if norm else nn.Identity()
        self.pool = nn.MaxPool2d(pool, ceil_mode=True) if pool > 1 else nn.Identity()
        self.drop = Dropout(dropout)

    def forward(self, x: Any) -> Any:
        """Return (1)."""
        return self.drop(self.pool(torch.relu(self.norm(self.conv(x)))))


class ConvNet(nn.Module):
    """(1) to (3), after the pixels are brought to mean zero and variance one by channel."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        channels, height, width = config["image_shape"]
        sizes = [channels, *config["channels"]]
        options = config["kernel_size"], config["pool"], config["batch_norm"], config["dropout"]
        self.blocks = nn.ModuleList(Block(a, b, *options) for a, b in pairwise(sizes))
        for _ in self.blocks:
            height, width = -(-height // config["pool"]), -(-width // config["pool"])
        wide = [sizes[-1] * height * width, *config["hidden"]]
        dense: list[nn.Module] = []
        for a, b in pairwise(wide):
            dense += [nn.Linear(a, b), nn.ReLU(), Dropout(config["dropout"])]
        self.dense = nn.Sequential(*dense)
        self.head = nn.Linear(wide[-1], config["n_classes"])
        auxiliary = sizes[1:-1] if config["auxiliary"] else []
        self.auxiliary = nn.ModuleList(nn.Linear(size, config["n_classes"]) for size in auxiliary)
        self.register_buffer("mean", torch.tensor(config["mean"]).view(1, -1, 1, 1))
        self.register_buffer("scale", torch.tensor(config["scale"]).view(1, -1, 1, 1))

    def levels(self, x: Any) -> list[Any]:
        """Return the maps after every block."""
        x = (x - self.mean) / self.scale
        found = []
        for block in self.blocks:
            x = block(x)
            found.append(x)
        return found

    def all_scores(self, x: Any) -> list[Any]:
        """Return the scores of the head, then those of the auxiliary heads, (3)."""
        levels = self.levels(x)
        main = self.head(self.dense(levels[-1].flatten(1)))
        return [main, *(head(level.mean(dim=(2, 3))) for head, level in zip(self.auxiliary, levels))]

    def forward(self, x: Any) -> Any:
        """Return the scores of the classes."""
        return self.head(self.dense(self.levels(x)[-1].flatten(1)))
