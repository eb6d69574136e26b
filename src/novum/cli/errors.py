"""What goes wrong with a user's files is reported in one sentence on standard error, with exit status 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from novum.cli.messages import in_words_of_the_shell
from novum.exceptions import ClusterLost, DataError, FileFormatError, ParameterError, SourceError

__all__ = ["refusing"]


@contextmanager
def refusing(command: str) -> Iterator[None]:
    """Turn errors about the input into a sentence and exit status 2; other errors are bugs and keep their traceback."""
    try:
        yield
    except (ClusterLost, DataError, FileFormatError, ParameterError, SourceError, MemoryError) as error:
        sentence = in_words_of_the_shell(error) or "there is not enough memory for this table."
        typer.echo(f"novum {command}: {sentence}", err=True)
        raise typer.Exit(2) from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "novum":
            raise
        typer.echo(f"novum {command}: needs the package {error.name!r}: pip install 'novum[study]'.", err=True)
        raise typer.Exit(2) from error
    except ImportError as error:
        if "pip install 'novum[" not in str(error):  # ours, about an extra, says what to install
            raise
        typer.echo(f"novum {command}: {error}.", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo(f"novum {command}: interrupted; nothing is written.", err=True)
        raise typer.Exit(130) from None  # what a shell expects of a command that Ctrl-C ended
    except BrokenPipeError:
        raise typer.Exit(141) from None  # whoever read our output has gone, as `| head` does
    except OSError as error:
        typer.echo(f"novum {command}: {error.filename}: {error.strerror}.", err=True)
        raise typer.Exit(2) from error
