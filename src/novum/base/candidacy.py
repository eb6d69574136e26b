"""What a class says of itself to stand in a study: how simple it is, and the few settings that are worth trying.

A class that wants to be compared by `novum.study` has the attribute `_candidacy`; a class without one is left out of the usual
list. Subclasses do not inherit it: what they change may be just what made their parent fit for it.
"""

from typing import Any, NamedTuple

__all__ = ["EARLY", "MANY_ROWS", "PASSES", "Candidacy", "candidacy_of", "settings_for", "stops_early"]

MANY_ROWS = 2_500
EARLY, PASSES = "early_stopping", "max_iter"
TARGET, ROWS = "target", "rows"  # units that a penalty can be given in


class Candidacy(NamedTuple):
    """How a class takes part in a study."""

    rank: int  # by what a person must read to follow one prediction: 1 a weighted sum ... 8 hundreds of trees, 9 a network
    settings: dict[str, Any] = {}  # of the first try, where they are not the defaults
    search: tuple[dict[str, Any], ...] = ()  # changes of these that are worth trying, the likely ones first
    scaled: bool = False  # whether the units of the columns matter to it
    most_rows: int | None = None  # beyond which it is too slow to be compared
    most_columns: int | None = None  # likewise
    units: dict[str, str] = {}  # parameters given per standard deviation of the target (TARGET) or per row (ROWS)
    order: int = 9  # of the comparison, should the time be short: 1 what is soon among the best on most tables
    standard_target: bool = False  # whether numbers to predict are to have mean 0 and deviation 1
    shapes: tuple[str, ...] = ()  # of targets that it is for alone: "counts", "skewed amounts", "skewed amounts and 0"
    shares: dict[str, float] = {}  # whole numbers that may be at most this share of the rows, and at least 1
    stages: tuple[int, ...] = ()  # of fewer rows: numbers of passes that one fit judges, the largest one's
    many: dict[str, Any] = {}  # settings of `MANY_ROWS` rows or more, whatever the change: early stopping, say


def candidacy_of(cls: type) -> Candidacy | None:
    """Return what a class itself, not its parents, says; None where it does not stand."""
    return vars(cls).get("_candidacy")


def settings_for(candidacy: Candidacy, change: dict[str, Any], n_rows: int, deviation: float) -> dict[str, Any]:
    """Return the settings of one try, in the units of the data.

    Parameters
    ----------
    change : dict
        An entry of `search`, or nothing.
    n_rows : int
        Rows to fit.
    deviation : float
        Standard deviation of the target; 1 for classes.
    """
    settings = {**candidacy.settings, **change}
    if n_rows >= MANY_ROWS and EARLY not in change:
        settings |= candidacy.many
    for name, unit in candidacy.units.items():
        if name in settings:
            settings[name] = float(settings[name] * (deviation if unit == TARGET else n_rows))
    for name, share in candidacy.shares.items():
        if name in settings:
            settings[name] = int(max(1, min(settings[name], share * n_rows)))
    return settings


def stops_early(candidacy: Candidacy, n_rows: int) -> bool:
    """Return whether a class of this tag finds the number of its passes by rows of its own that it holds back."""
    return n_rows >= MANY_ROWS and EARLY in candidacy.many and PASSES in candidacy.many
