"""The player of a recorded fit: its passes as events of the lab, which the offline page shows.

points     rows in the plane (novum.lab.drawn_rows), in the color of what the copy of the pass predicts, in the shape of their class
regions    what the copy predicts for the points of a grid: a color for a label, a curve or a shade for a number
numbers    the objective by pass
"""

from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from novum import __version__
from novum.base.passes import Frame as Pass
from novum.lab.drawn_rows import Plane, answers, centers_of, plane_of, table_of, takes_single_rows
from novum.lab.frames import Frame
from novum.lab.maps import pixel_centers
from novum.lab.protocol.arrays import encoded
from novum.lab.protocol.digest import VERSION, digest
from novum.lab.protocol.events import frame_event
from novum.lab.server.assets import LANGUAGES, scene_words, words_in
from novum.lab.server.export import page_with
from novum.lab.views import curve, number, plane
from novum.report.plots.plane import without_names

__all__ = ["Recording", "player_page", "recording_of"]

NAME = "record"  # of the words, and of the scene that the page is told
MOST_ROWS = 2000  # that are drawn
CURVE = 200  # points of a curve
PIXELS = 64  # of a side of the regions


class Recording(NamedTuple):
    """A recorded fit as the page shows it."""

    title: str
    code: str
    frames: list[Frame]
    head: dict[str, Any]  # arrays that do not change
    views: list[dict[str, Any]]
    notes: list[tuple[str, dict[str, str]]]  # keys of the sentences above the picture, with what stands in them


class Seen(NamedTuple):
    """What the copies of all passes predict."""

    rows: list[NDArray | None]
    grid: list[NDArray | None]
    numbers: bool


def every(passes: list[Pass], most: int) -> list[Pass]:
    """Return at most so many passes, evenly, with the first and the last."""
    if len(passes) <= most:
        return passes
    return [passes[k] for k in np.unique(np.linspace(0, len(passes) - 1, most).round().astype(int))]


def across(made: Plane) -> NDArray:
    """Return the places of a curve."""
    low, high = made.domain[0]
    return np.linspace(low, high, CURVE)


def seen_by(copies: list[Any], X: Any, made: Plane) -> Seen:
    """Ask every copy for the rows and for the grid."""
    rows = [answers(copy, X) for copy in copies]
    if made.kind == "target":
        grid = across(made)[:, None]
    elif made.lift is not None:
        grid = made.lift(pixel_centers(made.domain, PIXELS))
    whole = all(row is not None for row in rows) and takes_single_rows(copies[-1])
    with without_names():
        said = [np.asarray(copy.predict(grid)) if whole else None for copy in copies]
    return Seen(rows, said, is_regressor(copies[-1]))


def recording_of(model: Any, code: str, passes: list[Pass], X: Any, y: Any, most: int) -> Recording:
    """Return what is shown of a fit."""
    kept = every(passes, most)
    says = [(one.n_iter, one.objective) for one in kept]
    values = [{"objective": value} for _, value in says]
    numbered = any(value is not None for _, value in says)
    views = (
        [number("objective"), curve(series=[{"value": "objective", "label": "value.objective"}])] if numbered else []
    )
    drawn: list[dict[str, Any]] = [{} for _ in kept]
    head: dict[str, Any] = {}
    notes: list[tuple[str, dict[str, str]]] = []
    rows, target = table_of(X), target_of(y, X)
    if rows is None:
        notes.append(("no_rows", {}))
    else:
        made = plane_of(model, rows, target)
        step = ceil(len(rows) / MOST_ROWS)
        head, drawn, bound = picture(kept, X, y, made, step)
        views.insert(0, plane(points="X", linked="points", **bound))
        notes.append((made.kind, {"columns": str(rows.shape[1]), "first": made.names[0], "second": made.names[1]}))
        notes += [("shade", {})] if bound.get("map_kind") else []
        notes += [("no_answers", {})] if not {"classes", "map", "lines"} & set(bound) else []
        notes += [("some_rows", {"step": str(step)})] if step > 1 else []
    frames = [
        Frame(n, value, arrays, ("start" if n == 0 else "pass" if objective is not None else "bare", {"n": n, **value}))
        for (n, objective), value, arrays in zip(says, values, drawn)
    ]
    return Recording(type(model).__name__, code, frames, head, views, notes)


def target_of(y: Any, X: Any) -> NDArray | None:
    """Return targets as finite numbers, one per row; None where they are something else."""
    try:
        found = np.asarray(y, np.float64)
    except (TypeError, ValueError):
        return None
    return found if found.ndim == 1 and len(found) == len(X) and np.isfinite(found).all() else None


