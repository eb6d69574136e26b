"""Vocabularies: the symbols that training had, numbered, after four that belong to the machine.

    <pad> 0      fills short sequences up; no answer holds it, and it changes none
    <start> 1    stands before the first symbol of an output
    <end> 2      stands after the last
    <unknown> 3  any symbol that training did not have

A sequence is a text, whose symbols are its characters, or a list, tuple or array of strings or whole numbers. Answers come
back in the kind that the training targets had.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning, UnknownCategory
from novum.runtime.message_text import first_few, value_text
from novum.runtime.warn import warn

__all__ = ["END", "PAD", "SPECIAL", "START", "UNKNOWN", "Packed", "Vocabulary", "learn_vocabulary", "read_symbols"]

PAD, START, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<start>", "<end>", "<unknown>")
MOST_NAMED = 5  # symbols and places that a message lists
PLAIN = frozenset((str, int, bool))
Symbols = list[Any]


class Packed(NamedTuple):
    """Sequences one after another: rows of all steps, and how many steps each sequence has."""

    values: NDArray  # (total,) numbers of symbols, or (total, d) vectors
    lengths: NDArray[np.int64]  # (n,)


def plain_symbols(sequence: Any) -> Symbols | None:
    """Return the symbols of one sequence as Python's own strings and integers; None where it is no sequence of such."""
    if isinstance(sequence, str):
        return list(sequence)
    if hasattr(sequence, "tolist"):  # arrays, tensors, columns of frames
        sequence = sequence.tolist()
    if isinstance(sequence, bytes) or not isinstance(sequence, Sequence):
        return None
    symbols = list(sequence)
    if PLAIN.issuperset(map(type, symbols)):
        return symbols
    symbols = [item.item() if isinstance(item, np.generic) else item for item in symbols]
    return symbols if all(isinstance(item, str | int) for item in symbols) else None


def read_symbols(sequences: Any, owner: str, name: str, *, least: int = 0) -> list[Symbols]:
    """Return sequences as lists of symbols, each of `least` or more; anything else is refused, with its place."""
    if isinstance(sequences, str | bytes | dict) or not hasattr(sequences, "__iter__"):
        raise DataError(
            f"{owner}: {name} must be a list of sequences, not {value_text(sequences)}; for one sequence give a list of one."
        )
    read = []
    for place, sequence in enumerate(sequences):
        symbols = plain_symbols(sequence)
        if symbols is None:
            raise DataError(
                f"{owner}: sequence {place} of {name} is {value_text(sequence)}; a sequence is a text, or a list of strings or"
                " whole numbers."
            )
        if len(symbols) < least:
            raise DataError(
                f"{owner}: sequence {place} of {name} is empty; leave it out, or give it a symbol of its own."
            )
        read.append(symbols)
    return read


def kind_of(sequences: Any) -> str:
    """Return what answers should be: "text" where all sequences are texts, "tuple", or "list"."""
    kinds = {"text" if isinstance(one, str) else "tuple" if isinstance(one, tuple) else "list" for one in sequences}
    return kinds.pop() if len(kinds) == 1 else "list"


def learn_vocabulary(sequences: Iterable[Symbols], kind: str = "list") -> "Vocabulary":
    """Return the symbols that occur, in order."""
    found = set(chain.from_iterable(sequences))
    return Vocabulary(sorted(found, key=lambda symbol: (isinstance(symbol, str), symbol)), kind)


class Vocabulary:
    """Symbols and their numbers.

    Parameters
    ----------
    symbols : list of str or int
    kind : {"text", "tuple", "list"}
        What `decode` makes.
    """

    def __init__(self, symbols: Sequence[Any], kind: str = "list") -> None:
        self.symbols, self.kind = list(symbols), kind
        self.numbers = {symbol: k for k, symbol in enumerate(self.symbols, start=len(SPECIAL))}

    def __len__(self) -> int:
        return len(SPECIAL) + len(self.symbols)

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self.symbols)}: {first_few(self.symbols, quoted=True)}"

    def config(self) -> dict[str, Any]:
        """Return the arguments of the constructor, for a model file."""
        return {"symbols": self.symbols, "kind": self.kind}

    def encode(self, sequences: list[Symbols], owner: str, name: str, unknown: str = "error") -> Packed:
        """Return sequences as numbers; symbols that are not here are named: in an error, or a warning for "warn"."""
        lengths = np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences))
        found = map(self.numbers.get, chain.from_iterable(sequences), repeat(UNKNOWN))
        values = np.fromiter(found, dtype=np.int64, count=int(lengths.sum()))
        if unknown != "ignore" and (values == UNKNOWN).any():
            self.report_unknown(sequences, owner, name, unknown)
        return Packed(values, lengths)

    def report_unknown(self, sequences: list[Symbols], owner: str, name: str, unknown: str) -> None:
        """Raise or warn of symbols that are not here, with the sequences that hold them."""
        found = dict.fromkeys(s for s in chain.from_iterable(sequences) if s not in self.numbers)
        places = [k for k, one in enumerate(sequences) if any(s in found for s in one)]
        words = (
            f"{owner}: {name} holds symbols that fit did not see: {first_few(found, most=MOST_NAMED, quoted=True)}"
            f" (sequence {first_few(places, most=MOST_NAMED)})"
        )
        if unknown == "error":
            raise UnknownCategory(
                f"{words}. Fit with sequences that hold them, or set unknown='warn' to read them as one."
            )
        warn(f"{words}; all are read as {SPECIAL[UNKNOWN]}.", DataWarning)

    def decode(self, numbers: Sequence[int]) -> Any:
        """Return the symbols of numbers, up to END, as a text, tuple or list."""
        found = []
        for number in numbers:
            if number == END:
                break
            if number >= len(SPECIAL):
                found.append(self.symbols[number - len(SPECIAL)])
        if self.kind == "text":
            return "".join(map(str, found))
        return tuple(found) if self.kind == "tuple" else found
