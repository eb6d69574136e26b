"""Dependence: how the prediction moves with one column, on average with its interval, and for single rows."""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.controls import Choice, Control
from novum.lab.views import bars, curve, plane


def closed(study: Study) -> str:
    return "" if study.document.get("dependences") else "unfinished"


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    names = tuple(one["column"] for one in study.document["dependences"])
    return {"column": Choice(names, names[0])}


def shown(study: Study, state: dict[str, Any]) -> Shown:
    one = next(each for each in study.document["dependences"] if each["column"] == state["column"])
    mean = np.array(one["mean"])
    half = np.array(
        [np.nan if value is None else value for value in one["half_width"] or [None] * len(mean)], dtype=float
    )
    arrays: dict[str, Any] = {"mean": mean, "low": mean - half, "high": mean + half}
    of = study.labels[one["output"]] if study.labels else study.document["task"]["target"]
    summary = {"column": one["column"], "rows": len(one["curves"]), "of": of}
    if not one["numeric"]:
        arrays["values"] = ["–" if value is None else str(value) for value in one["values"]]
        views = [bars(values="mean", low="low", high="high", labels="values", horizontal=True)]
        return Shown({}, arrays, views, ("levels", summary))
    at = np.array(one["values"], dtype=np.float64)
    lines: list[dict[str, Any]] = [{"p": [[x, y] for x, y in zip(at, line)], "role": "faint"} for line in one["curves"]]
    lines.append({"p": [[x, y] for x, y in zip(at, mean)], "k": 0})
    ys = np.concatenate([mean, *(np.array(line) for line in one["curves"])])
    arrays |= {"at": at, "none": np.zeros((0, 2)), "lines": lines}
    arrays["domain"] = [widened(at), widened(ys)]
    views = [
        curve(x="at", series=[{"array": "mean", "low": "low", "high": "high", "label": "value.mean"}]),
        plane(id="single", points="none", lines="lines"),
    ]
    return Shown({}, arrays, views, ("numbers", summary))


def widened(values: np.ndarray) -> list[float]:
    """Return the ends of an axis that holds all values, with a margin."""
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.5
    return [low - margin, high + margin]
