"""A table as the study sees it: named columns of numbers, categories or dates, whatever frame or file they came from.

Every cell that a frame calls missing (NaN, None, NA, null, NaT) is one thing here: NaN in numbers, None in categories,
NaT in dates. Truth values are numbers 0 and 1 with the kind BOOL, since as a target they are two classes.
"""

from datetime import UTC, date, time, timedelta
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterTypeError
from novum.fold.readers.cells import (
    CODE,
    Form,
    dates_of,
    form_of,
    notes_on,
    numbers_of,
    several_units,
    written_as_one_number,
)
from novum.fold.readers.dialect import MISSING
from novum.fold.readers.table import check_names
from novum.study.data.source import Source

__all__ = ["BOOL", "DATE", "NUMBER", "OTHER", "TEXT", "Column", "Table", "table_of"]

NUMBER, TEXT, DATE, BOOL, OTHER = "number", "category", "date", "yes/no", "other"
MANY = 1000  # different cells that are looked at for units
PLAIN = (str, int, float, bool, np.number, np.bool_)  # what a column of Python objects may hold


class Column(NamedTuple):
    """One column."""

    name: str
    kind: str
    values: Any  # float64, object of str and None, or datetime64[s]; None for OTHER
    type: str  # as its frame calls it, for messages
    notes: list[str] = []  # what the reader made of odd cells
    form: Form | None = None  # how its cells were read, where they were text

    @property
    def missing(self) -> np.ndarray:
        """Which rows have no value."""
        if self.kind == TEXT:
            return np.equal(self.values, None).astype(bool)  # type: ignore[call-overload]
        return np.isnat(self.values) if self.kind == DATE else np.isnan(self.values)

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        known = self.values[~self.missing] if self.kind in (NUMBER, BOOL) else np.empty(0)
        return bool(len(known)) and bool((known == np.floor(known)).all())

    @property
    def has_hours(self) -> bool:
        """Whether it holds dates with times of day that differ."""
        if self.kind != DATE:
            return False
        known = self.values[~self.missing]
        return len(np.unique(known - known.astype("datetime64[D]"))) > 1

    def take(self, rows: np.ndarray) -> "Column":
        """Return some rows."""
        return self if self.values is None else self._replace(values=self.values[rows])


class Table(NamedTuple):
    """Columns of one length, with names that differ."""

    columns: dict[str, Column]
    n_rows: int
    name: str  # of the file or frame, for messages
    notes: list[str] = []  # what the reader found out
    whole: Any = None  # what was counted of all rows, where these were drawn (novum.study.data.large)
    source: Source | None = None  # the file it was read from

    def take(self, rows: np.ndarray) -> "Table":
        """Return some rows."""
        if rows.dtype == bool and rows.all():
            return self
        count = int(rows.sum()) if rows.dtype == bool else len(rows)
        return self._replace(columns={name: column.take(rows) for name, column in self.columns.items()}, n_rows=count)


def table_of(frame: Any, name: str = "the table", forms: dict[str, Form] | None = None) -> Table:
    """Return the table of a pandas, polars or pyarrow frame.

    Parameters
    ----------
    forms : dict or None
        How columns of text are to be read, by name; the others decide it by themselves.

    Raises
    ------
    DataError
        If names occur twice or numbers are infinite.
    ParameterTypeError
        If it is no frame.
    """
    import narwhals as nw

    native = frame
    if "pandas" in type(frame).__module__ and hasattr(frame, "columns"):
        check_names(map(str, frame.columns), name)  # narwhals would say it at more length
        frame = frame.rename(columns=str)
    try:
        frame = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ParameterTypeError(
            f"Study(frame={type(native).__name__}): frame must be a pandas, polars or pyarrow table, or the path of a file."
        ) from error
    check_names(frame.columns, name)
    columns = {label: column_of(frame[label], label, (forms or {}).get(label)) for label in frame.columns}
    for column in columns.values():
        if column.kind == NUMBER and np.isinf(column.values).any():
            row = int(np.flatnonzero(np.isinf(column.values))[0]) + 1
            raise DataError(
                f"{name}: column {column.name!r} is infinite in row {row}; leave the cell empty or correct it."
            )
    return Table(columns, len(frame), name)


def column_of(series: Any, name: str, form: Form | None = None) -> Column:
    """Return one column of a narwhals series."""
    import narwhals as nw

    dtype = series.dtype
    label = str(dtype).lower()
    if dtype == nw.Boolean:
        return Column(name, BOOL, numbers_in(series), label)
    if dtype.is_numeric():
        return as_dates(Column(name, NUMBER, numbers_in(series), label), form)
    if dtype in (nw.Time, nw.Duration):
        return hours_in(series.to_list(), name, label)
    if dtype in (nw.Date, nw.Datetime):
        if getattr(dtype, "time_zone", None):  # one clock for all rows
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        moments = np.asarray(series.cast(nw.Datetime("us")).to_numpy())
        if moments.dtype.kind != "M":  # Python's own, with gaps
            raw = [np.datetime64("NaT") if is_missing(v) else v for v in moments.tolist()]
            moments = np.array(raw, dtype="datetime64[us]")
        return Column(name, DATE, moments.astype("datetime64[s]"), label)
    if dtype == nw.String and series.implementation.is_pyarrow():
        coded = series.to_native().combine_chunks().dictionary_encode()  # a Python text per kind of cell, not per cell
        codes = np.asarray(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False))
        return texts_in(coded.dictionary.to_pylist(), codes, name, label, form)
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object) or label.startswith("unknown"):
        return objects_in(series.to_list(), name, label, form)
    return Column(name, OTHER, None, label)


