"""The rows of the table that was studied, where it was given: read again, checked against the study, and found by their number."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError, SourceError
from novum.lab.analyst.folder import Study, study_in
from novum.lab.controls import Choice, Control, Refusal

__all__ = ["cells_of", "data_rows", "in_slice", "place_of", "slice_control", "slice_names"]


def data_rows(study: Study) -> Any:
    """Return the rows of a study as `Formalised`, None where its table was not given; a Refusal where it is another."""
    return None if study.data is None else rows_from(study.folder, study.data)


@lru_cache(maxsize=1)
def rows_from(folder: Path, data: Path) -> Any:
    from novum.study.studied_rows import read_again

    try:
        return read_again(study_in(folder, data).document, data)
    except (DataError, SourceError, ParameterError) as error:
        raise Refusal(str(error)) from error


def place_of(made: Any, row: int) -> int:
    """Return the place of a row of the table among the rows of a study, or raise."""
    found = np.flatnonzero(made.numbers == row)
    if not len(found):
        raise Refusal(f"row={row}: the study has no such row; rows without a target take no part.", "row")
    return int(found[0])


def cells_of(made: Any, place: int, names: Any = None) -> dict[str, Any]:
    """Return the cells of a row as the model's file would be given them: numbers, texts, dates as text; None where missing."""
    cells: dict[str, Any] = {}
    for name in names or made.table.columns:
        column = made.table.columns[name]
        if column.values is None or column.missing[place]:
            cells[name] = None
        elif column.kind == "date":
            cells[name] = str(column.values[place].astype("datetime64[s]" if column.has_hours else "datetime64[D]"))
        else:
            value = column.values[place]
            cells[name] = value if isinstance(value, str) else float(value)
    return cells


def slice_names(study: Study) -> tuple[str, ...]:
    """Return the slices by which rows can be chosen: those found, where the table is there."""
    found = study.document.get("slices")
    if found is None or study.data is None:
        return ()
    return tuple(dict.fromkeys(one["words"] for one in found["found"]))


def slice_control(study: Study) -> dict[str, Control]:
    """Return the control that leaves the rows of one slice alone; none where no slice can be chosen."""
    names = slice_names(study)
    return {"slice": Choice(("", *names), "")} if names else {}


def in_slice(study: Study, words: str) -> np.ndarray:
    """Return the numbers of the rows of a slice that the study found, or raise where it cannot be found again.

    A slice is known by its words, which name a column of the prepared rows and its level or range; ranges are quarters of the rows
    that the study looked at, so these are taken again.
    """
    from novum.study.insight.slices import slices_of

    made, document = data_rows(study), study.document
    wanted = next(one for one in document["slices"]["found"] if one["words"] == words)
    for looked_at in looked_at_rows(study):
        places = np.searchsorted(np.sort(made.numbers), looked_at)
        places = np.argsort(made.numbers, kind="stable")[places]
        for name in made.frame.columns:
            if not words.startswith(f"{name} "):
                continue
            for said, inside in slices_of(str(name), made.frame[name].to_numpy()[places]):
                if said == words and int(inside.sum()) == wanted["rows"]:
                    return made.numbers[places[inside]]
    raise Refusal(f"the rows of the slice {words} cannot be found again; study the table again.", "slice")


def looked_at_rows(study: Study) -> list[np.ndarray]:
    """Return the rows on which slices may have been sought: all that the kept model had not seen, or those put away."""
    kept = study.document["kept"]
    said = None if kept is None else study.said_by(study.leaders.index(kept["name"]))
    if said is None:
        return []
    known = np.array([one == one and one is not None for one in said], dtype=bool)
    held = study.unseen["part"] == "held"
    return [study.unseen["row"][known & part] for part in (np.ones(len(known), dtype=bool), held)]
