"""The pages of a study, in the order of the rail, and what the page's first request tells of it."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from novum.lab.analyst import dependence, leaderboard, learning, slices, thresholds, versus, what_if
from novum.lab.analyst.folder import Study, open_study
from novum.lab.analyst.page import page_answer

__all__ = ["PAGES", "answer_of", "study_info"]

PAGES: dict[str, Any] = {
    "leaderboard": leaderboard,
    "what-if": what_if,
    "thresholds": thresholds,
    "slices": slices,
    "dependence": dependence,
    "learning-curve": learning,
    "versus": versus,
}


def study_info(study: Study) -> dict[str, Any]:
    """Return a study's name, its pages and why some of them have nothing to show."""
    closed = {name: f"analyst.closed.{key}" for name, page in PAGES.items() if (key := page.closed(study))}
    return {
        "name": study.document["name"],
        "target": study.document["task"]["target"],
        "task": study.document["task"]["kind"],
        "rows": study.document["rows"]["all"],
        "pages": list(PAGES),
        "closed": {**closed, "take-away": "analyst.closed.take-away"},
    }


def answer_of(folder: str, name: str, state: Any) -> dict[str, Any]:
    """Return the answer of a page of the study in a folder."""
    return page_answer(PAGES[name], name, opened(Path(folder)), state)


@lru_cache(maxsize=1)
def opened(folder: Path) -> Study:
    return open_study(folder)
