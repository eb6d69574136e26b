"""Slices: values and ranges of columns in which the model errs more, as the study found them, with what else was looked at."""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import slice_control
from novum.lab.controls import Control
from novum.lab.views import intervals, number, table

COLUMNS = ("slice", "rows", "loss", "elsewhere", "from", "to", "p")


def closed(study: Study) -> str:
    return "" if study.document.get("slices") else "unfinished"


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    return slice_control(study)


def shown(study: Study, state: dict[str, Any]) -> Shown:
    summary = study.document["slices"]
    found = summary["found"]
    arrays: dict[str, Any] = {
        "columns": [f"label.{name}" for name in COLUMNS],
        "rows": [
            [
                *(one["words"], one["rows"], one["loss"], one["elsewhere"]),
                *(one["interval"]["lower"], one["interval"]["upper"], one["p_value"]),
            ]
            for one in found
        ],
    }
    if "slice" in state:
        arrays["words"] = [one["words"] for one in found]
        arrays["chosen"] = [k for k, one in enumerate(found) if one["words"] == state["slice"]]
        listed = table(columns="columns", rows="rows", marked="chosen", pick="slice", picked="words")
    else:
        listed = table(columns="columns", rows="rows")
    views = [listed, number("looked_at"), number("rows")]
    if found:
        ends = [(one["interval"]["lower"], one["interval"]["upper"]) for one in found]
        bounds = np.array([[np.nan if end is None else end for end in pair] for pair in ends])
        arrays |= {
            "names": [one["words"] for one in found],
            "gaps": np.array([one["loss"] - one["elsewhere"] for one in found]),
            "low": bounds[:, 0],
            "high": bounds[:, 1],
        }
        views.append(intervals(id="gaps", middle="gaps", low="low", high="high", labels="names", truth=0, span=2))
    key = "found" if found else "none"
    said = {"slices": len(found), "looked_at": summary["looked_at"], "rows": summary["rows"]}
    notes: tuple[Any, ...] = (("pick", {}),) if "slice" in state else ()
    return Shown({"looked_at": summary["looked_at"], "rows": summary["rows"]}, arrays, views, (key, said), notes)
