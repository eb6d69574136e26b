"""Answers that are no runs: the script and the notebook of a frame, a search, the events of an offline file."""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from novum.exceptions import DataError, ParameterError
from novum.lab.analyst.pages import answer_of
from novum.lab.analyst.script import script_of
from novum.lab.controls import Refusal
from novum.lab.protocol.events import events_of, frame_place
from novum.lab.registry import chapter_titles, row_of, scene_named, scenes
from novum.lab.scene import Scene
from novum.lab.server.assets import LANGUAGES, scene_words
from novum.study.export.notebook import notebook_text

__all__ = ["answer_to"]

SHOWN = 12  # of a search
LONG = 4  # letters of a word that may lead to a scene by itself
CLOSEST = 3  # rows whose chapters are shown where no scene shows the rows themselves


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request of a known kind; {"refused": ...} where its values are not those of the scene."""
    try:
        match request["kind"]:
            case "find":
                return {"found": found(request["q"])}
            case "study":
                return answer_of(request["folder"], request["page"], request["state"], request["data"])
            case "script":
                return script_of(request["folder"], request["state"], request["form"], request["data"])
            case "code":
                return {"python": code(scene_of(request), request)}
            case "notebook":
                return {"notebook": notebook(scene_of(request), request)}
            case _:
                scene = scene_of(request)
                run = list(events_of(scene, request["state"]))
                if run[-1][0] == "refused":
                    return {"refused": run[-1][1]}
                place = frame_place(run, request["frame"], request["part"])
                shown = [content for kind, content in run if kind == "frame"][place]
                own = {**request, "frame": shown["n"], "part": shown["part"]}
                return {"events": run, "place": place, "part": shown["part"], "python": code(scene, own)}
    except Refusal as refusal:
        return {"refused": {"sentence": refusal.sentence, "control": refusal.control}}
    except (DataError, ParameterError) as error:
        return {"refused": {"sentence": str(error), "control": None}}


def scene_of(request: dict[str, Any]) -> Scene:
    scene = scene_named(request["scene"])
    assert scene is not None
    return scene


def code(scene: Scene, request: dict[str, Any]) -> str:
    """Return the script of a frame."""
    try:
        return scene.script(scene.state(request["state"]), request["frame"], request["part"])
    except StopIteration as error:  # a script that looks for its step among those of the run
        raise Refusal(f"frame={request['frame']}: this run has no such step.", "frame") from error


class Step(NamedTuple):
    """A cell of a notebook, with what stands above it."""

    title: str
    words: list[str]
    code: str


def notebook(scene: Scene, request: dict[str, Any]) -> dict[str, Any]:
    """Return the script of a frame as a notebook, below the question of its scene."""
    words, own = scene_words(request["lang"], scene.name), f"scene.{scene.name}"
    step = Step(words[f"{own}.title"], [words[f"{own}.question"]], code(scene, request))
    return json.loads(notebook_text([step]))


def found(question: str) -> list[dict[str, Any]]:
    """Return the scenes that show what is searched for.

    First those of the rows of the notes, best first; then those whose own words, of any language, hold every word of the question.
    Where there are none, those of the chapters of the best rows, then those that hold some word, most words first.
    """
    from novum.notes import find

    if not question.strip():
        return []
    listed = find(question).rows
    place = {row.key: at for at, row in enumerate(listed)}
    wanted = folded(question).split()
    hits, spoken = [], []
    for name, scene in scenes().items():
        rows = sorted((place[row_of(key).key], key) for key in scene.rows if row_of(key).key in place)
        if rows or "-".join(wanted) in name:
            at, why = (rows[0][0], row_of(rows[0][1]).name) if rows else (len(place), name)
            best = -1 if "-".join(wanted) in name else at
            hits.append((best, {"scene": name, "rows": [key for _, key in rows], "why": why}))
        elif all(f" {word}" in spoken_text(name) for word in wanted):
            spoken.append({"scene": name, "rows": [], "why": ""})
    ranked = [hit for _, hit in sorted(hits, key=lambda hit: hit[0])]
    return (ranked + spoken or loosely(listed[:CLOSEST], wanted))[:SHOWN]


def loosely(rows: Sequence[Any], wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Return the scenes of the chapters of rows, said to be of the row they stand beside, and those with some of the words."""
    made: dict[str, dict[str, Any]] = {}
    for row in rows:
        for name, scene in scenes().items():
            if any(chapter(row_of(key)) == chapter(row) for key in scene.rows):
                made.setdefault(name, {"scene": name, "rows": [], "why": row.name})
    long = [word for word in wanted if len(word) >= LONG]
    held = {name: sum(f" {word}" in spoken_text(name) for word in long) for name in scenes()}
    for name in sorted(held, key=lambda name: -held[name]):
        if held[name]:
            made.setdefault(name, {"scene": name, "rows": [], "why": ""})
    return list(made.values())


def chapter(row: Any) -> tuple[str, str]:
    return row.source, row.chapter


@cache
def spoken_text(name: str) -> str:
    """Return what a scene says in all languages and what the notes call it, to be searched for the beginnings of words."""
    rows = [row_of(key) for key in scenes()[name].rows]
    titles = {(about["source"], about["chapter"]): about["title"] for about in chapter_titles()}
    texts = [row.name for row in rows] + [titles.get((row.source, row.chapter), "") for row in rows]
    texts += [text for language in LANGUAGES for text in scene_words(language, name).values()]
    return " " + " ".join(folded(text) for text in texts)


def folded(text: str) -> str:
    """Return the words of a text in small letters without accents."""
    plain = "".join(letter for letter in normalize("NFD", text.casefold()) if not combining(letter))
    return " ".join(re.findall(r"[\w]+", plain))
