"""novum study: a table in; models compared, tested, explained and saved, with a report, out."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli._refuse import refusing
from novum.exceptions import SourceError

__all__ = ["command"]

INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended
INDENT = 14


def command(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with a header.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the report [default: TABLE-study].")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")] = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which the comparison uses what is finished.")
    ] = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    measure: Annotated[
        str | None, typer.Option(help="accuracy, balanced_accuracy; rmse, mae, r2 [default: accuracy or rmse].")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    models: Annotated[str | None, typer.Option(help="Names from the leaderboard, parted by commas.")] = None,
    folds: Annotated[int | None, typer.Option(min=2, help="Folds [default: 10; 5 above 20,000 rows].")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Repetitions of the folds [default: by rows].")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes [default: one per core].")] = None,
) -> None:
    """Compare models on a table, keep one, judge it on unseen rows, write report, model and scores."""
    with refusing("study"):
        from novum.study import Study

        folder = out or Path(f"{table.stem}-study")
        check_folder(folder)  # before the work, not after it
        study = Study(
            table,
            target,
            task=task,
            measure=measure,
            models=models.split(",") if models else None,
            drop=drop or [],
            random_state=seed,
            folds=folds,
            repeats=repeats,
            time_limit=time_limit,
            n_jobs=jobs,
        )
        with Terminal() as terminal:
            result = study.run(terminal)
        if not result.leaders:
            stopped = result.scores.stopped if result.scores else ""
            why = (
                f"stopped ({stopped}) before a model finished its folds" if stopped else "; ".join(result.trained()[1:])
            )
            typer.echo(f"novum study: {why}; nothing is written.", err=True)
            raise typer.Exit(INTERRUPTED if stopped == "interrupted" else 2)
        typer.echo("\n".join(f"  {line}" for line in result.lines()))
        if result.kept:
            show("keep", [f"{result.kept.name}: {result.reason} on {result.n_train} rows"])
            show("hold-out", [result.judged()])
        paths = result.save(folder)
        size = paths[0].stat().st_size / 2**20
        show("written", [f"{paths[0]} (offline, {size:.1f} MB)   " + "   ".join(map(str, paths[1:]))])
        if result.unsaved:
            show("", [f"the model is not saved: {result.unsaved}"])
        if not result.complete:
            raise typer.Exit(INTERRUPTED)
        if not result.unsaved:
            typer.echo(f"next: novum predict {folder / 'model.novum'} new.csv -o predictions.csv")


def check_folder(folder: Path) -> None:
    """Raise unless the results can be written."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise SourceError(f"{there}: is a file; name a folder for the report.")
    if not os.access(there, os.W_OK):
        raise SourceError(f"{there}: cannot be written; name another folder with --out.")


def show(name: str, lines: list[str]) -> None:
    """Print the lines of a step with its name before the first."""
    for number, line in enumerate(lines):
        typer.echo(f"  {name if number == 0 else '':<{INDENT - 2}}{line}".rstrip())


class Terminal:
    """Tells of the steps as they happen; a bar for the fits where there is a terminal to draw it on."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def step(self, name: str, lines: list[str]) -> None:
        """Print what a step found; the choice and the hold-out score come below the leaderboard."""
        self.end()
        if name not in ("keep", "hold-out"):
            show(name, lines)

    def advance(self, done: int, planned: int) -> None:
        """Move the bar."""
        if not sys.stderr.isatty():
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("  train      "),
                BarColumn(30),
                MofNCompleteColumn(),
                TextColumn("fits"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task("", total=planned)
        self.bar.update(self.task, completed=done)
