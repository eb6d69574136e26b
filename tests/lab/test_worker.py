"""The process that runs scenes, without a server."""

import io
import json
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
    worker = Worker([json.dumps(line).encode() for line in lines], written)
    with pytest.raises(SystemExit):
        worker.listen(end=sys.exit)
    assert HEADER.unpack(written.getvalue()) == (DONE, 0), "the first stop is answered, the second has nothing to stop"
    assert worker.requests.get_nowait()["kind"] == "find" and not worker.stop.is_set()
