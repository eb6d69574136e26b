"""The outcomes of a comparison as they come: which settings of which candidates have finished which sets of folds, and how well.

A candidate may be there several times, with its first settings and with others that are tried (novum.study.comparison.portfolio).
It has one row of the leaderboard. The settings that a fold f judges it by are those that are best on the other folds,

    v_f = argmax_v mean_{g != f} score_v(g),    score of the row on f = score_{v_f}(f)                               (1)

so no fold has a say in what it judges, and the best of many is not flattered; kept are the best on all folds.

Boosting has as many passes of a small rate as there is time for. Where P are too few for it, its rate is larger,

    rate = usual rate * clip(400 / P, 1, 1.6)                                                                       (2)

Of few rows every fit is judged after some of its first passes as well, each a setting of its own.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from novum.base.candidacy import EARLY, MANY_ROWS, PASSES
from novum.study.comparison.candidates import Candidate
from novum.study.comparison.fits import CandidateFit, Fold, Outcome, Rows

__all__ = ["LAST_FITS", "LEAST_FITS", "Board", "Entry", "last_seconds"]

LEAST_MODELS, LEAST_FOLDS = (
    2,
    2,
)  # the baseline and the first after it are compared on so many folds however little time there is
LEAST_FITS = LEAST_MODELS * LEAST_FOLDS
TOP = 2  # of the best so far, whose last fits have time whatever else is kept; boosting is one more
LAST_FITS = 2.5  # how many of their fits the last two may take as long as
STEPS_A_SECOND = 4e6  # cells times passes times outputs of one fit, for every second of the study
USUAL_PASSES, FASTEST = 400, 1.6  # that boosting should have time for, and how many times its rate at most
UNLIMITED = 100.0  # seconds of a study without a clock, as it were
RATE = "learning_rate"
REPEATED = 2  # settings of a candidate that go on to further sets of folds


def last_seconds(seconds: float, growth: float) -> float:
    """Return how long the last fits take, to be judged and to be used: two on `growth` times the rows."""
    return float(LAST_FITS * seconds * growth)


class Entry(NamedTuple):
    """A row of the leaderboard: a candidate with the settings that are chosen for it."""

    place: int  # of those that are best on all folds
    by_fold: dict[int, int]  # of those best on the other folds, by fold


class Board:
    """The outcomes so far, by candidate (with settings) and fold."""

    def __init__(self, rows: Rows, folds: list[Fold], seconds: float | None = None) -> None:
        self.rows, self.folds, self.seconds = rows, folds, seconds or UNLIMITED
        self.candidates: list[Candidate] = []
        self.done: dict[tuple[int, int], Outcome] = {}
        self.left_out: set[int] = set()  # folds that there was no time for, not even of the first models
        self.tried: set[tuple[str, str]] = set()  # names and settings that were tried beside the first
        self.passes: dict[int, int] = {}  # of what is the first passes of another, and made with it
        self.going_on: set[int] | None = None  # what goes on to further sets of folds; None before that is known

    def add(self, candidates: list[Candidate], seconds: float | None = None) -> list[CandidateFit]:
        """Take more candidates; return their fits on the first set of folds, and what each may take."""
        places, stages = [], {}
        for candidate in candidates:
            first = len(self.candidates)
            parts = self.stages(candidate)
            self.candidates += parts
            self.passes |= {first + 1 + i: int(part.change[PASSES]) for i, part in enumerate(parts[1:])}
            stages[first] = tuple((c, self.passes[c]) for c in range(first + 1, len(self.candidates)))
            places.append(first)
        tasks = [task._replace(stages=stages[task.model]) for task in self.fits(places, 0, seconds)]
        needed = places[:LEAST_MODELS] if places[0] == 0 else []
        return sorted(tasks, key=lambda task: task.fold - len(self.folds) if task.model in needed else task.model)

    def stages(self, candidate: Candidate) -> list[Candidate]:
        """Return a candidate at the rate (2) and, of few rows, those that are its first passes."""
        tag = candidate.candidacy
        if tag is None or not tag.stages or candidate.log_target:
            return [candidate]
        rows, classes = self.rows, self.rows.judge.classes
        outputs = 1 if classes is None or len(classes) == 2 else len(classes)
        most = STEPS_A_SECOND * self.seconds / (rows.frame.shape[0] * rows.frame.shape[1] * outputs)
        rate = {**tag.settings, **candidate.change}[RATE] * float(np.clip(USUAL_PASSES / most, 1.0, FASTEST))
        candidate = candidate._replace(change={**candidate.change, RATE: round(rate, 3)})
        if max(len(fold.train) for fold in self.folds) >= MANY_ROWS:
            return [candidate]
        some = [passes for passes in tag.stages if passes <= most] or [min(tag.stages)]
        return [
            candidate._replace(change={**candidate.change, PASSES: passes, EARLY: False})
            for passes in sorted(some, reverse=True)
        ]

    def take(self, outcome: Outcome) -> None:
        """Keep an outcome, and those of its first passes."""
        self.done[outcome.model, outcome.fold] = outcome._replace(stages=())
        for one in outcome.stages:
            self.done[one.model, one.fold] = one

    @property
    def fits_done(self) -> int:
        """How many fits were made."""
        return sum(c not in self.passes or self.folds[f].repeat > 0 for c, f in self.done)

    def repeat(self, seconds: float | None = None) -> list[CandidateFit]:
        """Return the fits on further sets of folds, set by set: of what finished the first, the best settings of each name."""
        used, able = self.used_folds(), []
        for chosen in self.by_name(used).values():
            able += sorted(chosen, key=lambda c: -self.merit(c, used))[:REPEATED]
        self.going_on = set(able)
        sets = range(1, 1 + max(fold.repeat for fold in self.folds))
        return [task for repeat in sets for task in self.fits(sorted(able), repeat, seconds)]

    def fits(self, chosen: Iterable[int], repeat: int, seconds: float | None) -> list[CandidateFit]:
        """Return the fits of some candidates on one set of folds, without those that are done."""
        return [
            CandidateFit(c, f, self.candidates[c], fold, None if self.needed(c) else seconds)
            for c in chosen
            for f, fold in enumerate(self.folds)
            if fold.repeat == repeat and (c, f) not in self.done
        ]

    def needed(self, c: int) -> bool:
        """Return whether a candidate is compared however long it takes; one of the user's may never end."""
        return c < LEAST_MODELS and self.candidates[c].by != "you" and not self.candidates[c].tuned

    def finished(self, c: int, repeat: int) -> bool:
        """Return whether a candidate has all scores of a set of folds."""
        places = [f for f, fold in enumerate(self.folds) if fold.repeat == repeat and f not in self.left_out]
        return bool(np.isfinite(self.values(c)[places]).all())

    def leave_out(self) -> None:
        """Leave out folds where no model finished a set, but for the baseline: better fewer folds than no comparison.

        The first model may be one that nobody waits for; then it is the baseline alone.
        """
        if any(self.finished(c, 0) for c, one in enumerate(self.candidates) if not one.baseline):
            return
        for first in (range(LEAST_MODELS), range(1)):
            made = [f for f in range(len(self.folds)) if all((c, f) in self.done for c in first)]
            if len(made) >= LEAST_FOLDS and not any(self.error(c) for c in first):
                self.left_out = set(range(len(self.folds))) - set(made)
                return

    def values(self, c: int) -> np.ndarray:
        """Return the scores of a candidate, NaN where there is none."""
        return self.column(c, "score")

    def column(self, c: int, field: str) -> np.ndarray:
        """Return a number of every fold's outcome, NaN where there is none."""
        found = [self.done.get((c, f)) for f in range(len(self.folds))]
        return np.array([np.nan if one is None else getattr(one, field) for one in found])

    def merit(self, c: int, used: np.ndarray) -> float:
        """Return what settings are chosen by: the mean of the measure, equal classifiers told apart by their probabilities."""
        return float(self.column(c, "criterion")[used].mean())

    def error(self, c: int) -> str:
        """Return why a candidate failed."""
        return next((one.error for f in range(len(self.folds)) if (one := self.done.get((c, f))) and one.error), "")

    def able(self) -> list[int]:
        """Return what has finished the first set of folds, as far as it goes on."""
        every = self.going_on if self.going_on is not None else range(len(self.candidates))
        return [c for c in every if not self.error(c) and self.finished(c, 0)]

    def used_folds(self) -> np.ndarray:
        """Return which folds are compared on: the first set, and every further one that all who go on finished."""
        able = self.able()
        sets = range(1, 1 + max(fold.repeat for fold in self.folds))
        whole = [0, *(repeat for repeat in sets if able and all(self.finished(c, repeat) for c in able))]
        used = np.isin([fold.repeat for fold in self.folds], whole)
        used[list(self.left_out)] = False
        return used

    def last_seconds(self, n_rows: int) -> float:
        """Return how long the last fits of the best so far will take.

        One of a name counts, since settings of one name take about as long. What takes longer is fitted on fewer rows, or the
        models of its folds are kept: there is time for boosting whatever is best.
        """
        used = self.used_folds()
        best = [places for places in self.by_name(used).values() if not self.candidates[places[0]].baseline]
        top = sorted(
            (max(places, key=lambda c: self.merit(c, used)) for places in best), key=lambda c: -self.merit(c, used)
        )
        growth = n_rows / float(np.mean([len(fold.train) for fold in self.folds]))
        chosen = top[:TOP] + [c for c in top[TOP:] if (tag := self.candidates[c].candidacy) and tag.order == 1][:1]
        return float(sum(last_seconds(self.column(c, "last")[used].mean(), growth) for c in chosen))

    def ranked(self, used: np.ndarray) -> list[int]:
        """Return all that finished these folds, whatever its settings, the best first."""
        finished = [c for one in self.by_name(used).values() for c in one]
        return sorted(finished, key=lambda c: -self.merit(c, used))

    def by_name(self, used: np.ndarray) -> dict[str, list[int]]:
        """Return what finished these folds, by name."""
        found: dict[str, list[int]] = {}
        for c, candidate in enumerate(self.candidates):
            if not self.error(c) and np.isfinite(self.values(c)[used]).all():
                found.setdefault(candidate.name, []).append(c)
        return found

    def entries(self, used: np.ndarray) -> list[Entry]:
        """Return a row for every name that finished these folds, by (1)."""
        found = []
        for places in self.by_name(used).values():
            merits = np.array([self.column(c, "criterion") for c in places])
            by_fold = {}
            for f in np.flatnonzero(used).tolist():
                others = [
                    g for g in np.flatnonzero(used).tolist() if g != f and self.folds[g].repeat == self.folds[f].repeat
                ]
                by_fold[f] = places[int(np.argmax(merits[:, others].mean(axis=1)))] if others else places[0]
            found.append(Entry(places[int(np.argmax(merits[:, used].mean(axis=1)))], by_fold))
        return found
