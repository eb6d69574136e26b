"""The command `novum`: one file of this folder per subcommand.

A file defines `command`, a typer function whose docstring is its help, or `group`, a typer application of several.
`COMMANDS` lists the files in the order of `novum --help`.
"""

import sys
import time
from importlib import import_module
from typing import Any

from novum import __version__

__all__ = ["COMMANDS", "application", "main", "seconds_so_far"]

COMMANDS = ("study", "predict", "explain", "serve", "convert", "network", "agent", "notes", "find", "tour", "lab")


BEGAN: list[float] = []  # when the command line was called, of `time.perf_counter`


def seconds_so_far() -> float:
    """Return how long the command has been running, imports and all; 0 where it was called from Python."""
    return time.perf_counter() - BEGAN[0] if BEGAN else 0.0


def application(requested: str | None = None) -> Any:
    """Return the typer application with every subcommand, or with the one that is requested, which starts faster."""
    import typer

    app = typer.Typer(
        name="novum", help="Machine learning as it is taught.", no_args_is_help=True, add_completion=False
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            typer.echo(f"novum {__version__}")
            raise typer.Exit

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        pass

    for name in [requested] if requested in COMMANDS else COMMANDS:
        module = import_module(f"novum.cli.{name}")
        if hasattr(module, "group"):
            app.add_typer(module.group, name=name)
        else:
            app.command(name)(module.command)
    return app


def main() -> None:
    """Run the command line."""
    BEGAN[:] = [time.perf_counter()]
    try:
        app = application(next(iter(sys.argv[1:]), None))
    except KeyboardInterrupt:
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "novum":
            raise
        sys.exit(
            f"novum: the command line needs the package {error.name!r}; install it with: pip install 'novum[study]'"
        )
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except ValueError as error:  # parameter and data errors are sentences for the user, not tracebacks
        sys.exit(f"novum: {error}")
