"""The pages of a study, in the order of the rail, and what the page's first request tells of it."""

from pathlib import Path
from typing import Any

from novum.lab.analyst import (
    curves,
    dependence,
    leaderboard,
    learning,
    population,
    rows,
    script,
    slices,
    thresholds,
    versus,
    what_if,
)
from novum.lab.analyst.folder import Study, study_in
from novum.lab.analyst.page import page_answer
from novum.lab.analyst.table_rows import slice_names

__all__ = ["PAGES", "answer_of", "study_info"]

SLICED = ("slices", "rows", "thresholds", "curves", "population", "versus")  # pages of which one slice can be shown
PAGES: dict[str, Any] = {
    "leaderboard": leaderboard,
    "what-if": what_if,
    "thresholds": thresholds,
    "curves": curves,
    "population": population,
    "slices": slices,
    "dependence": dependence,
    "learning-curve": learning,
    "versus": versus,
    "rows": rows,
}


def study_info(study: Study) -> dict[str, Any]:
    """Return a study's name, its pages and why some of them have nothing to show."""
    closed = {name: f"analyst.closed.{key}" for name, page in PAGES.items() if (key := page.closed(study))}
    shared = {"row": ["rows", "what-if"], "slice": [name for name in SLICED if slice_names(study)]}
    return {
        "shared": shared if study.data is not None else {},
        "name": study.document["name"],
        "target": study.document["task"]["target"],
        "task": study.document["task"]["kind"],
        "rows": study.document["rows"]["all"],
        "pages": list(PAGES),
        "closed": closed | ({"take-away": f"analyst.closed.{key}"} if (key := script.closed(study)) else {}),
    }


def answer_of(folder: str, name: str, state: Any, data: str | None = None) -> dict[str, Any]:
    """Return the answer of a page of the study in a folder; `data` is the table that was studied."""
    return page_answer(PAGES[name], name, study_in(Path(folder), None if data is None else Path(data)), state)
