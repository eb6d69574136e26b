"""novum find: from a word of the notes to the import."""

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    words: Annotated[
        list[str], typer.Argument(help="Words of the notes, of a textbook or of scikit-learn, as viterbi.")
    ],
    limit: Annotated[int, typer.Option(min=1, help="How many lines to show.")] = 12,
) -> None:
    """Find the names that serve a word: novum find "EM algorithm" """
    from novum.notes import find

    found = find(*words, limit=limit)
    typer.echo(found)
    if not found.answers:
        raise typer.Exit(1)
