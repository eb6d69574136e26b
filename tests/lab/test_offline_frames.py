"""The page of one frame: it opens at the frame that was on show, with the script of that very frame."""

import json
import re

import pytest
from lab.runs import printed_by, run_of

from novum.lab.protocol.events import frame_place
from novum.lab.registry import scenes
from novum.lab.server.assets import built_files
from novum.lab.server.export import offline_page, scene_page
from novum.lab.server.requests import answer_to

HALVES = {"points": {"preset": "blobs", "n": 60, "noise": 0.5}, "k": 3}
THINNED = {"most": 5000}  # draws of the scene `information`, of which few are shown


def told(name, state, frame, part):
    """Return the answer about a frame, and the frame that the page then shows."""
    answer = answer_to({"kind": "events", "scene": name, "state": state, "frame": frame, "part": part})
    shown = [content for kind, content in answer["events"] if kind == "frame"][answer["place"]]
    return answer, shown


@pytest.mark.parametrize(("n", "part"), [(0, "E"), (1, "M"), (1, "E"), (2, "M")])
def test_halves_of_a_step_have_scripts_of_their_own(n, part):
    answer, shown = told("kmeans", HALVES, n, part)
    assert (shown["n"], shown["part"]) == (n, part)
    assert printed_by(answer["python"]) == shown["values"]["J"]


def test_a_frame_among_left_out_ones_has_its_own_script():
    kept = [frame.n for frame in run_of("information", **THINNED).frames]
    late = kept[-2]
    assert late - kept[-3] > 1, "frames before it were left out"
    answer, shown = told("information", THINNED, late, "")
    assert shown["n"] == late and printed_by(answer["python"]) == shown["values"]["shared"]
    between, before = told("information", THINNED, late - 1, "")
    assert before["n"] == kept[-3] and printed_by(between["python"]) == before["values"]["shared"]


def test_a_step_that_a_run_does_not_have_is_refused():
    answer = answer_to({"kind": "code", "scene": "kernel-trick", "state": {}, "frame": 10**5, "part": ""})
    assert answer == {"refused": {"sentence": "frame=100000: this run has no such step.", "control": "frame"}}


def test_places_of_frames():
    steps = [(0, "E"), (1, "M"), (1, "E"), (2, "M"), (5, "M")]
    events = [("head", {}), *(("frame", {"n": n, "part": part}) for n, part in steps), ("end", {})]
    assert [frame_place(events, n, part) for n, part in steps] == [0, 1, 2, 3, 4]
    assert frame_place(events, None) == 4 and frame_place(events, 99) == 4
    assert frame_place(events, 1) == 1, "the first half, where none is named"
    assert frame_place(events, 4, "E") == 3, "the last before a step that was left out"


def test_the_page_opens_at_the_frame_and_holds_its_script():
    scene = scenes()["kmeans"]
    page = scene_page(scene, HALVES, 1, "en", "novum lab")
    meta = json.loads(re.search(r'<script type="application/json" id="meta">(.*?)</script>', page)[1])
    frames = run_of("kmeans", **HALVES).frames
    assert (frames[meta["frame"]].n, frames[meta["frame"]].part) == (1, "M") == (1, meta["part"])
    assert printed_by(meta["python"]) == frames[meta["frame"]].values["J"]


def test_every_page_has_room_left():
    """A page of 250 kB at most, 95 of them its own: then a run of more points too stays below the 300 kB that are promised."""
    own = built_files()["offline.html"].path.stat().st_size
    large = {}
    for name, scene in scenes().items():
        if not scene.deep:
            size = len(offline_page(run_of(name).events, {"frame": 0}).encode())
            if size - own > 155_000:
                large[name] = size - own
    assert large == {}
