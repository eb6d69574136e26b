"""Stops of the tour: a small function each, with what the page prints.

A stop agrees when its value, rounded to the digits that the notes print, is what they print. Where they print nothing the value is
compared with a reference computed otherwise; where they are wrong the stop names the erratum.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

from novum.report.numbers import num
from novum.report.result import result

__all__ = ["STOPS", "Stop", "VisitedStop", "see", "stop", "value_text"]

TOLERANCE = 5e-5  # four decimals are shown


@result
class Stop(NamedTuple):
    """A number of the notes that the tour computes anew."""

    notes: str
    place: str
    label: str
    compute: Callable[[], float | str]
    printed: str  # "-" where the notes print nothing
    unit: str  # put before the value: "t = "
    reference: float | str | None
    remark: str
    erratum: str


@result
class VisitedStop(NamedTuple):
    """What the tour computed at a stop, and whether the notes agree."""

    stop: Stop
    value: float | str
    agrees: bool


STOPS: list[Stop] = []


def stop(
    notes: str,
    place: str,
    label: str,
    *,
    printed: str = "-",
    unit: str = "",
    reference: float | str | None = None,
    remark: str = "",
    erratum: str = "",
) -> Callable[[Callable[[], float | str]], Callable[[], float | str]]:
    """Register a function as a stop of the tour."""

    def register(compute: Callable[[], float | str]) -> Callable[[], float | str]:
        STOPS.append(
            Stop(
                notes=notes,
                place=place,
                label=label,
                compute=compute,
                printed=printed,
                unit=unit,
                reference=reference,
                remark=remark,
                erratum=erratum,
            )
        )
        return compute

    return register


def value_text(value: float | str, printed: str = "-") -> str:
    """Return a value as the tour shows it: four decimals without a leading zero, or two above one."""
    if isinstance(value, str):
        return value
    if abs(value - round(value)) < 1e-12:
        return str(round(value))
    if abs(value) >= 1:
        return f"{value:.{max(2, decimals(printed))}f}"
    return f"{num(value):.4f}"


def decimals(printed: str) -> int:
    """Return how many decimals a printed number has."""
    return len(printed.partition(".")[2]) if printed.lstrip("-").replace(".", "", 1).isdigit() else 0


def agrees_with(value: float | str, printed: str) -> bool:
    """Return whether a value rounds to what is printed."""
    if isinstance(value, str):
        return value == printed
    try:
        return abs(value - float(printed)) <= 0.5 * 10.0 ** -decimals(printed) + 1e-12
    except ValueError:
        return value_text(value) == printed


def see(one: Stop) -> VisitedStop:
    """Compute a stop and compare it."""
    with warnings.catch_warnings():  # examples of a few rows: that their intervals hold little is not what a stop shows
        from novum.exceptions import DataWarning

        warnings.simplefilter("ignore", DataWarning)
        value = one.compute()
    right = True
    if one.reference is not None:
        wanted = one.reference
        right = value == wanted if isinstance(wanted, str) else abs(float(value) - wanted) <= TOLERANCE
    if one.printed != "-" and not one.erratum:
        right = right and agrees_with(value, one.printed)
    if one.erratum:
        right = right and not agrees_with(value, one.printed)  # an erratum that agrees is no erratum
    return VisitedStop(one, value, right)
