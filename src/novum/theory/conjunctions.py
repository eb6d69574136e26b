r"""Conjunctions over attributes with finitely many values: Find-S, candidate elimination, and the space between two boundaries.

A hypothesis holds, for every attribute, a value or "?" (any). It is at least as general as another where it has "?" or the
same value everywhere. With positives P and negatives N:

    s_j = the value that all of P share, else "?"                                            Find-S                  (1)
    VS = {h : s is at most as general as h, and h covers no x in N}                                                  (2)

Once there is a positive, h in VS is s with some values replaced by "?": it is the set A of attributes that it keeps fixed,
and (2) says

    A meets D(x) = {j : s_j is a value and x_j != s_j}  for every x in N                                             (3)

So VS is empty where some D(x) is; the specific boundary is s, the general boundary the minimal sets A, and |VS| the number of
sets that meet all D(x). Before the first positive the specific boundary is the hypothesis that covers nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.fold.gathering import check_at_hand
from novum.report.numbers import counted
from novum.report.result import Result, result
from novum.runtime.labels import in_order
from novum.runtime.typing import Label, Rows, Target
from novum.theory.version_space import plain, positive_label

__all__ = ["ANY", "Boundaries", "ConjunctionSpace", "candidate_elimination"]

ANY = "?"
NEVER = None  # the hypothesis that covers nothing
MOST_FIXED = 22  # attributes with a value in s: four million sets to count
MOST_ENUMERATED = 1 << 20  # conjunctions to count before there is a positive

Conjunction = tuple[Any, ...]


@result
class Boundaries(NamedTuple):
    """The two boundaries after some examples; a specific one of None covers nothing."""

    specific: list[Conjunction | None]
    general: list[Conjunction]


def covers(h: Conjunction | None, x: Conjunction) -> bool:
    """Return whether a conjunction is true of an instance."""
    return h is not NEVER and all(value in (ANY, cell) for value, cell in zip(h, x))


def more_general(h: Conjunction, g: Conjunction) -> bool:
    """Return whether h is at least as general as g."""
    return all(a in (ANY, b) for a, b in zip(h, g))


def generalize(s: Conjunction | None, x: Conjunction) -> Conjunction:
    """Return the most specific conjunction that covers s and x: one step of (1)."""
    return x if s is NEVER else tuple(a if a == b else ANY for a, b in zip(s, x))


def specialize(
    g: Conjunction, x: Conjunction, s: Conjunction | None, domains: Sequence[Sequence[Any]]
) -> list[Conjunction]:
    """Return the minimal specializations of g that leave out x and are still at least as general as s."""
    found = []
    for j, value in enumerate(g):
        if value == ANY:
            options = domains[j] if s is NEVER else ([] if s[j] == ANY else [s[j]])
            found += [(*g[:j], option, *g[j + 1 :]) for option in options if option != x[j]]
    return found


def maximal(candidates: Iterable[Conjunction]) -> list[Conjunction]:
    """Return those that no other one generalizes, each once."""
    unique = list(dict.fromkeys(candidates))
    return [g for g in unique if not any(h != g and more_general(h, g) for h in unique)]


def eliminate(b: Boundaries, x: Conjunction, is_positive: bool, domains: Sequence[Sequence[Any]]) -> Boundaries:
    """Return the boundaries after one more example; both empty where nothing is left."""
    if not b.specific:
        return b
    s = b.specific[0]
    if is_positive:
        s, general = generalize(s, x), [g for g in b.general if covers(g, x)]
    else:
        if covers(s, x):
            return Boundaries([], [])
        parts = [[g] if not covers(g, x) else specialize(g, x, s, domains) for g in b.general]
        general = maximal(g for part in parts for g in part)
    if s is not NEVER:
        general = [g for g in general if more_general(g, s)]
    return Boundaries([s] if general or s is NEVER else [], general)


def rows_of(owner: str, X: Any) -> list[Conjunction]:
    """Return the rows of a table as tuples of Python values."""
    check_at_hand(owner.partition(".")[0], "rows of values of any kind", X)
    if hasattr(X, "itertuples"):
        return [tuple(plain(v) for v in row) for row in X.itertuples(index=False, name=None)]
    if isinstance(X, Mapping):
        X = list(zip(*X.values(), strict=True))
    elif hasattr(X, "columns"):
        import narwhals as nw

        X = nw.from_native(X, eager_only=True).rows()
    array = X if isinstance(X, np.ndarray) else None
    rows = [tuple(plain(v) for v in row) for row in (array.tolist() if array is not None and array.ndim == 2 else X)]
    if rows and len({len(row) for row in rows}) != 1:
        raise DataError(f"{owner}: rows have different lengths; give every instance the same attributes.")
    for i, row in enumerate(rows):
        if any(value is None or value != value or value == ANY for value in row):
            raise DataError(
                f"{owner}: row {i} holds a missing value or {ANY!r}; drop it or give it a value of its own."
            )
    return rows


class ConjunctionSpace(Result):
    """The version space of conjunctions, kept by its boundaries; every method returns a new one.

    Parameters
    ----------
    domains : sequence of sequences
        The values of every attribute.
    positive : label, default=None
        The label of the concept; None takes True, 1, "+" or "yes", whichever occurs.

    Attributes
    ----------
    boundaries : Boundaries
    history : tuple of Boundaries
        Before the first example and after each.
    """

    def __init__(self, domains: Any, *, positive: Any = None) -> None:
        self.domains = [in_order([plain(v) for v in values]) for values in domains]
        if not self.domains or not all(self.domains):
            raise ParameterError(
                "VersionSpace.conjunctions: give at least one attribute, and one value or more for each."
            )
        if any(ANY in values for values in self.domains):
            raise ParameterError(f"VersionSpace.conjunctions: {ANY!r} means any value and cannot be one.")
        self.positive = positive
        self.examples: tuple[tuple[Conjunction, bool], ...] = ()
        self.history: tuple[Boundaries, ...] = (Boundaries([NEVER], [(ANY,) * len(self.domains)]),)

    @property
    def boundaries(self) -> Boundaries:
        return self.history[-1]

    @property
    def specific_boundary(self) -> list[Conjunction | None]:
        """The most specific hypotheses; None stands for the one that covers nothing."""
        return self.boundaries.specific

    @property
    def general_boundary(self) -> list[Conjunction]:
        """The most general hypotheses."""
        return self.boundaries.general

    def observe(self, X: Any, y: Any) -> "ConjunctionSpace":
        """Return the space after these examples."""
        rows, labels = rows_of("VersionSpace.observe", X), [plain(label) for label in y]
        if len(rows) != len(labels):
            raise DataError(
                f"VersionSpace.observe: {counted(len(rows), 'row')} and {counted(len(labels), 'label')}; give one label per row."
            )
        self._check(rows)
        if not labels:
            return self
        positive = self.positive if self.positive is not None else positive_label("VersionSpace", None, set(labels))
        found = ConjunctionSpace(self.domains, positive=positive)
        new = [(row, label == positive) for row, label in zip(rows, labels)]
        steps = list(self.history)
        for row, is_positive in new:
            steps.append(eliminate(steps[-1], row, is_positive, self.domains))
        found.examples, found.history = self.examples + tuple(new), tuple(steps)
        return found

    def _check(self, rows: list[Conjunction]) -> None:
        for row in rows:
            if len(row) != len(self.domains):
                raise DataError(
                    f"VersionSpace: an instance has {counted(len(row), 'value')}; there are {len(self.domains)} attributes."
                )
            for j, value in enumerate(row):
                if value not in self.domains[j]:
                    raise DataError(
                        f"VersionSpace: {value!r} is no value of attribute {j}; its values are {self.domains[j]}."
                    )

    def contains(self, hypothesis: Sequence[Any]) -> bool:
        """Return whether a conjunction agrees with all examples (2)."""
        h = tuple(plain(v) for v in hypothesis)
        return all(covers(h, x) == is_positive for x, is_positive in self.examples)

    def _members(self) -> NDArray[np.bool_] | None:
        """Return the sets A of (3), a row each over the attributes that s fixes; None before the first positive."""
        s = self.specific_boundary[0]
        if s is NEVER:
            return None
        fixed = [j for j, value in enumerate(s) if value != ANY]
        if len(fixed) > MOST_FIXED:
            raise ParameterError(
                f"VersionSpace: counting over {len(fixed)} attributes takes 2^{counted(len(fixed), 'step')}; use the boundaries."
            )
        kept = ((np.arange(1 << len(fixed))[:, None] >> np.arange(len(fixed))) & 1).astype(bool)
        for x, is_positive in self.examples:
            if not is_positive:
                kept = kept[kept[:, [x[j] != s[j] for j in fixed]].any(axis=1)]
        return kept

    def _enumerated(self) -> list[Conjunction]:
        size = int(np.prod([len(values) + 1.0 for values in self.domains]))
        if size > MOST_ENUMERATED:
            raise ParameterError(
                f"VersionSpace: {size} conjunctions are too many to count before the first positive example."
            )
        return [h for h in product(*[[*values, ANY] for values in self.domains]) if self.contains(h)]

    def __len__(self) -> int:
        """Number of hypotheses in the space, the one that covers nothing among them while no positive was seen."""
        if not self.specific_boundary:
            return 0
        members = self._members()
        return len(self._enumerated()) + 1 if members is None else len(members)

    def votes(self, x: Any) -> dict[bool, int]:
        """Return how many hypotheses say that x is positive (True) and how many not."""
        [row] = rows_of("VersionSpace.votes", [x])
        self._check([row])
        if not self.specific_boundary:
            return {}
        s, members = self.specific_boundary[0], self._members()
        if members is None:
            yes = sum(covers(h, row) for h in self._enumerated())
            no = len(self) - yes
        else:
            assert s is not NEVER
            differs = np.array([row[j] != value for j, value in enumerate(s) if value != ANY], dtype=bool)
            no = int(members[:, differs].any(axis=1).sum())
            yes = len(members) - no
        return {label: count for label, count in ((True, yes), (False, no)) if count}

    def predict(self, X: Any) -> list[bool | None]:
        """Return for every row the majority of the space: True positive, False negative, None on a tie or in an empty space."""
        counted = [self.votes(row) for row in rows_of("VersionSpace.predict", X)]
        return [
            None if not v or v.get(True, 0) == v.get(False, 0) else v.get(True, 0) > v.get(False, 0) for v in counted
        ]

    def unanimous(self, x: Any) -> bool:
        """Return whether all hypotheses agree on x."""
        return len(self.votes(x)) == 1

    def query(self, instances: Any = None) -> Conjunction | None:
        """Return the instance that halves the space best, None where all hypotheses agree everywhere."""
        if instances is None:
            if np.prod([float(len(values)) for values in self.domains]) > MOST_ENUMERATED:
                raise ParameterError("VersionSpace.query: too many instances to try them all; give some as instances.")
            pool: list[Conjunction] = list(product(*self.domains))
        else:
            pool = rows_of("VersionSpace.query", instances)
        best, worst = None, len(self)
        for x in pool:
            count = max(self.votes(x).values(), default=worst)
            if count < worst:
                best, worst = x, count
        return best

    def _result_columns(self) -> dict[str, Any]:
        sides = [(side, h) for side, found in self.boundaries._asdict().items() for h in found]
        return {"boundary": [side for side, _ in sides], "hypothesis": [h for _, h in sides]}

    def __repr__(self) -> str:
        def shown(h: Conjunction | None) -> str:
            return "(nothing)" if h is NEVER else f"({', '.join(map(str, h))})"

        specific, general = (", ".join(map(shown, side)) or "empty" for side in self.boundaries)
        return (
            f"VersionSpace of conjunctions after {counted(len(self.examples), 'example')}\n  specific  "
            f"{specific}\n  general   {general}"
        )


def candidate_elimination(
    X: Rows, y: Target, *, domains: Sequence[Sequence[Any]] | None = None, positive: Label | None = None
) -> ConjunctionSpace:
    """Return the version space of conjunctions after the examples, by candidate elimination.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_attributes)
        Values of any kind; two are the same where they are equal.
    y : array-like of shape (n_samples,)
    domains : sequence of sequences, default=None
        The values of every attribute; None takes those that occur in X.
    positive : label, default=None
        The label of the concept; None takes True, 1, "+" or "yes", whichever occurs.

    Returns
    -------
    ConjunctionSpace
        With `specific_boundary`, `general_boundary`, the `history` of both, votes, predictions and queries.

    Examples
    --------
    >>> from novum.theory import candidate_elimination
    >>> X = [["sunny", "warm", "normal"], ["sunny", "warm", "high"], ["rainy", "cold", "high"]]
    >>> candidate_elimination(X, ["yes", "yes", "no"])
    VersionSpace of conjunctions after 3 examples
      specific  (sunny, warm, ?)
      general   (sunny, ?, ?), (?, warm, ?)
    """
    rows = rows_of("candidate_elimination", X)
    if not rows:
        raise DataError("candidate_elimination: Found array with 0 sample(s); give at least one example.")
    if domains is None:
        domains = [in_order([row[j] for row in rows]) for j in range(len(rows[0]))]
    return ConjunctionSpace(domains, positive=positive).observe(rows, y)
