"""Answers that are no runs: the script and the notebook of a frame, a search, the events of an offline file."""

import json
from typing import Any, NamedTuple

from novum.exceptions import DataError, ParameterError
from novum.lab.analyst.pages import answer_of
from novum.lab.controls import Refusal
from novum.lab.protocol.events import events_of
from novum.lab.registry import row_of, scene_named, scenes
from novum.lab.scene import Scene
from novum.lab.server.assets import scene_words
from novum.study.export.notebook import notebook_text

__all__ = ["answer_to"]

SHOWN = 12  # of a search


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request of a known kind; {"refused": ...} where its values are not those of the scene."""
    try:
        match request["kind"]:
            case "find":
                return {"found": found(request["q"])}
            case "study":
                return answer_of(request["folder"], request["page"], request["state"])
            case "code":
                return {"python": code(scene_of(request), request)}
            case "notebook":
                return {"notebook": notebook(scene_of(request), request)}
            case _:
                scene = scene_of(request)
                run = list(events_of(scene, request["state"]))
                if run[-1][0] == "refused":
                    return {"refused": run[-1][1]}
                return {"events": run, "python": code(scene, request)}
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
    return scene.script(scene.state(request["state"]), request["frame"], request["part"])


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
    """Return the scenes that show what is searched for: by the rows of the notes, best first, then by their own names."""
    from novum.notes import find

    listed = find(question) if question.strip() else None
    keys = {row.key: place for place, row in enumerate(listed.rows)} if listed else {}
    hits = []
    for scene in scenes().values():
        rows = [(keys[row.key], key) for key in scene.rows if (row := row_of(key)).key in keys]
        named = question.strip().lower().replace(" ", "-") in scene.name
        if rows or (named and question.strip()):
            best = min(rows)[0] if rows else len(keys)
            why = row_of(min(rows)[1]).name if rows else scene.name
            hits.append(
                (-1 if named else best, {"scene": scene.name, "rows": [key for _, key in sorted(rows)], "why": why})
            )
    return [hit for _, hit in sorted(hits, key=lambda hit: hit[0])[:SHOWN]]
