"""Runs of scenes as tests read them: every frame with all of its arrays, decoded."""

import json
import subprocess
import sys
import warnings
from base64 import b64decode
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from novum.lab.protocol.events import events_of
from novum.lab.registry import scene_named

DTYPES = {"f4": "<f4", "f8": "<f8", "u1": "u1", "i4": "<i4"}


@dataclass
class Shown:
    """A frame with the arrays of those before it."""

    n: int
    part: str
    values: dict
    arrays: dict
    say: list | None


@dataclass
class Run:
    scene: object
    state: object
    events: list
    frames: list[Shown] = field(default_factory=list)

    @property
    def last(self):
        return self.frames[-1]

    def at(self, n, part=""):
        """Return the frame of a step."""
        return next(frame for frame in self.frames if (frame.n, frame.part) == (n, part))

    def shown(self):
        """Return the shown number of every frame."""
        return [frame.values[self.scene.shown] for frame in self.frames]


def decoded(entry):
    """Return an array of an event."""
    if entry["t"] == "json":
        return entry["v"]
    return np.frombuffer(b64decode(entry["b"]), DTYPES[entry["t"]]).reshape(entry["s"])


def run_of(name, **state):
    """Return the run of a scene; its clock stands still, so that two are the same."""
    scene = scene_named(name)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # as in the process that runs scenes: what did not converge is shown, not warned of
        events = list(events_of(scene, state, clock=lambda: 0.0))
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "head" and kinds[-1] == "end", events[-1]
    run, arrays = Run(scene, scene.state(state), events), {}
    for kind, content in events:
        if kind in ("head", "frame"):
            arrays = {**arrays, **{key: decoded(entry) for key, entry in content["arrays"].items()}}
        if kind == "frame":
            run.frames.append(Shown(content["n"], content["part"], content["values"], arrays, content["say"]))
    return run


def refusal_of(name, **state):
    """Return what is said to a state, and about which control."""
    kind, content = list(events_of(scene_named(name), state))[-1]
    assert kind == "refused", kind
    return content["sentence"], content["control"]


PROGRAMS = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
for line in sys.stdin:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(json.loads(line), "<script>", "exec"), {"__name__": "__main__"})
        print(json.dumps([said.getvalue(), None]), flush=True)
    except Exception as error:
        print(json.dumps(["", f"{type(error).__name__}: {error}"]), flush=True)
"""


@cache
def interpreter():
    """Return a process that runs programs, each in names of its own; it has never heard of the lab."""
    return subprocess.Popen([sys.executable, "-c", PROGRAMS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def printed_by(code):
    """Return the last number that a program prints, in another process."""
    process = interpreter()
    process.stdin.write(json.dumps(code) + "\n")
    process.stdin.flush()
    printed, error = json.loads(process.stdout.readline())
    assert error is None, error
    return float(printed.split()[-1])
