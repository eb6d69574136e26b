"""The scene of docs/guide/lab.md runs as it stands there, and is as short as the page says."""

import json
import re
from pathlib import Path

import numpy as np
from lab.runs import decoded, printed_by

from novum.lab.protocol.events import events_of
from novum.lab.registry import scenes
from novum.lab.server.assets import scene_words, words_in

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "lab.md").read_text(encoding="utf-8")


def test_the_scene_of_the_guide():
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "(Scene):" in block)
    names = {"__name__": "guide"}
    exec(code, names)
    scene = names["Degrees"]()
    assert len(code.splitlines()) <= 65
    events = list(events_of(scene, {"seed": 3}))
    frames = [content for kind, content in events if kind == "frame"]
    assert events[-1][0] == "end" and len(frames) == 7
    rows = decoded(frames[0]["arrays"]["rows"])
    for frame in frames:
        fitted = np.polynomial.Polynomial.fit(rows[:, 0], rows[:, 1], frame["n"])
        assert np.isclose(frame["values"]["rss"], ((rows[:, 1] - fitted(rows[:, 0])) ** 2).sum(), rtol=1e-8)
    for frame in (frames[0], frames[3], frames[-1]):
        assert printed_by(scene.script(scene.state({"seed": 3}), frame["n"], "")) == frame["values"]["rss"]


def test_the_words_of_the_guide():
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    words = json.loads(text)
    assert {"title", "question", "try", "hint", "control", "preset", "view", "value", "say"} == set(words)


def test_the_guide_lists_all_scenes_by_family():
    families = {}
    assert len(scenes()) > 60  # as the README says
    for name, scene in scenes().items():
        title = scene_words("en", name)[f"scene.{name}.title"]
        families.setdefault(words_in("en")[f"shell.family.{scene.family}"], []).append(f"`{name}`: {title}")
    rows = [f"| {family} | {'<br>'.join(listed)} |" for family, listed in families.items()]
    assert "| family | scenes |\n|---|---|\n" + "\n".join(rows) + "\n" in PAGE
