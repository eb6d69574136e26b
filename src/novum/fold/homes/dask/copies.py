"""Parameters of a pass on their way to all workers: a tree of copies, so that no worker sends them more than a few times.

The client sends the parameters once. The workers, in the order of their runs, are the nodes of a heap,

    parent of worker i = worker (i - 1) // COPIES                                                                (1)

and each takes the parameters from its parent: a worker that has children keeps a copy under a name of its own, which its children
must wait for. So the busiest worker sends COPIES times P bytes, where one holder would send P to each of the other workers,
and the last has them after log(workers) / log(COPIES) steps. A copy that is lost is made again from that of its parent.
"""

from collections.abc import Sequence
from itertools import groupby

__all__ = ["COPIES", "copied", "held", "parent_of", "workers_in_order"]

COPIES = 4  # workers that take their parameters from one: like FAN_IN of the way back, so both ways load a worker alike


def held(work: bytes) -> bytes:
    """Return what was sent: a task, so that workers fetch it from each other and a lost copy is made again."""
    return work


def copied(work: bytes) -> bytes:
    """Return what another worker holds: from now on this worker holds it as well, and gives it on."""
    return work


def parent_of(worker: int) -> int:
    """Return the number of the worker (1) that a worker takes the parameters from."""
    return (worker - 1) // COPIES


def workers_in_order(places: Sequence[str | None]) -> tuple[list[str | None], list[int]]:
    """Return the workers of the runs, each once, and the number of the worker of every run."""
    workers = [place for place, _ in groupby(places)]
    number = {place: index for index, place in enumerate(workers)}
    return workers, [number[place] for place in places]
