r"""Which sets of variables PC conditions on: those that can matter, and no more than can be tested.

    z in adj(x) can be in a smallest set that separates x and y only if a path joins z and y that avoids x              (1)
    of more than `MOST_SETS` sets of a size, those of the candidates most associated with the weaker of x and y         (2)

(1) loses nothing: from every member of a minimal separator a path that avoids the others leads to y (the walk of the moral graph,
with common children put in for marriages), and one through x would join x and y themselves. It spares a hub the subsets of its
other children. (2) is a bound on time where neighbors are joined among each other; an oracle answers everything.
"""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.graphical.structure_learning.independence import CountTest, Test, statistics

__all__ = ["Conditioning", "strengths"]

MOST_SETS = 1000  # of one size, from the neighbors of one variable


class Conditioning:
    """The sets to condition on in a graph of neighbors, as it stood when a level began."""

    def __init__(self, joined: list[set[int]], strength: NDArray[np.float64] | None) -> None:
        self.joined = [set(found) for found in joined]
        self.strength = strength  # of the association of two variables; None where every set is to be tried
        self._parts: dict[int, list[int]] = {}

    def _component(self, x: int) -> list[int]:
        """Return the number of the component of every variable in the graph without x."""
        if x not in self._parts:
            part = [-1] * len(self.joined)
            for start in range(len(part)):
                if part[start] >= 0 or start == x:
                    continue
                part[start], open_ = start, [start]
                while open_:
                    for v in self.joined[open_.pop()]:
                        if v != x and part[v] < 0:
                            part[v] = start
                            open_.append(v)
            self._parts[x] = part
        return self._parts[x]

    def _near(self, x: int, y: int, size: int) -> list[int]:
        """Return the neighbors of x that (1) and (2) leave for sets of a size."""
        part = self._component(x)
        found = sorted(v for v in self.joined[x] if v != y and part[v] == part[y])
        if self.strength is None or size == 0 or comb(len(found), size) <= MOST_SETS:
            return found
        m = size
        while comb(m + 1, size) <= MOST_SETS:
            m += 1
        weaker = np.minimum(self.strength[x, found], self.strength[y, found])
        return sorted(found[i] for i in np.argsort(-weaker, kind="stable")[:m])

    def sets(self, x: int, y: int, size: int) -> list[tuple[int, ...]]:
        """Return the sets of a size near x or near y, each once."""
        if size == 0:
            return [()]
        near = (combinations(self._near(a, b, size), size) for a, b in ((x, y), (y, x)))
        return list(dict.fromkeys(z for each in near for z in each))


def strengths(n: int, test: Test) -> NDArray[np.float64]:
    """Return how strongly every two variables are associated: G2, or one less the p-value of other tests."""
    out = np.zeros((n, n))
    for x, y in combinations(range(n), 2):
        out[x, y] = out[y, x] = strength_of(test, x, y)
    return out


def strength_of(test: Any, x: int, y: int) -> float:
    if not isinstance(test, CountTest):
        return 1 - float(test(x, y, ()))
    table = test.table(x, y)
    return float(statistics(table[None, None], chi_squared=False)[0][0])
