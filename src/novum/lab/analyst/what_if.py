"""What if: what the saved model says of a row that a person makes up, how sure it is, and what each column adds.

The row begins as the ordinary row that the model file keeps (medians and most frequent levels); a column of numbers moves along the
values that were seen and a little beyond, where the page warns. Everything comes from `predict_table` and `explain_table`, which
use what the model file holds: the table is not needed. A curve is one column moved and the others left: no claim about causes.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, FileFormatError, ParameterError, SourceError
from novum.lab.analyst.flip import Search, candidates, smallest_changes
from novum.lab.analyst.folder import Study
from novum.lab.analyst.nearest import MOST_COLUMNS, nearest_rows, said_of
from novum.lab.analyst.page import Shown
from novum.lab.analyst.rows import NO_ROW, row_control
from novum.lab.analyst.table_rows import cells_of, data_rows, place_of
from novum.lab.controls import Choice, Control, Refusal, Slider, Text, Toggle, finite
from novum.lab.views import bars, curve, number, table

BEYOND = 0.25  # of the range that was seen, on either side
POINTS = 41
MOST_LEVELS = 100  # that a list offers; more are typed
LONGEST = 200


@dataclass(frozen=True)
class CellSlider(Slider):
    """The number of a column; `warn` holds the ends of what was seen."""

    title: str = ""
    warn: tuple[float, float] | None = None

    def described(self, name: str) -> dict[str, Any]:
        return {**super().described(name), "kind": "slider"}


@dataclass(frozen=True)
class CellChoice(Choice):
    """The level of a column."""

    title: str = ""

    def described(self, name: str) -> dict[str, Any]:
        return {**super().described(name), "kind": "choice"}


@dataclass(frozen=True)
class CellText(Text):
    """The cell of a column as it is written."""

    title: str = ""

    def described(self, name: str) -> dict[str, Any]:
        return {**super().described(name), "kind": "text"}


class StudiedModel(NamedTuple):
    """The model of a folder, with its columns and what its file keeps."""

    model: Any
    schema: Any
    memory: Any


@lru_cache(maxsize=1)
def studied_model(path: Path) -> StudiedModel:
    """Return the model in a file, or raise a Refusal."""
    import novum
    from novum.study.data.schema import schema_of
    from novum.study.memory.kept import memory_of

    try:
        model = novum.load(path)
        schema = schema_of(model, path.name)
        return StudiedModel(model, schema, memory_of(model, schema, path.name, "what-if"))
    except (DataError, FileFormatError, SourceError, ParameterError, OSError) as error:
        raise Refusal(f"{path}: {error}") from error


def model_of(study: Study) -> StudiedModel:
    """Return the model of a study, or raise where it belongs to another."""
    found = studied_model(study.folder / "model.novum")
    task = study.document["task"]
    if found.schema.target != task["target"] or list(found.schema.labels) != task["labels"]:
        raise Refusal(
            f"{study.folder / 'model.novum'}: does not belong to the study.json beside it; write the study again."
        )
    return found


def closed(study: Study) -> str:
    return "" if (study.folder / "model.novum").is_file() else "no_model"


def cell_control(name: str, role: str, levels: list[str], found: StudiedModel, first: Any = None) -> Control:
    """Return what sets the cell of a column, which begins with the first of its cells, an ordinary one where that is None."""
    usual, entry = found.memory.usual.get(name) if first is None else first, found.memory.reference[name]
    seen = entry.get("values", ())
    if role == "number" and name in (found.schema.truths or ()):
        return CellSlider(0, 1, int(usual == 1), integer=True, title=name)
    if role == "number" and len(seen):
        low, high = float(seen[0]), float(seen[-1])
        room = BEYOND * (high - low) or 1.0
        least = max(0.0, low - room) if low >= 0 else low - room  # what was never negative stays so
        start = float(np.clip(usual, least, high + room)) if finite(usual) else low
        return CellSlider(least, high + room, start, title=name, warn=(low, high))
    if role == "category" and 0 < len(levels) <= MOST_LEVELS:
        return CellChoice(tuple(levels), usual if usual in levels else levels[0], title=name)
    return CellText(LONGEST, str("" if usual is None else usual)[:LONGEST], title=name)


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    found = model_of(study)
    names = tuple(found.schema.names)
    first = next((name for name in found.memory.players if name in names), names[0])
    begun = cells_of_row(study, state.get("row", NO_ROW), names)
    cells = {
        f"c{k}": cell_control(name, role, levels, found, begun.get(name))
        for k, (name, role, levels) in enumerate(zip(names, found.schema.roles, found.schema.levels))
    }
    row = {"row": row_control()} if study.data is not None else {}
    turn = {"turn": Toggle()} if study.labels else {}
    return {**row, "column": Choice(names, first), "level": Slider(0.5, 0.99, 0.9), **turn, **cells}


def cells_of_row(study: Study, row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the cells of a row of the table, None where they are missing; none of them where no row is chosen."""
    made = data_rows(study)
    if made is None or row_control().check("row", row) == NO_ROW:
        return {}
    return cells_of(made, place_of(made, row), names)


