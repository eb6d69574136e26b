"""Write the runs that are shipped, so that the first scene is drawn before any process has imported what it needs.

python tools/lab_recorded.py
"""

import json
from pathlib import Path

from novum.lab.protocol.events import events_of
from novum.lab.registry import scene_named
from novum.lab.server.export import recorded_events

FOLDER = Path(__file__).parents[1] / "src" / "novum" / "lab" / "recorded"
SHIPPED = ("kmeans",)


def recording(name: str) -> str:
    """Return the default run of a scene as the page reads it, without times."""
    scene = scene_named(name)
    assert scene is not None
    events = recorded_events(list(events_of(scene, {}, clock=lambda: 0.0)))
    return json.dumps(events, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


if __name__ == "__main__":
    for name in SHIPPED:
        (FOLDER / f"{name}.json").write_text(recording(name), encoding="utf-8")
