"""Greedy and beam decoding against brute force, on a network that is a table."""

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from novum.neural_network.sequences.decoding import beam_search, greedy_search  # noqa: E402
from novum.neural_network.sequences.padding import PaddedBatch  # noqa: E402
from novum.neural_network.sequences.vocabulary import END, START  # noqa: E402

pytestmark = pytest.mark.deep
N_SYMBOLS = 7  # four of the machine and three of the user's
SAID = (END, 4, 5, 6)


class Table:
    """p(next | last, place, source) from a table; the state remembers the last symbol, to see that it is reordered."""

    def __init__(self, seed, longest):
        self.table = torch.from_numpy(np.random.default_rng(seed).normal(size=(2, longest + 1, N_SYMBOLS, N_SYMBOLS)))

    n_shared = 1
    tilt = torch.linspace(-0.5, 0.5, N_SYMBOLS, dtype=torch.float64)

    def begin(self, source, room):
        return [source.values[:, 0], torch.full((len(source.values),), START)]

    def step(self, symbols, place, state):
        source, last = state
        assert place == 0 or bool((symbols >= 0).all())
        history = last * 31 % 5  # the symbol before the last matters too
        return self.table[source, place, symbols] + history[:, None] * self.tilt, [source, symbols]

    def log_prob(self, source, sequence):
        """The sum of log p over a sequence, by hand."""
        total, last, before = 0.0, START, START
        for place, symbol in enumerate(sequence):
            logits = (self.table[source, place, last] + (before * 31 % 5) * self.tilt).float().numpy().astype(float)
            logits = logits[list(SAID)]
            total += logits[SAID.index(symbol)] - math.log(np.exp(logits).sum())
            before, last = last, symbol
        return total


def sources():
    values = torch.tensor([[0], [1]])
    ones = torch.ones(2, dtype=torch.long)
    return PaddedBatch(values, ones, ones, True)


def all_sequences(net, source, longest):
    """Every answer with its log probability: of the largest length those that END ends best, the others as they are cut."""
    found, mass = {}, 0.0
    for n in range(longest + 1):
        for symbols in itertools.product(SAID[1:], repeat=n):
            best = max(SAID, key=lambda symbol, so_far=symbols: net.log_prob(source, [*so_far, symbol]))
            said = symbols if n == longest and best != END else (*symbols, END)
            found[said] = net.log_prob(source, said)
            mass += math.exp(net.log_prob(source, symbols if n == longest else said))
    assert mass == pytest.approx(1.0)  # whatever is said ends before the largest length, or begins with one of these
    return found


def strip(row):
    row = [symbol for symbol in row if symbol]
    return tuple(row)


@pytest.mark.notes("000-c", "greedy-decoding")
@pytest.mark.parametrize("seed", range(3))
def test_greedy_takes_the_best_symbol_at_every_step(seed):
    net = Table(seed, 6)
    found = greedy_search(net, sources(), 6)
    for source in range(2):
        said = []
        for _ in range(7):
            last = max(SAID, key=lambda symbol: net.log_prob(source, [*said, symbol]))
            said.append(last)
            if last == END:
                break
        said = said if said[-1] == END else said[:6]  # cut: no symbol that is not shown
        assert strip(found.symbols[source, 0].tolist()) == tuple(said)
        assert found.ended[source, 0] == (said[-1] == END)
        assert found.log_prob[source, 0].item() == pytest.approx(net.log_prob(source, said), abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_wide_beam_is_exhaustive(seed, alpha):
    net, longest = Table(seed, 3), 3
    found = beam_search(net, sources(), longest, 300, alpha)
    for source in range(2):
        every = all_sequences(net, source, longest)
        kept = [
            (strip(row), score) for row, score in zip(found.symbols[source].tolist(), found.log_prob[source].tolist())
        ]
        kept = [(row, score) for row, score in kept if math.isfinite(score)]
        assert dict(kept) == pytest.approx(every, abs=1e-5)
        shown = [tuple(symbol for symbol in row if symbol != END) for row, _ in kept]
        assert len(set(shown)) == len(shown) and max(map(len, shown)) == longest
        ranked = [score / len(row) ** alpha for row, score in kept]
        assert ranked == sorted(ranked, reverse=True)


def test_a_beam_keeps_the_best_prefixes():
    net, longest, width = Table(5, 4), 4, 3
    found = beam_search(net, sources(), longest, width)
    for source in range(2):
        beams = [()]
        for _ in range(longest):
            grown = [b if b and b[-1] == END else (*b, s) for b in beams for s in SAID]
            beams = sorted(set(grown), key=lambda b: -net.log_prob(source, b))[:width]
        ends = [b[-1] != END and max(SAID, key=lambda s, b=b: net.log_prob(source, [*b, s])) == END for b in beams]
        beams = sorted(((*b, END) if end else b for b, end in zip(beams, ends)), key=lambda b: -net.log_prob(source, b))
        assert [strip(row) for row in found.symbols[source].tolist()] == beams
    one = beam_search(net, sources(), longest, 1)
    greedy = greedy_search(net, sources(), longest)
    assert one.symbols.tolist() == greedy.symbols.tolist()