def frame_of(found: StudiedModel, state: dict[str, Any], place: int | None = None, cells: Any = ()) -> Any:
    """Return the row of a state as a frame; or one row for each of the cells of the column at a place."""
    import pandas as pd

    n = 1 if place is None else len(cells)
    columns = {}
    for k, (name, role) in enumerate(zip(found.schema.names, found.schema.roles)):
        given = list(cells) if k == place else [state[f"c{k}"]] * n
        columns[name] = [None if cell == "" and role != "words" else cell for cell in given]
    return pd.DataFrame(columns)


def shown(study: Study, state: dict[str, Any]) -> Shown:
    from novum.study import predict_table
    from novum.study.insight.contributions import explain_table

    found = model_of(study)
    row, name = frame_of(found, state), study.document["name"]
    notes: list[Any] = notes_on_row(study, state, found.schema.names)
    proba = bool(study.labels) and hasattr(found.model, "predict_proba")
    try:
        said = predict_table(found.model, row, proba=proba, unseen=True, level=state["level"], name=name)
    except (DataError, ParameterError) as error:  # of the level, or of a cell; the second comes again below
        said = predict_table(found.model, row, proba=proba, unseen=True, name=name)
        notes.append(str(error))
    explained = explain_table(found.model, row, unseen=True, name=name)
    place = found.schema.names.index(state["column"])
    order = np.argsort(-np.abs(explained.values[0]), kind="stable")
    arrays: dict[str, Any] = {
        "parts": explained.values[0][order],
        "names": [
            f"{explained.columns[k]} = {explained.cells[0][k]}" if explained.cells[0][k] else explained.columns[k]
            for k in order
        ],
    }
    views = [bars(id="parts", values="parts", labels="names", horizontal=True, span=2)]
    values: dict[str, Any] = {"said": explained.said[0], "base": explained.base[0]}
    reach = said.reach
    if proba:
        arrays |= {"p": np.array([p[0] for p in said.probabilities.values()]), "classes": list(said.probabilities)}
        views.insert(0, bars(id="p", values="p", labels="classes", by_class=True, horizontal=True, domain=[0, 1]))
    numbers = [number("said"), number("base")]
    if reach is not None and reach.lower is not None and reach.upper is not None:
        values |= {"lower": reach.lower[0], "upper": reach.upper[0]}
        numbers += [number("lower"), number("upper")]
    along = curve_along(found, state, place, explained.output[0], proba, name)
    words = {"of": explained.output[0], "column": state["column"], "level": state["level"], "set": ""}
    key = "number" if not study.labels else "label" if reach is None else "set"
    if reach is not None and reach.sets:
        words["set"] = ", ".join(reach.sets[0])
    more, listed, remarks = beside(study, found, state, row)
    notes += remarks
    return Shown(
        {**values, **along[0]},
        {**arrays, **along[1], **more},
        [*views, along[2], *listed, *numbers],
        (key, words),
        (*notes, *said.notes, *said.drift),
    )


