"""The leaderboard: every model's mean with its interval, whether it is worse than the best, and one model's score on every fold."""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.controls import Choice, Control
from novum.lab.views import intervals, number, table

COLUMNS = ("model", "score", "from", "to", "verdict", "p", "seconds", "size")


def closed(study: Study) -> str:
    return ""


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    names = tuple(study.leaders)
    return {"model": Choice(names, names[0])}


def shown(study: Study, state: dict[str, Any]) -> Shown:
    board, place = study.document["leaderboard"], study.leaders.index(state["model"])
    ends = [one["interval"] or {"lower": None, "upper": None} for one in board]
    rows = [
        [
            *(one["name"], one["mean"], end["lower"], end["upper"], verdict_of(one["verdict"]), one["p_holm"]),
            *(one["fit_seconds"], one["bytes"]),
        ]
        for one, end in zip(board, ends)
    ]
    scores = floats(board[place]["scores"])
    arrays = {
        "columns": [f"label.{name}" for name in COLUMNS],
        "rows": rows,
        "chosen": [place],
        "names": study.leaders,
        "middle": floats([one["mean"] for one in board]),
        "low": floats([end["lower"] for end in ends]),
        "high": floats([end["upper"] for end in ends]),
        "scores": scores,
        "folds": [str(k + 1) for k in range(len(scores))],
    }
    views = [
        table(columns="columns", rows="rows", marked="chosen", pick="model"),
        intervals(id="scores", middle="middle", low="low", high="high", labels="names", span=2),
        intervals(id="folds", middle="scores", low="scores", high="scores", labels="folds", truth="mean"),
        number("mean"),
        *([number("held_out")] if study.document.get("held_out") else []),
    ]
    kept = study.document["kept"]
    values = {"mean": board[place]["mean"], "held_out": (study.document.get("held_out") or {}).get("score")}
    said = {"measure": study.document["scoring"]["title"], "models": len(board), "folds": len(scores)}
    notes = (f"{kept['name']}: {kept['reason']}",) if kept else ()
    return Shown(values, arrays, views, ("board", said), notes)


def verdict_of(verdict: str) -> str:
    """Return a verdict of the study as a key of the page's words, where it is one that is known."""
    known = {"best": "label.best", "yes": "label.worse", "cannot tell": "label.unclear"}
    return known.get(verdict, verdict)


def floats(values: list[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
