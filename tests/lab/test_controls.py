"""Whatever a page sends, a control gives back a value of its domain or a sentence that names it."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novum.lab.controls import Choice, Graph, Matrix, Number, Refusal, Slider, Table, Text, Toggle
from novum.lab.registry import scenes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=12,
)
CONTROLS = [
    Slider(0.01, 2.0, 1.0, log=True),
    Slider(1, 12, 5, integer=True),
    Number(-5, 5, 0),
    Choice(("a", "b"), "a"),
    Toggle(),
    Text(20),
    Matrix(2, 2, -1, 1, default=[[0, 0], [0, 0]]),
    Matrix("k", 2, -1, 1),
    Table(("one", "two"), (("x", "y"),)),
    Graph({"nodes": ["a"], "arcs": [], "at": [[0.5, 0.5]]}),
]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: type(control).__name__)
@settings(max_examples=150, deadline=None)
@given(value=JSON)
def test_a_value_is_taken_or_refused_by_name(control, value):
    try:
        taken = control.check("eta", value)
    except Refusal as refusal:
        assert refusal.control == "eta" and "eta" in refusal.sentence and len(refusal.sentence) < 250
    else:
        assert control.check("eta", taken) == taken
        json.dumps(taken, allow_nan=False)


@pytest.mark.parametrize("name", scenes())
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_state_is_complete_or_refused(name, data):
    scene = scenes()[name]
    known = st.sampled_from([*scene.defaults(), "unheard"])
    given_state = data.draw(st.dictionaries(known, JSON, max_size=3) | JSON)
    try:
        state = scene.state(given_state)
    except Refusal as refusal:
        assert refusal.sentence
    else:
        assert set(state.given) == set(scene.defaults())
        assert scene.state(json.loads(json.dumps(state.given))).given == state.given


@pytest.mark.parametrize("name", scenes())
def test_the_ends_of_every_domain_are_taken(name):
    scene = scenes()[name]
    for control_name, control in scene.controls.items():
        for value in ends_of(control):
            assert control.check(control_name, value) == value
        for value in (math.nan, math.inf, "1e9", [], {}, 10**400):
            if not isinstance(control, Text):
                with pytest.raises(Refusal):
                    control.check(control_name, value)


def ends_of(control):
    """Return the extreme values of a control."""
    if isinstance(control, Slider | Number):
        return [control.min, control.max, control.default]
    return list(control.choices) if isinstance(control, Choice) else []


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"rows": [[0, 0, 5]]}, "2 numbers"),
        ({"rows": [[0, float("nan")]]}, "2 numbers"),
        ({"rows": [[0, 1e9]]}, "within 100000 of zero"),
        ({"rows": []}, "1 to 5,000 rows"),
        ({"rows": [[0, 0]] * 5001}, "not 5001"),
        ({"preset": "__import__"}, "must be one of"),
        ({"preset": "blobs", "file": "/etc/passwd"}, "is not known"),
        ({"rows": [[0, 0]], "domain": [[1, 1], [0, 1]]}, "not empty"),
        ([1], "must have a preset or rows"),
    ],
)
def test_points_that_are_none_are_refused(points, words):
    with pytest.raises(Refusal, match=words):
        scenes()["kmeans"].state({"points": points})


def test_points_are_rounded_before_they_are_used():
    state = scenes()["kmeans"].state({"points": {"rows": [[0.12345, 1 / 3]] * 6}})
    assert state.points.X[0].tolist() == [0.123, 0.333] == state.given["points"]["rows"][0]