def picture(kept: list[Pass], X: Any, y: Any, made: Plane, step: int) -> tuple[dict, list[dict], dict]:
    """Return the arrays of all frames, those of each, and how the plane is bound to them."""
    copies = [one.model for one in kept]
    seen = seen_by(copies, X, made)
    head: dict[str, Any] = {"X": made.points[::step], "domain": made.domain}
    drawn: list[dict[str, Any]] = [{} for _ in kept]
    bound: dict[str, Any] = {}
    if seen.numbers and made.kind == "target" and seen.grid[0] is not None:
        at = across(made)
        for arrays, said in zip(drawn, seen.grid):
            arrays["curve"] = [{"p": np.column_stack([at, np.asarray(said)]).tolist(), "role": "now"}]
        bound["lines"] = "curve"
    elif seen.numbers and (target := target_of(y, X)) is not None and seen.grid[0] is not None:
        low, high = float(target.min()), float(target.max())
        for arrays, said in zip(drawn, seen.grid):
            arrays["map"] = shades((np.asarray(said) - low) / ((high - low) or 1.0))
        bound |= {"map": "map", "map_kind": "level", "map_scale": "sequential"}
    elif not seen.numbers and all(row is not None for row in seen.rows):
        label_rows(head, drawn, bound, seen, y if is_classifier(copies[-1]) else None, step)
    width = np.asarray(X).shape[1]
    centers = [centers_of(copy, width) for copy in copies]
    if made.lift is not None and all(one is not None for one in centers):
        for arrays, found in zip(drawn, centers):
            arrays["centers"] = made.put(np.asarray(found))
        bound["crosses"] = "centers"
    return head, drawn, bound


def shades(share: NDArray) -> NDArray:
    """Return shares between 0 and 1 at the points of the grid as bytes."""
    return np.round(255 * np.clip(share, 0, 1)).astype(np.uint8).reshape(PIXELS, PIXELS)


def label_rows(head: dict, drawn: list[dict], bound: dict, seen: Seen, y: Any, step: int) -> None:
    """Put labels as numbers from 0, in the order of all that were given or predicted, into the arrays."""
    given = [] if y is None else [np.asarray(y)]
    labels = np.unique(np.concatenate([*given, *seen.rows, *(one for one in seen.grid if one is not None)]))

    def placed(values: Any) -> NDArray:
        return np.searchsorted(labels, values).astype(np.uint8 if len(labels) < 256 else np.int32)

    if y is not None:
        head["truth"] = placed(np.asarray(y))[::step]
        bound["target"] = "truth"
    for arrays, row, said in zip(drawn, seen.rows, seen.grid):
        arrays["labels"] = placed(row)[::step]
        if said is not None and len(labels) < 250:
            arrays["map"] = placed(said).reshape(PIXELS, PIXELS)
            bound["map"] = "map"
    bound["classes"] = "labels"


def words_of(shown: Recording, language: str) -> dict[str, str]:
    """Return the words of the page in one language."""
    own = f"scene.{NAME}"
    shell = {key: text for key, text in words_in(language).items() if key.startswith("shell.")}
    words = scene_words(language, NAME)
    sentences = []
    for key, values in shown.notes:
        text = words[f"{own}.note.{key}"]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        sentences.append(text)
    made = {f"{own}.title": shown.title, f"{own}.question": " ".join(sentences)}
    return {**shell, **words, **made}


def player_page(shown: Recording, total: int, n: int | None = None) -> str:
    """Return the page; it begins at pass `n`, or at the last."""
    info = {
        "name": NAME,
        "family": "unsupervised",
        "deep": False,
        "limit": 0,
        "controls": [],
        "points": None,
        "views": shown.views,
        "parts": [],
        "rising": None,
        "shown": "objective",
        "rows": [],
    }
    head: dict[str, Any] = {
        "v": VERSION,
        "scene": NAME,
        "state": {},
        "digest": digest(NAME, {"code": shown.code}),
        "novum": __version__,
        "frames": None,
        "arrays": {name: encoded(value) for name, value in shown.head.items()},
        "scene_info": info,
    }
    known = dict(head["arrays"])
    frames = [["frame", frame_event(frame, known, 0.0)] for frame in shown.frames]
    end = {"frames": total, "ms": 0.0, "stopped": None, "kept": "all" if total == len(frames) else "thinned"}
    steps = [frame.n for frame in shown.frames]
    first = steps[-1] if n is None else min(steps, key=lambda step: abs(step - n))
    meta = {"frame": steps.index(first), "part": "", "python": f"frames = {shown.code}\nframes[{first}]"}
    words = {language: words_of(shown, language) for language in LANGUAGES}
    return page_with([["head", head], *frames, ["end", end]], words, meta)
