"""The misprints of the notes: what is printed, what is right, and the test that computes the difference."""

from functools import lru_cache
from typing import NamedTuple

from novum.notes.tables import table
from novum.report.result import result

__all__ = ["Erratum", "errata"]


@result
class Erratum(NamedTuple):
    """A misprint. `test` names a function of tests/notes/test_errata*.py; empty: nothing was computed."""

    id: str
    notes: str
    chapter: str
    place: str
    printed: str
    right: str
    test: str


@lru_cache(maxsize=1)
def errata() -> tuple[Erratum, ...]:
    """Return every known misprint of the notes, in order.

    Examples
    --------
    >>> from novum.notes import errata
    >>> next(e for e in errata() if e.id == "001-2.1").right
    'Outlook gains .2467 bits (.247), Humidity .1518 (.152)'
    """
    return tuple(Erratum(**row) for row in table("errata.tsv"))
