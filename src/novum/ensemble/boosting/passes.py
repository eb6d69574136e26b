r"""Boosting by passes over blocks, wherever the rows are: (2) to (5) of novum.ensemble.boosting.newton without a list of all rows.

    look    F_m of every row, its slopes, the largest of them, the loss so far                         (1)
    grow    histograms of the slopes over the leaves to be split (engines.trees.passes), all trees of an iteration at once (2)

One pass of (1) and about as many of (2) as trees are deep make an iteration. A block remembers codes, scores and slopes of its
rows; a pass carries the bins and the trees of the last iteration. A block that has lost its memory says so, and the pass is
made again with all trees so far: that costs time and changes no bit. Sums are whole numbers or exact
(novum.engines.moments.exact_sums), so these are the trees and scores of the same rows in memory.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

from novum import _core
from novum.engines.moments.exact_sums import exact_value
from novum.engines.trees.best_first import Growth
from novum.engines.trees.histograms import Growing, as_bytes
from novum.engines.trees.passes.boosted import HistRule, table_of
from novum.engines.trees.passes.growth import Histograms, Request, grow_trees, merge_histograms, room_for
from novum.ensemble.boosting.block_state import (
    BlockPreparation,
    Built,
    Look,
    Step,
    Trees,
    block_histograms,
    look_at,
    merge_looks,
)
from novum.ensemble.boosting.quantile_leaves import refit_leaves, weight_unit
from novum.fold.blocks import Source
from novum.runtime.journal import step as recorded_step

__all__ = ["Boosted", "ValidationRows", "boost_blocks"]


def repeat_pass(source: Source, statistics: Callable, step: Step, merge: Callable, trees: Callable[[], Trees]) -> Any:
    """Make a pass; once more with all trees while blocks had lost what they knew."""
    found = source.total(statistics, step, merge)
    while found.lost:
        found = source.total(statistics, step._replace(trees=trees()), merge)
    return found


class Boosted(NamedTuple):
    """Trees of the iterations that were made."""

    trees: list[tuple[NDArray, NDArray]]
    passes: int


class ValidationRows(NamedTuple):
    """Rows held back that were given apart, in memory."""

    words: NDArray
    target: NDArray
    weight: NDArray | None
    raw: NDArray  # (outputs, n)


def boost_blocks(
    source: Source,
    task: BlockPreparation,
    built: Built,
    start: NDArray,
    growing: Growing,
    iterations: range,
    given: ValidationRows | None,
    scored: bool,
    look: Callable[[int, float, float | None, list[tuple[NDArray, NDArray]]], bool],
) -> Boosted:
    """Return the trees of all iterations.

    `look(iteration, score of the rows trained on, of those held back, all trees)` is called with the state before the first
    iteration and after every one, and ends the descent by returning True. The source's blocks have been built.
    """
    descent, outputs, team = task.descent, task.descent.outputs, _core.runtime.threads.Team(1)
    made: list[tuple[NDArray, NDArray]] = []
    mass = [exact_value(limbs) for limbs in built.mass]
    passes = 0

    def scores(found: Look) -> tuple[float, float | None]:
        if not scored:
            return 0.0, None
        train = -exact_value(found.loss[0]) / mass[0]
        if given is not None:
            return train, descent.score(team, given.target, given.raw, given.weight)
        return train, -exact_value(found.loss[1]) / mass[1] if built.rows[1] else None

    def all_trees() -> Trees:
        return tuple(made)

    step = Step(task, start, 0, (), score=scored, integral=built.integral)
    found = repeat_pass(source, look_at, step, merge_looks, all_trees)
    if look(iterations.start - 1, *scores(found), made):
        return Boosted(made, passes)
    for number, iteration in enumerate(iterations):
        heaviest = built.largest if built.weighted else 1.0
        unit = _core.trees.passes.unit_of
        units = tuple((unit(float(g) * heaviest), unit(float(h) * heaviest)) for g, h in found.largest)
        rules = [HistRule(growing, task.bins, units[k], iteration * outputs + k) for k in range(outputs)]
        room = room_for(task.bins, 2, outputs)
        growths = [Growth(rule, growing.max_leaf_nodes or 0, room) for rule in rules]
        here = step._replace(units=units, score=False)

        def ask(requests: tuple[Request, ...], here: Step = here) -> Histograms:
            return repeat_pass(source, block_histograms, here._replace(requests=requests), merge_histograms, all_trees)

        def grown(growths: list[Growth] = growths, here: Step = here, ask: Any = ask) -> tuple[int, Trees]:
            count = grow_trees(growths, ask)
            trees = tuple(table_of(growth, growing.learning_rate, task.bins) for growth in growths)
            if descent.refit is not None:
                fine = weight_unit(built)
                for at, value in refit_leaves(source, here, growths[0], growing.learning_rate, fine, all_trees).items():
                    trees[0][0]["value"][at] = value
            return count, trees

        count, last = recorded_step("trees", grown, iteration)
        passes += count
        made += last
        if given is not None:
            for k, (nodes, sets) in enumerate(last):
                _core.trees.boosting.add_coded(
                    team, as_bytes(nodes), sets, given.words, task.bins.missing, given.raw[k]
                )
        step = step._replace(number=number + 1, last=last)
        if scored or iteration + 1 < iterations.stop:
            found = repeat_pass(source, look_at, step, merge_looks, all_trees)
            passes += 1
        if look(iteration, *scores(found), made):
            break
    return Boosted(made, passes)