def notes_on_row(study: Study, state: dict[str, Any], names: list[str]) -> list[Any]:
    """Return what is to be said of the row that the state begins with."""
    if state.get("row", NO_ROW) == NO_ROW:
        return []
    made = data_rows(study)
    truth, said = said_of(study, made, place_of(made, state["row"]))
    about = ("row", {"row": state["row"], "truth": truth, "said": said})
    gaps = [one for one, cell in cells_of_row(study, state["row"], tuple(names)).items() if cell is None]
    first = about if said is not None else ("row_only", {"row": state["row"], "truth": truth})
    return [first, *(("gap", {"column": one}) for one in gaps)]


def beside(
    study: Study, found: StudiedModel, state: dict[str, Any], row: Any
) -> tuple[dict[str, Any], list[dict[str, Any]], list[Any]]:
    """Return arrays, views and notes of the nearest rows and of the smallest change that turns the decision."""
    arrays: dict[str, Any] = {}
    views: list[dict[str, Any]] = []
    notes: list[Any] = []
    if study.data is not None:
        from novum.study.data.schema import prepare
        from novum.study.predictions import checked_rows

        prepared = prepare(checked_rows(row, found.schema, True)[0], found.schema)
        names = [f"label.{one}" for one in ("row", "distance", "truth", "unseen")]
        arrays |= {
            "near_columns": [*names, *found.schema.names[:MOST_COLUMNS]],
            "near_rows": nearest_rows(study, prepared),
        }
        views.append(table(id="near", columns="near_columns", rows="near_rows", span=2))
    if state.get("turn"):
        search = turning(found, state, study.document["name"])
        arrays |= {
            "turn_columns": [f"label.{one}" for one in ("change", "to", "size", "decision")],
            "turn_rows": [
                [", ".join(one.cells), ", ".join(map(str, one.cells.values())), one.size, one.said]
                for one in search.changes
            ],
        }
        views.append(table(id="turn", columns="turn_columns", rows="turn_rows", span=2))
        key = ("turn_none", "turn_one", "turn_two")[search.columns]
        notes.append((key, {"tried": search.tried}))
    return arrays, views, notes


def turning(found: StudiedModel, state: dict[str, Any], name: str) -> Search:
    """Return the smallest changes of a state's row that turn the decision."""
    import pandas as pd

    from novum.study import predict_table

    schema, start = found.schema, frame_of(found, state)

    def decide(rows: list[dict[str, Any]]) -> Any:
        frame = pd.DataFrame({one: [row[one] for row in rows] for one in schema.names})
        return predict_table(found.model, frame, unseen=True, name=name).values

    row = {one: start[one][0] for one in schema.names}
    choices = {
        one: candidates(one, role, row[one], found.memory, one in (schema.truths or ()))
        for one, role in zip(schema.names, schema.roles)
    }
    return smallest_changes(decide, row, choices, str(decide([row])[0]))


def curve_along(
    found: StudiedModel, state: dict[str, Any], place: int, output: str, proba: bool, name: str
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return values, arrays and the view of what the model says while one column moves."""
    from novum.study import predict_table

    one = cell_control(found.schema.names[place], found.schema.roles[place], found.schema.levels[place], found)
    if isinstance(one, Slider):
        cells: list[Any] = [0, 1] if one.integer else np.linspace(one.min, one.max, POINTS).tolist()
    else:
        cells = list(one.choices) if isinstance(one, Choice) else [state[f"c{place}"]]
    made = predict_table(found.model, frame_of(found, state, place, cells), proba=proba, unseen=True, name=name)
    line = made.probabilities[output] if proba else np.asarray(made.values)
    if line.dtype.kind not in "fi":  # classes without probabilities: whether it is this one
        line = (line.astype(str) == output).astype(np.float64)
    if not isinstance(one, Slider):
        return {}, {"line": line, "cells": cells}, bars(id="along", values="line", labels="cells", horizontal=True)
    series = [{"array": "line", "label": "value.said"}]
    view = curve(id="along", x="cells", series=series, marker="here", drag=f"c{place}")
    return {"here": state[f"c{place}"]}, {"line": line, "cells": np.array(cells)}, view
