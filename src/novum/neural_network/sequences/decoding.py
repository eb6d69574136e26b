r"""Decoding: from a network that says what may come next to the sequence that comes.

    greedy:  y_t = argmax_s p(s | y_1 ... y_{t-1}, x),  until END                                                            (1)
    beam:    of all y_1 ... y_t that continue the k best of length t - 1, keep the k of largest sum_i log p(y_i | ...)       (2)
    the answer of a beam is the largest  log p(y | x) / |y|^alpha,  |y| with END                                             (3)

A network answers `begin(source, room)` with a state, a list of tensors whose first axis is the sequence, and
`step(symbols, place, state)` with the logits of the next symbol and the next state; the first `n_shared` parts of a state are the
same for all beams of a sequence. A sequence that has ended stays as it is: it is continued by padding alone, at no cost. After the
largest length only END may come: where it is the best symbol it ends the sequence, elsewhere the sequence is cut, and its
probability is that of all that begin like it; so no two answers show the same symbols. With k at least as large as the number of
sequences of a length, (2) is exhaustive.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from novum.neural_network.sequences.padding import PaddedBatch
from novum.neural_network.sequences.vocabulary import END, PAD, START, UNKNOWN

__all__ = ["Decoded", "beam_search", "greedy_search", "symbol_log_prob"]

NEVER = (PAD, START, UNKNOWN)  # symbols that no answer holds


class Decoded(NamedTuple):
    """Sequences of symbols with their log probabilities, best first."""

    symbols: Tensor  # (n, k, steps), END and padding behind
    log_prob: Tensor  # (n, k)
    ended: Tensor  # (n, k): False where END was not the best after the largest length either: cut there, log p of what is shown


def symbol_log_prob(logits: Tensor) -> Tensor:
    """Return log p of the symbols that may come next, (..., symbols)."""
    logits = logits.float().clone()
    logits[..., NEVER] = -math.inf
    return logits.log_softmax(dim=-1)


def next_log_prob(network: Any, symbols: Tensor, place: int, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Return log p of the next symbol, (n, symbols), and the next state."""
    logits, state = network.step(symbols, place, state)
    return symbol_log_prob(logits), state


@torch.no_grad()
def greedy_search(network: Any, source: PaddedBatch, longest: int) -> Decoded:
    """Return (1) with at most `longest` symbols before END."""
    n, device = len(source.lengths), source.lengths.device
    state = network.begin(source, longest + 1)
    symbols = torch.full((n,), START, device=device)
    total = torch.zeros(n, device=device)
    ended = torch.zeros(n, dtype=torch.bool, device=device)
    chosen = []
    for place in range(longest + 1):
        log_prob, state = next_log_prob(network, symbols, place, state)
        best, symbols = log_prob.max(dim=-1)
        idle = ended | (symbols != END) if place == longest else ended
        total += best.masked_fill(idle, 0.0)
        symbols = symbols.masked_fill(idle, PAD)
        chosen.append(symbols)
        ended = ended | (symbols == END)
        if bool(ended.all()):
            break
    return Decoded(torch.stack(chosen, dim=-1)[:, None], total[:, None], ended[:, None])


@torch.no_grad()
def beam_search(network: Any, source: PaddedBatch, longest: int, width: int, alpha: float = 0.0) -> Decoded:
    """Return (2), the `width` best of every sequence in the order of (3)."""
    n, device = len(source.lengths), source.lengths.device
    state = [part.repeat_interleave(width, dim=0) for part in network.begin(source, longest + 1)]
    first = torch.arange(n, device=device)[:, None] * width  # row of the first beam of each sequence
    symbols = torch.full((n * width,), START, device=device)
    total = torch.full((n, width), -math.inf, device=device)
    total[:, 0] = 0.0  # at first all beams are one
    ended = torch.zeros((n, width), dtype=torch.bool, device=device)
    chosen = torch.empty((n, width, 0), dtype=torch.long, device=device)
    for place in range(longest + 1):
        log_prob, state = next_log_prob(network, symbols, place, state)
        log_prob = log_prob.unflatten(0, (n, width))
        if place == longest:
            last = (log_prob.argmax(dim=-1) == END) & ~ended
            total = torch.where(last, total + log_prob[..., END], total)
            chosen = torch.cat([chosen, torch.where(last, END, PAD)[..., None]], dim=-1)
            ended = ended | last
            break
        log_prob = log_prob.masked_fill(ended[..., None], -math.inf)
        log_prob[..., PAD] = log_prob[..., PAD].masked_fill(ended, 0.0)
        n_symbols = log_prob.shape[-1]
        total, best = (total[..., None] + log_prob).flatten(1).topk(width, dim=-1)
        parent, symbol = best // n_symbols, best % n_symbols
        symbols, rows = symbol.flatten(), (first + parent).flatten()
        kept = state[: network.n_shared]  # beams change places among those of one sequence
        state = [*kept, *(part.index_select(0, rows) for part in state[network.n_shared :])]
        chosen = torch.cat([chosen.gather(1, parent[..., None].expand_as(chosen)), symbol[..., None]], dim=-1)
        ended = ended.gather(1, parent) | (symbol == END)
        if bool((ended | total.isneginf()).all()):
            break
    size = (chosen != PAD).sum(dim=-1).clamp(min=1)
    order = (total / size**alpha).argsort(dim=-1, descending=True, stable=True)
    ordered = chosen.gather(1, order[..., None].expand_as(chosen))
    return Decoded(ordered, total.gather(1, order), ended.gather(1, order))
