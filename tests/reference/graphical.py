"""Small random Bayesian networks whose joint table can be written down."""

import numpy as np

from novum.graphical import BayesianNetwork


def random_network(seed, n=7, most_parents=3, zeros=False):
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, n)
    parents = {
        f"v{i}": [f"v{j}" for j in rng.permutation(i)[: rng.integers(0, min(i, most_parents) + 1)]] for i in range(n)
    }
    tables, states = {}, {}
    for i in range(n):
        shape = [cards[int(p[1:])] for p in parents[f"v{i}"]] + [cards[i]]
        table = rng.random(shape)
        if zeros and cards[i] > 1:
            table[rng.random(shape) < 0.3] = 0
            table[..., 0] += 1e-3
        tables[f"v{i}"] = table / table.sum(-1, keepdims=True)
        states[f"v{i}"] = [f"s{k}" for k in range(cards[i])]
    order = [f"v{i}" for i in rng.permutation(n)]  # nodes need not come in topological order
    return BayesianNetwork({v: parents[v] for v in order}, tables, states)
