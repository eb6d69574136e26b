"""The quick grower of forests: columns become ranks once, and every tree reads these.

    codes = encode(X)
    tree  = grow_coded(codes, target, rules, weight, seed)

It looks at 256 bins of a large node and at every cut of a small one (cpp/include/novum/trees/ranks.h, whose formulas hold
here). What it does not know, the exact grower of novum/engines/trees/exact.py does: missing cells, categories, sparse
columns, several outputs, monotone constraints, best-first growing, absolute errors and Poisson deviances.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.exact import CRITERIA, Rules, Target
from novum.engines.trees.input_table import Table
from novum.engines.trees.nodes import Tree
from novum.runtime.pool import map_ordered

__all__ = ["Coded", "encode", "grow_coded", "knows"]

KNOWN = ("gini", "entropy", "log_loss", "squared_error")
MOST_CLASSES = 256  # counters of a class with those of all bins must stay in the cache


class Coded(NamedTuple):
    """A table and its targets as the grower reads them."""

    codes: Any
    target: Any
    n_features: int
    n_classes: NDArray  # (1,)


def knows(table: Table, target: Target, rules: Rules) -> bool:
    """Return whether the coded grower can grow such trees."""
    return (
        isinstance(table.X, np.ndarray)
        and not any(table.levels)
        and len(target.n_classes) == 1
        and target.n_classes[0] <= MOST_CLASSES
        and target.criterion in KNOWN
        and not rules.monotone
        and not rules.max_leaf_nodes
        and not np.isnan(np.min(table.X))
    )


def encode(table: Table, target: Target, n_threads: int, columns: Any = None) -> Coded:
    """Return a table and its target, coded; `columns` are bytes (n,) and their rising values (256,), where cells are known so."""
    codes = _core.trees.ranks.Codes(table.X)
    if columns is not None:
        for j, (byte, value) in enumerate(columns):
            codes.encode_bytes(j, byte, value)
    else:
        for _ in map_ordered(codes.encode, range(table.X.shape[1]), n_threads):
            pass
    classes = 0 if target.code is None else int(target.n_classes[0])
    code = None if target.code is None else target.code[:, 0].copy()
    y = None if target.y is None else target.y[:, 0].copy()
    wanted = _core.trees.ranks.Target(CRITERIA[target.criterion], code, y, classes)
    return Coded(codes, wanted, table.X.shape[1], target.n_classes)


def grow_coded(coded: Coded, rules: Rules, weight: NDArray | None, seed: int) -> Tree:
    """Return a tree, grown by one thread."""
    fields = _core.trees.ranks.grow(coded.codes, target=coded.target, weight=weight, seed=seed, **rules.limits())
    fields["value"] = fields["value"].reshape(len(fields["feature"]), 1, int(coded.n_classes[0]))
    return Tree(coded.n_features, coded.n_classes, **fields)
