"""How the cells of a column are to be read."""

import re
from typing import NamedTuple

__all__ = ["CODE", "DATE", "MOST", "NEARLY_ALL", "NUMBER", "UNKNOWN", "Form", "enough"]

NUMBER, DATE, CODE = "number", "date", "code"
NEARLY_ALL = 0.9  # share of a column's different cells that must be of its kind
MOST = 0.6  # share where the others are words for nothing
WORDS_FOR_NOTHING = """
n/d  n.d.  n.d  nd  n.a.  n.a  na  n/a  none  nil  null  nan  unknown  unk  missing  tbd  tba  undefined  void  k.a.
keine  s/d  s.d.  -  --  ---  —  –  .  ..  ...  *  **  x  ?  ??  #  #n/a  #value!  #div/0!  #ref!  #num!  #name?  inf  -inf  +inf
not available  not known  no data  not applicable
"""
UNKNOWN = frozenset(re.split(r"\n|  ", WORDS_FOR_NOTHING.strip()))


class Form(NamedTuple):
    """How the cells of a column are to be read."""

    kind: str  # NUMBER, DATE or CODE
    how: str  # decimal mark, or a form of dates or of times
    unit: str = ""  # what ends the numbers
    doubtful: bool = False  # whether no cell distinguished days from months


def enough(readable: int, known: int, every: int) -> bool:
    """Return whether a column is of a kind: nearly all cells are, or all but words for nothing."""
    return readable >= NEARLY_ALL * known and known >= MOST * every
