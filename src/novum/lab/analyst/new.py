"""A new study: the columns of the table that was uploaded, and what the study is to do with them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from novum.lab.analyst.page import Shown
from novum.lab.controls import Choice, Control, Slider, Toggle
from novum.lab.views import number, table

__all__ = ["Upload", "controls", "options_of", "shown"]

COLUMNS = ("column", "kind", "missing", "different", "examples")
LEAST, MOST, USUAL = 10, 3600, 60  # seconds of a study
MOST_SHOWN = 500  # columns of a table that are listed
MOST_USED = 60  # columns that can be left out one by one
AUTO = "auto"
SCORINGS = {  # of novum.study.scoring.measures, which is imported with the study alone
    "classification": ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision", "log_loss", "brier"),
    "regression": ("rmse", "mae", "median_error", "r2", "rmsle", "poisson_deviance"),
}
PREFERENCES = ("accuracy", "simple", "small", "probabilities")
PARTED = ("time", "group")


class Upload(NamedTuple):
    """A table that was uploaded."""

    document: dict[str, Any]  # as `described_table` gives it

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one["name"] for one in self.document["columns"])


@dataclass(frozen=True)
class ColumnToggle(Toggle):
    """Whether a column is learned from; its label is the column's name."""

    title: str = ""

    def described(self, name: str) -> dict[str, Any]:
        return {**super().described(name), "kind": "toggle"}


def task_of(upload: Upload, state: dict[str, Any]) -> str:
    """Return the kind of task that a state leads to, "" where it is not known."""
    wanted = state.get("task", AUTO)
    if wanted in SCORINGS:
        return wanted
    target = state.get("target", usual_target(upload))
    return next((one["task"] for one in upload.document["columns"] if one["name"] == target), "")


def labels_of(upload: Upload, state: dict[str, Any]) -> list[str]:
    """Return the two classes that a state leads to; none where there are others."""
    if task_of(upload, state) != "classification":
        return []
    target = state.get("target", usual_target(upload))
    return next((one["labels"] for one in upload.document["columns"] if one["name"] == target), [])


def usual_target(upload: Upload) -> str:
    """Return the last column from which something can be learned."""
    columns = upload.document["columns"]
    return next((one["name"] for one in reversed(columns) if one["task"]), columns[-1]["name"])


def controls(upload: Upload, state: dict[str, Any]) -> dict[str, Control]:
    names, task, labels = upload.names, task_of(upload, state), labels_of(upload, state)
    made: dict[str, Control] = {
        "target": Choice(names, usual_target(upload)),
        "seconds": Slider(LEAST, MOST, USUAL, log=True, integer=True),
        "task": Choice((AUTO, *SCORINGS), AUTO),
        "scoring": Choice((AUTO, *SCORINGS.get(task, ())), AUTO),
        **({"positive": Choice(("", *labels), "")} if labels else {}),
        "prefer": Choice(PREFERENCES, PREFERENCES[0]),
        "apart": Choice(("", *PARTED), ""),
        "by": Choice(names, names[0], hidden_when={"apart": ""}),
    }
    if len(names) <= MOST_USED:
        made |= {
            f"use{k}": ColumnToggle(True, title=name, hidden_when={"target": name}) for k, name in enumerate(names)
        }
    return made


def shown(upload: Upload, state: dict[str, Any]) -> Shown:
    columns = upload.document["columns"]
    listed = columns[:MOST_SHOWN]
    target = next(one for one in columns if one["name"] == state["target"])
    arrays = {
        "columns": [f"label.{name}" for name in COLUMNS],
        "rows": [
            [one["name"], f"label.kind.{one['kind']}", one["missing"], one["different"], ", ".join(one["examples"])]
            for one in listed
        ],
        "chosen": [k for k, one in enumerate(listed) if one is target],
    }
    views = [table(columns="columns", rows="rows", marked="chosen", pick="target"), number("rows"), number("columns")]
    values = {"rows": upload.document["rows"], "columns": len(columns)}
    said = {"name": upload.document["name"], "target": state["target"], "more": len(columns) - len(listed)}
    notes = [one for one in (target["reason"],) if one]
    return Shown(values, arrays, views, ("table", said), (*notes, *upload.document["notes"]))


def options_of(upload: Upload, state: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `Study` that a checked state stands for."""
    left_out = [
        name
        for k, name in enumerate(upload.names)
        if not state.get(f"use{k}", True) and name not in (state["target"], state["by"] if state["apart"] else "")
    ]
    parted = {state["apart"]: state["by"]} if state["apart"] else {}
    scoring = None if state["scoring"] == AUTO else state["scoring"]
    return {
        "target": state["target"],
        "task": state["task"],
        "scoring": scoring,
        "positive": state.get("positive") or None,
        "prefer": state["prefer"],
        "drop": left_out,
        "time_limit": state["seconds"],
        **parted,
    }
