"""Every text of the page in every language: the same keys, the same placeholders, none missing and none left over."""

import json
import re

import pytest

from novum.lab.controls import Choice
from novum.lab.registry import scenes
from novum.lab.server.assets import HERE, LANGUAGES, scene_words, words_in

NAMES = sorted(scenes())


def placeholders(text):
    """Return the names that a sentence fills in, wherever they stand."""
    return set(re.findall(r"\{(\w+)[},]", text))


def branches(text):
    """Return how many plurals a sentence has, and whether all of them end in "other"."""
    return len(re.findall(r", (?:plural|select),", text)), len(re.findall(r"\bother \{", text))


def needed(scene):
    """Return the keys that a scene must have, but for its sentences."""
    own = f"scene.{scene.name}"
    keys = {f"{own}.{key}" for key in ("title", "question", "try", "hint")}
    keys |= {f"{own}.control.{name}" for name in scene.controls}
    keys |= {f"{own}.view.{view['id']}" for view in scene.views}
    keys |= {f"{own}.part.{part}" for part in scene.parts}
    for name, control in scene.controls.items():
        if isinstance(control, Choice):
            keys |= {f"{own}.choice.{name}.{choice}" for choice in control.choices}
    if scene.points is not None:
        keys |= {f"{own}.preset.{preset}" for preset in scene.points.presets} | {f"{own}.control.points"}
    for view in scene.views:
        keys |= {f"{own}.{series['label']}" for series in view.get("series", []) if "label" in series}
        keys |= {f"{own}.{view[name]}" for name in ("x_label", "y_label") if name in view}
        if view["kind"] == "number":
            keys.add(f"{own}.value.{view['value']}")
    return keys


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_scene_has_all_its_words(name, language):
    words = scene_words(language, name)
    assert needed(scenes()[name]) - set(words) == set()
    assert all(isinstance(text, str) and text.strip() for text in words.values())


@pytest.mark.parametrize("name", NAMES)
def test_languages_have_the_same_keys_and_placeholders(name):
    first, *others = (scene_words(language, name) for language in LANGUAGES)
    for words in others:
        assert set(words) == set(first)
        for key, text in first.items():
            assert placeholders(words[key]) == placeholders(text), key
            assert branches(words[key])[0] == branches(words[key])[1], key
        same = [key for key in first if words[key] == first[key] and len(first[key].split()) > 3]
        assert same == [], "these are not translated"


def test_the_shell_speaks_every_language_too():
    if not (HERE / "words" / "en" / "shell.json").exists():
        pytest.skip("the page has no words yet")
    first, *others = (
        json.loads((HERE / "words" / one / "shell.json").read_text(encoding="utf-8")) for one in LANGUAGES
    )
    for words in others:
        assert set(words) == set(first)
        assert [key for key in first if placeholders(words[key]) != placeholders(first[key])] == []


def test_no_file_of_words_is_left_over():
    for language in LANGUAGES:
        folder = HERE / "words" / language
        assert {path.stem for path in folder.glob("*.json")} <= {"shell", "analyst", "record"}
        places = {path.stem: path.parent.name for path in folder.glob("*/*.json")}
        assert places == {name: scene.family for name, scene in scenes().items()}
        assert all(text == text.strip() for text in words_in(language).values())


@pytest.mark.parametrize("name", NAMES)
def test_sentences_of_a_run_are_in_the_words(name):
    from lab.runs import run_of

    scene = scenes()[name]
    if scene.deep:
        pytest.skip("needs PyTorch")
    words = scene_words("en", name)
    for frame in run_of(name).frames:
        if frame.say is not None:
            key, values = frame.say
            assert placeholders(words[f"scene.{name}.say.{key}"]) <= set(values), key


def keys_in(value):
    """Return the keys of words among the arrays of a frame: "label.open"."""
    if isinstance(value, str):
        return {value} if value.startswith("label.") else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(keys_in, inner))


@pytest.mark.parametrize("name", NAMES)
def test_labels_of_a_run_are_in_the_words(name):
    from lab.runs import run_of

    if scenes()[name].deep:
        pytest.skip("needs PyTorch")
    words = scene_words("en", name)
    for frame in run_of(name).frames:
        assert {key for key in keys_in(frame.arrays) if f"scene.{name}.{key}" not in words} == set()
