"""novum serve: a saved model behind HTTP, until Ctrl-C."""

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
    rows: Annotated[int, typer.Option(min=1, help="Rows that one request may have.")] = 10_000,
    megabytes: Annotated[float, typer.Option(help="Size that one request may have.")] = 10.0,
    timeout: Annotated[float, typer.Option(help="Seconds that a request may take.")] = 30.0,
) -> None:
    """Serve predictions and explanations over HTTP, with an OpenAPI description and a page to try them at /docs."""
    with refusing("serve"):
        for option, value in (("--megabytes", megabytes), ("--timeout", timeout)):
            if not 0 < value < 1e6:
                raise ParameterError(f"{option} {value:g}: must be above 0 and below a million.")
        try:
            import uvicorn
        except ImportError as error:
            raise ImportError("needs uvicorn: pip install 'novum[serve]'") from error

        import novum
        from novum.study.serving.app import Limits, ModelServer

        limits = Limits(rows=rows, bytes=round(megabytes * 2**20), seconds=timeout)
        hosts = ["localhost", host, socket.gethostname(), *(allow_host or [])]
        app = ModelServer(novum.load(model), limits, model.name, hosts)
        listening = open_socket(host, port)
        where = f"http://{host}:{listening.getsockname()[1]}"
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=3,
                limit_concurrency=200,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        typer.echo(
            f"{model.name} predicts {app.schema.target} at {where}/predict; {where}/docs says how. Ctrl-C ends it."
        )
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:  # the server has ended in order before it says so
            pass
        finally:
            listening.close()
        typer.echo(f"ended after {app.served:,} request{'' if app.served == 1 else 's'}")


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ParameterError(f"--host {host}: is no address of this machine ({error.strerror}).") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise ParameterError(
            f"--host {host} --port {port}: cannot listen there ({error.strerror}); name another with --port, 0 takes a free one."
        ) from error
    listening.set_inheritable(False)
    return listening
