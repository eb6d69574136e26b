"""A recurrent network over sequences with outputs at their ends, or at every step."""

from typing import Any

from torch import Tensor, nn

from novum.neural_network.recurrent.layers import RecurrentLayers
from novum.neural_network.sequences.inputs import SequenceInput, pooled
from novum.neural_network.sequences.padding import PaddedBatch
from novum.neural_network.training.dropout import Dropout

__all__ = ["RecurrentNetwork"]


class RecurrentNetwork(nn.Module):
    """Steps as vectors, a stack of recurrent layers, a linear map of their states.

    Parameters
    ----------
    config : dict
        That of `SequenceInput`, `n_units`, `n_layers`, `cell`, `bidirectional`, `dropout`, `pooling`, `per_step`, `n_outputs`.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.input = SequenceInput(config)
        self.both_ways = config["bidirectional"]
        self.layers = RecurrentLayers(
            self.input.width, config["n_units"], config["cell"], config["n_layers"], self.both_ways, config["dropout"]
        )
        self.dropout = Dropout(config["dropout"])
        self.head = nn.Linear(self.layers.n_outputs, config["n_outputs"])
        self.pooling, self.per_step = config["pooling"], config["per_step"]

    def forward(self, batch: PaddedBatch) -> Tensor:
        """Return outputs (n, outputs), or (n, steps, outputs) where every step has its own.

        One way, padding comes after all that counts; both ways, sequences are packed so that each begins at its own end.
        """
        packed = self.both_ways and not batch.equal
        h, _ = self.layers(self.dropout(self.input(batch.values)), batch.host_lengths if packed else None)
        if not self.per_step:
            h = pooled(h, batch, self.pooling, self.both_ways)
        return self.head(self.dropout(h))
