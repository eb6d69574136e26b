"""The outcomes of a comparison as they come: which candidates have finished which sets of folds, and how well."""

from collections.abc import Iterable

import numpy as np

from novum.study.comparison.candidates import Candidate
from novum.study.comparison.fits import CandidateFit, Fold, Outcome, Rows

__all__ = ["LAST_FITS", "LEAST_FITS", "Board", "last_seconds"]

LEAST_MODELS, LEAST_FOLDS = (
    2,
    2,
)  # the baseline and the first after it are compared on so many folds however little time there is
LEAST_FITS = LEAST_MODELS * LEAST_FOLDS
TOP, TOP_OF_FEW, FEW_ROWS = 3, 5, 2_000  # of the best so far, which may be kept together; likely so of few rows
LAST_FITS = 2.5  # how many of their fits the last two may take as long as


def last_seconds(seconds: float, last: float, growth: float) -> float:
    """Return how long the last fits take, to be judged and to be used: the search once, fits on `growth` times the rows twice."""
    return float(seconds - last + LAST_FITS * last * growth)


class Board:
    """The outcomes so far, by candidate (tuned or not) and fold."""

    def __init__(self, rows: Rows, folds: list[Fold]) -> None:
        self.rows, self.folds = rows, folds
        self.candidates: list[Candidate] = []
        self.done: dict[tuple[int, int], Outcome] = {}
        self.left_out: set[int] = set()  # folds that there was no time for, not even of the first models

    def add(self, candidates: list[Candidate], seconds: float | None = None) -> list[CandidateFit]:
        """Take more candidates; return their fits on the first set of folds, and what each may take."""
        first = len(self.candidates)
        self.candidates += candidates
        tasks = self.fits(range(first, len(self.candidates)), 0, seconds)
        return sorted(
            tasks, key=lambda task: task.model if task.model >= LEAST_MODELS else (task.fold - len(self.folds))
        )

    def repeat(self, seconds: float | None = None) -> list[CandidateFit]:
        """Return the fits on further sets of folds of all candidates that finished the first, set by set."""
        able = [c for c in range(len(self.candidates)) if not self.error(c) and self.finished(c, 0)]
        sets = range(1, 1 + max(fold.repeat for fold in self.folds))
        return [task for repeat in sets for task in self.fits(able, repeat, seconds)]

    def fits(self, chosen: Iterable[int], repeat: int, seconds: float | None) -> list[CandidateFit]:
        """Return the fits of some candidates on one set of folds."""
        return [
            CandidateFit(c, f, self.candidates[c], fold, None if self.needed(c) else seconds)
            for c in chosen
            for f, fold in enumerate(self.folds)
            if fold.repeat == repeat
        ]

    def needed(self, c: int) -> bool:
        """Return whether a candidate is compared however long it takes; one of the user's may never end."""
        return c < LEAST_MODELS and self.candidates[c].by != "you"

    def finished(self, c: int, repeat: int) -> bool:
        """Return whether a candidate has all scores of a set of folds."""
        places = [f for f, fold in enumerate(self.folds) if fold.repeat == repeat and f not in self.left_out]
        return bool(np.isfinite(self.values(c)[places]).all())

    def leave_out(self) -> None:
        """Leave out folds where not even the first models finished a set: better fewer folds than no comparison.

        The first model may be one that nobody waits for; then it is the baseline alone.
        """
        if any(self.finished(c, 0) for c in range(len(self.candidates))):
            return
        for first in (range(LEAST_MODELS), range(1)):
            made = [f for f in range(len(self.folds)) if all((c, f) in self.done for c in first)]
            if len(made) >= LEAST_FOLDS and not any(self.error(c) for c in first):
                self.left_out = set(range(len(self.folds))) - set(made)
                return

    def values(self, c: int) -> np.ndarray:
        """Return the scores of a candidate, NaN where there is none."""
        found = [self.done.get((c, f)) for f in range(len(self.folds))]
        return np.array([np.nan if one is None else one.score for one in found])

    def error(self, c: int) -> str:
        """Return why a candidate failed."""
        return next((one.error for f in range(len(self.folds)) if (one := self.done.get((c, f))) and one.error), "")

    def used_folds(self) -> np.ndarray:
        """Return which folds are compared on: the first set, and every further one that all who finished the first finished."""
        able = [c for c in range(len(self.candidates)) if not self.error(c) and self.finished(c, 0)]
        sets = range(1, 1 + max(fold.repeat for fold in self.folds))
        whole = [0, *(repeat for repeat in sets if able and all(self.finished(c, repeat) for c in able))]
        used = np.isin([fold.repeat for fold in self.folds], whole)
        used[list(self.left_out)] = False
        return used

    def last_seconds(self, n_rows: int) -> float:
        """Return how long the last fits of the best so far will take."""
        used = self.used_folds()
        chosen = [c for c in self.best_of_each(used) if not self.candidates[c].baseline]
        better, places = self.rows.judge.measure.better, np.flatnonzero(used)
        most = TOP_OF_FEW if len(self.rows.y) <= FEW_ROWS else TOP
        top = sorted(chosen, key=lambda c: -better(self.values(c)[used].mean()))[:most]
        growth = n_rows / float(np.mean([len(fold.train) for fold in self.folds]))
        made = [[self.done[c, int(f)] for f in places] for c in top]
        each = [(float(np.mean([o.seconds for o in one])), float(np.mean([o.last for o in one]))) for one in made]
        return float(sum(last_seconds(seconds, last, growth) for seconds, last in each))

    def best_of_each(self, used: np.ndarray) -> list[int]:
        """Return the candidates that finished these folds; of one name the better one."""
        chosen: dict[str, int] = {}
        for c, candidate in enumerate(self.candidates):
            values = self.values(c)[used]
            if self.error(c) or not np.isfinite(values).all():
                continue
            better = self.rows.judge.measure.better
            rival = chosen.get(candidate.name)
            if rival is None or better(values.mean()) > better(self.values(rival)[used].mean()):
                chosen[candidate.name] = c
        return list(chosen.values())
