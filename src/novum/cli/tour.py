"""novum tour: the notes' own numbers, computed now."""

import typer

__all__ = ["command"]


def command() -> None:
    """Replay the notes' own numbers; the exit status is 1 if one differs."""
    from novum.notes import tour

    visited = tour()
    typer.echo(visited)
    if visited.differing:
        raise typer.Exit(1)
