r"""Recurrent networks: one unit applied along a sequence, its state passed on.

    rnn:   h_t = tanh(W x_t + U h_{t-1} + b)                                                                                 (1)
    lstm:  f, i, o = s(W_f x + U_f h + b_f), ...;  g = tanh(W_g x + U_g h + b_g);  c_t = f c_{t-1} + i g;  h_t = o tanh(c_t) (2)
    gru:   r, z = s(...);  n = tanh(W_n x + b_n + r (U_n h + b'_n));  h_t = (1 - z) n + z h_{t-1}                            (3)
    both ways: (1)-(3) from the first step to the last, and from the last to the first; a step has both states              (4)
    dot attention:       score(h, m_j) = h' A m_j                                                                            (5)
    additive attention:  score(h, m_j) = v' tanh(A h + B m_j)                                                                (6)
    what a decoder says: softmax(W tanh(C [h; sum_j a_j m_j])),  a = softmax over j of the scores                            (7)

(1)-(3) run in PyTorch's fused kernels. Padding stands behind the end of a sequence: forward it comes too late to matter, and
backward the sequences of unequal length are packed, so that each begins at its own end.
"""

import math
from contextlib import nullcontext

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from novum.neural_network.transformer.attention import padding_mask
from novum.runtime.torch_generators import lent_generators

__all__ = ["Attention", "RecurrentLayers"]

KINDS = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
State = list[Tensor]


class RecurrentLayers(nn.Module):
    """A stack of (1), (2) or (3), in one direction or both.

    Parameters
    ----------
    n_inputs, n_units : int
    cell : {"rnn", "gru", "lstm"}
    n_layers : int
    bidirectional : bool
    dropout : float
        Between layers.
    """

    def __init__(
        self,
        n_inputs: int,
        n_units: int,
        cell: str,
        n_layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.rnn = KINDS[cell](
            n_inputs,
            n_units,
            n_layers,
            batch_first=True,
            bidirectional=bidirectional,
            dropout=dropout if n_layers > 1 else 0.0,
        )
        self.n_outputs = n_units * (2 if bidirectional else 1)
        if cell == "lstm":
            self.open_forget_gates(n_units)

    def open_forget_gates(self, n_units: int) -> None:
        """Start with gates that keep what they hold: forget biases of one (Jozefowicz and others 2015)."""
        with torch.no_grad():
            for name, bias in self.rnn.named_parameters():
                if name.startswith("bias_ih"):
                    bias[n_units : 2 * n_units] += 1.0

    def forward(self, x: Tensor, lengths: Tensor | None, state: State | None = None) -> tuple[Tensor, State]:
        """Return h at all steps, (n, steps, outputs), and the state after the last step of each sequence.

        The state is [h] or [h, c], each (n, layers * directions, units); `lengths`, on the CPU, None: nothing is padded.
        """
        first = None if state is None else tuple(part.transpose(0, 1).contiguous() for part in state)
        first = first[0] if first is not None and len(first) == 1 else first
        steps = x if lengths is None else pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        with lent_generators() if self.training and self.rnn.dropout else nullcontext():
            out, last = self.rnn(steps, first)
        if lengths is not None:
            out, _ = pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])
        parts = last if isinstance(last, tuple) else (last,)
        return out, [part.transpose(0, 1) for part in parts]


class Attention(nn.Module):
    """(5) or (6): how much each of the encoder's steps m_j matters to a decoder in state h.

    Parameters
    ----------
    kind : {"dot", "additive"}
    n_units, n_memory : int
        Sizes of h and m_j.
    """

    def __init__(self, kind: str, n_units: int, n_memory: int) -> None:
        super().__init__()
        self.kind = kind
        self.memory_map = nn.Linear(n_memory, n_units, bias=False)
        if kind == "additive":
            self.state_map = nn.Linear(n_units, n_units)
            self.direction = nn.Parameter(torch.randn(n_units) / math.sqrt(n_units))
        self.combine = nn.Linear(n_units + n_memory, n_units)

    def keys(self, memory: Tensor) -> Tensor:
        """Return A m_j of (5), or B m_j of (6), (n, S, units): the same for all states of the decoder."""
        return self.memory_map(memory)

    def forward(self, h: Tensor, keys: Tensor, memory: Tensor, lengths: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return tanh(C [h; context]) of (7) for h (n, T, units), and the weights a (n, T, S)."""
        if self.kind == "dot":
            scores = h @ keys.transpose(1, 2)
        else:
            scores = torch.tanh(self.state_map(h)[:, :, None] + keys[:, None]) @ self.direction
        if lengths is not None:
            scores = scores.masked_fill(~padding_mask(lengths, keys.shape[1])[:, None], -math.inf)
        weights = scores.softmax(dim=-1)
        return torch.tanh(self.combine(torch.cat([h, weights @ memory], dim=-1))), weights
