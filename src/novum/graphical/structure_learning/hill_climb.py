r"""Search for the structure of the best score: steps that add, delete or turn one arc.

    delta(add i -> j)  = s(j | Pa_j + i) - s(j | Pa_j)                                                               (1)
    delta(del i -> j)  = s(j | Pa_j - i) - s(j | Pa_j)                                                               (2)
    delta(turn i -> j) = (2) + delta(add j -> i)                                                                     (3)

Only the columns of (1) and (2) of a node whose parents changed are computed anew. With `tabu` the search goes on over the top:
it takes the best step that leads to a graph not visited lately, even downhill, and gives up after as many steps without a
new best one.
A restart shakes the best graph and climbs again:

    turn covered arcs i -> j, Pa_j = Pa_i + i, at random; then delete the arcs of a few random nodes                 (4)

Turning a covered arc leads to an I-equivalent graph, so (4) first moves along the plateau of graphs with the same score.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Instance, Int, Null, RandomState
from novum.exceptions import ParameterError
from novum.graphical.graphs.dag import DAG
from novum.graphical.graphs.parents import find_cycle
from novum.graphical.structure_learning.learner import ARCS, SCORED, StructureLearner
from novum.graphical.structure_learning.scores import LocalScores, arcs_of
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Arcs, Seed

__all__ = ["HillClimb"]

Array = NDArray[np.float64]
LEAST_GAIN = 1e-9  # rounding of sums of logs
TURNS = 4  # arcs looked at per node to find covered ones
LEAST_RESTARTS = 20
USUAL_SECONDS = 2.0  # of restarts, in estimated time: the clock would give another graph on another machine
STEP_SECONDS, CUBE_SECONDS, CELL_SECONDS = (
    1.5e-4,
    4e-10,
    5e-9,
)  # of a step, per n^3 of it, and per row of a new local score
LINES = 8  # of restarts, each from a quarter of the best graph: one line can stay in a valley around its start
NODES_PER_CUT = 12  # a restart cuts off one node of so many: enough to leave a top, few enough to keep what was found


class Climb:
    """A graph on the way: parent sets, what is reachable, and the gain of every step."""

    def __init__(
        self,
        scores: LocalScores,
        parents: list[frozenset[int]],
        allowed: NDArray[np.bool_],
        fixed: NDArray[np.bool_],
        most: int,
    ) -> None:
        n = len(parents)
        self.scores, self.allowed, self.fixed, self.most = scores, allowed, fixed, most
        self.parents: list[frozenset[int]] = [frozenset()] * n
        self.arcs = np.zeros((n, n), dtype=bool)  # [i, j]: i -> j
        self.paths = np.zeros((n, n), dtype=bool)  # [i, j]: a path of one arc or more from i to j
        self.add, self.drop = np.full((n, n), -np.inf), np.full((n, n), -np.inf)
        self.local = np.zeros(n)
        self.known: dict[tuple[int, frozenset[int]], tuple[float, Array, Array]] = {}
        for j in range(n):
            self.update(j)
        self.move_to(parents)

    @property
    def score(self) -> float:
        return float(self.local.sum())

    def move_to(self, parents: list[frozenset[int]]) -> None:
        """Go on from another graph; columns of nodes whose parents are the same are kept."""
        for j, found in enumerate(parents):
            if found != self.parents[j]:
                self.parents[j] = found
                self.arcs[:, j] = False
                self.arcs[list(found), j] = True
                self.update(j)
        self._find_paths()

    def _find_paths(self) -> None:
        reach, before = self.arcs.astype(np.float32), -1.0
        while (now := float(reach.sum())) != before:  # paths of at most 1, 2, 4, ... arcs
            before = now
            reach = ((reach + reach @ reach) > 0).astype(np.float32)
        self.paths = reach > 0

    def update(self, j: int) -> None:
        """Set column j of (1) and (2); those of parent sets met before are kept."""
        now = self.parents[j]
        if (j, now) not in self.known:
            n = len(self.parents)
            add, drop = np.full(n, -np.inf), np.full(n, -np.inf)
            others = [i for i in range(n) if i not in now and self.allowed[i, j]] if len(now) < self.most else []
            held = sorted(now)
            found = np.array(self.scores.many(j, [now, *(now | {i} for i in others), *(now - {i} for i in held)]))
            add[others] = found[1 : 1 + len(others)] - found[0]
            drop[held] = found[1 + len(others) :] - found[0]
            self.known[j, now] = float(found[0]), add, drop
        self.local[j], self.add[:, j], self.drop[:, j] = self.known[j, now]

    def gains(self) -> Array:
        """Return the gains of all steps, shape (3, n, n): adding, deleting, turning; -inf where a step is not legal."""
        free = self.arcs & ~self.fixed
        # turning i -> j closes a cycle if another path leads from i to j, through another child of i
        around = self.arcs.astype(np.float32) @ self.paths.astype(np.float32) > 0
        out = np.full((3, *self.arcs.shape), -np.inf)
        np.copyto(out[0], self.add, where=~(self.paths.T | self.arcs))  # i -> j closes a cycle if j reaches i
        np.copyto(out[1], self.drop, where=free)
        np.copyto(out[2], self.drop + self.add.T, where=free & ~around)
        return out

    def take(self, step: int, i: int, j: int) -> None:
        """Take a step: 0 adds i -> j, 1 deletes it, 2 turns it."""
        if step == 0:
            self.parents[j] = self.parents[j] | {i}
            self.arcs[i, j] = True
            self.paths |= np.outer(
                self.paths[:, i] | (np.arange(len(self.arcs)) == i), self.paths[j] | (np.arange(len(self.arcs)) == j)
            )
        else:
            self.parents[j] = self.parents[j] - {i}
            self.arcs[i, j] = False
            if step == 2:
                self.parents[i] = self.parents[i] | {j}
                self.arcs[j, i] = True
            self._find_paths()
        self.update(j)
        if step == 2:
            self.update(i)

    def after(self, step: int, i: int, j: int) -> bytes:
        """Return a key of the graph that a step leads to."""
        arcs = self.arcs.copy()
        arcs[i, j] = step == 0
        if step == 2:
            arcs[j, i] = True
        return np.packbits(arcs).tobytes()


def climb(start: Climb, tabu: int, max_iter: int) -> tuple[list[frozenset[int]], float, int]:
    """Return the best parent sets on the way up (and a little over the top), their score, and the steps taken."""
    best, best_score = list(start.parents), start.score
    lately: deque[bytes] = deque([np.packbits(start.arcs).tobytes()], maxlen=max(tabu, 1))
    worse, steps = 0, 0
    while steps < max_iter:
        gains = start.gains()
        choice = None
        if not tabu:
            at = np.unravel_index(int(np.argmax(gains)), gains.shape)
            if gains[at] > LEAST_GAIN:
                choice = at
        else:
            while np.isfinite(gains[at := np.unravel_index(int(np.argmax(gains)), gains.shape)]):
                if start.after(int(at[0]), int(at[1]), int(at[2])) not in lately:
                    choice = at
                    break
                gains[at] = -np.inf
        if choice is None:
            break
        start.take(int(choice[0]), int(choice[1]), int(choice[2]))
        lately.append(np.packbits(start.arcs).tobytes())
        steps += 1
        if start.score > best_score + LEAST_GAIN:
            best, best_score, worse = list(start.parents), start.score, 0
        else:
            worse += 1
            if worse > tabu:
                break
    return best, best_score, steps


def shaken(start: Climb, u: Array, cut_off: int) -> list[frozenset[int]]:
    """Return the parent sets (4): an equivalent graph, with some nodes cut off."""
    parents, n = [set(found) for found in start.parents], len(start.parents)
    arcs = [(i, j) for j, found in enumerate(start.parents) for i in sorted(found)]
    for x in u[n:] if arcs else ():
        k = int(x * len(arcs))
        i, j = arcs[k]
        above, below = parents[i], parents[j]
        if len(below) != len(above) + 1 or not above < below or start.fixed[i, j] or not start.allowed[j, i]:
            continue
        below.discard(i)
        above.add(j)
        arcs[k] = (j, i)
    cut = set(np.argsort(u[:n], kind="stable")[:cut_off].tolist())
    return [frozenset(i for i in found if start.fixed[i, j] or not cut & {i, j}) for j, found in enumerate(parents)]


class HillClimb(StructureLearner):
    """Hill climbing over directed acyclic graphs, with a tabu list and restarts.

    Parameters
    ----------
    scoring : {"bic", "aic", "bdeu", "k2", "log_likelihood"}, default="bic"
    equivalent_sample_size : float, default=1
        Of BDeu.
    max_parents : int, optional
    tabu : int, default=10
        Graphs that are remembered, and steps without a new best graph before the search ends; 0 stops at the first top.
    n_init : int, optional
        Climbs in all; those after the first begin at the best graph, shaken as in (4). Local scores that are known cost nothing. By
        default as many as about two seconds hold, at least 21, until 30 + 2 (number of variables) in a row found nothing; then
        three quarters of the nodes are cut off and the search goes on from there, seven times. The seconds are estimated from the
        work, so that a search can be repeated anywhere.
    required, forbidden : iterables of arcs (parent, child), optional
        Arcs that every graph has, and arcs that none has.
    start : DAG or arcs, optional
        No arcs but the required ones, by default.
    max_iter : int, default=10000
    random_state : int, Generator, ..., default=0
        Of the restarts; a number, so that a search can be repeated.

    Attributes
    ----------
    dag_ : DAG
    score_ : float
    states_ : dict of variable to tuple
        Its states.
    n_iter_ : int
        Steps of all climbs.
    n_init_ : int
        Climbs that were made.
    n_scores_ : int
        Local scores that were computed.

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> from novum.graphical import HillClimb
    >>> rows = load_fuel_gauge().sample(5000, random_state=0)
    >>> HillClimb(scoring="bdeu").fit(rows).dag_
    DAG: battery -> gauge <- fuel
    """

    _domains = {
        **SCORED,
        "tabu": Int(0),
        "n_init": Int(1) | Null(),
        "required": ARCS,
        "forbidden": ARCS,
        "start": Instance(DAG) | ARCS,
        "max_iter": Int(1),
        "random_state": RandomState(),
    }
    n_iter_: int
    n_init_: int

    def __init__(
        self,
        scoring: str = "bic",
        *,
        equivalent_sample_size: float = 1.0,
        max_parents: int | None = None,
        tabu: int = 10,
        n_init: int | None = None,
        required: Iterable[tuple[Any, Any]] | None = None,
        forbidden: Iterable[tuple[Any, Any]] | None = None,
        start: DAG | Arcs | None = None,
        max_iter: int = 10_000,
        random_state: Seed = 0,
    ) -> None:
        self.scoring = scoring
        self.equivalent_sample_size = equivalent_sample_size
        self.max_parents = max_parents
        self.tabu = tabu
        self.n_init = n_init
        self.required = required
        self.forbidden = forbidden
        self.start = start
        self.max_iter = max_iter
        self.random_state = random_state

    def _search(self, owner: str, scores: LocalScores, names: tuple[Any, ...]) -> list[frozenset[int]]:
        n = len(names)
        most = n if self.max_parents is None else self.max_parents
        tabu, starts, limit = self.tabu, self.n_init, self.max_iter
        fixed, allowed = np.zeros((n, n), dtype=bool), ~np.eye(n, dtype=bool)
        for i, j in arcs_of(owner, "required", self.required, names):
            fixed[i, j] = True
        for i, j in arcs_of(owner, "forbidden", self.forbidden, names):
            if fixed[i, j]:
                raise ParameterError(f"{owner}: the arc {names[i]} -> {names[j]} is required and forbidden.")
            allowed[i, j] = False
        if fixed.sum(axis=0).max(initial=0) > most:
            j = int(fixed.sum(axis=0).argmax())
            raise ParameterError(f"{owner}(max_parents={most}): more arcs than that into {names[j]!r} are required.")
        given = arcs_of(owner, "start", self.start.arcs if isinstance(self.start, DAG) else self.start, names)
        parents = [
            frozenset(np.flatnonzero(fixed[:, j]).tolist()) | {i for i, k in given if k == j and allowed[i, j]}
            for j in range(n)
        ]
        cycle = find_cycle({j: tuple(found) for j, found in enumerate(parents)})
        if cycle:
            raise ParameterError(
                f"{owner}: the required arcs and the start form a cycle: {' -> '.join(str(names[i]) for i in cycle)}."
            )
        walker = Climb(scores, parents, allowed, fixed, most)
        best, best_score, self.n_iter_ = climb(walker, tabu, limit)
        stream = Stream(seed_of(self.random_state))
        self.n_init_, last_gain, begin = 1, 1, (self.n_iter_, scores.evaluated)
        current, current_score, lines = best, best_score, 1
        while n > 1:
            work = STEP_SECONDS + CUBE_SECONDS * n**3
            spent = (self.n_iter_ - begin[0] + self.n_init_ - 1) * work
            spent += (scores.evaluated - begin[1]) * scores.codes.shape[1] * CELL_SECONDS
            idle = self.n_init_ - last_gain
            stuck = idle >= 30 + 2 * n
            tired = spent > USUAL_SECONDS or (stuck and lines >= LINES)
            if self.n_init_ >= starts if starts is not None else tired and self.n_init_ > LEAST_RESTARTS:
                break
            u = stream.uniform("restart", self.n_init_ - 1, (1 + TURNS) * n)
            anew = stuck and lines < LINES
            walker.move_to(best if anew else current)
            walker.move_to(shaken(walker, u, 1 + (3 * n // 4 if anew else n // NODES_PER_CUT)))
            found, value, steps = climb(walker, tabu if anew else 0, limit)
            self.n_iter_ += steps
            self.n_init_ += 1
            if anew or value > current_score + LEAST_GAIN:
                current, current_score, last_gain = found, value, self.n_init_
                lines += int(anew)
            if current_score > best_score + LEAST_GAIN:
                best, best_score = current, current_score
        return best
