"""The rows of a study, made again from its table; a table that is another is refused by what differs.

study.json says which options the rows depend on, and what every column is known by: names first, then the number of rows that have
a target, then cells column by column, then what is made of them.
"""

from typing import Any

from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.study.data.files import read_table
from novum.study.data.source import column_prints
from novum.study.data.table import Table
from novum.study.formalised import Formalised, formalise
from novum.study.report.study_files import fingerprint_of

__all__ = ["read_again", "studied_rows"]

MOST_NAMED = 5  # columns in a sentence
OPTIONS = ("task", "drop", "group", "time", "weights", "random_state", "hold_out")  # that rows and columns depend on
NAMES = ("fair", "increasing", "decreasing")
READING = ("separator", "encoding", "most_cells")


def read_again(document: dict[str, Any], path: Any) -> Formalised:
    """Return the rows of a study from a file of its table, read as the study read it."""
    source = document.get("source") or {}
    reading: dict[str, Any] = {key: source.get(key) for key in READING}
    return studied_rows(document, read_table(path, **reading))


def studied_rows(document: dict[str, Any], table: Table) -> Formalised:
    """Return the rows of a study, made again from its table, or raise a DataError that names what differs.

    Parameters
    ----------
    document : dict
        study.json.
    table : Table
        As `read_table` gives it.
    """
    name, known = table.name, document.get("columns") or {}
    absent = [column for column in known if column not in table.columns]
    if absent:
        raise DataError(f"{name}: is not the table that was studied: it lacks {listed(absent)}.")
    more = [column for column in table.columns if known and column not in known]
    if more:
        raise DataError(f"{name}: is not the table that was studied: it has also {listed(more)}.")
    options, task = document["options"], document["task"]
    given = {key: options[key] for key in OPTIONS}
    named = tuple(column for key in NAMES for column in options[key])
    made = formalise(table, task["target"], named=named, **{**given, "drop": tuple(given["drop"])})
    rows = document["rows"]["all"]
    if len(made.numbers) != rows:
        raise DataError(
            f"{name}: is not the table that was studied: it has {counted(len(made.numbers), 'row')} with a target, and the study"
            f" {rows:,}."
        )
    prints = column_prints(made.table)
    other = [column for column in known if prints[column] != known[column]]
    if other:
        order = ", or the order of its rows" if len(other) > 1 else ""
        raise DataError(f"{name}: is not the table that was studied: cells of {listed(other)} differ{order}.")
    if fingerprint_of(made.rows()) != document["fingerprint"]:
        what = "this version of novum parts or prepares its rows in another way" if known else "its cells differ"
        raise DataError(f"{name}: does not give the rows that were studied: {what}; study the table again.")
    return made


def listed(names: list[str]) -> str:
    """Return names of columns for a sentence."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"the column{'s' * (len(names) > 1)} " + ", ".join(map(repr, names[:MOST_NAMED])) + more
