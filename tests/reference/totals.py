"""Undiscounted processes by brute force: every deterministic policy, in exact rationals."""

from fractions import Fraction
from itertools import product

import numpy as np

from novum.reinforcement import MDP

__all__ = ["best_totals", "policy_totals", "process_of", "random_table", "solve_rationals"]

END = "end"


def random_table(rng: np.random.Generator) -> dict:
    """Return {state: {action: [(chance, next, reward)]}} in rationals: circles of zeros, both signs, tiny exits."""
    n = int(rng.integers(1, 5))
    style = rng.integers(4)
    pays = [[0, 0, 0, -1, 1, 2, -3], [0, -1, -1, -2], [0, 0, 1, 2, 5], [0, 0, 0, 0, 1, -1]][style]
    table: dict = {}
    for s in range(n):
        table[s] = {}
        for a in range(int(rng.integers(1, 4))):
            targets = [END if t == n else int(t) for t in rng.integers(n + 1, size=rng.integers(1, 4))]
            weights = [Fraction(int(w)) for w in rng.integers(1, 8, size=len(targets))]
            if rng.random() < 0.25:  # an exit that is hardly ever taken, or hardly ever missed
                weights[0] = Fraction(1, 10 ** int(rng.integers(3, 10)))
            total = sum(weights)
            table[s][a] = [
                (w / total, t, Fraction(int(rng.choice(pays))) / int(rng.choice([1, 1, 3])))
                for w, t in zip(weights, targets)
            ]
    return table


def process_of(table: dict) -> MDP:
    """Return the process of a table of rationals."""
    rows = {s: {a: [(float(p), t, float(r)) for p, t, r in out] for a, out in row.items()} for s, row in table.items()}
    return MDP(rows, terminal=[END], states=[*table, END], actions=range(3))


def solve_rationals(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Return the solution of a linear system by elimination."""
    n = len(right)
    rows = [[*row, b] for row, b in zip(matrix, right)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[n] for row in rows]


def policy_totals(table: dict, policy: dict) -> tuple[list[Fraction | None], list[Fraction]]:
    """Return the total of a policy from every state (None: it settles nowhere), and the mean rewards of its paid circles."""
    n = len(table)
    chance = {s: {} for s in table}
    reward = {}
    for s in table:
        out = table[s][policy[s]]
        reward[s] = sum(p * r for p, _, r in out)
        for p, t, _ in out:
            chance[s][t] = chance[s].get(t, 0) + p
    reach = {s: {s} | set(chance[s]) for s in table}
    for _ in range(n):
        for s in table:
            reach[s] = reach[s].union(*(reach[t] for t in reach[s] if t != END))
    closed = [s for s in table if END not in reach[s] and all(s in reach[t] for t in reach[s])]
    paid = {s for s in closed if any(reward[t] != 0 for t in reach[s])}
    gains = []
    for s in paid:
        members = sorted(reach[s])
        matrix = [[(chance[j].get(i, Fraction(0)) - (i == j)) for j in members] for i in members]
        matrix[-1] = [Fraction(1)] * len(members)
        law = solve_rationals(matrix, [Fraction(0)] * (len(members) - 1) + [Fraction(1)])
        gains.append(sum(d * reward[t] for d, t in zip(law, members)))
    settled = [s for s in table if not reach[s] & paid]
    own = [s for s in settled if s not in closed]
    matrix = [[(s == t) - chance[s].get(t, Fraction(0)) for t in own] for s in own]
    values = dict(zip(own, solve_rationals(matrix, [reward[s] for s in own]))) if own else {}
    out = [values.get(s, Fraction(0)) if s in settled else None for s in table]
    return out, gains


def best_totals(table: dict) -> tuple[list[Fraction | None], set[int]]:
    """Return the best total from every state (None: no policy has one), and the signs of the circles that pay."""
    best: list[Fraction | None] = [None] * len(table)
    signs: set[int] = set()
    for choice in product(*(row for row in table.values())):
        values, gains = policy_totals(table, dict(zip(table, choice)))
        signs |= {int(g > 0) - int(g < 0) for g in gains}
        best = [v if b is None else b if v is None else max(b, v) for b, v in zip(best, values)]
    return best, signs
