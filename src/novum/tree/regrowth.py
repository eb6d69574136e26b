"""Many trees from one table: what does not depend on weights and seeds is read, coded and sorted once.

table  = read_table(owner, X, levels)
member = regrower(prototype, table, y)          y (n, outputs)
tree   = member(weight, seed)                   a fitted tree, equal to the prototype's own fit with these weights
"""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.base import domains
from novum.engines.trees.exact import Rules, grow, layout_of, prepare
from novum.engines.trees.input_table import Table
from novum.engines.trees.limits import columns_tried, rules_of
from novum.engines.trees.nodes import Tree
from novum.engines.trees.pruning import prune
from novum.engines.trees.ranks import encode, grow_coded, knows
from novum.runtime.threads import thread_count
from novum.tree.base import BaseTree, Data
from novum.tree.multiway_parameters import policy_of

__all__ = ["regrower"]


def product(factor: NDArray | None, weight: NDArray | None) -> NDArray | None:
    """Return the weights of rows by class and of themselves, multiplied."""
    return weight if factor is None else factor if weight is None else weight * factor


def regrower(
    prototype: Any, table: Table, y: NDArray, *, at_once: bool = False
) -> Callable[[NDArray | None, int], BaseTree]:
    """Return the function of (weights, seed) that grows another tree of the prototype's kind.

    `at_once` says that several trees are grown at the same time, each by one thread, from codes where those will do.
    """
    domains.check(prototype._domains, prototype.get_params(deep=False), type(prototype).__name__)
    n, d = table.X.shape
    first = clone(prototype)
    target, factor = first._target(y, None)
    first.n_outputs_ = y.shape[1]
    first.n_features_in_ = d
    first.levels_ = {}
    first.max_features_ = columns_tried(first.max_features, d)
    first.is_categorical_ = np.array(table.levels) > 0
    categorical = np.flatnonzero(first.is_categorical_).tolist()
    n_classes = 0 if target.code is None else int(target.n_classes.max())
    rules = rules_of(first, (n, d), None, categorical, y.shape[1], n_classes)
    sparse = not isinstance(table.X, np.ndarray)
    if first.pruning is not None or policy_of(first, d, target, sparse) is not None:

        def regrown(weight: NDArray | None, seed: int) -> BaseTree:
            member = copy(first)
            member.random_state = seed
            member._grow_from(Data(table.X, table.levels, target, product(factor, weight), seed))
            return member

        return regrown
    threads = thread_count(None)
    one: Callable[[Rules, NDArray | None, int], Tree]
    if at_once and knows(table, target, rules):
        coded = encode(table, target, threads)

        def one(here: Rules, weight: NDArray | None, seed: int) -> Tree:
            return grow_coded(coded, here, weight, seed)
    else:
        layout = layout_of(rules, d, sparse)
        columns = prepare(table.X, table.levels, layout, threads)

        def one(here: Rules, weight: NDArray | None, seed: int) -> Tree:
            return grow(columns, target, here, weight, seed, n_threads=1 if at_once else threads)

    def grown(weight: NDArray | None, seed: int) -> BaseTree:
        weight = product(factor, weight)
        total = float(n) if weight is None else float(weight.sum())
        here = rules._replace(min_weight_leaf=first.min_weight_fraction_leaf * total)
        tree = one(here, weight, seed)
        member = copy(first)
        member.random_state = seed
        member.tree_ = prune(tree, member.ccp_alpha) if member.ccp_alpha > 0 else tree
        return member

    return grown
