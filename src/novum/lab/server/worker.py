"""The process that runs scenes: `python -m novum.lab.server.worker`, which the server starts and talks to through pipes.

A line of JSON comes in for every request; the answer goes out as messages, a last one saying that it is done. A line
{"stop": true} ends the run at its next frame; the end of the input ends the process. While nothing is asked, it imports what other
scenes will need.
"""

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import Any, BinaryIO

from novum.lab.server.messages import ANSWER, DONE, EVENT, READY, packed

__all__ = ["main"]


class Worker:
    """Answers one request after another, each of which may take `memory` bytes more than the process has by then."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO, memory: int) -> None:
        self.reading, self.writing, self.memory = reading, writing, memory
        self.requests: Queue[dict[str, Any]] = Queue()
        self.stop = threading.Event()

    def listen(self, end: Callable[[int], None] = os._exit) -> None:
        """Put requests into the queue; end the process when the server has gone, whatever it is at.

        A request that is stopped while it waits, as for an import, is answered here: otherwise the server would end this process.
        """
        for line in self.reading:
            request = json.loads(line)
            if "stop" not in request:
                self.stop.clear()
                self.requests.put(request)
                continue
            try:
                self.requests.get_nowait()
            except Empty:
                self.stop.set()
            else:
                self.send(DONE)
        end(0)

    def send(self, kind: bytes, content: bytes = b"") -> None:
        self.writing.write(packed(kind, content))
        self.writing.flush()

    def work(self) -> None:
        """Answer requests until the process ends; import what scenes need in between."""
        threading.Thread(target=self.listen, daemon=True).start()
        limit_memory(self.memory)
        later = warmed()
        next(later, None)
        self.send(READY)
        while True:
            try:
                request = self.requests.get_nowait()
            except Empty:
                if next(later, None) is not None:
                    continue
                request = self.requests.get()
            limit_memory(self.memory)  # anew: libraries that came since hold addresses that are no one run's
            try:
                self.answer(request)
            except BrokenPipeError:
                return
            except Exception as error:
                print(f"novum lab: {type(error).__name__}: {error}", file=sys.stderr)
                self.fail(request["kind"], "the scene failed; the terminal says why.", type(error))
            self.send(DONE)

    def fail(self, kind: str, sentence: str, error: type) -> None:
        """Send a sentence in place of an answer."""
        said = {
            "sentence": "there is not enough memory for this." if error is MemoryError else sentence,
            "control": None,
        }
        if kind == "run":
            self.send(EVENT, f"event: refused\ndata: {json.dumps(said)}\n\n".encode())
        else:
            self.send(ANSWER, json.dumps({"refused": said}).encode())

    def answer(self, request: dict[str, Any]) -> None:
        from novum.lab.protocol.events import as_stream, events_of
        from novum.lab.registry import scene_named
        from novum.lab.server.requests import answer_to

        if request["kind"] == "run":
            scene = scene_named(request["scene"])
            assert scene is not None
            for event in events_of(scene, request["state"], stopped=self.stop.is_set):
                if self.stop.is_set():
                    return
                self.send(EVENT, as_stream(event))
        else:
            self.send(ANSWER, json.dumps(answer_to(request), ensure_ascii=False, allow_nan=False).encode())


def warmed() -> Iterator[str]:
    """Run the first frames of every scene, so that what it imports is there; the first scene of a visitor comes first."""
    from novum.lab.protocol.events import events_of
    from novum.lab.registry import scenes

    for name, scene in sorted(scenes().items(), key=lambda item: item[0] != "kmeans"):
        if not scene.deep:
            try:
                for _ in zip(range(3), events_of(scene, {})):
                    pass
            except Exception as error:  # whoever opens the scene hears of it
                print(f"novum lab: {name}: {type(error).__name__}: {error}", file=sys.stderr)
            yield name


def limit_memory(more: int) -> None:
    """Let the process take so many bytes more than it has, where the system can hold it to that."""
    try:
        import resource
    except ImportError:  # Windows: times and sizes are the limits there
        return
    try:
        pages = int(open("/proc/self/statm").read().split()[0])  # noqa: SIM115
    except OSError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, resource.RLIM_INFINITY))


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end is ours
    writing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes to the terminal, not between the messages
    warnings.simplefilter("ignore")
    Worker(sys.stdin.buffer, writing, int(sys.argv[1])).work()


if __name__ == "__main__":
    main()
