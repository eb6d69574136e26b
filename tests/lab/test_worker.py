"""The process that runs scenes, without a server."""

import io
import json
import subprocess
import sys

import pytest


def test_a_run_stopped_while_it_waits_is_given_back_at_once():
    """A process that imports for long has not begun what it was asked: it need not be ended to forget it."""
    from novum.lab.server.messages import DONE, HEADER
    from novum.lab.server.worker import Worker

    written = io.BytesIO()
    lines = [
        {"kind": "run", "scene": "kmeans", "state": {}},
        {"stop": True},
        {"stop": True},
        {"kind": "find", "q": "em"},
    ]
    worker = Worker([json.dumps(line).encode() for line in lines], written, 2**31)
    with pytest.raises(SystemExit):
        worker.listen(end=sys.exit)
    assert HEADER.unpack(written.getvalue()) == (DONE, 0), "the first stop is answered, the second has nothing to stop"
    assert worker.requests.get_nowait()["kind"] == "find" and not worker.stop.is_set()


GROWS = """
import sys
from novum.lab.server.worker import limit_memory

held = []
for _ in range(4):
    limit_memory(400 * 2**20)
    held.append(bytearray(300 * 2**20))
try:
    held.append(bytearray(600 * 2**20))
except MemoryError:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there are a process's addresses counted")
def test_memory_is_counted_from_what_a_process_has_when_it_is_asked():
    """Libraries that scenes have loaded hold more addresses than one run may take: a later one must not be refused for them."""
    ran = subprocess.run([sys.executable, "-c", GROWS], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.split() == ["refused"]


def test_every_request_has_its_own_share_of_memory(monkeypatch):
    from novum.lab.server import worker as module

    class OverError(Exception):
        pass

    limits: list[int] = []
    monkeypatch.setattr(module, "limit_memory", limits.append)
    monkeypatch.setattr(module, "warmed", lambda: iter(()))
    worker = module.Worker([], io.BytesIO(), 2**31)
    monkeypatch.setattr(worker, "listen", lambda: None)
    asked = iter([{"kind": "find"}, {"kind": "find"}])

    def next_one(*_):
        if (request := next(asked, None)) is None:
            raise OverError
        return request

    monkeypatch.setattr(worker.requests, "get_nowait", next_one)
    monkeypatch.setattr(worker, "answer", lambda request: None)
    with pytest.raises(OverError):
        worker.work()
    assert limits == [2**31] * 3, "once while it gets ready, then for each request"
