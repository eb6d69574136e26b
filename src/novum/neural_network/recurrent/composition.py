r"""Recursive networks: one composition for all inner nodes of a tree, from the leaves to the root.

    leaf:   h = E[symbol],  or  h = tanh(A x + a)  of a vector x                                                             (1)
    tanh:   h = tanh(sum_k U_k h_k + b)  of the children k = 1, 2, ...                                                       (2)
    lstm:   i, o = s(sum_k U_k h_k + b);  f_k = s(sum_l U_kl h_l + b_f);  g = tanh(sum_k U_k^g h_k + b_g)
            c = i g + sum_k f_k c_k;   h = o tanh(c)                                                                         (3)

A child that is not there is a vector of zeros. The nodes of one height, of all trees of a batch, are one product.
"""

import torch
from torch import Tensor, nn

from novum.neural_network.sequences.inputs import symbol_table
from novum.neural_network.training.dropout import Dropout

__all__ = ["TreeNetwork"]


class TreeNetwork(nn.Module):
    """(1) and (2) or (3), and a linear map of h to the outputs.

    Parameters
    ----------
    n_symbols : int
        0 where leaves are vectors.
    n_inputs : int
        Size of those vectors.
    n_units, arity, n_outputs : int
    cell : {"tanh", "lstm"}
    dropout : float
        Before the outputs.
    """

    def __init__(
        self, n_symbols: int, n_inputs: int, n_units: int, arity: int, n_outputs: int, cell: str, dropout: float
    ) -> None:
        super().__init__()
        self.n_units, self.arity, self.cell = n_units, arity, cell
        self.table = symbol_table(n_symbols, n_units, 1.0) if n_symbols else None
        self.leaf = nn.Identity() if n_symbols else nn.Linear(n_inputs, n_units)
        n_gates = 1 if cell == "tanh" else 3 + arity
        self.compose = nn.Linear(arity * n_units, n_gates * n_units)
        self.dropout = Dropout(dropout)
        self.head = nn.Linear(n_units, n_outputs)
        if cell == "lstm":
            with torch.no_grad():
                self.compose.bias[3 * n_units :] += 1.0  # gates that keep what the children hold

    def leaves(self, values: Tensor) -> Tensor:
        """Return (1)."""
        return torch.tanh(self.leaf(values)) if self.table is None else nn.functional.embedding(values, self.table)

    def node(self, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return (2) or (3) from the children's states, each (nodes, arity, units)."""
        gates = self.compose(h.flatten(1))
        if self.cell == "tanh":
            return torch.tanh(gates), c[:, 0]
        i, o, g, f = gates.split([self.n_units] * 3 + [self.arity * self.n_units], dim=1)
        forget = f.unflatten(1, (self.arity, self.n_units)).sigmoid()
        c = i.sigmoid() * g.tanh() + (forget * c).sum(dim=1)
        return o.sigmoid() * c.tanh(), c

    def states(self, values: Tensor, levels: list[Tensor]) -> Tensor:
        """Return h of all nodes of a batch, (nodes, units); `levels` holds the children of the nodes of each height."""
        h = self.leaves(values)
        empty = h.new_zeros(1, self.n_units)  # row 0: the child that is not there, whose number is -1
        h = torch.cat([empty, h])
        c = torch.zeros_like(h)
        for children in levels:
            new_h, new_c = self.node(h[children + 1], c[children + 1])
            h, c = torch.cat([h, new_h]), torch.cat([c, new_c])
        return h[1:]

    def forward(self, values: Tensor, levels: list[Tensor], nodes: Tensor) -> Tensor:
        """Return the outputs at some nodes of a batch, (nodes, outputs)."""
        return self.head(self.dropout(self.states(values, levels)[nodes]))
