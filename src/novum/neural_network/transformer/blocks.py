r"""Blocks of the Transformer: attention and a small network at every position, each added to what it read.

    feed-forward:  F(x) = g(x W_1 + b_1) W_2 + b_2,  the same at every position                                              (1)
    a part s of a block, with layer normalisation N:  N(x + s(x)) after it, or x + s(N(x)) before it                         (2)
    encoder block: self-attention, (1);   decoder block: causal self-attention, attention to the encoder, (1)                (3)

Parts and weights carry the names of `torch.nn.TransformerEncoderLayer` and `TransformerDecoderLayer`.
"""

from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from novum.neural_network.training.dropout import Dropout
from novum.neural_network.transformer.attention import KeyValues, MultiHeadAttention

__all__ = ["DecoderBlock", "EncoderBlock", "PositionwiseFeedForward"]


class PositionwiseFeedForward(nn.Module):
    """(1), with g = ReLU or GELU."""

    def __init__(self, width: int, hidden: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.dropout = Dropout(dropout)
        self.activation = F.gelu if activation == "gelu" else F.relu
        for layer in (self.linear1, self.linear2):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Return (1)."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class Block(nn.Module):
    """(2): what both kinds of block share.

    Parameters
    ----------
    width, n_heads, hidden : int
    dropout : float
    activation : {"relu", "gelu"}
    norm_first : bool
        Normalise what a part reads; otherwise what it leaves.
    """

    n_parts = 0

    def __init__(
        self,
        width: int,
        n_heads: int,
        hidden: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = True,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(width, n_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(width, hidden, dropout, activation)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(self.n_parts))
        self.dropout = Dropout(dropout)

    def add_part(self, x: Tensor, number: int, part: Any) -> Tensor:
        """Return (2) of part `number`."""
        norm = self.norms[number]
        if self.norm_first:
            return x + self.dropout(part(norm(x)))
        return norm(x + self.dropout(part(x)))


class EncoderBlock(Block):
    """(3), the encoder's."""

    n_parts = 2

    def forward(self, x: Tensor, mask: Tensor | None = None, kept: list[Tensor] | None = None) -> Tensor:
        """Return the codes of x, (n, steps, width); `mask` is True where a step may be seen, (n, 1, 1, steps)."""
        x = self.add_part(x, 0, lambda h: self.self_attn(h, mask=mask, kept=kept))
        return self.add_part(x, 1, self.feed_forward)


class DecoderBlock(Block):
    """(3), the decoder's: `step` reads one position, with the keys and values of those before it."""

    n_parts = 3

    def __init__(self, width: int, n_heads: int, hidden: int, dropout: float = 0.0, *options: Any) -> None:
        super().__init__(width, n_heads, hidden, dropout, *options)
        self.multihead_attn = MultiHeadAttention(width, n_heads, dropout)

    def forward(
        self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None, kept: list[Tensor] | None = None
    ) -> Tensor:
        """Return the codes of all positions of x at once: each hears itself, those before it, and the encoder.

        Sequences are padded at their ends, so the causal mask alone keeps padding from what comes before it.
        """
        x = self.add_part(x, 0, lambda h: self.self_attn(h, causal=True))
        x = self.add_part(x, 1, lambda h: self.multihead_attn(h, memory, memory_mask, kept=kept))
        return self.add_part(x, 2, self.feed_forward)

    def step(
        self, x: Tensor, place: int, past: KeyValues, memory: KeyValues, memory_mask: Tensor | None = None
    ) -> Tensor:
        """Return the code of one position (n, 1, width); `past`, with room for it at `place`, receives its keys and values."""

        def hear(h: Tensor) -> Tensor:
            queries, new = self.self_attn.project_all(h)
            for room, value in zip(past, new):
                room[:, :, place : place + 1] = value
            seen = KeyValues(*(room[:, :, : place + 1] for room in past))
            return self.self_attn.attend(queries, seen, None, False, None)

        def hear_encoder(h: Tensor) -> Tensor:
            queries = self.multihead_attn.project_queries(h)
            return self.multihead_attn.attend(queries, memory, memory_mask, False, None)

        x = self.add_part(x, 0, hear)
        x = self.add_part(x, 1, hear_encoder)
        return self.add_part(x, 2, self.feed_forward)
