"""novum serve: a saved model behind HTTP, until Ctrl-C or SIGTERM."""

import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from novum.cli.errors import refusing
from novum.exceptions import ParameterError

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="A model that novum study wrote.")],
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name that requests may be addressed to besides localhost; may be repeated."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that answer; each loads the model.")] = 1,
    rows: Annotated[int, typer.Option(min=1, help="Rows that one request may have.")] = 10_000,
    megabytes: Annotated[float, typer.Option(help="Size that one request may have.")] = 10.0,
    timeout: Annotated[
        float, typer.Option(help="Seconds that a request may take, and that a stop waits for those at work.")
    ] = 30.0,
    access_log: Annotated[
        str | None, typer.Option(help="File for a line of JSON per request; - is standard output.")
    ] = None,
) -> None:
    """Serve predictions and explanations over HTTP, with an OpenAPI description and a page to try them at /docs.

    Where the environment has NOVUM_SERVE_TOKEN, requests must bring it as Authorization: Bearer <token>, but those to /health and
    /ready.
    """
    with refusing("serve"):
        for option, value in (("--megabytes", megabytes), ("--timeout", timeout)):
            if not 0 < value < 1e6:
                raise ParameterError(f"{option} {value:g}: must be above 0 and below a million.")
        for package in ("uvicorn", "starlette"):
            try:
                __import__(package)
            except ImportError as error:
                raise ImportError(f"needs {package}: pip install 'novum[serve]'") from error

        import novum
        from novum.study.data.schema import schema_of
        from novum.study.serving.access import AccessLog, token_in
        from novum.study.serving.app import Limits
        from novum.study.serving.metrics import Meter
        from novum.study.serving.workers import Served, open_sockets, serve, serve_together, shared_counts

        limits = Limits(rows=rows, bytes=round(megabytes * 2**20), seconds=timeout)
        hosts = ["localhost", host, socket.gethostname(), *(allow_host or [])]
        served = Served(model, limits, hosts, token_in(os.environ), access_log)
        schema = schema_of(novum.load(model), model.name)
        if access_log is not None:
            AccessLog(access_log).close()  # before the start, not after it
        sockets, shared = open_sockets(host, port, workers), shared_counts(workers)
        where = f"http://{host}:{sockets[0].getsockname()[1]}"
        typer.echo(f"{model.name} predicts {schema.target} at {where}/predict; {where}/docs says how. Ctrl-C ends it.")
        try:
            if workers == 1:
                serve(served, sockets[0], shared)
            else:
                serve_together(served, sockets, shared)
        finally:
            for one in sockets:
                one.close()
        answered = Meter(shared, 0).answered()
        typer.echo(f"ended after {answered:,} request{'' if answered == 1 else 's'}")
