"""What a pass over a Dask cluster costs: seconds, bytes through the client, bytes through the busiest worker, memory.

W workers of t threads, R = W t runs of partitions, links of B bytes a second both ways, parameters of P bytes, statistics of S
bytes, m nodes of the merge tree in a run (one where runs are whole nodes, a few elsewhere), F = FAN_IN, C = COPIES:

    down(0) = h P / B,  down(i) = down(parent of i) + children(parent of i) P / B                               (1)
    up(level) = max over groups of F (sum of m S of the members but those on the worker that has most) / B      (2)
    seconds = max down(i) + work + sum of up(level) + h S / B + c                                               (3)
    client: P out (R P where that is < LARGE_WORK: then every task brings its own), S in, and words of the workers    (4)
    busiest worker: out <= C P + m S a level, in <= P + sum over levels of (2)                                  (5)
    memory of a worker: its partitions, what its learner remembers of them, P, and t (m + F m) S                (6)

h is 2 where client and scheduler are two machines (what one sends goes through the other), 1 where they share one; c is what a
pass costs that sends next to nothing: tasks of the scheduler, steps of the two trees. It is measured, not predicted.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from novum.fold.homes.dask.copies import parent_of
from novum.fold.homes.dask.source import FAN_IN, LARGE_WORK
from novum.fold.homes.dask.subtrees import Node, cut_points, pushed

__all__ = ["Cluster", "Forecast", "flat_forecast", "forecast", "runs_of_nodes", "shared_seconds"]

HEADERS = 1448 / 1514  # of the bytes on a link, those that TCP carries for us: the rest are its headers and Ethernet's
TASK_BYTES = 3_000  # bytes that client and scheduler send for a task besides its arguments
WORD_BYTES = 3_000  # bytes a second that the scheduler receives of every worker: heartbeats, measured


class Cluster(NamedTuple):
    """Workers and their links."""

    workers: int
    threads: int  # of each worker
    bits: float  # of a link, per second, each way
    constant: float  # seconds of a pass that sends next to nothing
    hops: int = 2  # 1 where client and scheduler share a machine

    @property
    def rate(self) -> float:
        """Bytes of ours per second on a link."""
        return self.bits / 8 * HEADERS


class Forecast(NamedTuple):
    """What a pass costs."""

    seconds: float
    client_out: float  # bytes
    client_in: float
    worker_out: float  # of the busiest worker
    worker_in: float
    statistics_memory: float  # bytes for P and S at a worker, besides its partitions


def runs_of_nodes(partitions: int, runs: int) -> list[list[Node]]:
    """Return the nodes of every run, without their statistics."""

    def nothing(a: None, b: None) -> None:
        return None

    found = []
    for low, high in pairwise(cut_points(partitions, runs)):
        nodes: list[Node] = []
        for block in range(low, high):
            pushed(nodes, Node(block, 1, None), nothing)
        found.append(nodes)
    return found


def joined(groups: Sequence[list[Node]]) -> list[Node]:
    """Return the nodes of neighboring runs as those of one run."""
    nodes: list[Node] = []
    for group in groups:
        for node in group:
            pushed(nodes, node, lambda a, b: None)
    return nodes


def spread_seconds(cluster: Cluster, P: float) -> float:
    """Return the seconds (1) until the last worker has the parameters."""
    one, arrival = P / cluster.rate, [cluster.hops * P / cluster.rate]
    children = [0] * cluster.workers
    for worker in range(1, cluster.workers):
        children[parent_of(worker)] += 1
    for worker in range(1, cluster.workers):
        parent = parent_of(worker)
        arrival.append(arrival[parent] + children[parent] * one)
    return max(arrival)


def levels_of_joins(nodes: list[list[Node]], threads: int, S: float) -> list[dict[int, float]]:
    """Return for every level of joins what a worker receives (2): worker -> bytes; of a group the one that has most joins."""
    at = [run // threads for run in range(len(nodes))]
    levels = []
    while len(nodes) > 1:
        last = len(nodes) <= FAN_IN
        received: dict[int, float] = {}
        groups = [range(i, min(i + FAN_IN, len(nodes))) for i in range(0, len(nodes), FAN_IN)]
        joining = []
        for group in groups:
            has: dict[int, int] = {}
            for i in group:
                has[at[i]] = has.get(at[i], 0) + len(nodes[i])
            joining.append(max(has, key=has.__getitem__))
            others = sum(has.values()) - has[joining[-1]]
            received[joining[-1]] = received.get(joining[-1], 0.0) + others * S
        at = joining
        nodes = [joined([nodes[i] for i in group]) for group in groups]
        levels.append(received)
        if last:
            break
    return levels


def forecast(cluster: Cluster, partitions: int, P: float, S: float, work: float = 0.0) -> Forecast:
    """Return (3) to (6) of a pass; `work`: seconds that a worker computes."""
    nodes = runs_of_nodes(partitions, cluster.workers * cluster.threads)
    levels = levels_of_joins(nodes, cluster.threads, S)
    large = len(nodes) * P >= LARGE_WORK
    down = spread_seconds(cluster, P) if large else cluster.hops * len(nodes) * P / cluster.rate
    up = [max(level.values()) for level in levels]
    tasks = len(nodes) + len(nodes) // (FAN_IN - 1) + (cluster.workers // FAN_IN if large else 0)
    most = max(map(len, nodes))
    seconds = down + work + sum(up) / cluster.rate + cluster.hops * S / cluster.rate + cluster.constant
    return Forecast(
        seconds=seconds,
        client_out=(P if large else len(nodes) * P) + tasks * TASK_BYTES,
        client_in=S + WORD_BYTES * cluster.workers * seconds,
        worker_out=(min(FAN_IN, cluster.workers - 1) * P if large else 0.0) + most * S,
        worker_in=P + sum(up),
        statistics_memory=P + cluster.threads * most * S + FAN_IN * most * S,
    )


def flat_forecast(cluster: Cluster, partitions: int, P: float, S: float, work: float = 0.0) -> Forecast:
    """Return what a pass would cost whose client sends P to every partition's task and merges every partition's S itself."""
    moved = partitions * (P + S)
    seconds = cluster.hops * moved / cluster.rate + work + cluster.constant
    return Forecast(seconds, partitions * P, partitions * S, S * partitions / cluster.workers, P, P + S)


def shared_seconds(cluster: Cluster, partitions: int, P: float, S: float, shares: int) -> float:
    """Return the seconds of a pass whose statistics are cut by columns into shares that are joined apart, on different workers.

    The way up is so many times shorter, but no worker sends less than its own statistics; tasks are so many times more, and c is
    what they take.
    """
    nodes = runs_of_nodes(partitions, cluster.workers * cluster.threads)
    up = sum(max(level.values()) for level in levels_of_joins(nodes, cluster.threads, S)) / cluster.rate
    least = max(map(len, nodes)) * S / cluster.rate
    return forecast(cluster, partitions, P, S).seconds - up + max(up / shares, least) + (shares - 1) * cluster.constant
