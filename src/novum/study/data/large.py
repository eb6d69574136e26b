"""Tables that are too large to be studied whole: one pass over a Parquet file draws rows and counts what it sees of all.

A study of n rows and c columns takes a few copies of n c numbers, so of more than so many cells a sample of rows is studied,
drawn without replacement by a fixed seed, in the order of the file. The pass decodes a batch at a time; the memory it takes is that
of the sample. It counts the missing cells of every column and the range of the numbers in all rows, which the data card tells.

Scores need no more: of a million rows put away the interval of a share is a tenth of a point wide.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, SourceError
from novum.fold.readers.table import check_names
from novum.report.numbers import counted, num

__all__ = ["MOST_CELLS", "WholeTable", "card_of_all", "sampled_parquet"]

MOST_CELLS = 20_000_000  # of a table that is studied whole
LEAST_ROWS = 10_000  # of a sample, however many columns there are
SEED = 0
AT_ONCE = 65_536  # rows


class WholeTable(NamedTuple):
    """What a pass saw of all rows."""

    rows: int
    missing: dict[str, int]
    ranges: dict[str, tuple[float, float]]  # of the columns of numbers


def rows_to_draw(rows: int, columns: int, most_cells: int) -> int:
    """Return how many rows are studied."""
    return min(rows, max(LEAST_ROWS, most_cells // max(1, columns)))


def sampled_parquet(
    path: Path, name: str, most_cells: int, advance: Callable[[int, int], None]
) -> tuple[Any, WholeTable] | None:
    """Return rows of a Parquet file as an Arrow table with what was counted of all; None of a file that is no larger.

    Parameters
    ----------
    advance : callable
        Called with the rows that are done, of how many.
    """
    import pyarrow as pa

    from novum.fold.readers.untrusted import FAILURES, open_parquet, parquet_batches

    try:
        with path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return None
        with open_parquet(str(path)) as reader:
            total, width = reader.metadata.num_rows, reader.metadata.num_columns
            if total * width <= most_cells or total <= LEAST_ROWS:
                return None
            schema = reader.schema_arrow
            check_names(schema.names, name)
            count = rows_to_draw(total, width, most_cells)
            drawn = np.sort(np.random.default_rng(SEED).choice(total, count, replace=False))
            seen = Seen()
            pieces, start = [], 0
            for batch in parquet_batches(reader, AT_ONCE):
                low, high = np.searchsorted(drawn, [start, start + batch.num_rows])
                pieces.append(batch.take(pa.array(drawn[low:high] - start)))
                seen.add(batch)
                start += batch.num_rows
                advance(start, total)
        return pa.Table.from_batches(pieces, schema=schema), WholeTable(total, seen.missing, seen.ranges)
    except DataError:
        raise
    except FAILURES as error:
        said = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
        raise SourceError(f"{name}: cannot be read as Parquet: {said}.") from error


class Seen:
    """Counts of the batches so far."""

    def __init__(self) -> None:
        self.missing: dict[str, int] = {}
        self.ranges: dict[str, tuple[float, float]] = {}

    def add(self, batch: Any) -> None:
        """Count a batch."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for field, column in zip(batch.schema, batch.columns):
            missing = column.null_count
            if pa.types.is_integer(field.type) or pa.types.is_floating(field.type):
                values = column.drop_null().to_numpy(zero_copy_only=False)
                known = values[values == values]
                missing += len(values) - len(known)
                if len(known):
                    low, high = self.ranges.get(field.name, (np.inf, -np.inf))
                    self.ranges[field.name] = min(low, float(known.min())), max(high, float(known.max()))
            elif pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
                missing += int(pc.sum(pc.equal(pc.binary_length(column), 0)).as_py() or 0)
            self.missing[field.name] = self.missing.get(field.name, 0) + missing


def card_of_all(card: Any, whole: WholeTable | None) -> Any:
    """Return the data card of a sample with what was counted of all rows."""
    if whole is None:
        return card
    columns = [one._replace(missing=whole.missing.get(one.name, one.missing)) for one in card.columns]
    for place, one in enumerate(columns):
        if one.name in whole.ranges and one.role == "number":
            low, high = whole.ranges[one.name]
            columns[place] = one._replace(summary=f"{one.summary}; of all rows {num(low):.6g} to {num(high):.6g}")
    rows = counted(whole.rows, "row")
    notes = [
        f"{card.n_rows + card.without_target:,} of the {rows} are studied, drawn at random; missing cells are counted in all"
    ]
    return card._replace(columns=columns, notes=[*notes, *card.notes])
