"""A network that was trained without labels, with a head for a task on top."""

import copy
from typing import Any

from torch import nn

__all__ = ["EncoderWithHead"]


class EncoderWithHead(nn.Module):
    """Codes of a trained network, then one linear layer; all of it can be trained."""

    def __init__(self, network: Any, n_codes: int, n_outputs: int) -> None:
        super().__init__()
        self.body = copy.deepcopy(network)
        if hasattr(self.body, "decoder"):
            del self.body.decoder
        for parameter in self.body.parameters():
            parameter.requires_grad_(True)
        self.head = nn.Linear(n_codes, n_outputs)

    def forward(self, x: Any) -> Any:
        """Return the outputs of the head."""
        return self.head(self.body.encode(x))
