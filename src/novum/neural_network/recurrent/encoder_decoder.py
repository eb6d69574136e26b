r"""Encoder and decoder: one recurrent network reads a sequence, another writes one.

    m_1 ... m_S = encoder(x_1 ... x_S);   s_0 from the encoder's last state                                                  (1)
    s_t = decoder(s_{t-1}, y_{t-1}),   p(y_t | y_1 ... y_{t-1}, x) = softmax(W q(s_t, m) + b)                                (2)

Without attention q is s_t itself: all that the decoder knows of x is one vector. With attention, q also holds a mean of the
m_j by weights that the decoder chooses at every step. An encoder that reads both ways hands over W [forward; backward].
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from novum.neural_network.recurrent.layers import Attention, RecurrentLayers
from novum.neural_network.sequences.inputs import symbol_table
from novum.neural_network.sequences.network import SequenceToSequence
from novum.neural_network.sequences.padding import PaddedBatch
from novum.neural_network.training.dropout import Dropout

__all__ = ["EncoderDecoder"]


class EncoderDecoder(SequenceToSequence):
    """(1) and (2).

    Parameters
    ----------
    n_source, n_target : int
        Numbers of symbols.
    n_embedding, n_units, n_layers : int
    cell : {"rnn", "gru", "lstm"}
    attention : {"dot", "additive"} or None
    bidirectional : bool
        Of the encoder.
    dropout : float
    """

    n_shared = 3  # lengths, keys, memory

    def __init__(
        self,
        n_source: int,
        n_target: int,
        n_embedding: int,
        n_units: int,
        n_layers: int,
        cell: str,
        attention: str | None,
        bidirectional: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.source_table = symbol_table(n_source, n_embedding, 1.0)
        self.target_table = symbol_table(n_target, n_embedding, 1.0)
        self.encoder = RecurrentLayers(n_embedding, n_units, cell, n_layers, bidirectional, dropout)
        self.decoder = RecurrentLayers(n_embedding, n_units, cell, n_layers, False, dropout)
        n_parts = 2 if cell == "lstm" else 1
        directions = 2 if bidirectional else 1
        self.bridges = nn.ModuleList(
            nn.Linear(directions * n_units, n_units) for _ in range(n_parts if bidirectional else 0)
        )
        self.attention = None if attention is None else Attention(attention, n_units, self.encoder.n_outputs)
        self.dropout = Dropout(dropout)
        self.head = nn.Linear(n_units, n_target)
        self.n_layers = n_layers

    def encode(self, source: PaddedBatch) -> tuple[Tensor, list[Tensor]]:
        """Return (1): m, (n, S, outputs), and s_0, (n, layers, units) for every part of the state."""
        x = self.dropout(embedding(source.values, self.source_table))
        memory, last = self.encoder(x, None if source.equal else source.host_lengths)
        if self.bridges:  # states come layer by layer, forward before backward
            last = [
                torch.tanh(bridge(part.unflatten(1, (self.n_layers, 2)).flatten(2)))
                for bridge, part in zip(self.bridges, last)
            ]
        return memory, last

    def write(
        self, h: Tensor, keys: Tensor, memory: Tensor, lengths: Tensor | None, kept: list[Tensor] | None
    ) -> Tensor:
        """Return the logits of (2) for states h, (n, T, units)."""
        if self.attention is not None:
            h, weights = self.attention(h, keys, memory, lengths)
            if kept is not None:
                kept.append(weights[:, None])  # one head
        return self.head(self.dropout(h))

    def keys(self, memory: Tensor) -> Tensor:
        """Return what attention needs of the memory at every step."""
        return memory if self.attention is None else self.attention.keys(memory)

    def logits(self, source: PaddedBatch, inputs: Tensor, kept: list[Tensor] | None = None) -> Tensor:
        """Return the logits of (2) at all places of `inputs`."""
        memory, state = self.encode(source)
        h, _ = self.decoder(self.dropout(embedding(inputs, self.target_table)), None, state)
        return self.write(h, self.keys(memory), memory, source.mask_lengths, kept)

    def begin(self, source: PaddedBatch, room: int) -> list[Tensor]:
        """Return lengths, keys and memory of attention, and s_0: a recurrent state needs no room."""
        memory, state = self.encode(source)
        return [source.lengths, self.keys(memory), memory, *state]

    def step(self, symbols: Tensor, place: int, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return the logits of (2) at one place, and the next state."""
        lengths, keys, memory, *past = state
        h, past = self.decoder(embedding(symbols[:, None], self.target_table), None, past)
        return self.write(h, keys, memory, lengths, None)[:, 0], [lengths, keys, memory, *past]
