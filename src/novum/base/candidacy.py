"""What a class says of itself to stand in a study: how simple it is, and the few settings that are worth trying.

A class that wants to be compared by `novum.study` has the attribute `_candidacy`; a class without one is left out of the usual
list. Subclasses do not inherit it: what they change may be just what made their parent fit for it.
"""

from typing import Any, NamedTuple

__all__ = ["Candidacy", "candidacy_of", "settings_for"]

TARGET, ROWS = "target", "rows"  # units that a penalty can be given in


class Candidacy(NamedTuple):
    """How a class takes part in a study."""

    rank: int  # by what a person must read to follow one prediction: 1 a weighted sum ... 8 hundreds of trees, 9 a network
    settings: dict[str, Any] = {}  # of the first try, where they are not the defaults
    search: tuple[dict[str, Any], ...] = ()  # changes of these that are worth trying, the likely ones first
    quick: dict[str, Any] = {}  # settings that make it faster while others are sought, such as fewer trees
    scaled: bool = False  # whether the units of the columns matter to it
    most_rows: int | None = None  # beyond which it is too slow to be compared
    most_columns: int | None = None  # likewise
    units: dict[str, str] = {}  # parameters given per standard deviation of the target (TARGET) or per row (ROWS)
    strong: bool = False  # often among the best: compared before the others, should the time be short
    standard_target: bool = False  # whether numbers to predict are to have mean 0 and deviation 1
    shapes: tuple[str, ...] = ()  # of targets that it is for alone: "counts", "skewed amounts", "skewed amounts and 0"
    shares: dict[str, float] = {}  # whole numbers that may be at most this share of the rows, and at least 1


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
    for name, unit in candidacy.units.items():
        if name in settings:
            settings[name] = float(settings[name] * (deviation if unit == TARGET else n_rows))
    for name, share in candidacy.shares.items():
        if name in settings:
            settings[name] = int(max(1, min(settings[name], share * n_rows)))
    return settings
