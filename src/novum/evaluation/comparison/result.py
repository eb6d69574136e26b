"""What a comparison of models returns: scores, pairs with their tests, which tests are valid, and the sentence for the paper."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.comparison.bayesian import BayesianComparison
from novum.evaluation.comparison.design import Design, Verdict
from novum.evaluation.comparison.swapped_pair import reversed_result
from novum.evaluation.hypotheses.result import TestResult, shown_p
from novum.exceptions import ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result, result
from novum.report.tables import html_text
from novum.runtime.typing import Axes, DataFrame

__all__ = ["Comparison", "ModelFailure", "Pair"]

ADJUSTED = {
    "holm": "Holm's adjustment",
    "bonferroni": "Bonferroni's adjustment",
    "nemenyi": "Nemenyi's test",
    "bonferroni-dunn": "the Bonferroni-Dunn test",
    "none": "no adjustment",
}
CANNOT = "cannot tell"
CLEAR = 0.95  # posterior probability that is called a finding


@result
class ModelFailure(NamedTuple):
    """A fit that raised, or gave no finite score."""

    model: str
    part: str
    error: str


@result
class Pair(NamedTuple):
    """Two models compared."""

    a: str
    b: str
    difference: float  # mean score of a minus that of b; for Friedman's test mean rank of b minus that of a
    result: TestResult | None
    p_value: float  # as the only test
    adjusted: float  # for all pairs together
    posterior: BayesianComparison | None


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Models compared on the same parts of one data set, or on several data sets.

    Attributes
    ----------
    names : list of str
        Models that gave a score everywhere, in the order given.
    scores : ndarray of shape (n_parts, n_models)
        Higher is better.
    parts : list of str
        Folds or data sets.
    alternative : {"two-sided", "greater", "less"}
        Of the first model of a pair: "greater" tests whether it is better.
    design : Design
        How the scores came about: `kind`, `parts`, `test_over_train`, `description`.
    test : str
        The test made; `validity` says what to think of it and of the others.
    pairs : list of Pair
    overall : dict of str to TestResult
        Friedman's and Iman and Davenport's test where they were made.
    ranks : ndarray of shape (n_models,) or None
        Mean ranks over data sets.
    failures : list of ModelFailure
        Every fit that failed; its model is not compared.
    warnings : list of str
        What models warned of.
    seconds : ndarray of shape (n_models,)
        Mean time of a fit and its scoring.
    """

    names: list[str]
    scores: NDArray
    parts: list[str]
    design: Design
    test: str
    adjust: str
    significance: float
    scoring: str
    pairs: list[Pair]
    overall: dict[str, TestResult]
    verdicts: list[Verdict]
    failures: list[ModelFailure]
    warnings: list[str] = field(default_factory=list)
    seconds: NDArray | None = None
    ranks: NDArray | None = None
    critical_difference: float | None = None
    baseline: str | None = None
    alternative: str = "two-sided"

    @property
    def means(self) -> dict[str, float]:
        """Mean score by model."""
        return dict(zip(self.names, self.scores.mean(0).tolist()))

    @property
    def best(self) -> str:
        """The model of the best mean score, or mean rank where data sets are compared."""
        order = self.scores.mean(0) if self.ranks is None else -self.ranks
        return self.names[int(np.argmax(order))]

    @property
    def differs_overall(self) -> bool:
        """Whether the test of all models together rejects; True where there is none."""
        return all(
            result.p_value <= self.significance for name, result in self.overall.items() if name == "iman_davenport"
        )

    def pair(self, a: str, b: str) -> Pair:
        """Return the comparison of two models, seen from the first; a one-sided one only in the direction that was tested."""
        for one in self.pairs:
            if (one.a, one.b) == (a, b):
                return one
        for one in self.pairs:
            if (one.a, one.b) == (b, a) and self.alternative != "two-sided":
                raise ParameterError(
                    f"Comparison.pair({a!r}, {b!r}): the pair was compared as ({b!r}, {a!r}), one-sided; ask for that."
                )
            if (one.a, one.b) == (b, a):
                turned = None if one.posterior is None else one.posterior.turned()
                return Pair(a, b, -one.difference, reversed_result(one.result), one.p_value, one.adjusted, turned)
        known = ", ".join(f"({one.a!r}, {one.b!r})" for one in self.pairs)
        raise ParameterError(f"Comparison.pair({a!r}, {b!r}): no such pair; there are {known}.")

    def verdict(self, pair: Pair) -> str:
        """Return which model is shown to be better, or that it cannot be determined."""
        if self.test == "bayesian" and pair.posterior is not None:
            named = [
                (pair.posterior.a_better, f"{pair.a} better"),
                (pair.posterior.b_better, f"{pair.b} better"),
                (pair.posterior.equivalent, "practically equivalent"),
            ]
            return next((text for p, text in named if p >= CLEAR), CANNOT)
        if not (self.differs_overall and pair.adjusted <= self.significance):
            tested = {"greater": pair.a, "less": pair.b}.get(self.alternative)
            return CANNOT if tested is None else f"{tested} not shown better"
        if self.alternative != "two-sided":
            return f"{pair.a if self.alternative == 'greater' else pair.b} better"
        return f"{pair.a if pair.difference > 0 else pair.b} better"

    def is_conclusive(self, pair: Pair) -> bool:
        """Return whether one of the two is shown to be better."""
        return self.verdict(pair) in (f"{pair.a} better", f"{pair.b} better")

    def to_frame(self) -> DataFrame:
        """Return the pairs as a pandas frame."""
        import pandas as pd

        rows = [
            {
                "a": one.a,
                "b": one.b,
                "difference": one.difference,
                "statistic": one.result.statistic if one.result else np.nan,
                "alternative": self.alternative,
                "p_value": one.p_value,
                "adjusted": one.adjusted,
                "verdict": self.verdict(one),
            }
            | (
                {
                    "a_better": one.posterior.a_better,
                    "equivalent": one.posterior.equivalent,
                    "b_better": one.posterior.b_better,
                }
                if one.posterior
                else {}
            )
            for one in self.pairs
        ]
        return pd.DataFrame(rows)

    def scores_frame(self) -> DataFrame:
        """Return the scores as a pandas frame: a row per part, a column per model."""
        import pandas as pd

        return pd.DataFrame(self.scores, index=self.parts, columns=self.names)

    def validity(self) -> Any:
        """Return which tests are valid for this design and why, as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.verdicts).set_index("test")

    def sentence(self) -> str:
        """Return the result as a paper would state it."""
        from novum.evaluation.comparison.text import comparison_words

        return comparison_words(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the critical-difference diagram of mean ranks, or the differences with their intervals."""
        from novum.evaluation.comparison.plots import draw_differences, draw_ranks

        return draw_differences(self, ax) if self.ranks is None else draw_ranks(self, ax)

    def _lines(self) -> list[str]:
        width = max(map(len, self.names))
        score = "mean rank" if self.ranks is not None else "s.d."
        second = self.ranks if self.ranks is not None else score_deviations(self.scores)
        order = np.argsort(-self.scores.mean(0) if self.ranks is None else self.ranks, kind="stable")
        lines = [f"{self.scoring} of {counted(len(self.names), 'model')} on {self.design.description}"]
        if len(self.scores) > 1:
            lines.append(f"  {'':<{width}}      mean  {score:>9}")
            lines += [
                f"  {self.names[j]:<{width}}  {num(self.scores[:, j].mean()):8.4f}  {num(second[j]):9.4f}"
                for j in order
            ]
        else:
            lines += [f"  {self.names[j]:<{width}}  {num(self.scores[0, j]):8.4f}" for j in order]
        chosen = next(v for v in self.verdicts if v.test == self.test)
        notes = {"greater": ", one-sided (is the first better?)", "less": ", one-sided (is the second better?)"}
        sides = notes.get(self.alternative, "")
        lines.append(f"{self.test}{sides}, {ADJUSTED[self.adjust]}; valid: {chosen.valid} ({chosen.reason})")
        lines += [
            f"  {r.name}: {r.symbol} = {num(r.statistic):.4g}, {shown_p(r.p_value)}" for r in self.overall.values()
        ]
        several = self.adjust != "none" and len(self.pairs) > 1
        gap = "ranks ahead" if self.test == "friedman" else "difference"
        p = "" if self.test == "bayesian" else "adjusted p" if several else "p"
        lines.append(f"  {'pair':<{2 * width + 3}} {gap:>11}  {p:<10}".rstrip())
        for one in self.pairs:
            found = "" if one.result is None and np.isnan(one.adjusted) else f"{shown_p(one.adjusted):<10}"
            found = one.posterior.sentence() if self.test == "bayesian" and one.posterior else found
            lines.append(
                f"  {one.a:<{width}} - {one.b:<{width}} {num(one.difference):+11.4f}  {found}  {self.verdict(one)}"
            )
        if several and any(one.result is not None and one.result.bound is not None for one in self.pairs):
            lines.append(
                "p-values are adjusted for the number of pairs; intervals, also drawn ones, are of each pair alone"
            )
        lines += left_out(self.failures)
        return lines + [f"warned: {text}" for text in self.warnings]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return html_text(repr(self))


def left_out(failures: list[ModelFailure]) -> list[str]:
    """Return a line for every model that failed, with its first error."""
    lines = []
    for model in dict.fromkeys(failure.model for failure in failures):
        own = [failure for failure in failures if failure.model == model]
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        lines.append(f"left out: {model} failed on {own[0].part}{more}: {own[0].error}")
    return lines


def score_deviations(scores: NDArray) -> NDArray:
    """Return the standard deviations of the models' scores, NaN for a single part."""
    return scores.std(0, ddof=1) if len(scores) > 1 else np.full(scores.shape[1], np.nan)
