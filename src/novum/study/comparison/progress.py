"""Fits kept in a folder, so that a study that was interrupted goes on where it stopped.

A fit is known by what it depends on: the rows, the fold, the candidate with its settings, the measure, the versions of novum and
scikit-learn. Anything else gets another name and is made again.
"""

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import sklearn

from novum import __version__
from novum.study.comparison.fits import CandidateFit, Fold, Outcome, Rows
from novum.study.scoring.measures import Predicted

__all__ = ["SavedProgress"]


class SavedProgress:
    """A folder of fits."""

    def __init__(self, folder: Path, rows: Rows, folds: list[Fold]) -> None:
        import pandas as pd

        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        judge = rows.judge
        print_of = hashlib.sha256(pd.util.hash_pandas_object(rows.frame, index=False).to_numpy().tobytes())
        print_of.update("\x1f".join(map(str, rows.frame.columns)).encode())
        print_of.update(repr((rows.y.tolist(), judge.measure.name, judge.seed)).encode())
        print_of.update(repr((__version__, sklearn.__version__)).encode())
        for array in (rows.weight, judge.costs, *(part for fold in folds for part in fold[1:])):
            print_of.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        self.common = print_of.hexdigest()
        self.classes = judge.classes

    def path(self, task: CandidateFit) -> Path:
        """Return the file of a fit."""
        candidate = task.candidate
        what = repr(
            (self.common, task.fold, candidate.name, candidate.estimator, candidate.candidacy, candidate.change)
        )
        return self.folder / f"{hashlib.sha256(what.encode()).hexdigest()[:32]}.npz"

    def find(self, task: CandidateFit) -> Outcome | None:
        """Return the outcome of a fit that was made before."""
        try:
            with np.load(self.path(task), allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                proba = kept.get("proba", None)
                values = kept["values"] if proba is None or self.classes is None else self.classes[kept["values"]]
                said = Predicted(values, proba)
        except (
            OSError,
            ValueError,
            KeyError,
            IndexError,
            BadZipFile,
            EOFError,
        ):  # not there, or half written by a machine that went down
            return None
        return Outcome(
            model=task.model,
            fold=task.fold,
            score=about["score"],
            seconds=about["seconds"],
            messages=about["messages"],
            error="",
            predicted=said,
            settings=about["settings"],
            criterion=about["criterion"],
            size=about["size"],
            last=about["last"],
        )

    def keep(self, task: CandidateFit, outcome: Outcome) -> None:
        """Write an outcome; one that failed is tried again next time."""
        if outcome.error or outcome.predicted is None:
            return
        said: Any = outcome.predicted
        about = {
            name: getattr(outcome, name)
            for name in ("score", "criterion", "seconds", "messages", "settings", "size", "last")
        }
        arrays = {"about": np.array(json.dumps(about)), "values": np.asarray(said.values)}
        if said.proba is not None:
            arrays |= {"proba": said.proba, "values": np.searchsorted(self.classes, said.values)}
        elif arrays["values"].dtype == object:
            arrays["values"] = arrays["values"].astype(str)
        target = self.path(task)
        draft = target.with_name(f".{secrets.token_hex(6)}.npz")
        try:
            np.savez(draft, allow_pickle=False, **arrays)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
