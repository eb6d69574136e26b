"""The first steps of a study: the table, what is to be learned from it, the columns that are made, the rows put away."""

import os
from typing import Any, NamedTuple

import numpy as np

from novum.report.result import result
from novum.study.comparison.folds import Parting, class_numbers, make_folds, split_rows
from novum.study.data.data_card import Card, check_features, make_card
from novum.study.data.files import read_table
from novum.study.data.large import card_of_all
from novum.study.data.roles import check_parts, group_numbers, some_rows, time_order, weights_in
from novum.study.data.schema import Schema, check, forms_of, prepare, schema_for
from novum.study.data.table import Table, table_of
from novum.study.data.task import LearningTask, find_task
from novum.study.named_input import table_with_columns

MOST_COMPARED = 20_000  # training rows that models are compared on; the kept one is fitted on all

__all__ = ["Formalised", "StudyRows", "formalise"]


@result
class StudyRows(NamedTuple):
    """The rows of a study, as its models take them.

    Attributes
    ----------
    X : DataFrame
        The columns that are learned from: numbers as they are, categories as text, dates as year, month, weekday and day count.
    y : array of shape (rows,)
        Classes or numbers. Rows without a target are not there.
    weight : array of shape (rows,) or None
    train, held : int arrays
        Which rows are learned from, and which are put away.
    schema : Schema
        The columns of the table that these came from.
    parting : Parting
        What keeps rows together: classes, groups, time.
    random_state : int
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    train: np.ndarray
    held: np.ndarray
    schema: Schema
    parting: Parting
    random_state: int

    def compared(self) -> np.ndarray:
        """Return the training rows that models are compared on: all, or a sample of many."""
        return some_rows(self.train, MOST_COMPARED, self.parting.ordered, self.random_state)

    def folds(self, n_folds: int) -> list[np.ndarray]:
        """Return the rows that the models of the first set of folds are fitted to."""
        some = self.compared()
        return [some[one.train] for one in make_folds(self.parting.take(some), n_folds, 1, self.random_state)]

    def prepared(self, table: Any) -> Any:
        """Return the rows of another table, a frame or a path, with the same columns as `X`."""
        if isinstance(table, str | os.PathLike):
            table = read_table(table, forms=forms_of(self.schema))
        given = table if isinstance(table, Table) else table_of(table, forms=forms_of(self.schema))
        return prepare(check(given, self.schema)[0], self.schema)

    def _result_columns(self) -> dict[str, Any]:
        part = np.full(len(self.y), "learned from", dtype=object)
        part[self.held] = "put away"
        return {"row": np.arange(len(self.y)), "target": self.y, "part": part}


class Formalised(NamedTuple):
    """What the first steps found."""

    table: Table  # rows with a target, in the order of time where there is one
    numbers: np.ndarray  # of its rows in the table as it was read
    task: LearningTask
    card: Card
    schema: Schema
    frame: Any  # prepared
    weight: np.ndarray | None
    parting: Parting
    train: np.ndarray
    held: np.ndarray
    random_state: int

    def rows(self) -> StudyRows:
        """Return what models take of it."""
        return StudyRows(
            X=self.frame,
            y=self.task.y,
            weight=self.weight,
            train=self.train,
            held=self.held,
            schema=self.schema,
            parting=self.parting,
            random_state=self.random_state,
        )


def formalise(
    given: Any,
    target: str,
    *,
    task: str,
    drop: tuple[str, ...],
    group: str | None,
    time: str | None,
    weights: str | None,
    random_state: int,
    hold_out: float,
    named: tuple[str, ...] = (),
) -> Formalised:
    """Return what the first steps make of a table; `named` are further columns that it must have."""
    columns = {"group": group, "time": time, "weights": weights}
    table = table_with_columns(given, target, (*drop, *named), columns)
    found = find_task(table.columns[target], table.name, task)
    numbers = np.flatnonzero(found.known)
    table = table.take(found.known)
    weight = weights_in(table, weights)
    if time is not None:
        order = time_order(table, time)
        table, found, numbers = table.take(order), found._replace(y=found.y[order]), numbers[order]
        weight = None if weight is None else weight[order]
    apart = tuple(name for name in (group, weights) if name is not None)
    card = make_card(table, found, drop, apart, timed=time is not None, grouped=group is not None)
    card = card_of_all(card, table.whole)
    check_features(card, table.name, target)
    schema = schema_for(table, card, found)
    frame = prepare(table, schema)
    codes = class_numbers(found.y) if found.labels else None
    groups = group_numbers(table, group) if group else None
    parting = Parting(codes, groups, time is not None, len(found.y))
    train, held = split_rows(found.y, found.kind, hold_out, random_state, parting)
    check_parts(found, train, held, table.name)
    return Formalised(
        table=table,
        numbers=numbers,
        task=found,
        card=card,
        schema=schema,
        frame=frame,
        weight=weight,
        parting=parting,
        train=train,
        held=held,
        random_state=random_state,
    )
