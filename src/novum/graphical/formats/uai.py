"""The UAI competition format: BAYES or MARKOV, cards, scopes, tables, all numbers.

A scope of a BAYES file lists the parents and then the variable; a table runs over its scope with the last variable
fastest. Variables have no names: they become x0, x1, ..., their states 0, 1, ...
"""

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import FileFormatError
from novum.runtime.message_text import first_few, value_text

__all__ = ["Tables", "read_uai", "write_uai"]

# /* ... */, what follows #, % or // on a line, and lines that begin with c: nothing but BAYES, MARKOV and numbers has a meaning
COMMENT = re.compile(r"/\*.*?\*/|(?:#|%|//)[^\n]*|^[ \t]*[cC](?:[ \t][^\n]*)?$", re.DOTALL | re.MULTILINE)


class Tables(NamedTuple):
    """A product of tables over numbered variables."""

    directed: bool
    cards: tuple[int, ...]
    scopes: list[tuple[int, ...]]
    tables: list[NDArray[np.float64]]


def read_uai(text: str) -> Tables:
    """Return the tables of a UAI text."""
    words = COMMENT.sub(" ", text).split()
    at = 0

    def take(kind: Any, what: str) -> Any:
        nonlocal at
        if at >= len(words):
            raise FileFormatError(f"UAI: the file ends where {what} should stand.")
        at += 1
        try:
            return kind(words[at - 1])
        except ValueError:
            raise FileFormatError(f"UAI: {value_text(words[at - 1])} stands where {what} should.") from None

    def count(what: str, most: int = 1 << 28) -> int:
        found = take(int, what)
        if not 0 <= found <= most:
            raise FileFormatError(f"UAI: {found} stands where {what} should.")
        return found

    kind = take(str, "BAYES or MARKOV").upper()
    if kind not in ("BAYES", "MARKOV"):
        raise FileFormatError(f"UAI: the file begins with {value_text(kind)}, not with BAYES or MARKOV.")
    cards = tuple(count("a number of states") for _ in range(count("the number of variables", len(words))))
    if any(card < 1 for card in cards):
        raise FileFormatError("UAI: a variable without states.")
    scopes = []
    for _ in range(count("the number of tables", len(words))):
        scope = tuple(count("a variable", len(cards) - 1) for _ in range(count("the size of a scope", len(cards))))
        if len(set(scope)) < len(scope):
            raise FileFormatError(f"UAI: a scope names a variable twice: {scope}.")
        scopes.append(scope)
    tables = []
    for scope in scopes:
        shape = [cards[v] for v in scope]
        size = count("the size of a table")
        if size != int(np.prod(np.array(shape, dtype=float))):
            raise FileFormatError(f"UAI: a table of {size} cells over {first_few(shape, ' x ') or 'nothing'} states.")
        cells = np.array([take(float, "a number") for _ in range(size)])
        if not np.isfinite(cells).all() or (cells < 0).any():
            raise FileFormatError("UAI: tables hold finite numbers >= 0.")
        tables.append(cells.reshape(shape))
    if kind == "BAYES" and sorted(scope[-1] for scope in scopes if scope) != list(range(len(cards))):
        raise FileFormatError("UAI: a BAYES file has one table per variable, which is the last of its scope.")
    return Tables(kind == "BAYES", cards, scopes, tables)


def write_uai(network: Tables) -> str:
    """Return tables as UAI text."""
    lines = ["BAYES" if network.directed else "MARKOV", str(len(network.cards)), " ".join(map(str, network.cards))]
    lines.append(str(len(network.scopes)))
    lines += [" ".join(map(str, (len(scope), *scope))) for scope in network.scopes]
    for table in network.tables:
        lines += ["", str(table.size), " ".join(map(repr, table.ravel().tolist()))]
    return "\n".join(lines) + "\n"
