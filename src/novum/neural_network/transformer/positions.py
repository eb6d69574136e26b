r"""Positions: attention does not know the order of what it reads, so every place adds a vector of its own.

    P[p, 2i] = sin(p / 10000^(2i/d)),   P[p, 2i+1] = cos(p / 10000^(2i/d))                                                   (1)
    x_p = sqrt(d) E[symbol_p] + P[p]                                                                                         (2)

(1) is a rule for every length; a learned table is the alternative, which knows the places that training had and no more.
"""

import math

import torch
from torch import Tensor, nn

from novum.neural_network.sequences.inputs import symbol_table
from novum.neural_network.training.dropout import Dropout
from novum.neural_network.transformer.formulas import positional_encoding

__all__ = ["PositionalEncoding", "TokenEmbedding"]

FIRST_PLACES = 512  # rows of (1) that are made at once; longer sequences make more


def wave_table(n_positions: int, width: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return (1) as a tensor."""
    return torch.from_numpy(positional_encoding(n_positions, width)).to(dtype)


class PositionalEncoding(nn.Module):
    """Adds P to a sequence of vectors, (n, steps, width), whose first step stands at place `first`.

    Parameters
    ----------
    width : int
    kind : {"sinusoidal", "learned"}
    n_positions : int
        Rows of a learned table.
    dropout : float
    """

    def __init__(self, width: int, kind: str, n_positions: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.learned = kind == "learned"
        if self.learned:
            self.table = nn.Parameter(torch.randn(n_positions, width) / math.sqrt(width))
        else:
            self.register_buffer("table", wave_table(FIRST_PLACES, width), persistent=False)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Return x + P."""
        stop = first + x.shape[1]
        if stop > len(self.table) and not self.learned:
            longer = wave_table(max(stop, 2 * len(self.table)), x.shape[2], self.table.dtype)
            self.table = longer.to(self.table.device)
        return self.dropout(x + self.table[first:stop])


class TokenEmbedding(nn.Module):
    """sqrt(d) E[symbol], the first part of (2): one row of the matrix E for every symbol."""

    def __init__(self, n_symbols: int, width: int) -> None:
        super().__init__()
        self.weight = symbol_table(n_symbols, width, 1 / math.sqrt(width))
        self.scale = math.sqrt(width)

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the vectors of symbols, (n, steps) to (n, steps, width)."""
        return nn.functional.embedding(symbols, self.weight) * self.scale
