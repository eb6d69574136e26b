"""Every scene: its events are as the protocol says, two runs are the same bytes, and scripts print the number that is shown."""

import itertools
import json
from pathlib import Path

import pytest
from lab.runs import printed_by, run_of
from lab.schema_check import problems

from novum.lab.protocol.events import MOST_BYTES, as_stream, events_of
from novum.lab.protocol.schema import CATALOGUE_ENTRY, EVENTS
from novum.lab.registry import catalogue, chapter_titles, scenes

HERE = Path(__file__).parent
NAMES = sorted(name for name, scene in scenes().items() if not scene.deep)
FALL = 1e-12  # of the shown number, relative: what rounding may do to a number that may not rise


@pytest.fixture(scope="module", params=NAMES)
def run(request):
    return run_of(request.param)


def test_events_are_as_the_protocol_says(run):
    for kind, content in run.events:
        assert problems(content, EVENTS[kind]) == []
    assert [kind for kind, _ in run.events] == ["head", *["frame"] * len(run.frames), "end"]


def test_two_runs_are_the_same_bytes(run):
    again = run_of(run.scene.name)
    assert list(map(as_stream, run.events)) == list(map(as_stream, again.events))


def test_a_run_is_no_larger_than_it_may_be(run):
    sizes = [len(as_stream(event)) for event in run.events]
    assert sizes[0] <= 512 * 1024 and sum(sizes) <= MOST_BYTES
    frames = [len(as_stream(event)) for event in run.events if event[0] == "frame"]
    assert max(frames[1:], default=0) <= 64 * 1024  # the first one brings the rows


def test_steps_are_numbered_and_differ(run):
    steps = [(frame.n, frame.part) for frame in run.frames]
    assert len(set(steps)) == len(steps) > 0
    assert [n for n, _ in steps] == sorted(n for n, _ in steps)
    assert {frame.part for frame in run.frames} <= {"", *run.scene.parts}


def test_the_shown_number_goes_where_it_must(run):
    if run.scene.rising is None:
        return
    shown = [value for value in run.shown() if value is not None]
    sign = 1 if run.scene.rising == "up" else -1
    for before, after in itertools.pairwise(shown):
        assert sign * (after - before) >= -FALL * max(abs(before), abs(after), 1e-300)


def test_views_are_bound_to_what_frames_have(run):
    frame = run.last
    known = {*frame.values, *frame.arrays, *run.scene.controls}
    for view in run.scene.views:
        for name, bound in view.items():
            if name in OF_THE_VIEW or not isinstance(bound, str):
                continue
            assert bound in known, f"{view['id']}.{name}"
        for series in view.get("series", []):
            assert {series[key] for key in ("value", "array", "low", "high") if key in series} <= known


OF_THE_VIEW = {
    *("kind", "id", "linked", "formula", "map_kind", "map_scale", "edit", "drag", "pick", "draw", "pointer", "role"),
    *("y_label", "x_label", "form"),
}


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_the_script_prints_the_number_that_is_shown(run, place):
    frame = run.frames[{"first": 0, "middle": len(run.frames) // 2, "last": -1}[place]]
    value = frame.values[run.scene.shown]
    if value is None:
        pytest.skip("this frame shows no number")
    code = run.scene.script(run.state, frame.n, frame.part)
    assert printed_by(code) == value
    assert (
        "novum.lab" not in code and "._" not in code and " _" not in code.replace(", _ =", "").replace("for _ in", "")
    )


def test_every_scene_has_tests_of_its_own():
    tests = {
        name: HERE / "scenes" / scene.family / f"test_{name.replace('-', '_')}.py" for name, scene in scenes().items()
    }
    assert [name for name, file in tests.items() if not file.exists()] == []


def test_the_catalogue_is_as_the_protocol_says():
    for entry in catalogue():
        assert problems(entry, CATALOGUE_ENTRY) == []
        json.dumps(entry, allow_nan=False)
    assert [problems(chapter["title"], {"type": "string"}) for chapter in chapter_titles()]


def test_a_run_that_is_stopped_ends_without_a_word():
    scene = scenes()["kmeans"]
    seen = []
    for event in events_of(scene, {}, stopped=lambda: len(seen) >= 3):
        seen.append(event)
    assert [kind for kind, _ in seen] == ["head", "frame", "frame"]


def test_a_scene_that_needs_pytorch_says_so_where_there_is_none(monkeypatch):
    monkeypatch.setattr("novum.lab.protocol.events.find_spec", lambda name: None)
    events = list(events_of(scenes()["autoencoder"], {}))
    assert [kind for kind, _ in events] == ["refused"] and "novum[deep]" in events[0][1]["sentence"]
    assert next(events_of(scenes()["kmeans"], {}))[0] == "head"
