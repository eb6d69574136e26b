"""A run as one file that needs no server: the built page with the events inside it."""

import json
from typing import Any

from novum.lab.controls import Refusal
from novum.lab.frames import Event
from novum.lab.protocol.drawn import lightened
from novum.lab.protocol.events import events_of, frame_place
from novum.lab.protocol.packing import packed
from novum.lab.registry import catalogue
from novum.lab.scene import Scene
from novum.lab.server.assets import LANGUAGES, built_files, words_in

__all__ = ["offline_page", "page_with", "recorded_events", "scene_page"]

PLACE = "<!--EVENTS-->"


def recorded_events(events: list[Event] | list[list[Any]]) -> list[list[Any]]:
    """Return the events of a run as a file holds them: pairs, with the entry of the catalogue in the head."""
    (_, head), *others = events
    info = next(entry for entry in catalogue() if entry["name"] == head["scene"])
    return [["head", {**head, "scene_info": info}], *map(list, others)]


def inert_json(value: Any) -> str:
    """Return JSON that ends no element of a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page_with(recorded: list[list[Any]], words: dict[str, dict[str, str]], meta: dict[str, Any]) -> str:
    """Return the page of recorded events, which are deflated as its words and its own script are."""
    files = built_files()
    if "offline.html" not in files:
        raise Refusal("the page is not built: run `make web`.")
    scripts = "".join(
        f'<script type="text/plain" id="{name}">{packed(inert_json(value))}</script>'
        for name, value in (("events", recorded), ("words", words))
    )
    scripts += f'<script type="application/json" id="meta">{inert_json(meta)}</script>'
    page = files["offline.html"].path.read_text(encoding="utf-8")
    if page.count(PLACE) != 1:
        raise Refusal("the built page has no place for events: run `make web`.")
    return page.replace(PLACE, scripts)


def offline_page(events: list[Any], meta: dict[str, Any]) -> str:
    """Return the page of a run, with `meta` about the frame that is shown first: its `frame` counts the frames from 0."""
    recorded = recorded_events(events)
    own = ("shell.", f"scene.{recorded[0][1]['scene']}.")
    words = {
        language: {key: text for key, text in words_in(language).items() if key.startswith(own)}
        for language in LANGUAGES
    }
    return page_with(lightened(recorded), words, meta)


def scene_page(scene: Scene, given: dict[str, Any], frame: int | None, lang: str, command: str) -> str:
    """Run a scene and return its page, which shows first the frame (None: the last) and names the command that opens it live."""
    events = list(events_of(scene, given))
    if events[-1][0] == "refused":
        raise Refusal(events[-1][1]["sentence"], events[-1][1]["control"])
    place = frame_place(events, frame)
    shown = [content for kind, content in events if kind == "frame"][place]
    meta = {
        "frame": place,
        "part": shown["part"],
        "lang": lang,
        "python": scene.script(scene.state(given), shown["n"], shown["part"]),
        "command": command,
    }
    return offline_page(events, meta)
