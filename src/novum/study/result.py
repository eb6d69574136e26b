"""What a study found: printed, saved, asked for predictions.

The sentences of every step are made here, once: the terminal and the report say the same.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.exceptions import DataError
from novum.report.numbers import counted, num
from novum.report.result import Result, result
from novum.report.tables import html_paragraph, html_table
from novum.runtime.typing import DataFrame, Fittable
from novum.study.comparison.choose import Leader, leaderboard
from novum.study.comparison.compare import Scores, parts_of
from novum.study.data.data_card import Card
from novum.study.data.schema import Schema, check, forms_of, prepare
from novum.study.data.table import table_of
from novum.study.data.task import LearningTask
from novum.study.insight.explain import Explanation
from novum.study.scoring.measures import MEASURES, Measure, probability

__all__ = ["HoldOut", "Listener", "StudyResult", "bytes_text"]

MOST_CLASSES_NAMED = 6


@result
class HoldOut(NamedTuple):
    """The kept model on the rows that were put away."""

    score: float
    interval: Interval
    y: Any
    predicted: Any
    proba: Any = None  # (rows, classes), where the model gives probabilities
    every: dict[str, tuple[float, Interval]] = {}  # all measures by name, with their intervals
    few: dict[str, float] = {}  # measures whose interval fewer rows decide than can be trusted, with their number


class Listener(Protocol):
    """Hears of every step of a study; what a subclass does not override does nothing."""

    def step(self, name: str, lines: list[str]) -> None:
        """A step is done."""
        return None

    def advance(self, done: int, planned: int) -> None:
        """One more fit is done."""
        return None

    def formed(self, name: str, score: str) -> None:
        """A model has finished its folds."""
        return None

    def explained(self, done: int, planned: int) -> None:
        """The importance of one more column is known."""
        return None

    def looked(self, done: int, planned: int) -> None:
        """One more thing is known about the kept model."""
        return None


class Silence(Listener):
    """Hears and says nothing."""


class StudyResult(Result):
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
        self.judged_model: Any = None
        self.refitted = True  # whether there was time to fit the saved model again
        self.share = 1.0  # of the rows, that the last fits had time for
        self.changes: list[dict[str, Any]] = []  # of the kept model's settings, by the search
        self.unsaved = ""  # why the model could not be saved, where it could not
        self.elapsed = 0.0

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

    def interrupted(self) -> None:
        """Take note that the study ended before a model was kept."""
        self.hold_out = None
        if self.scores is not None:
            self.scores = self.scores._replace(stopped="interrupted")

    @property
    def complete(self) -> bool:
        """Whether a model was kept."""
        return self.kept is not None

    # ------------------------------------------------------------------------------------------------ sentences

    def formalised(self) -> list[str]:
        """Return what the first steps found."""
        roles = [column.role for column in self.card.features]
        plural = {
            "number": ("number", "numbers"),
            "category": ("category", "categories"),
            "date": ("date", "dates"),
            "words": ("column of words", "columns of words"),
        }
        kinds = ", ".join(
            f"{roles.count(role)} {words[roles.count(role) > 1]}" for role, words in plural.items() if role in roles
        )
        task = self.task
        named = [f"{label} {count}" for label, count in zip(task.labels, task.counts)][:MOST_CLASSES_NAMED]
        what = ", ".join(named) + (", …" if len(task.labels) > MOST_CLASSES_NAMED else "") or task.reason
        lines = [
            f"{counted(self.card.n_rows, 'row')}, {kinds}; {task.target}: {what} -> {task.title}, measure: {self.scoring.title}"
        ]
        missing = f"{counted(self.card.missing, 'cell')} missing" if self.card.missing else "nothing missing"
        found = any("identifier" in column.reason for column in self.card.left_out)
        identifier = "" if found else ", no identifier"
        leak = ", no leak found" if not self.leaks else ""
        lines.append(f"{missing}{identifier}{leak}; {counted(self.n_held, 'row')} put away until the end")
        lines += [
            f"look at {name}: alone it is right in {score:.1%} of the rows; if it is known only afterwards, leave it out"
            if task.labels
            else f"look at {name}: alone it explains {score:.1%} of the variance; if it is known only afterwards, leave it out"
            for name, score in self.leaks
        ]
        return [*lines, *self.card.notes]

    def planned(self, models: int, folds: int, repeats: int, compared: int, tuned: bool) -> str:
        """Return what will be compared."""
        times = f" x {repeats}" if repeats > 1 else ""
        some = f" on {compared:,} of the rows" if compared < self.n_train else ""
        search = "; settings sought inside every training part" if tuned else ""
        return f"{counted(models, 'model')} and a baseline; {counted(folds, 'fold')}{times}, the same folds for all{some}{search}"

    def trained(self) -> list[str]:
        """Return how the comparison went."""
        if self.scores is None:
            return []
        s = self.scores
        cores = f"{s.processes} cores" if s.processes > 1 else "1 core"
        lines = [f"{s.fits}/{counted(s.planned, 'fit')}, {num(s.elapsed):.0f} s, {cores}"]
        if s.stopped:
            common = (
                f": compared on the {counted(len(s.folds), 'fold')} that all below have finished"
                if s.candidates
                else ""
            )
            lines.append(f"stopped early ({s.stopped}){common}")
        return [*lines, *s.notes]

    def judged(self) -> str:
        """Return the hold-out score in a sentence."""
        hold = self.hold_out
        if hold is None:
            return ""
        text = self.scoring.text
        ends = f"95 % interval {text(hold.interval.lower)} - {text(hold.interval.upper)}"
        if self.scoring.name == "accuracy":
            return f"{int((hold.y == hold.predicted).sum())} of {len(hold.y)} right: {text(hold.score)}, {ends}"
        return f"{self.scoring.title} {text(hold.score)} on {counted(len(hold.y), 'row')}, {ends}"

    def doubted(self) -> str:
        """Return a sentence about intervals that a few rows decide; nothing where there are none."""
        hold = self.hold_out
        if hold is None or not hold.few:
            return ""
        titles = [MEASURES[name].title if name in MEASURES else self.scoring.title for name in hold.few]
        rows = f"about {max(round(min(hold.few.values())), 1)} of the {counted(len(hold.y), 'row')}"
        if len(titles) == 1:
            return f"The interval of {titles[0]} is approximate and may be too narrow: {rows} decide it."
        listed = ", ".join(titles[:-1]) + f" and {titles[-1]}"
        return f"The intervals of {listed} are approximate and may be too narrow: {rows} decide them."

    def saved_from(self) -> str:
        """Return what the saved model was fitted on."""
        every = self.n_train + self.n_held if self.refitted else self.n_train
        rows = (
            f"all {counted(every, 'row')}"
            if self.share >= 1
            else f"{round(self.share * every):,} of the {counted(every, 'row')}"
        )
        return (
            f"fitted again on {rows}" if self.refitted else f"fitted on {rows} to learn from, without time for another"
        )

    def others(self) -> str:
        """Return the other measures on the hold-out rows in a line."""
        if self.hold_out is None:
            return ""
        named = [
            (MEASURES[name], value) for name, (value, _) in self.hold_out.every.items() if name != self.scoring.name
        ]
        return ", ".join(f"{measure.title} {measure.text(value)}" for measure, value in named)

    def told_apart(self) -> str:
        """Return how many of the others are shown to be worse than the best mean, in a sentence."""
        others = [leader.verdict for leader in self.leaders if not leader.best]
        alike = others.count("cannot tell")
        if not others:
            return "There is no other to compare it with."
        if len(others) == 1:
            return f"The other {'cannot be told from it' if alike else 'is shown to be worse'}."
        if alike in (0, len(others)):
            said = ("None", "can be told from it") if alike else ("All", "are shown to be worse")
            return f"{said[0]} of the {len(others)} others {said[1]}."
        worse = len(others) - alike
        return (
            f"Of the {len(others)} others, {alike} cannot be told from it and {worse} {'is' if worse == 1 else 'are'} shown to be"
            " worse."
        )

    def made_of(self) -> str:
        """Return what the kept model is made of, or with which settings, in a sentence."""
        if self.kept is None or self.scores is None:
            return ""
        if len(parts_of(self.scores, self.kept.position)) > 1:
            return f"It is the weighted mean {self.settings()}."
        return f"Its settings were sought: {self.settings()}." if any(self.changes) else "It has its first settings."

    def settings(self) -> str:
        """Return the kept model's parts and the settings that the search took."""
        if self.kept is None or self.scores is None:
            return ""
        parts = parts_of(self.scores, self.kept.position)
        said = []
        for part, change in zip(parts, self.changes or [{}] * len(parts)):
            share = f"{part.weight:.0%} " if len(parts) > 1 else ""
            how = ", ".join(f"{name} {value}" for name, value in change.items())
            said.append(f"{share}{part.candidate.name}" + (f" ({how})" if how else ""))
        return " + ".join(said)

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
        frame : pandas, polars or pyarrow frame
        unseen : bool, default=False
            Take categories that the model never saw.
        """
        if self.model is None:
            raise DataError("StudyResult.predict: the study was interrupted before it kept a model; run it again.")
        table, _ = check(table_of(frame, forms=forms_of(self.schema)), self.schema, unseen=unseen)
        return self.model.predict(prepare(table, self.schema))

    def write_report(self, folder: str | os.PathLike) -> list[Path]:
        """Write report.html, report.md, model.novum, MODEL_CARD.md and scores.csv into a folder, all or none; return their paths.

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
