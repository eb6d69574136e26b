"""novum study: a table in; models compared, tested, explained and saved, with a report, out."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli.errors import refusing
from novum.cli.tables import ENCODING, SEPARATOR, TABLE, read_argument
from novum.exceptions import ParameterError, SourceError
from novum.report.numbers import counted

__all__ = ["command"]

INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended
UNSAVED = 2  # the report is there, and no model
INDENT = 14
PROGRESS = "progress"  # folder of the fits that are done, until the study is
LEAST_SECONDS = 1.0  # that a study gets, however long its table took to read
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def command(
    table: TABLE,
    target: Annotated[str, typer.Option(help="The column to predict.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the report (default: named by table and target).")
    ] = None,
    random_state: Annotated[
        int, typer.Option("--random-state", "--seed", min=0, help="The same number gives the same results.")
    ] = 0,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit",
            "--budget",
            help="Time for all of it, as 90, 90s, 5m or 1h (default: by the size of the table, 100 s up to a million cells and at"
            " most an hour).",
        ),
    ] = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    scoring: Annotated[
        str | None,
        typer.Option(
            help="Of classes accuracy, balanced_accuracy, f1, auc, average_precision, log_loss, brier; of numbers rmse, mae,"
            " median_error, r2, rmsle, poisson_deviance (default: accuracy or rmse).",
        ),
    ] = None,
    prefer: Annotated[
        str, typer.Option(help="What decides between nearly equal models: accuracy, simple, small or probabilities.")
    ] = "accuracy",
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    group: Annotated[str | None, typer.Option(help="Column whose rows belong together, as those of a person.")] = None,
    time: Annotated[
        str | None, typer.Option(help="Column of dates: judge on rows later than those learned from.")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    costs: Annotated[
        str | None, typer.Option(help="What mistakes cost: true:said=cost, parted by commas, as ill:well=20.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The class that f1, auc and average_precision are about.")
    ] = None,
    models: Annotated[str | None, typer.Option(help="Names from the leaderboard, parted by commas.")] = None,
    tune: Annotated[bool, typer.Option("--tune/--no-tune", help="Whether to seek settings.")] = True,
    folds: Annotated[int | None, typer.Option(min=2, help="Folds (default: by rows).")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Repetitions of the folds (default: by rows).")] = None,
    n_jobs: Annotated[int | None, typer.Option(min=1, help="Processes (default: one per core).")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="A Dask scheduler, as tcp://host:8786, that does the fits.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a study of the same table stopped.")] = False,
    export: Annotated[
        list[Path] | None,
        typer.Option(
            help="A script (.py) or notebook (.ipynb) to write, which makes the kept model again; may be repeated."
        ),
    ] = None,
    fair: Annotated[
        list[str] | None,
        typer.Option(help="A column whose groups the report compares, learned from or not; may be repeated."),
    ] = None,
    increasing: Annotated[
        list[str] | None, typer.Option(help="A number with which the prediction may only rise; may be repeated.")
    ] = None,
    decreasing: Annotated[
        list[str] | None, typer.Option(help="A number with which the prediction may only fall; may be repeated.")
    ] = None,
    interactions: Annotated[
        str | None, typer.Option(help="How many columns may act together: none or pairwise (default: any).")
    ] = None,
    sep: SEPARATOR = None,
    encoding: ENCODING = None,
) -> None:
    """Compare models on a table, keep one, judge it on unseen rows, write report, model and scores."""
    with refusing("study"):
        from novum.study.folder_names import default_folder

        folder = out or Path(default_folder(table.name if str(table) != "-" else "table", target))
        check_folder(folder)  # before the work, not after it
        for path in export or []:
            check_export(path, folder)
        limit = seconds_in(time_limit)
        if cluster is not None and not re.fullmatch(r"\w+://.+:\d+", cluster):
            raise ParameterError(
                f"--cluster {cluster}: is no address of a Dask scheduler; write it as tcp://host:8786."
            )
        from novum.cli import seconds_so_far
        from novum.study import Study
        from novum.study.data.large import MOST_CELLS
        from novum.study.scoring.costs import read_costs

        with Terminal() as terminal:
            read = read_argument(table, sep, encoding, most_cells=MOST_CELLS, advance=terminal.read)
        study = Study(
            read,
            target,
            task=task,
            scoring=scoring,
            models=models.split(",") if models else None,
            drop=drop or [],
            prefer=prefer,
            tune=tune,
            group=group,
            time=time,
            weights=weights,
            costs=read_costs(costs) if costs else None,
            positive=positive,
            random_state=random_state,
            folds=folds,
            repeats=repeats,
            time_limit=None if limit is None else max(LEAST_SECONDS, limit - seconds_so_far()),
            n_jobs=n_jobs,
            cluster=cluster,
            fair=fair,
            increasing=increasing or (),
            decreasing=decreasing or (),
            interactions=interactions,
        )
        kept_fits, there = folder / PROGRESS, folder.exists()
        if not resume:
            shutil.rmtree(kept_fits, ignore_errors=True)
        with Terminal() as terminal:
            result = study.run(terminal, resume=kept_fits)
        if not result.leaders:
            shutil.rmtree(kept_fits if there else folder, ignore_errors=True)
            stopped = result.scores.stopped if result.scores else ""
            why = (
                f"stopped ({stopped}) before a model finished its folds" if stopped else "; ".join(result.trained()[1:])
            )
            typer.echo(f"novum study: {why}; nothing is written.", err=True)
            raise typer.Exit(INTERRUPTED if stopped == "interrupted" else 2)
        paths = result.write_report(folder)
        show("written", [f"{paths[0]} (offline, {file_size(paths[0])})   " + "   ".join(map(str, paths[1:]))])
        if result.unsaved:
            typer.echo(f"novum study: the model is not saved: {result.unsaved}", err=True)
        if not result.complete:
            show("", ["go on with the same command and --resume"])
            raise typer.Exit(INTERRUPTED)
        shutil.rmtree(kept_fits, ignore_errors=True)
        for path in export or []:
            drawn = MOST_CELLS if getattr(read, "whole", None) is not None else None
            result.export(path, reading={"separator": sep, "encoding": encoding, "most_cells": drawn})
            show("", [f"{path} (makes the model again)"])
        if result.unsaved:
            raise typer.Exit(UNSAVED)
        show("", [f"the model was {result.saved_from()}; {file_size(paths[1])}"])
        typer.echo(f"next: novum predict {folder / 'model.novum'} new.csv -o predictions.csv")


def seconds_in(text: str | None) -> float | None:
    """Return a time written as 90, 90s, 5m or 1.5h in seconds."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([smh]?)\s*", text.lower())
    if match is None or float(match[1]) == 0:
        raise ParameterError(f"--time-limit {text}: is no time above 0; write 90, 90s, 5m or 1h.")
    return float(match[1]) * UNITS[match[2]]


