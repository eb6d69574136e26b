"""Runs of scenes as tests read them: every frame with all of its arrays, decoded."""

import subprocess
import sys
from base64 import b64decode
from dataclasses import dataclass, field

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


def printed_by(code):
    """Return the last number that a program prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout.split()[-1])
