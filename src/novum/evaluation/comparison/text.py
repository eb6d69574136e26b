"""The sentence for the paper."""

from typing import TYPE_CHECKING

import numpy as np

from novum.evaluation.hypotheses.result import NO_VARIANCE, shown_p
from novum.report.numbers import num

if TYPE_CHECKING:
    from novum.evaluation.comparison.result import Comparison, Pair

__all__ = ["comparison_words"]


def listed_names(names: list[str]) -> str:
    """Return names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def test_of(comparison: "Comparison", pair: "Pair") -> str:
    """Return the test of one pair as it stands in brackets."""
    result = pair.result
    if result is None:
        return ""
    interval = ""
    if np.isnan(pair.p_value):
        return f"{result.name}: {result.remark or NO_VARIANCE}"
    if result.bound is not None and result.alternative == "two-sided":
        low, high = result.interval(1 - comparison.significance)
        interval = f", {num(100 * (1 - comparison.significance)):g} % interval {num(low):.3f} to {num(high):.3f}"
    return f"{result.name}: {result.symbol}{result._shown_df()} = {num(result.statistic):.3g}, {shown_p(pair.p_value)}{interval}"


def of_two(comparison: "Comparison", pair: "Pair") -> str:
    """Return the sentence for one pair."""
    means = comparison.means
    ordered = {"greater": (pair.a, pair.b), "less": (pair.b, pair.a)}.get(comparison.alternative)
    first, second = ordered or ((pair.a, pair.b) if means[pair.a] >= means[pair.b] else (pair.b, pair.a))
    gap = means[first] - means[second]
    verdict = comparison.verdict(pair)
    at = f"at significance {num(comparison.significance):g}"
    silent = pair.posterior is None or np.isnan(pair.posterior.equivalent)
    unknown = np.isnan(pair.p_value) and (comparison.test != "bayesian" or silent)
    if verdict == "practically equivalent":
        found = f"a difference of {num(gap):.3f}, practically none"
    elif comparison.test == "bayesian" or not ordered:
        claim = f" that is significant {at}" if comparison.test != "bayesian" else ""
        unsure = (
            f" that cannot be distinguished from zero {at}" if not unknown else " of which nothing can be concluded"
        )
        found = f"a difference of {num(gap):.3f}{claim if comparison.is_conclusive(pair) else unsure}"
    else:
        claim = "significantly above zero" if comparison.is_conclusive(pair) else "not shown to be above zero"
        claim = "of which nothing can be concluded" if unknown else f"{claim} {at}, one-sided"
        found = f"a difference of {num(gap):.3f}, {claim}"
    shown = pair.posterior.sentence() if comparison.test == "bayesian" and pair.posterior else test_of(comparison, pair)
    mean = "a mean " if len(comparison.scores) > 1 else "the "
    return (
        f"On {comparison.design.description}, {first} had {mean}{comparison.scoring} of {num(means[first]):.3f} and {second} of"
        f" {num(means[second]):.3f}, {found} ({shown})."
    )


def of_many(comparison: "Comparison") -> str:
    """Return the sentences for several models."""
    from novum.evaluation.comparison.result import ADJUSTED

    k, best = len(comparison.names), comparison.best
    text = f"{k} models were compared on {comparison.design.description}. "
    for result in comparison.overall.values():
        if result.name.startswith("Iman"):
            verb = "differ" if comparison.differs_overall else "cannot be shown to differ"
            found = f"F{result._shown_df()} = {num(result.statistic):.3g}, {shown_p(result.p_value)}"
            text += f"Their ranks {verb} ({result.name}: {found}). "
    by = "rank" if comparison.ranks is not None else comparison.scoring
    value = comparison.means[best] if comparison.ranks is None else comparison.ranks[comparison.names.index(best)]
    mean = "mean " if len(comparison.scores) > 1 else ""
    text += f"{best} has the best {mean}{by} ({num(value):.3f}). "
    beaten = [one for one in comparison.pairs if comparison.is_conclusive(one)]
    sides = "" if comparison.alternative == "two-sided" else ", one-sided"
    name, at = comparison.test.replace("_", " "), num(comparison.significance)
    how = f"{name}{sides}, {ADJUSTED[comparison.adjust]}, significance {at:g}"
    if comparison.test == "bayesian":
        how = "Bayesian comparison, posterior probability at least .95"
    if not beaten:
        none = (
            "No two models can be distinguished"
            if not sides
            else "No model is shown to be better in the stated direction"
        )
        return f"{text}{none} ({how})."
    claims = []
    for one in beaten:
        winner, loser = (one.a, one.b) if comparison.verdict(one).startswith(f"{one.a} ") else (one.b, one.a)
        p = "" if np.isnan(one.adjusted) else f" ({shown_p(one.adjusted)})"
        claims.append(f"{winner} over {loser}{p}")
    rest = "" if len(beaten) == len(comparison.pairs) else "; the other pairs cannot be distinguished"
    rest = "; the other pairs do not show it" if rest and sides else rest
    return f"{text}Significantly better: {listed_names(claims)}{rest} ({how})."


def comparison_words(comparison: "Comparison") -> str:
    """Return the comparison in words."""
    one = len(comparison.pairs) == 1 and not comparison.overall
    text = of_two(comparison, comparison.pairs[0]) if one else of_many(comparison)
    chosen = next(v for v in comparison.verdicts if v.test == comparison.test)
    if chosen.valid != "yes":
        text += f" Caution: {chosen.reason}."
    lost = sorted({failure.model for failure in comparison.failures})
    return text + (f" {listed_names(lost)} failed and {'is' if len(lost) == 1 else 'are'} left out." if lost else "")
