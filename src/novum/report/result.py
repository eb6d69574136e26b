"""What every result can do: print, show itself as HTML, become a pandas frame, draw itself.

A result is a dataclass or a class that inherits `Result`, or a NamedTuple marked `@result` (a NamedTuple cannot inherit). What it
brings itself stays; the rest comes from its table, and the table from its fields:

    arrays, lists or tables of one length  ->  a column each, and the scalars beside them in the caption (and in `frame.attrs`)
    scalars alone                          ->  one row
    numbers                                ->  lines over the rows, or bars where rows have names or there is one row only
    nothing to be measured                 ->  the table itself is drawn

A class says more where it knows more: `_result_columns()` gives the columns, `_result_scalars()` what stands beside them,
`_result_caption()` the words above, `_result_picture(ax)` the picture.
"""

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from novum.report.axes import drawing_axes, fit_title, name_places
from novum.report.legends import draw_legend
from novum.report.numbers import cell_text
from novum.report.plots.plane import short_name
from novum.report.tables import html_table, text_table
from novum.runtime.typing import Axes, DataFrame

__all__ = ["RESULTS", "Result", "draw_bars", "result", "table_of_records"]

RESULTS: list[type] = []  # every class of results whose module has been imported
MOST_ROWS = 60  # that HTML, text and a drawn table show
MOST_DRAWN = 20  # rows of a table in a picture
MOST_BARS = 40  # above, names of bars cannot be read
LONGEST_CAPTION = 160  # characters
SCALARS = (str, int, float, complex, np.generic)
Table = dict[str, Any]
Class = TypeVar("Class", bound=type)


def words_of(name: str) -> str:
    """Return the name of a class as words: KKTReport is "KKT report"."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name)
    return " ".join(part if part.isupper() or k == 0 else part.lower() for k, part in enumerate(parts))


def public_fields(value: Any) -> Table:
    """Return the fields of a dataclass or a NamedTuple, or the attributes of another object, that are not private."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    elif hasattr(value, "_fields"):
        names = list(value._fields)
    else:
        names = list(getattr(value, "__dict__", ()))
    return {name: getattr(value, name) for name in names if not name.startswith("_")}


def as_column(value: Any) -> list[Any] | None:
    """Return a one-dimensional collection as a list, or None if it is something else."""
    if isinstance(value, str | bytes | Mapping) or hasattr(value, "_fields"):
        return None
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else None
    return list(value) if isinstance(value, list | tuple | range) else None


def table_of_fields(fields: Table) -> tuple[Table, Table]:
    """Return the columns that fields make, and the scalars that stand beside them."""
    columns = {name: column for name, value in fields.items() if (column := as_column(value))}
    for name, value in fields.items():
        if isinstance(value, Mapping) and value and not columns:
            columns = {"name": list(value), name: list(value.values())}
        elif isinstance(value, np.ndarray) and value.ndim == 2 and value.size and not columns:
            columns = {f"{name}[{j}]": value[:, j].tolist() for j in range(value.shape[1])}
    lengths = [len(column) for column in columns.values()]
    if not lengths:
        return {name: [value] for name, value in fields.items()}, {}
    n = max(lengths, key=lambda length: (lengths.count(length), length))
    shown = {name: column for name, column in columns.items() if len(column) == n}
    beside = {name: value for name, value in fields.items() if isinstance(value, SCALARS) and name not in shown}
    if n > 1:
        return shown, beside
    return {name: [value] for name, value in beside.items()} | shown, {}


def table_of_records(records: Any) -> Table:
    """Return the columns of a collection: the fields of its records, or its values, with the keys of a mapping before them."""
    items = list(records.values() if isinstance(records, Mapping) else records)
    keys = {"name": list(records)} if isinstance(records, Mapping) else {}
    fields = [public_fields(item) for item in items if dataclasses.is_dataclass(item) or hasattr(item, "_fields")]
    if len(fields) < len(items) or not items:
        return keys | {"value": items}
    return keys | {name: [one.get(name) for one in fields] for name in fields[0]}


def is_numeric(column: list[Any]) -> bool:
    """Return whether a column can be drawn: numbers, at least one of them finite."""
    numbers = [v for v in column if isinstance(v, int | float | np.number | np.bool_)]
    return len(numbers) == len(column) and any(np.isfinite(v) for v in numbers)


