"""novum explain: a saved model and rows in; what every column adds to each prediction out."""

from pathlib import Path
from typing import Annotated

import typer

from novum.cli.errors import refusing
from novum.cli.tables import ENCODING, SEPARATOR, TABLE, read_argument
from novum.exceptions import ParameterError
from novum.report.numbers import counted

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="A model that novum study wrote.")],
    table: TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write (default: print it).")] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON, with all digits.")] = False,
    about: Annotated[
        str | None, typer.Option("--class", help="Explain the probability of this class (default: the predicted one).")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Probability with which the interval or set holds the truth (default: 0.9).")
    ] = None,
    most: Annotated[int, typer.Option("--rows", min=1, help="Explain at most so many rows, from the first on.")] = 20,
    unseen: Annotated[bool, typer.Option("--unseen", help="Allow categories that the model never saw.")] = False,
    sep: SEPARATOR = None,
    encoding: ENCODING = None,
) -> None:
    """Show what every column adds to a prediction, as Shapley values that add up exactly, with the interval or set beside it."""
    with refusing("explain"):
        import numpy as np

        import novum
        from novum.study.data.schema import forms_of, schema_of
        from novum.study.insight.contributions import contributions_text, explain_table

        if level is not None and not 0.5 <= level < 1:
            raise ParameterError(f"--level {level:g}: must be from 0.5 to below 1, as 0.9.")
        loaded = novum.load(model)
        rows = read_argument(table, sep, encoding, forms_of(schema_of(loaded, str(model))))
        if rows.n_rows > most:
            typer.echo(
                f"novum explain: {table}: the first {most} of {counted(rows.n_rows, 'row')}; --rows says more", err=True
            )
            rows = rows.take(np.arange(most))
        found = explain_table(loaded, rows, about=about, level=level, unseen=unseen, name=str(model))
        for note in found.notes:
            typer.echo(f"novum explain: {table}: {note}", err=True)
        if json:
            from json import dumps

            text = dumps(found.records(), indent=1, ensure_ascii=False) + "\n"
        else:
            text = "\n".join(contributions_text(found)) + "\n"
        if output is None:
            typer.echo(text, nl=False)
        else:
            from novum.study.report.output import write_text

            write_text(output, text)
            typer.echo(f"{rows.n_rows:,} explanation{'s' if rows.n_rows > 1 else ''} in {output}")
