"""novum predict: a saved model and new rows in, predictions out, after a check of every column."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli.errors import refusing
from novum.cli.tables import ENCODING, SEPARATOR, TABLE, read_argument
from novum.exceptions import ParameterError
from novum.report.numbers import counted

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="A model that novum study wrote.")],
    table: TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="CSV to write (default: print it).")] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probability of every class.")] = False,
    interval: Annotated[
        bool,
        typer.Option("--interval", help="Also an interval of a number, or a set of classes, that holds the truth."),
    ] = False,
    level: Annotated[float, typer.Option(help="Probability with which it does, with --interval.")] = 0.9,
    unseen: Annotated[bool, typer.Option("--unseen", help="Allow categories that the model never saw.")] = False,
    sep: SEPARATOR = None,
    encoding: ENCODING = None,
) -> None:
    """Predict the rows of a new table; its columns must be those of the study, in any order. Columns that have moved since
    training are named."""
    with refusing("predict"):
        import novum
        from novum.study.data.schema import forms_of, schema_of
        from novum.study.predictions import predict_table

        if not 0.5 <= level < 1:
            raise ParameterError(f"--level {level:g}: must be from 0.5 to below 1, as 0.9.")
        loaded = novum.load(model)
        rows = read_argument(table, sep, encoding, forms_of(schema_of(loaded, str(model))))
        found = predict_table(
            loaded, rows, proba=proba, unseen=unseen, level=level if interval else None, name=str(model)
        )
        for note in [*found.notes, *found.drift]:
            typer.echo(f"novum predict: {table}: {note}", err=True)
        text = with_predictions(rows, found)
        if output is None:
            typer.echo(text, nl=False)
        else:
            from novum.study.report.output import write_text

            write_text(output, text)
            message = f"{counted(rows.n_rows, 'prediction')} of {found.name.removeprefix('predicted_')} in {output}"
            typer.echo(message)


def with_predictions(rows: Any, found: Any) -> str:
    """Return the table with its predictions beside it, as CSV."""
    import numpy as np
    import pandas as pd

    from novum.study.data.table import BOOL, OTHER, Column
    from novum.study.report.output import csv_text

    def shown(column: Column) -> Any:
        if column.kind == BOOL:
            return pd.array(["" if np.isnan(v) else "true" if v else "false" for v in column.values])
        if column.whole:
            return pd.array(np.where(column.missing, None, column.values), dtype="Int64")
        return column.values

    columns = {name: shown(column) for name, column in rows.columns.items() if column.kind != OTHER}
    columns[found.name] = found.values
    columns.update({f"p({label})": values for label, values in found.probabilities.items()})
    columns.update({} if found.reach is None else found.reach.columns(found.name))
    return csv_text(pd.DataFrame(columns))
