"""Names and values in messages: a few of them, each cut, so that no message outgrows a screen."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = ["MOST_NAMES", "first_few", "in_one_line", "value_text"]

MOST_NAMES = 20
MOST_LETTERS = 60  # of one name or value
LONGEST_LINE = 400  # letters of what a library says


def cut_text(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def first_few(names: Iterable[Any], separator: str = ", ", most: int = MOST_NAMES, quoted: bool = False) -> str:
    """Return the first names in words, and that there are more."""
    found = list(islice(iter(names), most + 1))
    words = [cut_text(repr(name) if quoted else str(name)) for name in found[:most]]
    return separator.join([*words, "..."] if len(found) > most else words)


def value_text(value: Any) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, dict | list | tuple | set | frozenset) and len(value) > MOST_NAMES:
        return f"a {type(value).__name__} of {len(value)}"
    return cut_text(repr(value))


def in_one_line(text: str, most: int = LONGEST_LINE) -> str:
    """Return a message of several lines as one; a longer one is cut where a sentence ends, or a word, and says so.

    Examples
    --------
    >>> in_one_line("It did not end.\\n  Raise max_iter.", 20), in_one_line("one two three", 9), in_one_line(" short ")
    ('It did not end. …', 'one two …', 'short')
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    ends = [found.end() for found in re.finditer(r"[.!?;](?= )", line[: most - 1])]
    stop = ends[-1] if ends and ends[-1] > most / 2 else line.rfind(" ", 0, most - 1)
    return f"{line[: stop if stop > 0 else most - 2]} …"
