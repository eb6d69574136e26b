"""A run as one file that needs no server: the built page with the events inside it."""

import json
from typing import Any

from novum.lab.controls import Refusal
from novum.lab.frames import Event
from novum.lab.registry import catalogue
from novum.lab.server.assets import LANGUAGES, built_files, words_in

__all__ = ["offline_page", "recorded_events"]

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


def offline_page(events: list[Any], meta: dict[str, Any]) -> str:
    """Return the page of a run, with `meta` about the frame that is shown first."""
    files = built_files()
    if "offline.html" not in files:
        raise Refusal("the page is not built: run `make web`.")
    recorded = recorded_events(events)
    own = ("shell.", f"scene.{recorded[0][1]['scene']}.")
    words = {
        language: {key: text for key, text in words_in(language).items() if key.startswith(own)}
        for language in LANGUAGES
    }
    parts = {"events": recorded, "words": words, "meta": meta}
    scripts = "".join(
        f'<script type="application/json" id="{name}">{inert_json(value)}</script>' for name, value in parts.items()
    )
    page = files["offline.html"].path.read_text(encoding="utf-8")
    if page.count(PLACE) != 1:
        raise Refusal("the built page has no place for events: run `make web`.")
    return page.replace(PLACE, scripts)
