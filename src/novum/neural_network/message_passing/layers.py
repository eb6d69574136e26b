r"""Layers in which nodes learn from their neighbours. N(i) are the nodes j with an edge (j, i) of weight a_ij to i.

    aggregation   sum a_ij m_j,   sum a_ij m_j / sum a_ij,   max m_j   over j in N(i); 0 where N(i) is empty               (1)
    "gcn"         h_i' = sum over j in N(i) and i of a_ij / sqrt(d_i d_j) W h_j + b,   a_ii = 1,  d_i = 1 + sum_j a_ij       (2)
    "mean", "sum", "max"    h_i' = V h_i + b + aggregation (1) of W h_j                                                     (3)
    "attention"   e_ij = leaky(p'W h_i + q'W h_j),  s_ij = softmax over j in N(i) and i of e_ij,  h_i' = sum s_ij W h_j + b (4)

(2) is D^-1/2 (A + I) D^-1/2 H W (Kipf and Welling 2017), (3) GraphSAGE's form (Hamilton, Ying and Leskovec 2017), (4) has several
heads side by side (Velickovic et al. 2018). Each is a sum or a maximum over neighbours, so no order of nodes or edges matters.
Nodes without features come as their numbers: W h is then a column of W.
"""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from novum.neural_network.training.dropout import Dropout

__all__ = ["LAYERS", "Attention", "Batch", "Convolution", "GraphNet", "SelfAndNeighbors", "aggregate", "read_out"]

LEAK = 0.2


class Batch(NamedTuple):
    """Nodes with the edges among them, as tensors."""

    features: Any  # (n, f), or the numbers of the nodes, (n,)
    edges: Any  # (2, m): from, to
    weight: Any  # (m,)
    degree: Any  # d_i of (2) in the whole graph, (n,)


def aggregate(messages: Any, edges: Any, n_nodes: int, how: str, weight: Any = None) -> Any:
    """Return (1): `messages` has a row for every node that sends."""
    start, to = edges
    sent = messages[start]
    out = messages.new_zeros(n_nodes, *messages.shape[1:])
    place = to.view(-1, *[1] * (sent.ndim - 1)).expand_as(sent)
    if how == "max":
        return out.scatter_reduce(0, place, sent, "amax", include_self=False)
    share = sent.new_ones(len(start)) if weight is None else weight.to(sent.dtype)
    total = out.scatter_add(0, place, sent * share.view(-1, *[1] * (sent.ndim - 1)))
    if how == "sum":
        return total
    mass = sent.new_zeros(n_nodes).scatter_add(0, to, share)
    return total / mass.clamp(min=torch.finfo(mass.dtype).tiny).view(-1, *[1] * (total.ndim - 1))


def projected(linear: nn.Linear, h: Any) -> Any:
    """Return W h; nodes that are numbers get their columns of W."""
    if h.dtype == torch.int64:
        columns = F.embedding(h, linear.weight.T)
        return columns if linear.bias is None else columns + linear.bias
    return linear(h)


class Convolution(nn.Module):
    """(2)."""

    def __init__(self, n_in: int, n_out: int, **_: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, n_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, h: Any, batch: Batch) -> Any:
        """Return (2) of every node."""
        message = projected(self.linear, h)
        root = batch.degree.to(message.dtype).rsqrt()
        weight = batch.weight * root[batch.edges[0]] * root[batch.edges[1]]
        near = aggregate(message, batch.edges, len(message), "sum", weight)
        return near + message * root.square()[:, None] + self.bias


class SelfAndNeighbors(nn.Module):
    """(3)."""

    def __init__(self, n_in: int, n_out: int, how: str = "mean", **_: Any) -> None:
        super().__init__()
        self.how = how
        self.own = nn.Linear(n_in, n_out)
        self.linear = nn.Linear(n_in, n_out, bias=False)

    def forward(self, h: Any, batch: Batch) -> Any:
        """Return (3) of every node."""
        message = projected(self.linear, h)
        return projected(self.own, h) + aggregate(message, batch.edges, len(message), self.how, batch.weight)


