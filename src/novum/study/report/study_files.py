"""A study for other programs: study.json, all that was found; unseen.parquet, what models said of rows they had not seen.

study.json has no row of the table; it says which file was read and how, what every column is known by, and the program of the kept
model. unseen.parquet has their numbers, the target and predictions, no column of the table: a
program that shows rows takes these from the table itself, which it knows by the fingerprint in study.json.

    row              number of the row in the table as it was read, from 0
    part             "fold" of the training part, or "held" put away
    fold             number of the fold of the comparison in which the row was judged; -1 where it was in none
    y                the target
    m<k>             prediction of leader k of the leaderboard
    m<k>:<class>     its probability of a class

Of every leader there are the predictions of the comparison's first folds; of the kept model those of the rows put away, and,
where there was time for it, of all training rows by folds.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from novum import __version__
from novum.exceptions import DataError
from novum.persistence.versions import installed_version
from novum.study.data.source import column_prints
from novum.study.scoring.measures import Predicted

__all__ = ["FORMAT", "fingerprint_of", "study_document", "unseen_table", "write_study_files"]

FORMAT = 1
MOST_LEADERS = 8  # whose predictions are kept
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
CURVES = 50  # single rows of a dependence


def plain(value: Any) -> Any:
    """Return a value as JSON has it: NamedTuples as objects, arrays as lists, what is no number as null."""
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def fingerprint_of(rows: Any) -> str:
    """Return what the rows of a study are known by: its columns, its target, and which rows are put away.

    Parameters
    ----------
    rows : StudyRows
        As `Study.rows` gives them, of the same table and options.
    """
    import pandas as pd

    found = hashlib.sha256(pd.util.hash_pandas_object(rows.X, index=False).to_numpy().tobytes())
    found.update("\x1f".join(map(str, rows.X.columns)).encode())
    found.update(pd.util.hash_pandas_object(pd.Series(rows.y), index=False).to_numpy().tobytes())
    for array in (rows.train, rows.held, rows.weight):
        found.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def study_document(result: Any) -> dict[str, Any]:
    """Return study.json."""
    scores, found, hold = result.scores, result.findings, result.hold_out
    folds = scores.folds if scores else []
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": Path(result.name).name,
        "versions": {"novum": __version__, **{package: installed_version(package) for package in PACKAGES}},
        "options": result.options,
        "random_state": result.random_state,
        "task": {
            "kind": result.task.kind,
            "target": result.task.target,
            "labels": result.task.labels,
            "counts": result.task.counts,
            "positive": result.positive,
        },
        "scoring": {
            "name": result.scoring.name,
            "title": result.scoring.title,
            "higher_is_better": result.scoring.higher_is_better,
        },
        "schema": result.schema,
        "rows": {"all": result.card.n_rows, "train": result.n_train, "held": result.n_held},
        "source": result.formalisation.table.source,
        "columns": column_prints(result.formalisation.table),
        "fingerprint": fingerprint_of(result.formalisation.rows()),
        "folds": [{"repeat": fold.repeat, "train": len(fold.train), "test": len(fold.test)} for fold in folds],
        "leaderboard": [leader_record(result, leader) for leader in result.leaders],
        "kept": None,
    }
    if result.complete and hold is not None:
        document["kept"] = {
            "name": result.kept.name,
            "reason": result.reason,
            "settings": result.settings(),
            "share": result.share,
            "refitted": result.refitted,
        }
        document["held_out"] = {
            "score": hold.score,
            "interval": hold.interval,
            "measures": {
                name: {"score": value, "interval": interval} for name, (value, interval) in hold.every.items()
            },
        }
        document["importances"] = result.explanation.importances
        document["fairness"] = [one._replace(measure=one.measure.name) for one in result.fairness]
        document["limits"] = result.limited
        document["program"] = program_record(result)
    if found is not None:
        document |= {
            "thresholds": found.thresholds,
            "calibration": found.calibration,
            "slices": found.slices,
            "curve": found.curve,
            "dependences": [one._replace(curves=one.curves[:CURVES]) for one in found.dependences],
            "attributions": found.attributions,
            "coverages": found.coverages,
            "notes": found.notes,
        }
    return plain(document)


def program_record(result: Any) -> dict[str, Any]:
    """Return the steps of the program that makes the kept model again, as a script and as a notebook, or why there is none."""
    from novum.study.export.program import program_steps

    source = result.formalisation.table.source
    reading = {key: getattr(source, key) for key in ("separator", "encoding")} if source else {}
    table = source.file if source and source.file != "standard input" else None
    try:
        return {kind: program_steps(result, table, reading, kind == "notebook") for kind in ("script", "notebook")}
    except DataError as error:
        return {"reason": str(error)}


def leader_record(result: Any, leader: Any) -> dict[str, Any]:
    """Return a row of the leaderboard with its scores by fold."""
    return {
        "name": leader.name,
        "by": leader.by,
        "tuned": leader.tuned,
        "mean": leader.mean,
        "interval": leader.interval,
        "difference": leader.difference,
        "difference_interval": leader.difference_interval,
        "p_holm": leader.p_value,
        "verdict": leader.verdict or "best",
        "simplicity": leader.simplicity,
        "bytes": leader.size,
        "fit_seconds": leader.seconds,
        "scores": result.scores.values[leader.position],
    }


def unseen_table(result: Any) -> Any:
    """Return unseen.parquet as an Arrow table; None where there are no predictions."""
    import pyarrow as pa

    start, found = result.formalisation, result.findings
    if found is None or found.unseen is None or not result.complete:
        return None
    n = len(start.task.y)
    fold = np.full(n, -1, dtype=np.int32)
    for number, one in reversed(list(enumerate(result.scores.folds))):
        if one.repeat == 0:
            fold[result.rows_compared[one.test]] = number
    said: dict[int, dict[str, np.ndarray]] = {}
    for place, leader in enumerate(result.leaders[:MOST_LEADERS]):
        columns: dict[str, np.ndarray] = {}
        if leader.position < len(result.scores.predicted):
            for one, made in zip(result.scores.folds, result.scores.predicted[leader.position]):
                if made is not None and one.repeat == 0:
                    fill(columns, result.rows_compared[one.test], made, result, n)
        if leader.name == result.kept.name:
            fill(columns, found.unseen.rows, found.unseen.said, result, n)
        if columns:
            said[place] = columns
    used = np.zeros(n, dtype=bool)
    for columns in said.values():
        used |= ~np.isnan(columns[""]) if columns[""].dtype.kind == "f" else columns[""] != None  # noqa: E711
    part = np.full(n, "fold", dtype=object)
    part[start.held] = "held"
    names = {
        "row": start.numbers[used].astype(np.int64),
        "part": part[used].astype(str),
        "fold": fold[used],
        "y": start.task.y[used],
    }
    for place, columns in said.items():
        for name, values in columns.items():
            names[f"m{place}:{name}" if name else f"m{place}"] = values[used]
    leaders = {f"m{place}": result.leaders[place].name for place in said}
    table = pa.table({name: pa.array(values) for name, values in names.items()})
    return table.replace_schema_metadata({"novum": json.dumps({"format": FORMAT, "leaders": leaders})})


def fill(columns: dict[str, np.ndarray], rows: np.ndarray, said: Predicted, result: Any, n: int) -> None:
    """Write the predictions of some rows into the columns of a leader."""
    labels = result.task.labels
    if "" not in columns:
        columns[""] = np.full(n, None, dtype=object) if labels else np.full(n, np.nan)
        for label in labels if said.proba is not None else ():
            columns[label] = np.full(n, np.nan)
    columns[""][rows] = [str(value) for value in said.values] if labels else said.values
    for k, label in enumerate(labels if said.proba is not None else ()):
        columns[label][rows] = said.proba[:, k]  # type: ignore[index]


def write_study_files(result: Any, folder: Path) -> list[str]:
    """Write both files into a folder; return their names."""
    names = ["study.json"]
    text = json.dumps(study_document(result), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    (folder / "study.json").write_text(text + "\n", encoding="utf-8")
    table = unseen_table(result)
    if table is not None:
        import pyarrow.parquet as pq

        pq.write_table(table, folder / "unseen.parquet", compression="zstd")
        names.append("unseen.parquet")
    return names
