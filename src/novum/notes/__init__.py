"""The index of the lecture notes: from a chapter or a word to the name that serves it, and to the test that proves it.

Four tables lie beside this file: `ledger.tsv` (every item of the five sets), `names.tsv` (what serves each of them, in names that
can be imported), `chapters.tsv` (their titles) and `errata.tsv` (their misprints). `served.json` says which tests prove an item;
`make notes-coverage` writes it after those tests have passed.
"""

from novum.notes.listing import Listing, notes
from novum.notes.misprints import Erratum, errata
from novum.notes.search import find
from novum.notes.stops import tour
from novum.notes.tables import Chapter, Row, chapters, ledger, served

__all__ = ["Chapter", "Erratum", "Listing", "Row", "chapters", "errata", "find", "ledger", "notes", "served", "tour"]


def __dir__() -> list[str]:
    return sorted(__all__)