class Result:
    """The four ways in which a result shows itself; see the module."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fit_titles(cls)
        RESULTS.append(cls)

    def _result_columns(self) -> Table:
        if isinstance(self, Sequence | Mapping) and not hasattr(self, "_fields"):
            return table_of_records(self)
        return table_of_fields(public_fields(self))[0]

    def _result_scalars(self) -> Table:
        """Return what belongs to the table as a whole: fields beside the default columns."""
        return table_of_fields(public_fields(self))[1] if hasattr(type(self), "__match_args__") else {}

    def _result_caption(self) -> str:
        printed = repr(self).partition("\n")[0].strip()
        if printed and len(printed) <= LONGEST_CAPTION and not printed.startswith(f"{type(self).__name__}("):
            return printed
        return self._result_title()

    def _result_title(self) -> str:
        """Return the kind of result in words, with the scalars beside its table."""
        shown = set(self._result_columns())
        beside = "; ".join(f"{k} {cell_text(value)}" for k, value in self._result_scalars().items() if k not in shown)
        return words_of(type(self).__name__) + (f": {beside}" if beside else "")

    def _result_cells(self) -> list[list[str]]:
        table = {name: list(column) for name, column in self._result_columns().items()}
        columns = [[name, *map(cell_text, column[:MOST_ROWS])] for name, column in table.items()]
        rows = [list(row) for row in zip(*columns)]
        left = max(map(len, table.values()), default=0) - MOST_ROWS
        return [*rows, [f"... {left} more", *[""] * (len(columns) - 1)]] if left > 0 else rows

    def __repr__(self) -> str:
        return "\n".join([self._result_title(), *text_table(self._result_cells())])

    def _repr_html_(self) -> str:
        return html_table(self._result_cells(), self._result_caption())

    def to_frame(self) -> DataFrame:
        """Return the table as a pandas frame."""
        import pandas as pd

        frame = pd.DataFrame({name: pd.Series(list(column)) for name, column in self._result_columns().items()})
        frame.attrs.update(self._result_scalars())
        return frame

    def _result_picture(self, ax: Any) -> None:
        table = {name: list(column) for name, column in self._result_columns().items()}
        drawn = {name: column for name, column in table.items() if is_numeric(column)}
        labels = [name for name in table if name not in drawn]
        n = max(map(len, table.values()), default=0)
        if not drawn:
            cells = [[short_name(cell) for cell in row] for row in self._result_cells()[: MOST_DRAWN + 1]]
            ax.table(cellText=cells, loc="center").set_in_layout(False)
            ax.set_axis_off()
        elif n == 1:
            ax.bar(range(len(drawn)), [float(column[0]) for column in drawn.values()])
            name_places(ax, "x", range(len(drawn)), drawn)
        elif labels and n <= MOST_BARS:
            draw_bars(ax, [cell_text(value) for value in table[labels[0]]], drawn)
            ax.set_xlabel(labels[0])
        else:
            for name, column in drawn.items():
                ax.plot(range(n), column, marker=".", label=name)
            ax.set_xlabel("row")
        if n > 1 and len(drawn) > 1:
            draw_legend(ax)
        if drawn:
            ax.set_ylabel(next(iter(drawn)) if len(drawn) == 1 else "value")
        ax.set_title(words_of(type(self).__name__))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the result and return the axes; a new figure is made when `ax` is None."""
        ax = drawing_axes(ax)
        self._result_picture(ax)
        fit_title(ax)
        return ax


def draw_bars(ax: Any, labels: list[str], columns: dict[str, list[Any]]) -> None:
    """Draw columns as groups of bars, a group for every label."""
    width = 0.8 / len(columns)
    for k, (name, column) in enumerate(columns.items()):
        places = np.arange(len(labels)) + (k - (len(columns) - 1) / 2) * width
        ax.bar(places, [float(v) for v in column], width, label=name)
    name_places(ax, "x", range(len(labels)), map(short_name, labels))


def result(cls: Class) -> Class:
    """Give a class that cannot inherit `Result`, such as a NamedTuple, what it lacks of it."""
    for name, method in vars(Result).items():
        if callable(method) and name not in ("__init_subclass__", "__repr__") and not hasattr(cls, name):
            setattr(cls, name, method)
    fit_titles(cls)
    RESULTS.append(cls)
    return cls


def fit_titles(cls: type) -> None:
    """Let the picture that a class draws itself have a title that stays within it."""
    if callable(own := vars(cls).get("plot")) and own is not Result.plot:
        cls.plot = drawing_alike(own)  # type: ignore[attr-defined]


def drawing_alike(method: Any) -> Any:
    """Return a `plot` whose title stays within its picture."""

    @functools.wraps(method)
    def drawn(self: Any, *given: Any, **named: Any) -> Any:
        ax = method(self, *given, **named)
        if hasattr(ax, "get_title"):
            fit_title(ax)
        return ax

    return drawn
