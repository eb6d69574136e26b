r"""Attention: every query is compared with all keys, and receives the mean of their values by how well they fit.

    a = softmax(Q K' / sqrt(d_k)),  row by row;   the answer is a V                                                          (1)
    masked: a score is -inf where position j must not be seen from position i; causal: j > i                                 (2)
    head_h = attention(Q W_h^Q, K W_h^K, V W_h^V);   the layer is concat(head_1, ..., head_H) W^O + b                        (3)

Queries, keys and values of self-attention are projections of one sequence, made by one product; cross-attention takes the
queries from the decoder, keys and values from the encoder. (1) is computed by PyTorch's fused kernel, which never stores the
weights a; where they are requested, by `scaled_dot_attention`, its twin.
"""

import math
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from novum.neural_network.training.dropout import Dropout
from novum.runtime.torch_generators import lent_generators

__all__ = ["KeyValues", "MultiHeadAttention", "causal_mask", "padding_mask", "scaled_dot_attention"]


class KeyValues(NamedTuple):
    """Projected keys and values of one attention, (n, heads, steps, d_k): computed once, read at every later step."""

    keys: Tensor
    values: Tensor


def causal_mask(n_queries: int, n_keys: int | None = None, device: Any = None) -> Tensor:
    """Return (2): True where position j <= i may be seen, (n_queries, n_keys)."""
    return torch.ones(n_queries, n_keys or n_queries, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: Tensor, n_steps: int) -> Tensor:
    """Return True at the steps that a sequence has, (n, n_steps)."""
    return torch.arange(n_steps, device=lengths.device) < lengths[:, None]


def scaled_dot_attention(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return (1) and its weights a; `mask` is True where a key may be seen, and broadcasts to the shape of a.

    A query that may see nothing receives zeros.
    """
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    dropped = Dropout(dropout)(weights) if dropout else weights
    return dropped @ values, weights


class MultiHeadAttention(nn.Module):
    """(3), with the names and shapes of the weights of `torch.nn.MultiheadAttention`.

    Parameters
    ----------
    width : int
        Size of the vectors that come and go.
    n_heads : int
        Divides `width`.
    dropout : float
        Share of the weights a that is left out in training.
    """

    def __init__(self, width: int, n_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.n_heads, self.dropout = n_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.zeros_(self.out_proj.bias)

    def heads(self, x: Tensor) -> Tensor:
        """Return (n, steps, width) as (n, heads, steps, d_k)."""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def project(self, memory: Tensor) -> KeyValues:
        """Return the keys and values of a sequence."""
        width = memory.shape[-1]
        both = F.linear(memory, self.in_proj_weight[width:], self.in_proj_bias[width:])
        return KeyValues(*map(self.heads, both.chunk(2, dim=-1)))

    def project_queries(self, x: Tensor) -> Tensor:
        """Return the queries of a sequence."""
        width = x.shape[-1]
        return self.heads(F.linear(x, self.in_proj_weight[:width], self.in_proj_bias[:width]))

    def project_all(self, x: Tensor) -> tuple[Tensor, KeyValues]:
        """Return queries, keys and values of one sequence, by one product."""
        queries, keys, values = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        return self.heads(queries), KeyValues(self.heads(keys), self.heads(values))

    def attend(
        self, queries: Tensor, memory: KeyValues, mask: Tensor | None, causal: bool, kept: list[Tensor] | None
    ) -> Tensor:
        """Return (3) of projected heads; `kept`, a list, receives the weights a, (n, heads, queries, keys)."""
        dropout = self.dropout if self.training else 0.0
        if kept is None:
            with lent_generators() if dropout else nullcontext():
                answer = F.scaled_dot_product_attention(*(queries, *memory), mask, dropout, is_causal=causal)
        else:
            if causal:
                mask = causal_mask(queries.shape[2], memory.keys.shape[2], queries.device)
            answer, weights = scaled_dot_attention(queries, *memory, mask, dropout)
            kept.append(weights)
        return self.out_proj(answer.transpose(1, 2).flatten(2))

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        causal: bool = False,
        kept: list[Tensor] | None = None,
    ) -> Tensor:
        """Return what x (n, steps, width) hears from `memory`, or from itself where that is None.

        `mask`, broadcastable to (n, heads, queries, keys), is True where a key may be seen; `causal` is (2), instead of a mask.
        """
        queries, projected = self.project_all(x) if memory is None else (self.project_queries(x), self.project(memory))
        return self.attend(queries, projected, mask, causal, kept)
