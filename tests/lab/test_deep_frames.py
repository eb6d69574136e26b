"""Scenes that need PyTorch, held to what `test_frames` holds the others to."""

import pytest
from lab.runs import run_of
from lab.test_frames import (
    test_a_run_is_no_larger_than_it_may_be,
    test_events_are_as_the_protocol_says,
    test_steps_are_numbered_and_differ,
    test_the_script_prints_the_number_that_is_shown,
    test_the_shown_number_goes_where_it_must,
    test_two_runs_are_the_same_bytes,
    test_views_are_bound_to_what_frames_have,
)
from lab.test_words import keys_in, placeholders

from novum.lab.registry import scenes
from novum.lab.server.assets import scene_words

__all__ = [
    "test_a_run_is_no_larger_than_it_may_be",
    "test_events_are_as_the_protocol_says",
    "test_steps_are_numbered_and_differ",
    "test_the_script_prints_the_number_that_is_shown",
    "test_the_shown_number_goes_where_it_must",
    "test_two_runs_are_the_same_bytes",
    "test_views_are_bound_to_what_frames_have",
]
pytestmark = pytest.mark.deep


@pytest.fixture(scope="module", params=sorted(name for name, scene in scenes().items() if scene.deep))
def run(request):
    return run_of(request.param)


def test_sentences_and_labels_are_in_the_words(run):
    name = run.scene.name
    words = scene_words("en", name)
    for frame in run.frames:
        key, values = frame.say
        assert placeholders(words[f"scene.{name}.say.{key}"]) <= set(values)
        assert {label for label in keys_in(frame.arrays) if f"scene.{name}.{label}" not in words} == set()
