"""Descents of one linear function or several, wherever the rows are: the order of visits, which is one for all homes.

In memory the rows of a bucket (novum.fold.dealing) are named; elsewhere the machines go to the rows, bucket after bucket. An epoch
and a bucket are numbered by the step at which they begin, so that either way the steps are the same.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial

import numpy as np

from novum.fold.blocks import Block, Source
from novum.fold.dealing import Deal, Portion, deal_of, order_of_buckets, portions_of, rows_by_bucket
from novum.linear_model.online.epochs import Descent, Epochs, LinearFunction, Settings, Stopping, TargetRows
from novum.runtime.journal import recording
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["descend", "descend_by_portions"]


def rows_of_buckets(problem: TargetRows, deal: Deal) -> list[np.ndarray | None]:
    """Return the rows of every bucket that take part."""
    if deal.buckets == 1:
        return [problem.rows]
    buckets = rows_by_bucket(deal, problem.X.shape[0])
    if problem.rows is None:
        return list(buckets)
    there = np.zeros(problem.X.shape[0], bool)
    there[problem.rows] = True
    return [rows[there[rows]] for rows in buckets]


def descend(
    problem: TargetRows,
    settings: Settings,
    start: LinearFunction,
    stopping: Stopping,
    seed: int | None,
    deal: Deal,
    score: Callable[[np.ndarray, float], float] | None = None,
) -> Descent:
    """Run epochs over rows in memory from `start` until (4)."""
    epochs = Epochs(settings, start, stopping, seed)
    buckets = [problem.rows] if seed is None else rows_of_buckets(problem, deal)
    if score is None and len(buckets) == 1:
        epochs.visit_all(problem)
    while not epochs.done:
        order = order_of_buckets(deal, epochs.step) if len(buckets) > 1 else [0]
        for number in order:
            epochs.visit(problem._replace(rows=buckets[number]), number == order[-1])
        epochs.close(score)
    return epochs.result()


def visit_portion(
    problems: Sequence[Callable[[Block], TargetRows]], n_jobs: int | None, courses: tuple[Epochs, ...], portion: Portion
) -> tuple[Epochs, ...]:
    """Return machines after they stepped over a portion of rows; those that are given stay as they are."""

    def moved(index: int) -> Epochs:
        course = copy(courses[index])
        course.visit(problems[index](portion.block), portion.last)
        return course

    threads = 1 if len(courses) == 1 else min(thread_count(n_jobs), len(courses))
    return tuple(map_ordered(moved, range(len(courses)), threads))


def descend_by_portions(
    source: Source,
    problems: Sequence[Callable[[Block], TargetRows]],
    settings: Settings,
    starts: list[LinearFunction],
    stopping: Stopping,
    seed: int | None,
    n_jobs: int | None,
) -> list[Descent]:
    """Run epochs over rows elsewhere, where they are; all machines step over a portion before the next is looked at."""
    courses = [Epochs(settings, start, stopping, seed) for start in starts]
    deal = None if seed is None else deal_of(source, seed)
    kept = None if (journal := recording()) is None else journal.state("epochs")
    courses = courses if kept is None else kept.last() or courses
    with portions_of(source, deal) as portions:
        while going := [index for index, course in enumerate(courses) if not course.done]:
            order = None if deal is None else order_of_buckets(deal, courses[going[0]].step)
            visit = partial(visit_portion, [problems[index] for index in going], n_jobs)
            moved = portions.walk(visit, tuple(courses[index] for index in going), order)
            for index, course in zip(going, moved):
                course.close()
                courses[index] = course
            if kept is not None:
                kept.keep(courses)
    return [course.result() for course in courses]
