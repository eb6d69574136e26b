"""Tables that a command is given: a file, or standard input as -, with the separator where it cannot be found out."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["ENCODING", "SEPARATOR", "TABLE", "read_argument"]

TABLE = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, JSON lines, Parquet, Feather or Excel, compressed or not; - reads standard input.",
        allow_dash=True,
    ),
]
SEPARATOR = Annotated[
    str | None, typer.Option("--sep", help="What parts the cells: a character, tab or whitespace (default: found out).")
]
ENCODING = Annotated[str | None, typer.Option("--encoding", help="Of the text, as latin-1 (default: found out).")]


def read_argument(table: Path, separator: str | None, encoding: str | None, forms: Any = None, **more: Any) -> Any:
    """Return the table that a command was given; `more` goes to `read_table`."""
    from novum.study.data.files import read_table

    return read_table(table, separator=separator, encoding=encoding, forms=forms, **more)
