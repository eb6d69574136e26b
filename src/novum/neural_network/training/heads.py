"""Networks with several heads on one body, and the losses of their tasks."""

from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from novum.neural_network.training.dropout import Dropout

__all__ = ["ManyHeads", "task_losses"]


class ManyHeads(nn.Module):
    """Columns brought to mean zero and variance one, dense layers with ReLU, then a linear head for every task."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        if config.get("mean") is not None:  # networks of earlier versions took columns as they are
            self.register_buffer("mean", torch.tensor(config["mean"]))
            self.register_buffer("scale", torch.tensor(config["scale"]))
        self.scales = config.get("mean") is not None
        layers: list[nn.Module] = []
        for a, b in pairwise([config["n_features"], *config["hidden"]]):
            layers += [nn.Linear(a, b), nn.ReLU(), Dropout(config["dropout"])]
        self.body = nn.Sequential(*layers)
        self.head = nn.ModuleDict({name: nn.Linear(config["hidden"][-1], k) for name, k in config["outputs"].items()})

    def forward(self, x: Any) -> dict[str, Any]:
        """Return the outputs of every head."""
        h = self.body((x - self.mean) / self.scale if self.scales else x)
        return {name: head(h) for name, head in self.head.items()}


def task_losses(
    scores: dict[str, Any], targets: dict[str, Any], classes: set[str], weight: Any = None
) -> dict[str, Any]:
    """Return the mean loss of every task over the rows that have a target; zero where none has."""
    found = {}
    for name, z in scores.items():
        y = targets[name]
        if name in classes:
            known = y >= 0
            losses = F.cross_entropy(z.float(), y, reduction="none")  # zero where the code says missing
        else:
            known = ~torch.isnan(y)
            losses = torch.where(known, (z.float()[:, 0] - torch.nan_to_num(y)).square(), 0.0)
        counted = known.float() if weight is None else known * weight
        found[name] = (losses * counted).sum() / counted.sum().clamp_min(torch.finfo(torch.float32).tiny)
    return found