def numbers_in(series: Any) -> np.ndarray:
    """Return numbers or truth values as float64."""
    values = np.asarray(series.to_numpy())
    if values.dtype == object:  # truth values or decimals with gaps
        values = np.array([np.nan if is_missing(v) else v for v in series.to_list()], dtype=np.float64)
    return values.astype(np.float64)


def as_dates(column: Column, form: Form | None) -> Column:
    """Return a column of whole numbers that write dates, such as 20211231, as dates; others as they are."""
    known = column.values[~column.missing]
    form = form if form is not None and form.how == "number" else None if form else written_as_one_number(known)
    if form is None:
        return column
    cells = [None if np.isnan(v) else str(int(v)) for v in column.values]
    made = column._replace(kind=DATE, values=dates_of(cells, form), form=form)
    return made._replace(notes=notes_on(column.name, form, cells, made.missing))


def hours_in(values: list[Any], name: str, label: str) -> Column:
    """Return times of day and durations as hours."""
    made = [np.nan if is_missing(value) else hours_of(value) for value in values]
    return Column(name, NUMBER, np.array(made, dtype=np.float64), label, [f"{name}: times, read as hours"])


def hours_of(value: time | timedelta) -> float:
    if isinstance(value, time):
        return value.hour + value.minute / 60 + (value.second + value.microsecond / 1e6) / 3600
    return value / timedelta(hours=1)


def objects_in(values: list[Any], name: str, label: str, form: Form | None = None) -> Column:
    """Return a column of Python objects: text, truth values, dates, or mixed plain values, which become text."""
    known = [v for v in values if not is_missing(v)]
    if not known:  # a column without a value has no kind of its own
        return Column(name, NUMBER, np.full(len(values), np.nan), "empty")
    if all(isinstance(v, date) for v in known):  # datetime too
        moments = [np.datetime64("NaT") if is_missing(v) else np.datetime64(without_zone(v), "s") for v in values]
        return Column(name, DATE, np.array(moments, dtype="datetime64[s]"), "dates")
    if all(isinstance(v, time | timedelta) for v in known):
        return hours_in(values, name, "times")
    if not all(isinstance(v, PLAIN) for v in known):
        return Column(name, OTHER, None, type(next(v for v in known if not isinstance(v, PLAIN))).__name__)
    if all(isinstance(v, bool | np.bool_) for v in known):
        return Column(name, BOOL, np.array([np.nan if is_missing(v) else float(v) for v in values]), "boolean")
    if not any(isinstance(v, str | bool | np.bool_) for v in known):
        return Column(name, NUMBER, np.array([np.nan if is_missing(v) else float(v) for v in values]), "numbers")
    text = np.empty(len(values), dtype=object)
    trimmed = {v: cell_text(v) for v in {v for v in values if isinstance(v, str)}}
    text[:] = [None if is_missing(v) else trimmed[v] if isinstance(v, str) else str(v) for v in values]
    return as_written(Column(name, TEXT, text, label), form)


def texts_in(different: list[str], codes: np.ndarray, name: str, label: str, form: Form | None = None) -> Column:
    """Return a column of text from its different cells and their places; a place of -1 is missing."""
    cells = np.empty(len(different) + 1, dtype=object)
    cells[:] = [*(cell_text(cell) for cell in different), None]
    if all(cell is None for cell in cells):
        return Column(name, NUMBER, np.full(len(codes), np.nan), "empty")
    return as_written(Column(name, TEXT, cells[codes], label), form)


def cell_text(cell: str) -> str | None:
    """Return a cell without spaces around it, None where nothing is left."""
    return None if (text := cell.strip()) in MISSING else text


def without_zone(moment: Any) -> Any:
    """Return a date or a moment by one clock."""
    zone = getattr(moment, "tzinfo", None)
    return moment if zone is None else moment.astimezone(UTC).replace(tzinfo=None)


def as_written(column: Column, form: Form | None = None) -> Column:
    """Return a column of text as the numbers or dates that its cells write, with a note; other text as it is."""
    cells = column.values
    if all(cell is None for cell in cells):
        return Column(column.name, NUMBER, np.full(len(cells), np.nan), "empty")
    known = [cell for cell in dict.fromkeys(cells) if cell is not None]
    form = form or form_of(known)
    if form is None:
        units = several_units(known[:MANY])
        note = f"{column.name}: numbers in several units ({', '.join(units)}), kept as text"
        return column._replace(notes=[note]) if units else column
    if form.kind == CODE:
        return column._replace(form=form, notes=notes_on(column.name, form, [], column.missing))
    values = numbers_of(cells, form) if form.kind == "number" else dates_of(cells, form)
    made = column._replace(kind=NUMBER if form.kind == "number" else DATE, values=values, form=form)
    if made.missing.all():
        return column
    return made._replace(notes=notes_on(column.name, form, cells, made.missing))


def is_missing(value: Any) -> bool:
    """Return whether a Python object stands for a missing cell."""
    if isinstance(value, str | list | dict | tuple):
        return False
    if isinstance(value, float | np.floating):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")
