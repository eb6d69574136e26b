r"""The two ends of a network over sequences: steps as vectors at the beginning, one vector for a sequence at the end.

symbols:  x_t = E[symbol_t];   numbers:  x_t = (v_t - mean) / scale,  of the training steps                              (1)
last:     h_T, with the first step of the way back;   mean:  sum_t h_t / T;   max:  max_t h_t, of its steps            (2)
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from novum.neural_network.sequences.padding import PaddedBatch
from novum.neural_network.sequences.vocabulary import PAD, SPECIAL, UNKNOWN

__all__ = ["SequenceInput", "pooled", "symbol_table", "token_loss"]


def symbol_table(n_symbols: int, width: int, scale: float) -> nn.Parameter:
    """Return a matrix E of normal draws; what training never sees, padding and unknown symbols, is zero."""
    table = torch.randn(n_symbols, width) * scale
    table[[PAD, UNKNOWN]] = 0.0
    return nn.Parameter(table)


class SequenceInput(nn.Module):
    """(1).

    Parameters
    ----------
    config : dict
        `symbols`, a list or None; `n_embedding`; `mean` and `scale` of every column of the steps.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        if config["symbols"] is not None:
            self.width = config["n_embedding"]
            self.table = symbol_table(len(SPECIAL) + len(config["symbols"]), self.width, 1.0)
        else:
            self.table = None
            self.width = len(config["mean"])
            self.register_buffer("mean", torch.tensor(config["mean"]))
            self.register_buffer("scale", torch.tensor(config["scale"]))

    def forward(self, values: Tensor) -> Tensor:
        """Return vectors (n, steps, width)."""
        if self.table is not None:
            return nn.functional.embedding(values, self.table)
        return (values - self.mean) / self.scale


def pooled(h: Tensor, batch: PaddedBatch, kind: str, both_ways: bool = False) -> Tensor:
    """Return (2) of states h, (n, steps, units), as (n, units)."""
    if kind == "last":
        last = h[:, -1] if batch.equal else h[torch.arange(len(h), device=h.device), batch.lengths - 1]
        half = h.shape[2] // 2
        return torch.cat([last[:, :half], h[:, 0, half:]], dim=1) if both_ways else last
    inside = None if batch.equal else (torch.arange(h.shape[1], device=h.device) < batch.lengths[:, None])[..., None]
    if kind == "max":
        return (h if inside is None else h.masked_fill(~inside, -math.inf)).amax(dim=1)
    total = (h if inside is None else h.masked_fill(~inside, 0.0)).sum(dim=1)
    return total / batch.lengths[:, None]


def token_loss(logits: Tensor, targets: Tensor, weight: Tensor | None, smoothing: float = 0.0) -> Tensor:
    """Return the mean of -log p over the targets that are no padding, of a sequence's weight each.

    `smoothing` is the share of a target that is spread over all symbols.
    """
    flat, aims = logits.flatten(0, 1).float(), targets.flatten()
    if weight is None:
        return nn.functional.cross_entropy(flat, aims, ignore_index=PAD, label_smoothing=smoothing)
    losses = nn.functional.cross_entropy(flat, aims, ignore_index=PAD, label_smoothing=smoothing, reduction="none")
    weights = weight[:, None] * (targets != PAD)
    return (losses.unflatten(0, targets.shape) * weights).sum() / weights.sum()
