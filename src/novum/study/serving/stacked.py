"""Rows of several requests as one table, and its predictions parted again."""

import numpy as np

from novum.study.data.table import Table
from novum.study.predictions import Predictions, Reach

__all__ = ["parts_of_predictions", "stacked_tables"]


def stacked_tables(tables: list[Table]) -> Table:
    """Return the rows of tables with the same columns, one after the other."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    columns = {
        name: column._replace(values=np.concatenate([table.columns[name].values for table in tables]))
        for name, column in first.columns.items()
    }
    return first._replace(columns=columns, n_rows=sum(table.n_rows for table in tables))


def parts_of_predictions(found: Predictions, sizes: list[int]) -> list[Predictions]:
    """Return predictions parted into so many rows each."""
    if len(sizes) == 1:
        return [found]
    ends = np.cumsum(sizes)
    return [part_of(found, int(end) - size, int(end)) for end, size in zip(ends, sizes)]


def part_of(found: Predictions, start: int, end: int) -> Predictions:
    """Return the predictions of some rows."""
    reach = found.reach
    if reach is not None:
        lower = None if reach.lower is None else reach.lower[start:end]
        upper = None if reach.upper is None else reach.upper[start:end]
        reach = Reach(reach.level, lower, upper, reach.sets[start:end])
    return found._replace(
        values=found.values[start:end],
        probabilities={label: p[start:end] for label, p in found.probabilities.items()},
        reach=reach,
    )
