"""The tables on which the notes grow decision trees: PlayTennis, its two variants, and going to the lesson."""

from itertools import product
from typing import Any

from novum.datasets.bunch import bunch_of_columns
from novum.runtime.checks import check_choice

__all__ = ["load_go_to_lesson", "load_play_tennis"]

LEVELS = {
    "Outlook": ("Sunny", "Overcast", "Rain"),
    "Temperature": ("Hot", "Mild", "Cool"),
    "Humidity": ("High", "Normal"),
    "Wind": ("Weak", "Strong"),
    "PlayTennis": ("No", "Yes"),
}
FULL = """
Sunny Hot High Weak No;      Sunny Hot High Strong No;    Overcast Hot High Weak Yes;    Rain Mild High Weak Yes
Rain Cool Normal Weak Yes;   Rain Cool Normal Strong No;  Overcast Cool Normal Strong Yes; Sunny Mild High Weak No
Sunny Cool Normal Weak Yes;  Rain Mild Normal Weak Yes;   Sunny Mild Normal Strong Yes;  Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes; Rain Mild High Strong No
"""
EXTRA = "Sunny Hot Normal Strong No"  # the row that the chapter on noise adds
REDUCED = "Sunny Hot Yes; Sunny Cold Yes; Rain Hot No; Rain Cold No"
REDUCED_LEVELS = {"Outlook": ("Sunny", "Rain"), "Temperature": ("Hot", "Cold"), "PlayTennis": ("No", "Yes")}


def rows_of(text: str) -> list[list[str]]:
    """Return the rows of a table written with semicolons or line ends between them."""
    return [row.split() for row in text.replace("\n", ";").split(";") if row.split()]


def load_play_tennis(variant: str = "full", *, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return PlayTennis: four attributes of a day, and whether tennis was played.

    Parameters
    ----------
    variant : {"full", "noisy", "reduced"}, default="full"
        The 14 days; the 14 days and one that contradicts the tree (sunny, hot, normal, strong: no); or the four-row table
        with Outlook and Temperature only.
    return_X_y, as_frame : bool, default=False
        As in scikit-learn. With `as_frame` the columns are categorical with the declared levels.

    Returns
    -------
    Bunch
        The day (D1, D2, ...) is `row_names`, never a column: an identifier splits any training set perfectly and predicts
        nothing.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> tennis = load_play_tennis()
    >>> tennis.feature_names, tennis.data.shape, int((tennis.target == "Yes").sum())
    (['Outlook', 'Temperature', 'Humidity', 'Wind'], (14, 4), 9)
    """
    check_choice("load_play_tennis", "variant", variant, ("full", "noisy", "reduced"))
    levels = REDUCED_LEVELS if variant == "reduced" else LEVELS
    rows = rows_of(REDUCED if variant == "reduced" else FULL + (EXTRA if variant == "noisy" else ""))
    days = [f"D{i + 1}" for i in range(len(rows))]
    return bunch_of_columns(
        dict(zip(levels, map(list, zip(*rows)))),
        "PlayTennis",
        f"PlayTennis, {variant}: {len(rows)} days (Mitchell 1997; 001 chapters 1 and 2).",
        levels=levels,
        index=days,
        return_X_y=return_X_y,
        as_frame=as_frame,
        levels_=levels,
        row_names=days,
    )


def goes(outlook: str, transportation: str, lesson: str) -> str:
    """Return the label by the formula of the notes: (rain and covered) or (overcast and practical)."""
    rain = outlook == "Rain" and transportation == "Covered"
    overcast = outlook == "Overcast" and lesson == "Practical"
    return "Yes" if rain or overcast else "No"


def load_go_to_lesson(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return the table behind the notes' first tree: go to the lesson or not.

    The figure is known by its formula alone, so the table holds all 12 combinations labelled by it. The gain of Outlook,
    0.251629 bits, is the largest, and the greedy tree gives the formula back.

    Examples
    --------
    >>> from novum.datasets import load_go_to_lesson
    >>> X, y = load_go_to_lesson(return_X_y=True)
    >>> X.shape, int((y == "Yes").sum())
    ((12, 3), 4)
    """
    levels = {
        "Outlook": ("Sunny", "Overcast", "Rain"),
        "Transportation": ("Covered", "Uncovered"),
        "Lesson": ("Theoretical", "Practical"),
    }
    rows = [(*row, goes(*row)) for row in product(*levels.values())]
    return bunch_of_columns(
        dict(zip([*levels, "Go"], map(list, zip(*rows)))),
        "Go",
        "Going to the lesson: 12 combinations labelled by the formula of 000 chapter 2.",
        levels={**levels, "Go": ("No", "Yes")},
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
