r"""Refutation: what an estimated effect should do when the data are changed in ways whose answer is known.

    placebo:              treatments shuffled among the rows; the effects should scatter around zero                     (1)
    random common cause:  a random column joins the adjustment set; the effect should not move by its standard error     (2)
    subset:               a random part of the rows; the effects should scatter around the one of all rows               (3)

(1) and (3) pass where zero, or the effect of all rows, lies in the central 95 % of the repeats, or within a standard error of
their mean. A test that fails refutes the estimate; tests that pass prove nothing about unseen confounders
(`Effect.sensitivity`).
"""

from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.report.style import ink, series
from novum.report.tables import html_text
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import Stream, seed_of

__all__ = ["Refutation", "RefutationTest", "refute"]

Array = NDArray[np.float64]
KINDS = ("placebo", "random_common_cause", "subset")
CENTRAL = (0.025, 0.975)
LEAST_REPEATS = 10


@result
class RefutationTest(NamedTuple):
    """One test: the effects of the repeats and what they should have been."""

    kind: str
    expected: float
    effects: Array
    standard_error: float  # of the estimate that is tested
    passed: bool

    @property
    def mean(self) -> float:
        return float(self.effects.mean())

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        low, high = np.quantile(self.effects, CENTRAL)
        return (
            f"{self.kind.replace('_', ' ')}: {num(self.mean):.4g} on average, 95 % of {len(self.effects)} "
            f"between {num(low):.4g} and "
            f"{num(high):.4g}, expected {num(self.expected):.4g}: {'passed' if self.passed else 'FAILED'}"
        )


@result
class Refutation(NamedTuple):
    """The tests of an effect; true if it passed all."""

    effect: float
    tests: tuple[RefutationTest, ...]

    def __bool__(self) -> bool:
        return all(self.tests)

    def __repr__(self) -> str:
        return "\n".join(
            [f"refutation of an effect of {num(self.effect):.4g}", *(f"  {test!r}" for test in self.tests)]
        )

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per test."""
        import pandas as pd

        rows = [(t.kind, t.expected, t.mean, *np.quantile(t.effects, CENTRAL), t.passed) for t in self.tests]
        return pd.DataFrame(rows, columns=["test", "expected", "mean", "low", "high", "passed"])

    def plot(self, ax: Any = None) -> Any:
        """Draw the effects of the repeats, with what they should have been as a line."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        for i, test in enumerate(self.tests):
            offsets = np.linspace(-0.15, 0.15, len(test.effects))
            ax.plot(test.effects, i + offsets, ".", color=series(ax, 0) if test.passed else series(ax, 3), alpha=0.6)
            ax.plot([test.expected] * 2, [i - 0.3, i + 0.3], color=ink(ax))
        ax.set_yticks(range(len(self.tests)), [t.kind.replace("_", " ") for t in self.tests])
        ax.set(xlabel="effect", title="refutation")
        return ax


def shuffle_treatment(question: Any, u: Array) -> Any:
    column = np.asarray(
        getattr(question.columns[question.treatment], "to_numpy", lambda: question.columns[question.treatment])()
    )
    return question.estimate(columns={**question.columns, question.treatment: column[np.argsort(u)]})


def with_random_cause(question: Any, u: Array) -> Any:
    name = "random common cause"
    while name in question.columns:
        name += " "
    further = {"adjustment": (*question.adjustment, name)}
    try:
        return question.estimate(columns={**question.columns, name: np.where(u < 0.5, "a", "b")}, **further)
    except DataError:  # two halves of a thin stratum may lack a treatment; a number needs less
        return question.estimate(columns={**question.columns, name: u}, **further)


def of_part(question: Any, u: Array, share: float) -> Any:
    rows = np.sort(np.argsort(u)[: max(2, int(share * len(u)))])
    columns = {}
    for name in (question.treatment, question.outcome, *question.adjustment):
        native = getattr(question.columns[name], "to_native", lambda n=name: question.columns[n])()
        columns[name] = native.iloc[rows] if hasattr(native, "iloc") else np.asarray(native)[rows]
    return question.estimate(columns=columns)


def refute(effect: Any, kind: str, n_repeats: int, share: float, random_state: Any) -> Refutation:
    """Return (1), (2) and (3), or one of them."""
    owner = f"{type(effect).__name__}.refute"
    check_choice(owner, "kind", kind, ("all", *KINDS))
    repeats = check_count(owner, "n_repeats", n_repeats, LEAST_REPEATS)
    share = check_number(owner, "share", share, 0, 1, open_low=True, open_high=True)
    if effect.question is None:
        raise ParameterError(f"{owner}: the effect was not estimated from data; there is nothing to change.")
    value, (low, high) = effect.difference()
    error = effect.difference_error()
    stream, n = Stream(seed_of(random_state)), effect.n
    tests = []
    for number, name in enumerate(KINDS):
        if kind not in ("all", name):
            continue
        found, failed = [], 0
        with catch_warnings():
            simplefilter("ignore")  # each would be that of the estimate itself, many times
            for repeat in range(repeats):
                u = stream.uniform("refutation", number * 100_000 + repeat, n)
                try:
                    if name == "placebo":
                        other = shuffle_treatment(effect.question, u)
                    elif name == "subset":
                        other = of_part(effect.question, u, share)
                    else:
                        other = with_random_cause(effect.question, u)
                except DataError:
                    failed += 1  # a stratum that lost a treatment by chance
                    continue
                found.append(other.difference()[0])
        if failed > repeats // 2:
            raise DataError(
                f"{owner}(kind={name!r}): {failed} of {counted(repeats, 'repeat')} lack overlap; adjust for fewer variables."
            )
        effects = np.array(found)
        expected = 0.0 if name == "placebo" else value
        if name == "random_common_cause":
            passed = abs(float(effects.mean()) - value) <= max(error, 1e-12)
        else:
            low, high = np.quantile(effects, CENTRAL)
            passed = bool(low <= expected <= high) or abs(float(effects.mean()) - expected) <= max(error, 1e-12)
        tests.append(RefutationTest(name, expected, effects, error, bool(passed)))
    return Refutation(value, tuple(tests))
