"""Descents of one linear function or several, wherever the rows are: the order of visits, which is one for all homes.

In memory the rows of a bucket (novum.fold.dealing) are named; elsewhere the machines go to the rows, bucket after bucket. An epoch
and a bucket are numbered by the step at which they begin, so that either way the steps are the same.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novum.base.callbacks import SILENT
from novum.fold.blocks import Block, Source
from novum.fold.dealing import Deal, Portion, deal_of, order_of_buckets, portions_of, rows_by_bucket
from novum.linear_model.online.epochs import Descent, Epochs, LinearFunction, Settings, Stopping, TargetRows, Update
from novum.runtime.journal import recording
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Problem", "descend", "descend_by_portions", "descend_together"]

Score = Callable[[np.ndarray, float], float]


class Problem(NamedTuple):
    """What one machine learns from in memory."""

    rows: TargetRows
    start: LinearFunction
    score: Score | None = None  # of the rows held back


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
    score: Score | None = None,
) -> Descent:
    """Run epochs over rows in memory from `start` until (4)."""
    epochs = Epochs(settings, start, stopping, seed)
    buckets = [problem.rows] if seed is None else rows_of_buckets(problem, deal)
    if score is None and len(buckets) == 1:
        epochs.visit_all(problem)
    while not epochs.done:
        visit_buckets(epochs, problem, buckets, deal)
        epochs.close(score)
    return epochs.result()


def visit_buckets(epochs: Epochs, problem: TargetRows, buckets: list[np.ndarray | None], deal: Deal) -> Epochs:
    """Visit the rows of an epoch; return the machine."""
    order = order_of_buckets(deal, epochs.step) if len(buckets) > 1 else [0]
    for number in order:
        epochs.visit(problem._replace(rows=buckets[number]), number == order[-1])
    return epochs


def descend_together(
    problems: list[Problem], settings: Settings, stopping: Stopping, seed: int | None, deal: Deal, report: Any
) -> list[Descent]:
    """Run the epochs of several machines side by side and report each: the same steps as one `descend` after the other."""
    courses = [Epochs(settings, problem.start, stopping, seed) for problem in problems]
    buckets = [[p.rows.rows] if seed is None else rows_of_buckets(p.rows, deal) for p in problems]

    def steps_from(before: dict[int, Epochs]) -> list[Update]:
        found: list[Update] = []
        for index, course in before.items():
            twin = copy(course)
            twin.steps = []
            made = visit_buckets(twin, problems[index].rows, buckets[index], deal).steps or []
            found += [step._replace(machine=index) for step in made]
        return found

    while going := [index for index, course in enumerate(courses) if not course.done]:
        before = {index: copy(courses[index]) for index in going}
        begin_epoch(courses, report)
        for index in going:
            visit_buckets(courses[index], problems[index].rows, buckets[index], deal)
            courses[index].close(problems[index].score)
        if end_epoch(courses, report, updates=partial(steps_from, before)):
            break
    return [course.result() for course in courses]


def begin_epoch(courses: Sequence[Epochs], report: Any) -> None:
    """Announce an epoch."""
    if report.listens:
        report.begin([course.snapshot() for course in courses], max(len(course.objective) for course in courses))


def end_epoch(courses: Sequence[Epochs], report: Any, **facts: Any) -> bool:
    """Report an epoch, by the mean objective of the machines; return whether to stop."""
    if not report.listens:
        return False
    value = float(np.mean([course.objective[-1] for course in courses]))
    epochs = max(len(course.objective) for course in courses)
    return report(epochs, value, [course.snapshot() for course in courses], **facts)


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
    report: Any = SILENT,
) -> list[Descent]:
    """Run epochs over rows elsewhere, where they are; all machines step over a portion before the next is looked at."""
    courses = [Epochs(settings, start, stopping, seed) for start in starts]
    deal = None if seed is None else deal_of(source, seed)
    kept = None if (journal := recording()) is None else journal.state("epochs")
    courses = courses if kept is None else kept.last() or courses
    with portions_of(source, deal) as portions:
        while going := [index for index, course in enumerate(courses) if not course.done]:
            order = None if deal is None else order_of_buckets(deal, courses[going[0]].step)
            begin_epoch(courses, report)
            visit = partial(visit_portion, [problems[index] for index in going], n_jobs)
            moved = portions.walk(visit, tuple(courses[index] for index in going), order)
            for index, course in zip(going, moved):
                course.close()
                courses[index] = course
            if kept is not None:
                kept.keep(courses)
            if end_epoch(courses, report):
                break
    return [course.result() for course in courses]
