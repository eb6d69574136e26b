"""novum convert: a model file of an older version in, the same model in the format of this one out."""

from pathlib import Path
from typing import Annotated

import typer

from novum.cli.errors import refusing
from novum.report.numbers import counted

__all__ = ["command"]


def command(
    old: Annotated[Path, typer.Argument(help="A model file that an older version of novum wrote.")],
    new: Annotated[Path, typer.Argument(help="The file to write; it may be the same.")],
) -> None:
    """Write a model file of an older version in the format of this one; what it predicts stays the same."""
    with refusing("convert"):
        from novum.persistence.conversion import convert_file
        from novum.persistence.renames import FORMAT

        done = convert_file(old, new)
        typer.echo(
            f"{new}: format {FORMAT}, from format {done.format} of novum {done.written_by};"
            f" {counted(done.renamed, 'name')} changed"
        )
