"""The process that reads a table or studies it: `python -m novum.lab.server.study_process`, with a group of its own.

One line of JSON says what to do; events and then one answer come back, in the form of novum.lab.server.messages. A second line
{"stop": true} interrupts a study, which keeps what is finished; the end of the input ends the process and all that it started.
"""

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any, BinaryIO

from novum.lab.server.messages import ANSWER, EVENT, packed
from novum.lab.server.worker import limit_memory
from novum.study.listener import Listener

__all__ = ["main"]

OFTEN = 0.1  # seconds between two events of one step


class Reporter(Listener):
    """Sends the steps of a study as events."""

    def __init__(self, send: Callable[[bytes, Any], None], limit: float) -> None:
        self.send, self.limit, self.start, self.last = send, limit, perf_counter(), 0.0

    def progress(self, step: str, done: int, of: int) -> None:
        """Say how far a step is, not more often than a page can show."""
        now = perf_counter()
        if now - self.last >= OFTEN or done == of:
            self.last = now
            made = {"step": step, "done": done, "of": of, "elapsed": now - self.start, "limit": self.limit}
            self.send(EVENT, {"progress": made})

    def step(self, name: str, lines: list[str]) -> None:
        self.send(EVENT, {"lines": {"step": name, "lines": lines}})

    def formed(self, name: str, score: str) -> None:
        self.send(EVENT, {"lines": {"step": "model", "lines": [f"{name}: {score}"]}})

    def advance(self, done: int, planned: int) -> None:
        self.progress("train", done, planned)

    def explained(self, done: int, planned: int) -> None:
        self.progress("explain", done, planned)

    def looked(self, done: int, planned: int) -> None:
        self.progress("look", done, planned)


def described(request: dict[str, Any], send: Callable[[bytes, Any], None]) -> dict[str, Any]:
    """Return what a table holds."""
    from novum.lab.analyst.table import described_table
    from novum.study.data.files import read_table
    from novum.study.data.large import MOST_CELLS

    limit_memory(request["memory"])
    return described_table(read_table(request["table"], most_cells=MOST_CELLS))


def studied(request: dict[str, Any], send: Callable[[bytes, Any], None]) -> dict[str, Any]:
    """Study a table, write the folder, and return whether there is one and what came of it."""
    from novum.study import Study, read_table
    from novum.study.data.large import MOST_CELLS

    reporter = Reporter(send, request["options"]["time_limit"])
    reporter.progress("read", 0, 0)
    study = Study(read_table(request["table"], most_cells=MOST_CELLS), **request["options"])
    result = study.run(reporter)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is finished is written, whoever stops now
    if not result.leaders:
        stopped = result.scores.stopped if result.scores else ""
        return {"folder": None, "why": stopped or "; ".join(result.trained()[1:])}
    reporter.progress("write", 0, 0)
    result.write_report(request["folder"])
    return {"folder": request["folder"], "complete": result.complete, "unsaved": result.unsaved}


WORK = {"describe": described, "study": studied}


def listen(reading: BinaryIO) -> None:
    """Interrupt the work when it is to stop; end it, with every process it started, when the server has gone."""
    for _ in reading:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            import _thread

            _thread.interrupt_main()
    end_all()


def end_all() -> None:
    """End this process and every one that it started: none is waited for, none stays."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def main() -> None:
    """Do what the first line says."""
    from novum.exceptions import DataError, ParameterError, SourceError

    writing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes to the terminal, not between the messages
    warnings.simplefilter("ignore")
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=listen, args=(sys.stdin.buffer,), daemon=True).start()
    sending = threading.Lock()

    def send(kind: bytes, content: Any) -> None:
        with sending:
            writing.write(packed(kind, json.dumps(content, ensure_ascii=False, allow_nan=False).encode()))
            writing.flush()

    try:
        answer = WORK[request["kind"]](request, send)
    except (DataError, ParameterError, SourceError) as error:
        answer = {"refused": str(error)}
    except MemoryError:
        answer = {"refused": "there is not enough memory for this table."}
    except KeyboardInterrupt:
        answer = {"refused": "stopped before there was anything to keep."}
    except Exception as error:
        print(f"novum lab: {type(error).__name__}: {error}", file=sys.stderr)
        answer = {"refused": "the study failed; the terminal says why."}
    send(ANSWER, answer)
    end_all()


if __name__ == "__main__":
    main()
