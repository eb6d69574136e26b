"""Where an interval was measured to hold the truth less often than it says: the sentence, and the warning that carries it.

A measured coverage is that of intervals of 95 %: at another level the sentence does without the figure. The bounds come from the
simulations of docs/theory/coverage_of_intervals.md, repeated by tests/evaluation/test_coverage.py. Doubts about areas are reported
by `area.overlap_doubt`, which sees their rows.
"""

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataWarning
from novum.report.numbers import num
from novum.runtime.warn import warn

__all__ = [
    "MEASURED",
    "bootstrap_doubt",
    "class_doubts",
    "doubt_notes",
    "few_rows_doubt",
    "share_doubt",
    "warn_of_doubts",
]

MEASURED = 0.95  # the level of all simulations
FEW_EVENTS = 3  # successes or failures: Wilson's end towards them lies too far inside, down to 84 % coverage at 0.18 expected ones
FEW_ROWS = 50  # below it the bootstrap of some score fell to 65-93 % on every distribution tried
FEW_OF_A_CLASS = 20  # rows: below it the bootstrap of scores of labels and rankings fell to 80-91 %
FEW_DECIDING = 5.0  # rows that carry the variance of a bootstrapped score: below it 65-93 %


def falls_short(owner: str, level: float, measured: str, verb: str = "may cover") -> str:
    """Return that an interval of some method covers less than it says, with the figure where that was measured at this level."""
    what = f"{owner} {num(100 * level):g} % interval {verb}"
    return f"{what} {measured}" if level == MEASURED else f"{what} less than that"


def share_doubt(successes: float, n: float, method: str, level: float) -> str:
    """Return why an interval of a share may cover less than it says; Clopper and Pearson's never does."""
    few = min(successes, n - successes)
    if method != "wilson" or not 0 < few < FEW_EVENTS + 1:
        return ""
    short = falls_short("Wilson's", level, "84 to 92 %", "covers")
    return (
        f"{num(successes):.4g} of {num(n):.4g} is within {FEW_EVENTS} of none or all, where {short}; Clopper and Pearson's"
        " holds its level"
    )


def deciding_rows(jackknife: NDArray) -> float:
    """Return how many rows carry the variance of a statistic: (sum g^2)^2 / sum g^4 of the jackknife gaps g; 0 without variance."""
    gap = jackknife[np.isfinite(jackknife)]
    square = (gap - gap.mean()) ** 2 if len(gap) else gap
    largest = float(square.max(initial=0.0))
    if largest == 0:
        return 0.0
    square = square / largest
    return float(square.sum() ** 2 / (square @ square))


def bootstrap_doubt(n: int, jackknife: NDArray, level: float) -> str:
    """Return why a BCa interval may cover less than it says."""
    deciding, short = deciding_rows(jackknife), falls_short("the bootstrap's", level, "65 to 93 %")
    if deciding == 0:
        return "every resample gives the same value, so that it has no width and says nothing"
    if n < FEW_ROWS:
        return few_rows_doubt(n, level)
    if deciding < FEW_DECIDING:
        return f"about {max(deciding, 1):.0f} of {n} rows decide its variance, and {short}"
    return ""


def few_rows_doubt(n: int, level: float) -> str:
    """Return why a bootstrap interval of so few rows, by whatever method, may cover less than it says."""
    short = falls_short("the bootstrap's", level, "65 to 93 %")
    return f"of {n} rows, fewer than {FEW_ROWS}, {short}" if n < FEW_ROWS else ""


def class_doubts(doubts: dict[str, str], bootstrapped: list[str], smallest: float, level: float) -> dict[str, str]:
    """Return the doubts with that of a small class added to bootstrapped scores that have none of their own."""
    if smallest >= FEW_OF_A_CLASS:
        return doubts
    text = f"a class has only {smallest:.0f} rows, and " + falls_short("the bootstrap's", level, "70 to 91 %")
    return doubts | {name: text for name in bootstrapped if not doubts.get(name)}


def doubt_notes(doubts: dict[str, str]) -> list[str]:
    """Return a note per reason, with the scores it is about."""
    reasons: dict[str, list[str]] = {}
    for name, reason in doubts.items():
        if reason:
            reasons.setdefault(reason, []).append(name.replace("_", " "))
    return [f"interval of {', '.join(names)}: {reason}" for reason, names in reasons.items()]


def warn_of_doubts(owner: str, doubts: dict[str, str]) -> None:
    """Warn once of all intervals in doubt."""
    notes = doubt_notes(doubts)
    if notes:
        warn(f"{owner}: {'; '.join(notes)}.", DataWarning)
