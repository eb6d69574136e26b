"""One pass over a run of blocks on one worker, and the nodes of the one merge tree that come out of it.

The tree of novum.fold.blocks.merge_tree merges node (s, m) from its halves (s, m/2) and (s + m/2, m/2), for every size m that
is a power of two and every multiple s of m whose blocks are all there; what is left at the right edge is merged from the right.
So the blocks s to e of one worker come to a few nodes, and the nodes of neighbors to fewer, in whatever groups they meet: each
merge is one of that tree, and the bits are those of the blocks.
"""

import pickle
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from novum.fold.blocks import Block
from novum.fold.homes.dask.block_tasks import Survey, remembered, survey_block
from novum.runtime.blas import single_blas

__all__ = [
    "BlockRun",
    "Node",
    "cut_points",
    "join_nodes",
    "merged_root",
    "run_statistics",
    "run_survey",
    "run_walk",
]

SHARES = 8  # a cut is a multiple of the greatest power of two below this part of a run: few nodes, even shares


class Node(NamedTuple):
    """Merged statistics of `size` blocks from `start` on."""

    start: int
    size: int
    value: Any


class BlockRun(NamedTuple):
    """Where a run of consecutive blocks stands: what a task must know besides the blocks."""

    fit: str  # whose private state it is
    first: int  # number of its first block
    position: int  # number of its first block that has rows, counting those alone
    row: int  # number of its first row


def cut_points(count: int, runs: int) -> list[int]:
    """Return where `count` blocks are cut into about `runs` even runs, at nodes of the tree as high as evenness allows."""
    runs = max(1, min(runs, count))
    step = 1 << max(0, (count // (runs * SHARES)).bit_length() - 1)
    points = {round(count * number / runs / step) * step for number in range(1, runs)}
    return [0, *sorted(point for point in points if 0 < point < count), count]


def pushed(nodes: list[Node], node: Node, merge: Callable) -> list[Node]:
    """Return the nodes of consecutive blocks with one more behind them: halves of a node are merged."""
    while nodes and nodes[-1].size == node.size and nodes[-1].start % (2 * node.size) == 0:
        before = nodes.pop()
        node = Node(before.start, 2 * node.size, merge(before.value, node.value))
    nodes.append(node)
    return nodes


def join_nodes(merge: Callable, *runs: list[Node]) -> list[Node]:
    """Return the nodes of neighboring runs as those of one run."""
    found: list[Node] = []
    with single_blas():
        for run in runs:
            for node in run:
                pushed(found, node, merge)
    return found


def merged_root(merge: Callable, *runs: list[Node]) -> Any:
    """Return the merge of all blocks: the right edge of the tree is merged from the right."""
    values = [node.value for node in join_nodes(merge, *runs)]
    with single_blas():
        return reduce(lambda result, value: merge(value, result), reversed(values))


def run_statistics(work: bytes, run: BlockRun, blocks: Sequence[Block]) -> list[Node]:
    """Return the nodes of a run of blocks; blocks without rows are no blocks. `work`: statistics, params, merge, changes."""
    statistics, params, merge, changes = pickle.loads(work)
    nodes: list[Node] = []
    position, row = run.position, run.row
    with single_blas():
        for index, block in enumerate(blocks, run.first):
            if block.rows:
                value = statistics(params, remembered(block, changes, run.fit, index, row))
                pushed(nodes, Node(position, 1, value), merge)
                position, row = position + 1, row + block.rows
    return nodes


def run_survey(owner: str, allow_nan: bool, index: int, blocks: Sequence[Block]) -> Survey:
    """Return rows and weight of a run of blocks; raise if one of them cannot be learned from."""
    found = [survey_block(number, owner, allow_nan, block) for number, block in enumerate(blocks, index)]
    return Survey([rows for one in found for rows in one.rows], sum(one.weight for one in found))


def run_walk(work: bytes, run: BlockRun, end: int, state: Any, blocks: Sequence[Block]) -> Any:
    """Return the state after a run of blocks, visited in turn; `end`: number of the last block that has rows. `work`:
    function, changes."""
    function, changes = pickle.loads(work)
    row = run.row
    with single_blas():
        for index, block in enumerate(blocks, run.first):
            if block.rows:
                state = function(state, remembered(block, changes, run.fit, index, row), index == end)
                row += block.rows
    return state