def file_size(path: Path) -> str:
    """Return the size of a file in words."""
    from novum.study.result import bytes_text

    return bytes_text(path.stat().st_size)


def check_folder(folder: Path) -> None:
    """Raise unless the results can be written."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise SourceError(f"{there}: is a file; name a folder for the report.")
    if not os.access(there, os.W_OK):
        raise SourceError(f"{there}: cannot be written; name another folder with --out.")


def check_export(path: Path, folder: Path) -> None:
    """Raise unless a program can be written there; the folder of the report will be."""
    if path.suffix.lower() not in (".py", ".ipynb"):
        raise ParameterError(f"--export {path}: the name must end in .py or .ipynb.")
    parent = path.absolute().parent
    if path.is_dir() or not (parent.is_dir() or parent == folder.absolute()):
        raise SourceError(f"{path}: cannot be written; name a file in a folder that is there.")


def show(name: str, lines: list[str]) -> None:
    """Print the lines of a step with its name before the first."""
    for number, line in enumerate(lines):
        typer.echo(f"  {name if number == 0 else '':<{INDENT - 2}}{line}".rstrip())


def last_fit_bar(n_rows: int, seconds: float) -> Any:
    """Return a bar, started, that moves with the clock: nobody counts the steps of a fit."""
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, TextColumn
    from rich.text import Text

    class SecondsLeft(ProgressColumn):
        def render(self, task: Any) -> Text:
            left = seconds - (task.elapsed or 0.0)
            return Text(f"about {left:.0f} s left" if left > 0.5 else "soon done")

    bar = Progress(
        TextColumn(f"  {'fit':<{INDENT - 2}}"),
        SpinnerColumn(),
        TextColumn(f"the kept model on {counted(n_rows, 'row')}"),
        SecondsLeft(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    bar.add_task("", total=None)
    return bar


class Terminal:
    """Reports the steps as they happen; a bar for the fits where there is a terminal to draw it on."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.task: Any = None
        self.drawn = ""

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
        """Print what a step found."""
        self.end()
        if name == "leaderboard":
            typer.echo("\n".join(f"  {line}" for line in lines))
        else:
            show(name, lines)
        sys.stdout.flush()

    def formed(self, name: str, score: str) -> None:
        """Print the score of a model that has finished its folds."""
        line = f"{'':<{INDENT}}{name:<36}{score:>10}"
        if self.bar is not None:
            self.bar.console.print(line, markup=False, highlight=False)
        else:
            typer.echo(line)
            sys.stdout.flush()

    def read(self, done: int, planned: int) -> None:
        """Move the bar of the rows that are read."""
        self.move("read", "rows", done, planned)

    def advance(self, done: int, planned: int) -> None:
        """Move the bar of the fits."""
        self.move("train", "fits", done, planned)

    def fitting(self, n_rows: int, seconds: float) -> None:
        """Show how long the last fit of the kept model takes, where there is a terminal."""
        self.end()
        if sys.stderr.isatty():
            self.bar = last_fit_bar(n_rows, seconds)
            self.drawn = "fit"

    def explained(self, done: int, planned: int) -> None:
        """Move the bar of the columns whose importance is measured."""
        self.move("explain", "columns", done, planned)

    def looked(self, done: int, planned: int) -> None:
        """Move the bar of what is found about the kept model."""
        self.move("look", "steps", done, planned)

    def move(self, name: str, what: str, done: int, planned: int) -> None:
        """Move a bar, or draw it first."""
        if not sys.stderr.isatty():
            return
        if self.bar is None or self.drawn != name:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self.end()
            self.bar = Progress(
                TextColumn(f"  {name:<{INDENT - 2}}"),
                BarColumn(30),
                MofNCompleteColumn(),
                TextColumn(what),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task, self.drawn = self.bar.add_task("", total=planned), name
        self.bar.update(self.task, completed=done, total=planned)
