"""novum find: from a word of the notes to the import."""

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    words: Annotated[list[str], typer.Argument(help="Words of the notes, e.g. viterbi, or 'explaining away'.")],
    limit: Annotated[int, typer.Option(help="How many lines to show.")] = 12,
) -> None:
    """Find the names that serve a word of the notes."""
    from novum.notes import find

    found = find(*words, limit=limit)
    typer.echo(found)
    if not found.rows:
        raise typer.Exit(1)
