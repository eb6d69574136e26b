r"""Overlap: whether every kind of row could have received every treatment.

    e(x | s) > 0 for all x and all s that occur; a row lacks treatment x where e(x | s) < SMALL and fewer than LEAST_NEAR
    rows with x lie nearby, within WIDTH of its logit of e(x | s): nobody like it shows what x would do                  (1)
    trimming keeps the rows with min_x e(x | s) >= trim: the effect is then that on the rows kept (Crump et al. 2009)    (2)

Rare treatments are no lack of overlap: where one row in two hundred is treated, of 200,000 a thousand are, and tell what the
treatment does to rows like them. Where (1) fails, a regression extrapolates and weights explode; no formula helps, and nothing but
the propensities shows it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning
from novum.runtime.message_text import value_text
from novum.runtime.warn import warn

__all__ = ["check_overlap", "propensity_words", "rows_within_trim"]

Array = NDArray[np.float64]
WIDTH = 1.0  # of a neighborhood to either side, in logits of the propensity
LEAST_NEAR = 3  # rows of a state nearby
SMALL = 0.05  # propensity below which the rows nearby are counted
FEW_LACKING = 0.02  # share of such rows that goes without a word
MANY_LACKING = 0.25  # share of such rows from which no estimate is given
LEAST_KEPT = 10  # rows of every state after trimming
LEAST_WORTH = 0.1  # effective rows of a weighted mean, against its rows
LEAST_WORTH_WEIGHED = 0.6  # where the weights are all there is: intervals of 95 % were measured at 80 to 90 % below
ENOUGH = 200  # effective rows of a state from which on its share of them does not matter, if it is LEAST_WORTH


def propensity_words(treatment: Any, states: tuple[Any, ...], x: NDArray[np.int32], shares: Array) -> str:
    """Return the range of the propensity of the last state among those who have it and those who have not."""
    last = len(states) - 1
    words = []
    for part, who in ((x == last, f"rows with {value_text(states[last])}"), (x != last, "other rows")):
        if part.any():
            low, middle, high = np.quantile(shares[part, last], [0, 0.5, 1])
            words.append(f"{low:.3g} to {high:.3g} (median {middle:.3g}) in {who}")
    return f"P({treatment}={value_text(states[last])} | adjustment set) is {', '.join(words)}"


def lacks(x: NDArray[np.int32], shares: Array) -> NDArray[np.bool_]:
    """Return which rows (n) lack which states (k) by (1)."""
    out = np.zeros(shares.shape, dtype=bool)
    p = np.clip(shares, 1e-300, 1 - 1e-16)
    logit = np.log(p) - np.log1p(-p)
    for s in range(shares.shape[1]):
        ordered = np.sort(logit[x == s, s])
        place = logit[:, s]
        near = np.searchsorted(ordered, place + WIDTH, "right") - np.searchsorted(ordered, place - WIDTH, "left")
        out[:, s] = (near < LEAST_NEAR) & (shares[:, s] < SMALL)
    return out


def check_overlap(
    owner: str, treatment: Any, states: tuple[Any, ...], x: NDArray[np.int32], shares: Array, weighed: bool = False
) -> None:
    """Warn where (1) is thin; refuse where it fails for a quarter of the rows."""
    lacking = float(lacks(x, shares).any(axis=1).mean())
    weight = 1 / np.maximum(shares[np.arange(len(x)), x], 1e-12)
    worth, effective = 1.0, np.inf
    for s in range(len(states)):
        mine = weight[x == s]
        rows = float(mine.sum() ** 2 / (mine**2).sum())
        worth, effective = min(worth, rows / len(mine)), min(effective, rows)
    least = LEAST_WORTH_WEIGHED if weighed and effective < ENOUGH else LEAST_WORTH
    if lacking <= FEW_LACKING and worth >= least:
        return
    facts = (
        f"{owner}: {100 * lacking:.3g} % of the rows have next to no rows like them with another state of {treatment!r} (no "
        f"overlap); {propensity_words(treatment, states, x, shares)}"
    )
    advice = "adjust for fewer variables, or pass trim=0.1 for the effect on the rows that could have gone either way"
    if lacking > MANY_LACKING:
        raise DataError(f"{facts}. What the others would have done cannot be estimated from these data: {advice}.")
    other = ", or method='doubly_robust'" if weighed else ""
    facts += f", and the weighted rows of a state are worth {100 * worth:.0f} % of their number"
    warn(f"{facts}. The answer leans on a few rows and on the models: {advice}{other}.", DataWarning)


def rows_within_trim(owner: str, trim: float, k: int, x: NDArray[np.int32], shares: Array) -> NDArray[np.bool_]:
    """Return which rows (2) keeps."""
    keep = shares.min(axis=1) >= trim
    if not keep.any() or np.bincount(x[keep], minlength=k).min() < LEAST_KEPT:
        raise DataError(
            f"{owner}(trim={trim:g}): of {len(x)} rows {int(keep.sum())} have such propensities, too few to compare; "
            "the treatments do not overlap. Lower trim=, or adjust for fewer variables."
        )
    return keep
