"""What a model may make of its columns: predictions that only rise or only fall with one, columns that do not act together.

The limits stand in the estimators of the candidates, by the names of the table's columns: `monotonic_cst={"age": 1}`,
`interaction_cst="pairwise"`. When the columns of a fit are known, names become columns of its matrix: one for a number, several
for a category or a date, which count as one column that may act with itself. Models without these parameters cannot be told, and
are left out; a linear model adds its columns up anyway (of classes, to the logarithm of the odds), so it keeps to any limit of
interactions. Whether the kept model only rises or falls is tried on unseen rows.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import ParameterError
from novum.report.numbers import counted
from novum.study.comparison.candidates import Candidate
from novum.study.comparison.matrix_columns import matrix_places

__all__ = [
    "ColumnLimits",
    "broken_pairs",
    "candidates_within",
    "limited_columns",
    "limits_for",
    "limits_in_words",
    "with_limits",
]

INTERACTIONS = ("none", "pairwise")
MONOTONE, TOGETHER = "monotonic_cst", "interaction_cst"  # parameters
MOST_SETS = 5_000  # of columns that may act together
LINEAR = 1  # rank
MOST_ROWS, GRID = 200, 20  # of the check
ROUNDING = 1e-12


class ColumnLimits(NamedTuple):
    """What a study was told."""

    signs: dict[str, int]  # by column: 1 where the prediction may only rise with it, -1 where it may only fall
    interactions: str | None

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self.signs) or self.interactions is not None


def limits_for(
    increasing: tuple[str, ...], decreasing: tuple[str, ...], interactions: str | None, schema: Any
) -> ColumnLimits:
    """Return the limits, or raise where a column or a word does not fit."""
    if interactions not in (None, *INTERACTIONS):
        raise ParameterError.of("Study", "must be 'none' or 'pairwise'.", interactions=interactions)
    roles, signs = dict(zip(schema.names, schema.roles)), dict[str, int]()
    for option, names, sign in (("increasing", increasing, 1), ("decreasing", decreasing, -1)):
        for name in names:
            if roles.get(name) != "number":
                what = f"is learned from as a {roles[name]}" if name in roles else "is not learned from"
                raise ParameterError.of("Study", f"the column {what}; name one of numbers.", **{option: name})
            if name in signs and signs[name] != sign:
                raise ParameterError.of("Study", "the column cannot do both.", **{option: name})
            signs[name] = sign
    if signs and len(schema.labels) > 2:
        option = "increasing" if increasing else "decreasing"
        raise ParameterError.of(
            "Study",
            f"the target has {counted(len(schema.labels), 'class')}; which of their probabilities rises can be said of two alone.",
            **{option: next(iter(signs))},
        )
    return ColumnLimits(signs, interactions)


def candidates_within(
    candidates: list[Candidate], limits: ColumnLimits, flip: bool = False
) -> tuple[list[Candidate], list[str]]:
    """Return the candidates that can keep to the limits, with their parameters set, and the names of the others.

    `flip` says that the class that probabilities are about is the first of two.
    """
    if not limits.any:
        return candidates, []
    signs = {name: -sign if flip else sign for name, sign in limits.signs.items()}
    kept, left = [], []
    for candidate in candidates:
        fitting = with_parameters(candidate, signs, limits.interactions)
        if fitting is None:
            left.append(candidate.name)
        else:
            kept.append(fitting)
    if all(candidate.baseline for candidate in kept):
        options = {"increasing": [*limits.signs]} if limits.signs else {"interactions": limits.interactions}
        raise ParameterError.of("Study", f"none of {', '.join(left)} can keep to it; GradientBoosting can.", **options)
    return kept, left


def with_parameters(candidate: Candidate, signs: dict[str, int], interactions: str | None) -> Candidate | None:
    """Return a candidate whose estimator knows the limits; None for one that cannot keep to them."""
    if candidate.baseline or candidate.estimator is None:
        return candidate
    known, changes = candidate.estimator.get_params(deep=False), dict[str, Any]()
    if signs:
        if MONOTONE not in known:
            return None
        changes[MONOTONE] = signs
    if interactions is not None and candidate.simplicity != LINEAR:
        if TOGETHER not in known:
            return None
        changes[TOGETHER] = "no_interactions" if interactions == "none" else interactions
    from sklearn.base import clone

    return candidate._replace(estimator=clone(candidate.estimator).set_params(**changes))


def limited_columns(candidate: Candidate) -> frozenset[str]:
    """Return the columns with which the predictions of a candidate may only rise, or only fall."""
    if candidate.estimator is None:
        return frozenset()
    signs = candidate.estimator.get_params(deep=False).get(MONOTONE)
    return frozenset(signs) if isinstance(signs, dict) else frozenset()


def with_limits(candidate: Candidate, columns: Any, frame: Any) -> Candidate:
    """Return a candidate whose limits are about the columns of a matrix, given what made it."""
    if candidate.estimator is None:
        return candidate
    from sklearn.base import clone

    known, changes = candidate.estimator.get_params(deep=False), dict[str, Any]()
    signs, together = known.get(MONOTONE), known.get(TOGETHER)
    if not isinstance(signs, dict) and not isinstance(together, str):
        return candidate
    places = matrix_places(columns, frame)
    width = 1 + max(int(np.max(at)) for at in places.values() if len(at))
    if isinstance(signs, dict):
        for name in signs:
            if len(places[name]) != 1:
                raise ParameterError(
                    f"{candidate.name} reads {name!r} as several columns, which no limit can be put on"
                )
        by_place = {int(places[name][0]): sign for name, sign in signs.items()}
        changes[MONOTONE] = [by_place.get(place, 0) for place in range(width)]
    if isinstance(together, str):
        groups = table_columns(places)
        if together == "pairwise" and len(groups) * (len(groups) - 1) // 2 > MOST_SETS:
            raise ParameterError(f"{counted(len(groups), 'column', 'are')} too many to be taken in pairs")
        changes[TOGETHER] = (
            groups if together == "no_interactions" or len(groups) == 1 else [a | b for a, b in combinations(groups, 2)]
        )
    return candidate._replace(estimator=clone(candidate.estimator).set_params(**changes))


def table_columns(places: dict[str, np.ndarray]) -> list[set[int]]:
    """Return the columns of the matrix, those that came from one column of the table together: parts of a date are one."""
    from novum.study.data.schema import DATE_PARTS, WITHOUT_HOURS

    endings = tuple(f" ({part})" for part in DATE_PARTS)
    found: dict[str, set[int]] = {}
    for name, at in places.items():
        stem = name.rpartition(" (")[0] if name.endswith(endings) else name
        of_date = stem != name and all(f"{stem} ({part})" in places for part in WITHOUT_HOURS)
        found.setdefault(stem if of_date else name, set()).update(int(place) for place in at)
    return [group for group in found.values() if group]


def broken_pairs(
    values: Any, matrices: list[np.ndarray], places: dict[str, list[np.ndarray]], signs: dict[str, int], seed: int
) -> dict[str, tuple[int, int]]:
    """Return by column how many pairs of rows that differ in it alone break its limit, and how many were tried.

    Parameters
    ----------
    values : callable
        Takes the matrices of rows, one for each member of the model, and returns what may only rise or fall.
    places : by column, its matrix columns for each member
    """
    rng, found = np.random.default_rng(seed), {}
    rows = rng.permutation(len(matrices[0]))[:MOST_ROWS]
    for name, sign in signs.items():
        some, at = [X[rows] for X in matrices], places[name]
        order = np.argsort(matrices[0][:, at[0][0]], kind="stable")
        steps = order[np.round(np.linspace(0, len(order) - 1, GRID)).astype(int)]
        said = []
        for step in steps:
            moved = [X.copy() for X in some]
            for X, whole, place in zip(moved, matrices, at):
                X[:, place] = whole[step, place]
            said.append(values(moved))
        change = sign * np.diff(np.stack(said), axis=0)
        found[name] = int((change < -ROUNDING * (1 + np.abs(said[0]).max())).sum()), int(change.size)
    return found


def limits_in_words(limits: ColumnLimits, broken: dict[str, tuple[int, int]]) -> list[str]:
    """Return what was kept to, in sentences."""
    said = []
    for name, sign in limits.signs.items():
        how = "rises" if sign > 0 else "falls"
        wrong, tried = broken.get(name, (0, 0))
        if wrong:
            said.append(
                f"the prediction does not keep to its limit: with {name} it turns round in {wrong:,} of {tried:,} pairs"
            )
        elif tried:
            said.append(
                f"the prediction only {how} with {name}: so in all {tried:,} pairs of unseen rows that were tried"
            )
    if limits.interactions is not None:
        what = "no two columns act together" if limits.interactions == "none" else "at most two columns act together"
        said.append(f"{what}, in every model that was compared")
    return said
