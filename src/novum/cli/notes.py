"""novum notes: the lecture notes and what became of them."""

from typing import Annotated

import typer

from novum.cli.errors import refusing

__all__ = ["command"]


def command(
    number: Annotated[
        str | None, typer.Argument(help="A set, 000 to 004, or a chapter to look for in all sets.")
    ] = None,
    chapter: Annotated[str | None, typer.Argument(help="A chapter of the set: 8, P1.3 in 002, II.1 in 004.")] = None,
) -> None:
    """List the five sets of lecture notes, a set, or what a chapter became."""
    with refusing("notes"):
        from novum.notes import notes

        typer.echo(notes(number, chapter))
