"""Which settings are tried: a few for each class, known to be good on other tables, those of the best candidates first.

The classes carry them (`novum.base.candidacy`), the likely ones first. They are fitted on the folds that all candidates share, so
every try is a member of the ensemble as well, and costs one fit a fold. Of few rows all are tried on all folds. Of more, by
successive halving: a first fold judges all of them, the best third goes on to the others. The order mixes candidates,

    turn of try t of the candidate of rank r = t + 2 r                                                               (1)

so wherever the time ends, the best candidates have had the most tries; boosting, which gains most by them, counts as the second at
least. Of many rows its first tries come before most candidates, and what is quick before forests.
"""

from collections.abc import Callable

import numpy as np

from novum.study.comparison.board import Board
from novum.study.comparison.candidates import Candidate
from novum.study.comparison.fits import CandidateFit

__all__ = ["Stage", "early_tries", "first_tries", "quick_first", "settings_to_try", "stages_of", "survivors"]

FEW_ROWS, MANY_COLUMNS = 5_000, 500
TUNED, TUNED_OF_MANY = 6, 4  # how many of the best have their settings tried, and of a table of more rows or columns
HEAD, EARLY_TRIES, OF_MANY_TREES = (
    3,
    2,
    8,
)  # candidates before the first tries, which are so many; a rank of `Candidacy`
KEPT, LEAST_KEPT = 3, 3  # one of so many tries goes on, and at least so many


Stage = tuple[str, Callable[[float | None], list[CandidateFit]]]  # its name, and its fits, given what each may take


def stages_of(board: Board, candidates: list[Candidate], tune: bool) -> list[Stage]:
    """Return the stages of a comparison in their order: "first" at first settings, "settings", and "further" sets of folds."""
    head, tail = (candidates[:HEAD], quick_first(candidates[HEAD:])) if is_large(board) else (candidates, [])
    stages: list[Stage] = [("first", lambda seconds: board.add(head, seconds))]
    if tune and tail:
        stages.append(("settings", lambda seconds: early_tries(board, seconds)))
    if tail:
        stages.append(("first", lambda seconds: board.add(tail, seconds)))
    if tune:
        stages.append(("settings", lambda seconds: first_tries(board, seconds)))
        stages.append(("settings", lambda seconds: survivors(board, seconds)))
    if max(fold.repeat for fold in board.folds) > 0:
        stages.append(("further", board.repeat))
    return stages


def settings_to_try(board: Board) -> list[Candidate]:
    """Return the candidates with the settings that are worth a try, in the order of (1)."""
    found: list[tuple[int, Candidate]] = []
    best: dict[str, Candidate] = {}
    for c in board.ranked(board.used_folds()):
        candidate = board.candidates[c]
        if candidate.candidacy and candidate.candidacy.search:
            best.setdefault(candidate.name, candidate)
    for place, candidate in enumerate(list(best.values())[: TUNED_OF_MANY if is_large(board) else TUNED]):
        rank = min(place, 1) if candidate.candidacy and candidate.candidacy.order == 1 else place
        for turn, change in enumerate(candidate.candidacy.search if candidate.candidacy else ()):
            if (candidate.name, repr(change)) not in board.tried:
                found.append((turn + 2 * rank, candidate._replace(tuned=True, change=change)))
    return [candidate for _, candidate in sorted(found, key=lambda one: one[0])]


def quick_first(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates with those of hundreds of trees last."""
    return sorted(candidates, key=lambda one: one.candidacy is not None and one.candidacy.rank == OF_MANY_TREES)


def early_tries(board: Board, seconds: float | None) -> list[CandidateFit]:
    """Return the fits of the first tries of boosting, on all folds of the first set."""
    for c in board.ranked(board.used_folds()):
        candidate = board.candidates[c]
        if candidate.candidacy and candidate.candidacy.order == 1:
            changes = candidate.candidacy.search[:EARLY_TRIES]
            board.tried |= {(candidate.name, repr(change)) for change in changes}
            return board.add([candidate._replace(tuned=True, change=change) for change in changes], seconds)
    return []


def is_large(board: Board) -> bool:
    """Return whether a table is too large for all tries on all folds."""
    return len(board.rows.y) > FEW_ROWS or board.rows.frame.shape[1] > MANY_COLUMNS


def first_tries(board: Board, seconds: float | None) -> list[CandidateFit]:
    """Return the fits that judge all tries: on all folds of the first set, or on the first of them alone."""
    tasks = board.add(settings_to_try(board), seconds)
    return [task for task in tasks if task.fold == 0] if is_large(board) else tasks


def survivors(board: Board, seconds: float | None) -> list[CandidateFit]:
    """Return the fits on the other folds of the tries that did best on the first."""
    tried = [c for c in range(len(board.candidates)) if (c, 0) in board.done and not board.error(c)]
    tried = [c for c in tried if board.candidates[c].tuned and not board.finished(c, 0)]
    order = sorted(tried, key=lambda c: -board.done[c, 0].criterion)
    return board.fits(order[: max(LEAST_KEPT, int(np.ceil(len(order) / KEPT)))], 0, seconds)
