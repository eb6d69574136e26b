"""What a network from sequences to sequences answers: logits or their loss in training, one step at a time in decoding."""

from torch import Tensor, nn

from novum.neural_network.sequences.inputs import token_loss
from novum.neural_network.sequences.padding import PaddedBatch

__all__ = ["SequenceToSequence"]


class SequenceToSequence(nn.Module):
    """Base of encoders with decoders; derive and write `logits`, `begin` and `step`."""

    n_shared = 0  # parts of a state, the first ones, that depend on the source alone: all answers to it share them

    def logits(self, source: PaddedBatch, inputs: Tensor, kept: list[Tensor] | None = None) -> Tensor:
        """Return the logits of what follows each place of `inputs` (n, T), with all before it: (n, T, symbols).

        `kept`, a list, receives the weights of attention to the source, (n, heads, T, S) of every layer.
        """
        raise NotImplementedError

    def begin(self, source: PaddedBatch, room: int) -> list[Tensor]:
        """Return the state before the first symbol, with room for so many: tensors whose first axis is the sequence."""
        raise NotImplementedError

    def step(self, symbols: Tensor, place: int, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return the logits after `symbols` (n,), which stand at `place`, and the next state."""
        raise NotImplementedError

    def forward(
        self,
        source: PaddedBatch,
        inputs: Tensor,
        targets: Tensor | None = None,
        weight: Tensor | None = None,
        smoothing: float = 0.0,
    ) -> Tensor:
        """Return the logits, or the loss where targets are given: in one graph, so that a compiler joins them."""
        logits = self.logits(source, inputs)
        return logits if targets is None else token_loss(logits, targets, weight, smoothing)
