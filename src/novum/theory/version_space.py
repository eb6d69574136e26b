r"""The hypotheses that agree with all examples, kept one by one; what they vote for, and what to ask next.

    VS = {h in H : h(x) = y for every example (x, y)}                                                               (1)
    vote(x) = the most frequent h(x) in VS; undefined (None) on a tie                                                (2)
    h* = argmax_{h in H} performance(h, examples)                                                                    (3)
    query: the instance x that leaves the fewest hypotheses in the worst case, max_c |{h : h(x) = c}|                (4)

Over instances, h is at least as general as g where it is positive wherever g is. The general boundary holds the hypotheses with
no strictly more general one in VS, the specific boundary those with no strictly more specific one. A query that halves VS every
time identifies one of |H| hypotheses with log2 |H| answers.

An empty VS says that H is too poor or that the examples are noisy. The power set of H, each subset acting by vote, is a richer H:
on ties its members answer nothing.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.typing import Label, Numbers, Rows, Target

__all__ = ["VersionSpace", "majority"]

MOST_MEMBERS = 16  # of which the power set is taken: 65,535 subsets
MOST_SUBSETS_SHOWN = 8


def majority(answers: Iterable[Hashable]) -> Any:
    """Return (2): the most frequent answer, None where two are equally frequent; answers of None abstain."""
    counted = Counter(answer for answer in answers if answer is not None).most_common(2)
    if not counted or (len(counted) == 2 and counted[0][1] == counted[1][1]):
        return None
    return counted[0][0]


def plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


class VersionSpace(Result):
    """A finite set of hypotheses and the examples that thinned it out; every method returns a new space.

    Parameters
    ----------
    hypotheses : mapping of str to callable, or iterable of callables
        Functions of one instance.
    instances : sequence, default=None
        The finite instance space, for boundaries and queries.
    positive : label, default=None
        The label that counts as positive for the order by generality; None takes True, 1, "+" or "yes", whichever occurs.

    Attributes
    ----------
    hypotheses : dict of str to callable
        Those that agree with all examples.
    examples : tuple of (instance, label)

    Notes
    -----
    `VersionSpace.conjunctions(domains)` is the space of all conjunctions over attributes with finitely many values; it is kept by
    its boundaries and never enumerated.

    Examples
    --------
    >>> from novum.datasets import load_example
    >>> from novum.theory import VersionSpace
    >>> table = load_example("integers")
    >>> space = VersionSpace({n: lambda x, h=h: "+" if h(x) else "-" for n, h in table.hypotheses.items()}, range(1, 12))
    >>> len(space.observe(table.data[:, 0], table.target))
    4
    >>> space.votes(11), space.predict([11, 4])
    ({'+': 2, '-': 2}, [None, '-'])
    """

    hypotheses: dict[str, Callable[[Any], Any]]
    examples: tuple[tuple[Any, Any], ...]

    def __init__(
        self,
        hypotheses: Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]],
        instances: Sequence[Any] | None = None,
        *,
        positive: Label | None = None,
    ) -> None:
        if isinstance(hypotheses, Mapping):
            named = {str(name): h for name, h in hypotheses.items()}
        else:
            listed = list(hypotheses)
            named = {f"h{i + 1}": h for i, h in enumerate(listed)}
        for name, h in named.items():
            if not callable(h):
                raise ParameterError(
                    f"VersionSpace: hypothesis {name!r} is {h!r}; a hypothesis is a function of one instance."
                )
        self.hypotheses = named
        self.instances: list[Any] | None = None if instances is None else [plain(x) for x in instances]
        self.positive = positive
        self.examples = ()

    @staticmethod
    def conjunctions(domains: Sequence[Any], *, positive: Label | None = None) -> Any:
        """Return the space of all conjunctions over attributes with these values, kept by its boundaries.

        Parameters
        ----------
        domains : sequence of sequences
            The values of every attribute.
        positive : label, default=None
            The label of the concept; None takes True, 1, "+" or "yes", whichever occurs first.

        Returns
        -------
        ConjunctionSpace
        """
        from novum.theory.conjunctions import ConjunctionSpace

        return ConjunctionSpace(domains, positive=positive)

    def _with(self, hypotheses: dict[str, Any], examples: tuple[tuple[Any, Any], ...]) -> "VersionSpace":
        found = VersionSpace(hypotheses, self.instances, positive=self.positive)
        found.examples = examples
        return found

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __iter__(self) -> Iterator[str]:
        return iter(self.hypotheses)

    def __contains__(self, name: object) -> bool:
        return name in self.hypotheses

    def _result_columns(self) -> dict[str, Any]:
        return {"hypothesis": list(self.hypotheses)}

    def __repr__(self) -> str:
        shown = ", ".join(list(self.hypotheses)[:MOST_SUBSETS_SHOWN])
        more = ", ..." if len(self) > MOST_SUBSETS_SHOWN else ""
        return f"VersionSpace of {len(self)} after {counted(len(self.examples), 'example')}: {shown}{more}"

    @staticmethod
    def consistent(hypothesis: Callable[[Any], Any], X: Rows, y: Target) -> bool:
        """Return whether a hypothesis gives every instance its label."""
        return all(plain(hypothesis(x)) == label for x, label in labelled_pairs(X, y))

    def observe(self, X: Rows, y: Target) -> "VersionSpace":
        """Return the space of the hypotheses that also agree with these examples (1).

        VS = {h in H : h(x) = y for every example (x, y)}    (1)
        """
        new = labelled_pairs(X, y)
        kept = {n: h for n, h in self.hypotheses.items() if all(plain(h(x)) == label for x, label in new)}
        return self._with(kept, self.examples + tuple(new))

    def votes(self, x: Numbers) -> dict[Any, int]:
        """Return how many hypotheses give x which label; None counts abstentions."""
        return dict(Counter(plain(h(plain(x))) for h in self.hypotheses.values()))

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """Return the majority's label (2) of every instance, None where it is undefined.

        vote(x) = the most frequent h(x) in VS; undefined (None) on a tie    (2)
        """
        return [majority(plain(h(x)) for h in self.hypotheses.values()) for x in instances_of(X)]

    def unanimous(self, x: Numbers) -> bool:
        """Return whether all hypotheses agree on x: then its label is certain if the truth is in the space."""
        return len(self.votes(x)) == 1

    def best(self, X: Rows, y: Target, performance: Callable[[list[Any], list[Any]], float] | None = None) -> str:
        """Return the name of the hypothesis of the largest performance (3), the first of equals.

            h* = argmax_{h in H} performance(h, examples)    (3)

        Parameters
        ----------
        X, y : sequence
            The examples.
        performance : callable, default=None
            Function of labels and predictions; None is accuracy.
        """
        if not self.hypotheses:
            raise DataError("VersionSpace.best: the space is empty; ask the space before the examples that emptied it.")
        pairs = labelled_pairs(X, y)
        labels = [label for _, label in pairs]
        score = performance or (lambda true, said: sum(a == b for a, b in zip(true, said)) / len(true))
        return max(self.hypotheses, key=lambda name: score(labels, [plain(self.hypotheses[name](x)) for x, _ in pairs]))

    def power_set(self) -> "VersionSpace":
        """Return the space of all non-empty sets of the hypotheses, each answering by vote."""
        if len(self) > MOST_MEMBERS:
            raise ParameterError(
                f"VersionSpace.power_set: {len(self)} hypotheses have 2^{len(self)} sets; at most {MOST_MEMBERS}."
            )
        names = list(self.hypotheses)
        chosen = [c for size in range(1, len(names) + 1) for c in combinations(names, size)]
        return self._with({" ".join(c): self._voter(c) for c in chosen}, self.examples)

    def _voter(self, names: tuple[str, ...]) -> Callable[[Any], Any]:
        members = [self.hypotheses[name] for name in names]
        return lambda x: majority(plain(h(x)) for h in members)

    def query(self, instances: Sequence[Any] | None = None) -> Any:
        """Return the instance whose label leaves the fewest hypotheses in the worst case (4); None where all agree everywhere.

        query: the instance x that leaves the fewest hypotheses in the worst case, max_c |{h : h(x) = c}|    (4)
        """
        pool = self._pool("query") if instances is None else [plain(x) for x in instances]
        worst = [(max(votes.values(), default=0), i) for i, x in enumerate(pool) if len(votes := self.votes(x)) > 1]
        return pool[min(worst)[1]] if worst else None

    def table(self) -> NDArray[np.bool_]:
        """Return which hypotheses (rows) are positive on which instances (columns): what `vc_dimension` takes."""
        pool = self._pool("table")
        answers = [[plain(h(x)) for x in pool] for h in self.hypotheses.values()]
        positive = self._positive({label for row in answers for label in row})
        return np.array([[answer == positive for answer in row] for row in answers], dtype=bool).reshape(-1, len(pool))

    def _pool(self, method: str) -> list[Any]:
        if self.instances is None:
            raise ParameterError(f"VersionSpace.{method}: name the instances when making the space.")
        return self.instances

    def _positive(self, labels: set[Any]) -> Any:
        return positive_label("VersionSpace", self.positive, labels)

    @property
    def general_boundary(self) -> list[str]:
        """Names of the hypotheses that no other of the space strictly generalizes."""
        table = self.table()
        return [n for i, n in enumerate(self.hypotheses) if not any(below(table[i], other) for other in table)]

    @property
    def specific_boundary(self) -> list[str]:
        """Names of the hypotheses that no other of the space strictly specializes."""
        table = self.table()
        return [n for i, n in enumerate(self.hypotheses) if not any(below(other, table[i]) for other in table)]


def below(a: NDArray, b: NDArray) -> bool:
    """Return whether a is strictly more specific than b."""
    return bool((a <= b).all() and (a != b).any())


def positive_label(owner: str, positive: Any, labels: Any) -> Any:
    """Return the label that counts as positive among those that occur."""
    if positive is not None:
        return positive
    for candidate in (True, "+", "yes", "Yes", "true", "True"):  # True is 1 too
        if candidate in labels:
            return candidate
    raise ParameterError(
        f"{owner}: labels are {sorted(map(str, labels))}; say which is the positive one with positive=..."
    )


def instances_of(X: Any) -> list[Any]:
    """Return instances as Python values; the rows of a frame as tuples."""
    rows = X.itertuples(index=False, name=None) if hasattr(X, "itertuples") else X
    return [plain(x) for x in rows]


def labelled_pairs(X: Any, y: Any) -> list[tuple[Any, Any]]:
    """Return instances and labels as pairs of Python values."""
    instances, labels = instances_of(X), [plain(label) for label in y]
    if len(instances) != len(labels):
        raise DataError(
            f"VersionSpace: {len(instances)} instances and {counted(len(labels), 'label')}; give one label per instance."
        )
    return list(zip(instances, labels))
