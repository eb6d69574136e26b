"""A study's folder as the lab reads it: study.json and unseen.parquet, checked before anything of them is shown.

The folder is one that the command line named; no request names a file. Whatever stands in it is taken for data: a file that is too
large, is no study, or belongs to another study gets a sentence, and texts of it become text on the page, nothing else.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novum.lab.controls import Refusal, finite

__all__ = ["Study", "open_study", "study_in"]

FORMAT = 1
LARGEST = 64 * 2**20  # bytes of study.json
MOST_ROWS = 5_000_000  # of unseen.parquet
MOST_COLUMNS = 1_000
ENDS = {"lower": (float, None), "upper": (float, None)}
STEP = {"title": str, "words": [str], "code": str}
DOCUMENT: dict[str, Any] = {
    "name": str,
    "fingerprint": str,
    "options": {
        "task": str,
        **{name: [str] for name in ("drop", "fair", "increasing", "decreasing")},
        **dict.fromkeys(("group", "time", "weights"), (str, None)),
        "random_state": int,
        "hold_out": float,
    },
    "source": ({"file": str, "separator": (str, None), "encoding": (str, None), "most_cells": (int, None)}, None),
    "columns": ({str: str}, None),  # any names
    "program": ({"script": [STEP], "notebook": [STEP]}, {"reason": str}, None),
    "task": {"kind": str, "target": str, "labels": [str], "positive": (int, None)},
    "scoring": {"name": str, "title": str, "higher_is_better": bool},
    "rows": {"all": int, "train": int, "held": int},
    "folds": [{"train": int, "test": int}],
    "leaderboard": [
        {
            "name": str,
            "mean": (float, None),
            "interval": (ENDS, None),
            "p_holm": (float, None),
            "verdict": str,
            "bytes": (float, None),
            "fit_seconds": (float, None),
            "scores": [(float, None)],
        }
    ],
    "kept": ({"name": str, "reason": str}, None),
    "held_out": ({"score": float}, None),
    "thresholds": ({"best": float, "usual": float, "sentence": str}, None),
    "slices": (
        {
            "found": [
                {"words": str, "rows": int, "loss": float, "elsewhere": float, "p_value": float, "interval": ENDS}
            ],
            "looked_at": int,
            "rows": int,
            "unit": str,
        },
        None,
    ),
    "curve": ({"sizes": [int], "scores": [[(float, None)]], "verdict": str}, None),
    "dependences": (
        [
            {
                "column": str,
                "values": [(float, str, None)],
                "mean": [float],
                "curves": [[float]],
                "numeric": bool,
                "output": int,
                "half_width": ([(float, None)], None),
            }
        ],
        None,
    ),
}


class Study(NamedTuple):
    """A study that was found to be one."""

    document: dict[str, Any]
    unseen: dict[str, np.ndarray]  # columns of unseen.parquet by name; empty where there is none
    folder: Path
    data: Path | None = None  # the table that was studied, where it was given

    @property
    def leaders(self) -> list[str]:
        """The names of the models, best first."""
        return [one["name"] for one in self.document["leaderboard"]]

    @property
    def labels(self) -> list[str]:
        return self.document["task"]["labels"]

    def said_by(self, place: int) -> np.ndarray | None:
        """Return what the leader of a place said of rows it had not seen; None where that was not kept."""
        return self.unseen.get(f"m{place}")

    def probabilities(self, place: int, label: str) -> np.ndarray | None:
        return self.unseen.get(f"m{place}:{label}")


def open_study(folder: Path) -> Study:
    """Return the study in a folder, or raise a Refusal that says why there is none."""
    path = folder / "study.json"
    if not path.is_file():
        raise Refusal(f"{folder}: there is no study.json; name a folder that `novum study --out` wrote.")
    if path.stat().st_size > LARGEST:
        raise Refusal(f"{path}: is larger than {LARGEST // 2**20} MB; no study writes that much.")
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path}: is not JSON; write the study again.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise Refusal(f"{path}: is no study of format {FORMAT}; write the study again with this version of novum.")
    wrong = misfit(document, DOCUMENT, "") or inconsistency(document)
    if wrong:
        raise Refusal(f"{path}: {wrong} is not what a study has; write the study again.")
    return Study(document, unseen_of(folder / "unseen.parquet", document), folder)


@lru_cache(maxsize=1)
def study_in(folder: Path, data: Path | None) -> Study:
    """Return the study in a folder, with the table that was given for it; read once."""
    return open_study(folder)._replace(data=data)


def no_constant(name: str) -> Any:
    raise ValueError(name)


def misfit(value: Any, kind: Any, place: str) -> str:
    """Return the first place at which a value is not of its kind, "" where there is none."""
    if isinstance(kind, tuple):
        found = [misfit(value, one, place) for one in kind]
        return "" if "" in found else found[0]
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            return place
        if str in kind:
            kind = dict.fromkeys(value, kind[str])
        return next(
            (bad for key, one in kind.items() if (bad := misfit(value.get(key), one, f"{place}.{key}"[-60:]))), ""
        )
    if isinstance(kind, list):
        if not isinstance(value, list):
            return place
        return next((bad for one in value if (bad := misfit(one, kind[0], f"{place}[]"))), "")
    if kind is float:
        return "" if finite(value) else place
    fits = value is None if kind is None else type(value) is kind
    return "" if fits else place


def inconsistency(document: dict[str, Any]) -> str:
    """Return the first part of a document that does not agree with the others, "" where all do."""
    leaders = document["leaderboard"]
    names = [one["name"] for one in leaders]
    kept, positive, labels = document["kept"], document["task"]["positive"], document["task"]["labels"]
    curve = document.get("curve")
    if not names or len(set(names)) < len(names):
        return ".leaderboard"
    if any(len(one["scores"]) != len(document["folds"]) for one in leaders):
        return ".leaderboard[].scores"
    if kept is not None and kept["name"] not in names:
        return ".kept.name"
    if positive is not None and not 0 <= positive < len(labels):
        return ".task.positive"
    if curve is not None and (len(curve["sizes"]) != len(curve["scores"]) or not all(curve["scores"])):
        return ".curve"
    for one in document.get("dependences") or []:
        n = len(one["values"])
        half = one["half_width"]
        if len(one["mean"]) != n or (half and len(half) != n) or any(len(line) != n for line in one["curves"]):
            return ".dependences[]"
        if labels and not 0 <= one["output"] < len(labels):
            return ".dependences[].output"
        if one["numeric"] and not all(finite(value) for value in one["values"]):
            return ".dependences[].values"
    return ""


def unseen_of(path: Path, document: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns of unseen.parquet; none where the study wrote no such file."""
    if not path.is_file():
        return {}
    import pyarrow as pa
    import pyarrow.parquet as pq

    another = f"{path}: does not belong to the study.json beside it; write the study again."
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_ROWS or file.metadata.num_columns > MOST_COLUMNS:
                raise Refusal(
                    f"{path}: has more than {MOST_ROWS:,} rows or {MOST_COLUMNS:,} columns; the lab reads fewer."
                )
            metadata = (file.schema_arrow.metadata or {}).get(b"novum", b"{}")
            table = file.read()
        leaders = json.loads(metadata).get("leaders", {})
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except (pa.ArrowException, OSError, ValueError, AttributeError) as error:
        raise Refusal(f"{path}: cannot be read as Parquet; write the study again.") from error
    names = [one["name"] for one in document["leaderboard"]]
    expected = {f"m{place}": name for place, name in enumerate(names)}
    if not set(leaders.items()) <= set(expected.items()) or not {"row", "part", "fold", "y"} <= set(columns):
        raise Refusal(another)
    labels = document["task"]["labels"]
    allowed = {"row", "part", "fold", "y", *leaders, *(f"{one}:{label}" for one in leaders for label in labels)}
    if not set(columns) <= allowed or columns["row"].dtype.kind != "i" or columns["fold"].dtype.kind != "i":
        raise Refusal(another)
    if labels and not set(columns["y"].tolist()) <= set(labels):
        raise Refusal(another)
    numbers = [name for name in columns if ":" in name or (not labels and name in ("y", *leaders))]
    if any(columns[name].dtype.kind != "f" and columns[name].dtype.kind != "i" for name in numbers):
        raise Refusal(another)
    return columns
