"""A run as events: `head`, frames, then `end`, or `refused` with a sentence.

An array that equals that of the frame before is left out. Times come from a clock, so that two runs with a clock that stands still
are the same bytes.
"""

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from novum import __version__
from novum.exceptions import DataError, ParameterError
from novum.lab.controls import Refusal
from novum.lab.frames import Event, Frame
from novum.lab.protocol.arrays import encoded, plain, plain_number
from novum.lab.protocol.digest import VERSION, digest
from novum.lab.protocol.thinning import thinned
from novum.lab.scene import Scene, State

__all__ = [
    "MOST_BYTES",
    "MOST_FRAMES",
    "SECONDS",
    "as_stream",
    "events_of",
    "final_frame",
    "frame_event",
    "frame_place",
]

SECONDS = 20.0
MOST_BYTES = 16 * 2**20
MOST_FRAMES = 1000


def head_of(scene: Scene, state: State) -> dict[str, Any]:
    """Return the first event of a run."""
    made = {
        "v": VERSION,
        "scene": scene.name,
        "state": state.given,
        "digest": digest(scene.name, state.given),
        "novum": __version__,
        "frames": None,
        "arrays": {},
    }
    if scene.points is not None:
        made["arrays"] = {"domain": encoded(state.points.domain)}
    return made


def frame_event(frame: Frame, known: dict[str, Any], ms: float) -> dict[str, Any]:
    """Return a frame as an event, without arrays that `known` has; those it has are noted there."""
    arrays = {}
    for name, value in frame.arrays.items():
        entry = encoded(value)
        if known.get(name) != entry:
            arrays[name] = known[name] = entry
    return {
        "n": frame.n,
        "part": frame.part,
        "values": {name: plain_number(value) for name, value in frame.values.items()},
        "arrays": arrays,
        "say": None if frame.say is None else [frame.say[0], plain(frame.say[1])],
        "ms": round(ms, 3),
    }


def events_of(
    scene: Scene,
    given: Any,
    *,
    clock: Callable[[], float] = perf_counter,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Event]:
    """Yield the events of a run; nothing after `stopped()` says so."""
    began = clock()
    try:
        if scene.deep and find_spec("torch") is None:
            raise Refusal("this scene needs PyTorch: pip install 'novum[deep]'.")
        state = scene.state(given)
        head = head_of(scene, state)
        yield "head", head
        known = dict(head["arrays"])
        count, size, why, left_out = 0, 0, None, False
        frames = scene.frames(state)
        for frame, skipped in thinned(frames):
            if stopped():
                return
            left_out |= skipped
            event = frame_event(frame, known, 1000 * (clock() - began))
            size += sum(len(entry.get("b", "")) or 64 for entry in event["arrays"].values())
            yield "frame", event
            count += 1
            if clock() - began > SECONDS or size > MOST_BYTES or count >= MOST_FRAMES:
                why = "limit"
                break
        kept = "thinned" if left_out else "all"
        yield "end", {"frames": count, "ms": round(1000 * (clock() - began), 3), "stopped": why, "kept": kept}
    except Refusal as refusal:
        yield "refused", {"sentence": refusal.sentence, "control": refusal.control}
    except (DataError, ParameterError) as error:
        yield "refused", {"sentence": str(error), "control": None}


def as_stream(event: Event) -> bytes:
    """Return an event as a server sends it."""
    kind, content = event
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"event: {kind}\ndata: {text}\n\n".encode()


def frame_place(events: list[Event], n: int | None, part: str = "") -> int:
    """Return which frame of a run shows a step, counted from 0: its half `part` where it has one; None asks for the last frame.

    Where the step was left out it is the last frame before it, which is what the page shows there.
    """
    steps = [(content["n"], content["part"]) for kind, content in events if kind == "frame"]
    if n is None:
        return len(steps) - 1
    if (n, part) in steps:
        return steps.index((n, part))
    before = [place for place, (step, _) in enumerate(steps) if step <= n]
    same = [place for place in before if steps[place][0] == n]
    return same[0] if same else before[-1] if before else 0


def final_frame(events: list[Event]) -> dict[str, Any]:
    """Return the last frame of a run."""
    return next(content for kind, content in reversed(events) if kind == "frame")
