"""The work of `novum network learn`: columns into states, a structure, its tables, and the words for them."""

from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted

__all__ = ["METHODS", "LearnedNetwork", "learn_network", "states_of_table"]

METHODS = ("hill-climb", "exact", "pc", "chow-liu")
MOST_VALUES = 20  # of a column of numbers that are states as they are
BINS = 5


class LearnedNetwork(NamedTuple):
    learner: Any
    network: Any
    notes: list[str]


def states_of_column(column: Any) -> tuple[Any, str]:
    """Return a column as text (None: missing), or None where it is no use, and a remark."""
    from novum.engines.factors.cuts import quantile_cuts, state_of
    from novum.graphical.networks.classifier_rows import intervals
    from novum.study.data.table import BOOL, NUMBER, TEXT

    name, values = column.name, column.values
    if column.kind not in (BOOL, NUMBER, TEXT):
        return None, f"{name}: left out, states are text or numbers, not {column.type}"
    if column.kind == TEXT:
        found = values
    elif column.kind == BOOL:
        found = np.array([None if v != v else "yes" if v else "no" for v in values.tolist()], dtype=object)
    else:
        distinct = len(np.unique(values[~np.isnan(values)]))
        if distinct > MOST_VALUES:
            cuts = quantile_cuts(values, np.ones(len(values)), BINS)
            words = np.array([*intervals(cuts), None], dtype=object)  # the last: of the code -1, missing
            return words[
                state_of(values, cuts)
            ], f"{name}: {counted(distinct, 'number')}, cut into {counted(len(words) - 1, 'state')}"
        found = np.array([None if v != v else f"{v:.12g}" for v in values.tolist()], dtype=object)
    count = len({v for v in found.tolist() if v is not None})
    if count > max(MOST_VALUES, len(found) // 10):
        return None, f"{name}: left out, it has {counted(count, 'different value')}"
    return (found, "") if count else (None, f"{name}: left out, it is empty")


def states_of_table(table: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the columns as arrays of text (None: missing), and remarks on those that were cut or left out."""
    read = {name: states_of_column(column) for name, column in table.columns.items()}
    notes = [note for _, note in read.values() if note]
    columns = {name: found for name, (found, _) in read.items() if found is not None}
    if len(columns) < 2:
        raise DataError(f"{table.name}: fewer than two columns are left to learn from. {'; '.join(notes)}".strip())
    return columns, notes


def by_number(word: str) -> tuple[int, float, str]:
    """Return a key that sorts states by their number, if they have one."""
    head = word.removeprefix("<= ").removeprefix("> ").removeprefix("(").partition(",")[0]
    try:
        return (0 if word.startswith("<=") else 2 if word.startswith("> ") else 1), float(head), word
    except ValueError:
        return 1, 0.0, word


def learn_network(columns: dict[str, Any], method: str, options: dict[str, Any], prior: float) -> LearnedNetwork:
    """Return the learner, the network with tables, and remarks."""
    from novum.graphical import PC, BayesianNetwork, ChowLiu, ExactSearch, HillClimb

    classes = {"hill-climb": HillClimb, "exact": ExactSearch, "pc": PC, "chow-liu": ChowLiu}
    if method not in classes:
        raise ParameterError(f"--method {method}: use one of {', '.join(METHODS)}.")
    for name in options:
        if name not in signature(classes[method]).parameters:
            raise ParameterError(f"--{name.replace('_', '-')}: the method {method} has no such option.")
    states = {
        name: tuple(sorted({v for v in column.tolist() if v is not None}, key=by_number))
        for name, column in columns.items()
    }
    gaps = np.any([[v is None for v in column.tolist()] for column in columns.values()], axis=0)
    if gaps.all():
        raise DataError("every row has a missing cell; a structure is learned from complete rows.")
    notes = []
    if gaps.any():
        notes.append(
            f"{counted(int(gaps.sum()), 'row')} with missing cells: the structure is learned without them, the tables by EM"
        )
    learner = classes[method](**options).fit({name: column[~gaps] for name, column in columns.items()}, states)
    network = BayesianNetwork(learner.dag_, states=states).fit(columns, prior=prior or None)
    return LearnedNetwork(learner, network, notes)