class Attention(nn.Module):
    """(4); the heads stand side by side in the result, or their mean is taken where `n_heads` does not divide it."""

    def __init__(self, n_in: int, n_out: int, n_heads: int = 1, **_: Any) -> None:
        super().__init__()
        self.beside = n_out % n_heads == 0
        self.n_heads, self.width = n_heads, n_out // n_heads if self.beside else n_out
        self.linear = nn.Linear(n_in, n_heads * self.width, bias=False)
        bound = math.sqrt(6 / (self.width + 1))
        self.receiver = nn.Parameter(torch.empty(n_heads, self.width).uniform_(-bound, bound))  # p
        self.sender = nn.Parameter(torch.empty(n_heads, self.width).uniform_(-bound, bound))  # q
        self.bias = nn.Parameter(torch.zeros(n_out))

    def shares(self, message: Any, batch: Batch) -> tuple[Any, Any]:
        """Return s_ij of every edge, then of every node to itself, (m + n, heads), and these edges."""
        n = len(message)
        loops = torch.arange(n, device=message.device)
        start, to = edges = torch.cat([batch.edges, torch.stack([loops, loops])], dim=1)
        score = F.leaky_relu((message * self.receiver).sum(-1)[to] + (message * self.sender).sum(-1)[start], LEAK)
        place = to[:, None].expand_as(score)
        top = score.new_full((n, self.n_heads), -torch.inf).scatter_reduce(0, place, score.detach(), "amax")
        up = torch.exp(score - top[to])
        return up / score.new_zeros(n, self.n_heads).scatter_add(0, place, up)[to], edges

    def forward(self, h: Any, batch: Batch) -> Any:
        """Return (4) of every node."""
        message = projected(self.linear, h).unflatten(1, (self.n_heads, self.width))
        share, (start, to) = self.shares(message, batch)
        sent = message[start] * share[:, :, None]
        out = sent.new_zeros(message.shape).scatter_add(0, to.view(-1, 1, 1).expand_as(sent), sent)
        return (out.flatten(1) if self.beside else out.mean(dim=1)) + self.bias


LAYERS: dict[str, Any] = {
    "gcn": Convolution,
    "mean": SelfAndNeighbors,
    "sum": SelfAndNeighbors,
    "max": SelfAndNeighbors,
    "attention": Attention,
}


def read_out(h: Any, owner: Any, n_graphs: int, how: str) -> Any:
    """Return one vector for every graph: sum, mean or maximum over its nodes."""
    return aggregate(h, torch.stack([torch.arange(len(h), device=h.device), owner]), n_graphs, how)


class GraphNet(nn.Module):
    """Layers with an activation between them, and a head for the task."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        sizes, kind = config["sizes"], config["layer"]
        self.layers = nn.ModuleList(LAYERS[kind](a, b, how=kind, n_heads=config["n_heads"]) for a, b in pairwise(sizes))
        self.drop, self.readout, self.task = Dropout(config["dropout"]), config["readout"], config["task"]
        if config["mean"] is not None:
            self.register_buffer("mean", torch.tensor(config["mean"]))
            self.register_buffer("scale", torch.tensor(config["scale"]))
        if self.task == "link":
            self.offset = nn.Parameter(torch.zeros(()))
        else:
            self.head = nn.Linear(sizes[-1], config["n_classes"])

    def forward(self, batch: Batch) -> Any:
        """Return the vector of every node."""
        return self.embed(batch)

    def embed(self, batch: Batch) -> Any:
        """Return the vector of every node after the last layer."""
        h = batch.features
        if h.dtype != torch.int64:
            h = (h - self.mean) / self.scale
        for k, layer in enumerate(self.layers):
            if k:
                h = F.elu(h)
            if h.dtype != torch.int64:
                h = self.drop(h)
            h = layer(h, batch)
        return h

    def node_scores(self, batch: Batch, nodes: Any) -> Any:
        """Return the scores of the classes of some nodes."""
        return self.head(F.elu(self.embed(batch)[nodes]))

    def graph_scores(self, batch: Batch, owner: Any, n_graphs: int) -> Any:
        """Return the scores of the classes of graphs."""
        return self.head(read_out(F.elu(self.embed(batch)), owner, n_graphs, self.readout))

    def link_scores(self, h: Any, pairs: Any) -> Any:
        """Return the log odds of an edge between the ends of every pair, (pairs,): h_u'h_v plus an offset."""
        return (h[pairs[:, 0]] * h[pairs[:, 1]]).sum(dim=1) + self.offset
