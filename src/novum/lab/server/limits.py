"""What a request may ask for."""

from typing import NamedTuple

__all__ = ["Limits"]


class Limits(NamedTuple):
    """Sizes and times of one request."""

    bytes: int = 2**20  # of a body
    seconds: float = 20.0  # of a run
    grace: float = 1.5  # seconds in which a run that nobody reads must stop; a new process imports for longer
    waiting: int = 4  # runs that wait for a process
    workers: int = 2
    memory: int = 2 * 2**30  # bytes that a process may take beyond those it has when it is ready
    body_seconds: float = 10.0
    table_bytes: int = 200 * 2**20  # of a table that is uploaded
    table_seconds: float = 120.0  # in which it must be read
    table_memory: int = 4 * 2**30  # bytes that reading it may take
