"""What a study says of its steps, sentence by sentence, made once: the terminal and the report say the same."""

from typing import Any

from novum.report.numbers import counted, num
from novum.study.comparison.choose import Leader
from novum.study.comparison.compare import Scores, parts_of
from novum.study.data.data_card import Card
from novum.study.data.task import LearningTask
from novum.study.hold_out import HoldOut
from novum.study.scoring.measures import MEASURES, Measure

__all__ = ["StudySentences"]

MOST_CLASSES_NAMED = 6


class StudySentences:
    """The sentences of a `StudyResult`, made of what it holds."""

    task: LearningTask
    scoring: Measure
    card: Card
    leaks: list[tuple[str, float]]
    n_train: int
    n_held: int
    leaders: list[Leader]
    scores: Scores | None
    kept: Leader | None
    hold_out: HoldOut | None
    of_folds: bool
    refitted: bool
    share: float
    changes: list[dict[str, Any]]

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
        search = "; then other settings of the best" if tuned else ""
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
        if self.of_folds and self.share >= 1 and not self.refitted:
            return "fitted in the comparison, on the rows of its folds, without time for another"
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

    def distinguished(self) -> str:
        """Return how many of the others are shown to be worse than the best mean, in a sentence."""
        others = [leader.verdict for leader in self.leaders if not leader.best]
        alike = others.count("cannot tell")
        if not others:
            return "There is no other to compare it with."
        if len(others) == 1:
            return f"The other {'cannot be distinguished from it' if alike else 'is shown to be worse'}."
        if alike in (0, len(others)):
            said = ("None", "can be distinguished from it") if alike else ("All", "are shown to be worse")
            return f"{said[0]} of the {len(others)} others {said[1]}."
        worse = len(others) - alike
        return (
            f"Of the {len(others)} others, {alike} cannot be distinguished from it and {worse} {'is' if worse == 1 else 'are'}"
            " shown to be worse."
        )

    def made_of(self) -> str:
        """Return what the kept model is made of, or with which settings, in a sentence."""
        if self.kept is None or self.scores is None:
            return ""
        if len(parts_of(self.scores, self.kept.position)) > 1:
            layer = parts_of(self.scores, self.kept.position)[0].bias is not None
            return f"It is {'a second layer over' if layer else 'the weighted mean'} {self.settings()}."
        return f"Its settings were sought: {self.settings()}." if any(self.changes) else "It has its first settings."

    def settings(self) -> str:
        """Return the kept model's parts and the settings that the search took."""
        if self.kept is None or self.scores is None:
            return ""
        parts = parts_of(self.scores, self.kept.position)
        said = []
        for part, change in zip(parts, self.changes or [{}] * len(parts)):
            share = "" if len(parts) == 1 else f"{part.weight:.0%} " if part.bias is None else f"{part.weight:.2f} "
            how = ", ".join(f"{name} {value}" for name, value in change.items())
            said.append(f"{share}{part.candidate.name}" + (f" ({how})" if how else ""))
        return " + ".join(said)
