"""Arrow columns as NumPy arrays: features into row-major tiles, targets in their own type.

A float column without gaps is never copied before it is packed. Integers, booleans, decimals and dictionary-encoded numbers
become floats, a null becomes NaN. A date is the number of days since 1970 began, with its hours as a fraction; a time of day or a
duration is a number of hours. Text can be a label or go through an encoder, never into a tile.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import tile_dtype
from novum.fold.readers.table import NUMBER, OTHER, TEXT, Column, DataFile

__all__ = ["ArrowPiece", "describe", "index_columns", "labels", "numbers"]

DAY, HOUR = np.timedelta64(1, "D"), np.timedelta64(1, "h")
EXACT_INTEGERS = 2.0**53  # beyond it a float64 no longer distinguishes neighbouring integers


def describe(kind: pa.DataType) -> Column:
    """Return what a column of this Arrow type can serve as."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    types = pa.types
    if types.is_floating(value):
        return Column(NUMBER, tile_dtype(value.to_pandas_dtype()), str(kind))
    if types.is_integer(value) or types.is_boolean(value) or types.is_decimal(value) or types.is_null(value):
        return Column(NUMBER, np.dtype(np.float64), str(kind))
    if types.is_temporal(value) and not types.is_interval(value):
        return Column(NUMBER, np.dtype(np.float64), str(kind))
    if types.is_string(value) or types.is_large_string(value) or types.is_string_view(value):
        return Column(TEXT, None, str(kind))
    return Column(OTHER, None, str(kind))


def index_columns(schema: pa.Schema) -> frozenset[str]:
    """Return the columns that hold the index of the pandas frame a file was written from."""
    try:
        listed = (schema.pandas_metadata or {}).get("index_columns", [])
    except ValueError:  # metadata that are no JSON: somebody else's
        return frozenset()
    return frozenset(name for name in listed if isinstance(name, str))


def numbers(array: pa.Array, dtype: np.dtype) -> np.ndarray:
    """Return a column of numbers as floats of `dtype`, nulls as NaN."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_temporal(array.type):
        return moments(array).astype(dtype, copy=False)
    if not pa.types.is_floating(array.type):
        array = pc.cast(array, pa.float64(), safe=False)  # as NumPy casts: integers beyond 2^53 are rounded
    return array.to_numpy(zero_copy_only=False).astype(dtype, copy=False)


def moments(array: pa.Array) -> np.ndarray:
    """Return dates as days since 1970 began, by one clock, and times and durations as hours."""
    types = pa.types
    if types.is_date(array.type) or types.is_timestamp(array.type):
        instants = pc.cast(array, pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False)
        return (instants - np.datetime64(0, "us")) / DAY
    spans = pa.duration(getattr(array.type, "unit", "us"))
    plain = array if types.is_duration(array.type) else pc.cast(pc.cast(array, whole_type(array.type)), spans)
    return plain.to_numpy(zero_copy_only=False) / HOUR


def whole_type(kind: pa.DataType) -> pa.DataType:
    """Return the integers that times of day are stored as."""
    return pa.int32() if pa.types.is_time32(kind) else pa.int64()


def labels(array: pa.Array) -> np.ndarray:
    """Return a column in its own type: text as NumPy strings, numbers as numbers; nulls among numbers become NaN."""
    column = describe(array.type)
    if column.kind == TEXT:
        coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        values = np.array(coded.dictionary.to_pylist() or [""], dtype=np.str_)
        return values[coded.indices.to_numpy(zero_copy_only=False)]
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if (
        pa.types.is_decimal(array.type)
        or pa.types.is_temporal(array.type)
        or pa.types.is_null(array.type)
        or (array.null_count and pa.types.is_boolean(array.type))
    ):
        return numbers(array, np.dtype(np.float64))
    return array.to_numpy(zero_copy_only=False)


class ArrowPiece:
    """Rows of a record batch, whose columns are those that were requested.

    `whole` names columns that were read as floats though they looked like integers: they are given back as integers where
    all of them are.
    """

    def __init__(self, file: DataFile, start: int, batch: pa.RecordBatch, whole: frozenset = frozenset()) -> None:
        self.file, self.start, self.batch, self.whole, self.rows = file, start, batch, whole, batch.num_rows

    def slice(self, start: int, stop: int) -> "ArrowPiece":
        return ArrowPiece(self.file, self.start + start, self.batch.slice(start, stop - start), self.whole)

    def pack(self, keys: Sequence[str], out: np.ndarray) -> None:
        if keys:
            _core.runtime.tiles.pack_columns([numbers(self.batch.column(key), out.dtype) for key in keys], out)

    def labels(self, key: str) -> np.ndarray:
        array = self.batch.column(key)
        if array.null_count and describe(array.type).kind == TEXT:
            row = self.start + int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
            raise DataError(f"{self.file}: column {key!r} has no label at {self.file.place(row, row + 1)}.")
        try:
            values = labels(array)
        except UnicodeDecodeError as error:
            raise self.file.broken(error, self.file.place(self.start, self.start + self.rows)) from error
        if key not in self.whole:
            return values
        if np.abs(values).max(initial=0) >= EXACT_INTEGERS:
            raise DataError(
                f"{self.file}: column {key!r} holds integers beyond 2^53; store it as text or in a typed format."
            )
        integers = np.isfinite(values).all() and (values == np.floor(values)).all()
        return values.astype(np.int64) if integers else values

    def raw(self, keys: Sequence[str]) -> Any:
        return pa.table([self.batch.column(key) for key in keys], names=list(keys))
