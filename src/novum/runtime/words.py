"""Names and values in messages: a few of them, each cut, so that no message outgrows a screen."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = ["first_few", "value_text"]

MOST_NAMES = 20
MOST_LETTERS = 60  # of one name or value


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
