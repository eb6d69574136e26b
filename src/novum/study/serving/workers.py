"""A server in one process or in several: they listen at one address, count into one memory, and end together.

Each worker loads the model itself and has a socket of its own for the same port, so that the system spreads connections evenly
(`SO_REUSEPORT`; where it is not known all of them take from one socket). The process that started them predicts nothing: it
starts a worker that has ended again, and hands on the signal to stop. A worker that is told to stop takes no further connections
and finishes the requests it has.
"""

import signal
import socket
import sys
import time
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any, NamedTuple

import novum
from novum.exceptions import DataError, ParameterError
from novum.study.serving.access import AccessLog
from novum.study.serving.app import Limits, ModelServer
from novum.study.serving.metrics import Meter, numbers_per_worker

__all__ = ["Served", "open_sockets", "serve", "serve_together", "shared_counts"]

SWITCH = 5e-4  # seconds after which a thread makes room for another: the one that answers must not wait for the one that predicts
BACKLOG = 512  # connections that wait to be taken
SOON, MOST_ENDS = 5.0, 3  # a worker that ends within so many seconds, so many times, will not do so any better again
AFTER = 5.0  # seconds beyond the time of a request, until a worker that does not end is ended


class Served(NamedTuple):
    """What is served, and how."""

    path: Path
    limits: Limits
    hosts: list[str]
    token: bytes | None
    log: str | None


def open_sockets(host: str, port: int, count: int) -> list[socket.socket]:
    """Return a socket per worker that listens at an address, or say why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ParameterError(f"--host {host}: is no address of this machine ({error.strerror}).") from error
    shared = count > 1 and hasattr(socket, "SO_REUSEPORT")
    made: list[socket.socket] = []
    try:
        for _ in range(count if shared else 1):
            one = socket.socket(family, kind, protocol)
            made.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if shared:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.bind(address)
            address = (address[0], one.getsockname()[1], *address[2:])  # the port that the first one got
            one.listen(BACKLOG)
            one.set_inheritable(False)
    except OSError as error:
        for one in made:
            one.close()
        raise ParameterError(
            f"--host {host} --port {port}: cannot listen there ({error.strerror}); name another with --port, 0 takes a free one."
        ) from error
    return made * (count if not shared else 1)


def serve(served: Served, listening: socket.socket, shared: Any = None, place: int = 0) -> None:
    """Serve in this process until a signal."""
    import uvicorn

    sys.setswitchinterval(SWITCH)
    app = ModelServer(
        novum.load(served.path),
        served.limits,
        served.path.name,
        served.hosts,
        token=served.token,
        log=None if served.log is None else AccessLog(served.log),
        meter=Meter(shared, place),
    )
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=round(served.limits.seconds + 1),
        limit_concurrency=2 * served.limits.waiting,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=64 * 1024,
    )
    signal.signal(signal.SIGTERM, nothing)  # uvicorn raises the signal again when it has ended in order
    try:
        uvicorn.Server(settings).run(sockets=[listening])
    except KeyboardInterrupt:  # likewise
        pass
    finally:
        listening.close()


def nothing(number: int, frame: Any) -> None:
    """Hear a signal."""


def shared_counts(workers: int) -> Any:
    """Return memory that the workers count into."""
    return get_context("spawn").RawArray("d", workers * numbers_per_worker())


def serve_together(served: Served, sockets: list[socket.socket], shared: Any) -> None:
    """Serve by as many workers as there are sockets until a signal; raise where they do not start."""
    context, stop = get_context("spawn"), []

    def started(place: int) -> Any:
        worker = context.Process(target=serve, args=(served, sockets[place], shared, place), daemon=False)
        worker.start()
        return worker

    before = {one: signal.signal(one, lambda number, _: stop.append(number)) for one in (signal.SIGTERM, signal.SIGINT)}
    workers, began, ends = [started(place) for place in range(len(sockets))], time.monotonic(), 0
    try:
        while not stop:
            connection.wait([worker.sentinel for worker in workers], timeout=0.5)
            for place, worker in enumerate(workers):
                if not worker.is_alive() and not stop:
                    ends = ends + 1 if time.monotonic() - began < SOON else 1
                    if ends > MOST_ENDS:
                        raise DataError(
                            f"{served.path}: the workers end as soon as they start; the messages above say why."
                        )
                    workers[place], began = started(place), time.monotonic()
    finally:
        end_workers(workers, served.limits.seconds + AFTER)
        for one, handler in before.items():
            signal.signal(one, handler)


def end_workers(workers: list[Any], seconds: float) -> None:
    """Tell the workers to stop, and wait until they have finished what they have; after so many seconds they are ended."""
    until = time.monotonic() + seconds
    for worker in workers:
        if worker.is_alive():
            worker.terminate()
    for worker in workers:
        worker.join(max(0.0, until - time.monotonic()))
        if worker.is_alive():
            worker.kill()
            worker.join()
