"""What a table was read from and how, and what its columns are known by: enough to read it again, and to know it again.

A column is known by the hash of its kind and cells. So a table that is read again is compared column by column, whatever file it
comes from now, and no cell of it has to be kept.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np

from novum.report.result import result

__all__ = ["Source", "column_prints"]


@result
class Source(NamedTuple):
    """A file that a table was read from."""

    file: str  # its name, without its folders
    bytes: int
    sha256: str | None  # None where rows of it were drawn: to read all of it again would take as long as the pass
    separator: str | None = None  # as they were given; None was found out from the text
    encoding: str | None = None
    most_cells: int | None = None  # above which rows were drawn


def column_prints(table: Any) -> dict[str, str]:
    """Return what the columns of a table are known by, by their names."""
    import pandas as pd

    found = {}
    for name, column in table.columns.items():
        said = hashlib.sha256(column.kind.encode())
        if column.values is not None:
            values = np.asarray(column.values)
            said.update(pd.util.hash_pandas_object(pd.Series(values), index=False).to_numpy().tobytes())
        found[name] = said.hexdigest()[:32]
    return found
