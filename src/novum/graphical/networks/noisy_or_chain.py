r"""A noisy-or of many causes as a chain of small tables.

    c_0 ~ leak,   P(c_i = off | c_{i-1}, u_i) = [c_{i-1} off] (1 - strength_i)^{u_i},   x = c_k                      (1)

Summing the hidden c_i gives the noisy-or; the tables have eight cells each where the whole one has 2^{k+1}.
"""

import numpy as np

from novum.engines.factors.plan import Factor
from novum.graphical.networks.nodes import NoisyOr

__all__ = ["FEW_CAUSES", "one_by_one"]

FEW_CAUSES = 7  # a noisy-or of more variables is taken apart for inference


def one_by_one(node: NoisyOr, scope: tuple[int, ...], cards: list[int]) -> list[Factor]:
    """Return the tables (1); `scope` is (causes, effect), and the hidden variables are added to `cards`."""
    *causes, effect = scope
    before = len(cards)
    cards.append(2)
    factors = [Factor((before,), np.array([1 - node.leak, node.leak]), before)]
    for i, (cause, strength) in enumerate(zip(causes, node.strength.values(), strict=True)):
        last = i == len(causes) - 1
        now = effect if last else len(cards)
        if not last:
            cards.append(2)
        table = np.zeros((2, 2, 2))  # (before, cause, now)
        table[1, :, 1] = 1
        table[0, 0] = 1, 0
        table[0, 1] = 1 - strength, strength
        factors.append(Factor((before, cause, now), table, now))
        before = now
    return factors
