"""What a study found: to print, to save, to predict with.

The sentences of every step are in `sentences`.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.tables import html_paragraph, html_table
from novum.runtime.typing import DataFrame, Fittable
from novum.study.comparison.choose import Leader, leaderboard
from novum.study.comparison.compare import Scores
from novum.study.comparison.matrix_columns import how_read
from novum.study.data.data_card import Card
from novum.study.data.schema import Schema, prepare
from novum.study.data.task import LearningTask
from novum.study.hold_out import HoldOut
from novum.study.insight.explain import Explanation
from novum.study.insight.fairness import Fairness
from novum.study.predictions import checked_rows
from novum.study.scoring.measures import Measure, probability
from novum.study.sentences import StudySentences

__all__ = ["StudyResult", "bytes_text"]


class StudyResult(StudySentences, Result):
    """What a study found.

    Attributes
    ----------
    leaders : list of Leader
        The leaderboard, best mean first.
    kept : Leader or None
        The row that was kept; None if the study was interrupted.
    model : Pipeline or None
        The kept model, fitted on all rows; it takes frames as `prepare` makes them, `predict` takes yours.
    judged_model : Pipeline or Blend or None
        The kept model, fitted on the training rows alone.
    hold_out : HoldOut or None
        Its kind, fitted on the training rows alone, on the rows put away.
    card : Card
        The data card.
    explanation : Explanation or None
        Importances, confusion, ROC curve.
    fairness : list of Fairness
        Measures, gaps and calibration by group, of the columns that were named by `fair=`.
    findings : Findings or None
        Learning curve, calibration, thresholds, slices, contributions of the columns, partial dependence, coverage.
    """

    def __init__(
        self,
        name: str,
        task: LearningTask,
        scoring: Measure,
        card: Card,
        leaks: list[tuple[str, float]],
        schema: Schema,
        random_state: int,
        n_train: int,
        n_held: int,
    ) -> None:
        self.name = name
        self.task = task
        self.scoring = scoring
        self.card = card
        self.leaks = leaks
        self.schema = schema
        self.random_state = random_state
        self.n_train = n_train
        self.n_held = n_held
        self.leaders: list[Leader] = []
        self.scores: Scores | None = None
        self.kept: Leader | None = None
        self.reason = ""
        self.model: Any = None
        self.hold_out: HoldOut | None = None
        self.explanation: Explanation | None = None
        self.findings: Any = None  # of novum.study.insight
        self.limited: list[str] = []  # which limits of columns the kept model keeps to
        self.fairness: list[Fairness] = []  # of the columns whose groups were compared
        self.judged_model: Any = None
        self.of_folds = False  # whether the comparison fitted the kept model, since there was no time for another
        self.refitted = True  # whether there was time to fit the saved model again
        self.share = 1.0  # of the rows, that the last fits had time for
        self.changes: list[dict[str, Any]] = []  # of the kept model's settings, by the search
        self.unsaved = ""  # why the model could not be saved, where it could not
        self.elapsed = 0.0
        self.formalisation: Any = None  # the rows, of novum.study.formalised
        self.rows_compared: Any = None  # the rows that models were compared on
        self.options: dict[str, Any] = {}  # how the study was called
        self.n_folds = 0  # of the comparison, in one repetition
        self.positive: int | None = None  # number of the class that some measures are about
        self.costs: np.ndarray | None = None

    # ------------------------------------------------------------------------------------------------ steps

    def compared(self, scores: Scores) -> None:
        """Take the scores of the candidates."""
        self.scores = scores
        self.leaders = leaderboard(scores, self.scoring) if scores.candidates else []

    def finished(
        self,
        model: Fittable,
        kept: Leader,
        reason: str,
        hold_out: HoldOut,
        explanation: Explanation,
        changes: list[dict[str, Any]],
        judged: Any,
    ) -> None:
        """Take the kept model."""
        self.model, self.kept, self.reason, self.hold_out = model, kept, reason, hold_out
        self.explanation, self.changes = explanation, changes
        self.judged_model = judged

    def read(self, models: list[tuple[str, Any]]) -> list[str]:
        """Take note of how the kept models, by name, read the columns that can be read in several ways; return the sentences."""
        notes = how_read(models)
        self.card = self.card._replace(notes=[*self.card.notes, *notes])
        return notes

    def interrupted(self) -> None:
        """Take note that the study ended before a model was kept."""
        self.hold_out = None
        if self.scores is not None:
            self.scores = self.scores._replace(stopped="interrupted")

    @property
    def complete(self) -> bool:
        """Whether a model was kept."""
        return self.kept is not None

    def table(self) -> list[list[str]]:
        """Return the leaderboard as cells: model, score, interval, verdict, p, size, whose it is."""
        text = self.scoring.text
        return [
            [
                leader.name + (", tuned" if leader.tuned else ""),
                text(leader.mean),
                f"{text(leader.interval.lower)} - {text(leader.interval.upper)}",
                leader.verdict,
                "" if leader.best else f"p {probability(leader.p_value)}",
                bytes_text(leader.size),
                leader.by if leader.by != "novum" else "",
            ]
            for leader in self.leaders
        ]

    def lines(self) -> list[str]:
        """Return the leaderboard as lines of text."""
        rows = self.table()
        width = max([24, *(len(row[0]) for row in rows)])
        middle = max([15, *(len(row[2]) for row in rows)])
        tight = max(10, len(self.scoring.title))
        lines = [
            f"{'':<{width}}  {self.scoring.title:>{tight}}   {'95 % interval':>{middle}}   worse than the best? {'size':>9}"
        ]
        return lines + [
            f"{r[0]:<{width}}  {r[1]:>{tight}}   {r[2]:>{middle}}   {r[3]:<11} {r[4]:<9}{r[5]:>9}  {r[6]}".rstrip()
            for r in rows
        ]

    def _result_picture(self, ax: Any) -> None:
        leaders = self.leaders[::-1]
        place = np.arange(len(leaders))
        mean = np.array([leader.mean for leader in leaders])
        ends = np.array([leader.interval for leader in leaders]).reshape(-1, 2)
        ax.errorbar(mean, place, xerr=np.abs(ends.T - mean), fmt="o", capsize=4)
        ax.set_yticks(place, [leader.name for leader in leaders])
        ax.set(xlabel=f"{self.scoring.title}, 95 % interval", title=self.reason or "")

    def __repr__(self) -> str:
        parts = [*self.formalised()[:2], *self.lines()]
        if self.kept:
            parts += [
                f"keep: {self.kept.name}: {self.reason} on {counted(self.n_train, 'row')}",
                f"hold-out: {self.judged()}",
            ]
            parts += [self.doubted()] if self.doubted() else []
        else:
            parts += self.trained()[1:2]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        head = ["model", self.scoring.title, "95 % interval", "worse than the best?", "corrected t, Holm", "size", "by"]
        ends = [line for line in repr(self).splitlines() if line.startswith(("keep", "hold-out"))]
        return html_table([head, *self.table()]) + html_paragraph([*self.formalised()[:2], *ends])

    # ------------------------------------------------------------------------------------------------ use

    def to_frame(self) -> DataFrame:
        """Return the leaderboard as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "model": leader.name,
                    "by": leader.by,
                    self.scoring.name: leader.mean,
                    "lower": leader.interval.lower,
                    "upper": leader.interval.upper,
                    "difference": leader.difference,
                    "difference_lower": leader.difference_interval.lower,
                    "difference_upper": leader.difference_interval.upper,
                    "p_holm": leader.p_value,
                    "worse_than_best": leader.verdict or "best",
                    "simplicity": leader.simplicity,
                    "tuned": leader.tuned,
                    "bytes": round(leader.size),
                    "fit_seconds": leader.seconds,
                    "kept": self.kept is not None and leader.name == self.kept.name,
                }
                for leader in self.leaders
            ]
        )

    def predict(self, frame: Any, *, unseen: bool = False) -> np.ndarray:
        """Return the predictions of the kept model for the rows of a frame with the same columns.

        Parameters
        ----------
        frame : pandas, polars or pyarrow frame, or what `read_table` gives
        unseen : bool, default=False
            Take categories that the model never saw.
        """
        if self.model is None:
            raise DataError("StudyResult.predict: the study was interrupted before it kept a model; run it again.")
        table, _ = checked_rows(frame, self.schema, unseen)
        return self.model.predict(prepare(table, self.schema))

    def export(
        self, path: str | os.PathLike, *, table: str | None = None, reading: dict[str, Any] | None = None
    ) -> Path:
        """Write a program that makes the kept model again: a script (.py) or a notebook (.ipynb), with public names only.

        It reads the table, makes the same columns, fits the same model on the same rows, and prints the score on the rows put away.

        Parameters
        ----------
        path : path
            Ends in .py or .ipynb.
        table : str or None
            Path of the table that the program shall read; None: the one that the study read.
        reading : dict or None
            How `read_table` is to be called, as {"separator": ";"}.

        Raises
        ------
        DataError
            If the model cannot be written as a program; the message says which part of it.
        """
        from novum.study.export.program import write_program

        return write_program(self, Path(path), table, reading or {})

    def write_report(self, folder: str | os.PathLike) -> list[Path]:
        """Write report.html, report.md, model.novum, MODEL_CARD.md, scores.csv, study.json and unseen.parquet into a folder, all or
        none; return their paths.

        What the folder already holds under these names is replaced; nothing else in it is touched.
        """
        from novum.study.report.output import write_study

        return write_study(self, Path(folder))


def bytes_text(size: float) -> str:
    """Return a size as it is printed."""
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if size >= factor:
            amount = size / factor
            return f"{num(amount):.0f} {unit}" if amount >= 10 else f"{num(amount):.1f} {unit}"
    return f"{num(size):.0f} B" if size else ""
