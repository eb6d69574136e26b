"""Words of texts, counted."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Rules:
    """What counts as a word, and how many words make a term."""

    def __init__(self, lower: bool, shortest: int, least: int, most: int) -> None: ...

class Terms:
    """A set of terms."""

    def __len__(self) -> int: ...

class Counted:
    """Terms of a block of documents, and how often each occurs in each."""

def terms(words: list) -> Terms:
    """Return a set of words, numbered in their order."""

def count(documents: list, rules: Rules, stop: Terms) -> Counted:
    """Count the terms of documents."""

def count_known(documents: list, rules: Rules, stop: Terms, terms: Terms) -> Counted:
    """Count those terms of documents that are in a set."""

def merge(counted: list) -> tuple[dict, list]:
    """
    Return the terms of all blocks, sorted, with their places, and for each block the places of its own.
    """

def rows(counted: Counted, place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Take the rows of counts out of a block: ends, columns, counts; `place`: the column of a term.
    """

def hash(documents: list, rules: Rules, stop: Terms, columns: int, alternate: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]:
    """
    Return rows of hashed terms: ends, columns, values; and whether a text cannot be encoded.
    """
