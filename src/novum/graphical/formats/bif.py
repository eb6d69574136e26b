r"""The Bayesian interchange format, BIF 0.15.

    variable NAME { type discrete [ K ] { STATE, ... }; }
    probability ( NAME | PARENT, ... ) { (STATE, ...) P, ..., P;  default P, ...;  table P, ...; }

`(...)` names the states of the parents; the numbers run over the states of NAME. `table` runs over NAME slowest and the
last parent fastest. Properties and comments are skipped. Names that hold separators are written in quotes.
"""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import FileFormatError
from novum.graphical.formats.content import NetworkContent
from novum.runtime.message_text import first_few, value_text

__all__ = ["read_bif", "write_bif"]

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}()\[\],;|]|(?:[^\s{}()\[\],;|"/]|/(?![/*]))+', re.DOTALL)
PLAIN = re.compile(r'[^\s{}()\[\],;|"\\/]+')
MARKS = frozenset("{}()[],;|")
MOST_CELLS = 1 << 28  # of a table: more is no network that anybody has written down


class Tokens:
    """The words of a file, taken one by one."""

    def __init__(self, text: str) -> None:
        self.words = [word for word in TOKEN.findall(text) if not word.startswith(("//", "/*"))]
        self.at = 0

    def take(self) -> str:
        if self.at >= len(self.words):
            raise FileFormatError("BIF: the file ends in the middle of a block.")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, mark: str) -> None:
        found = self.take()
        if found != mark:
            near = " ".join(self.words[max(0, self.at - 6) : self.at])
            raise FileFormatError(
                f"BIF: expected {value_text(mark)}, found {value_text(found)} near {value_text(near)}."
            )

    def name(self) -> str:
        word = self.take()
        if word in MARKS:
            raise FileFormatError(f"BIF: expected a name, found {value_text(word)}.")
        return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word

    def listed(self, end: str) -> Iterator[str]:
        """Yield names, with or without commas between them, up to a mark."""
        while self.words[self.at : self.at + 1] != [end]:
            if self.words[self.at : self.at + 1] == [","]:
                self.at += 1
                continue
            yield self.name()
        self.at += 1

    def skip(self, end: str) -> None:
        while self.take() != end:
            pass


def number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise FileFormatError(f"BIF: {value_text(word)} is no number.") from None


def read_variable(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    name = tokens.name()
    states: tuple[str, ...] = ()
    tokens.expect("{")
    while (word := tokens.take()) != "}":
        if word != "type":
            tokens.skip(";")  # a property
            continue
        kind = tokens.name()
        if kind != "discrete":
            raise FileFormatError(
                f"BIF: variable {value_text(name)} has type {value_text(kind)}; only discrete variables have tables."
            )
        tokens.expect("[")
        count = tokens.take()
        tokens.expect("]")
        tokens.expect("{")
        states = tuple(tokens.listed("}"))
        tokens.expect(";")
        if not count.isdigit() or len(states) != int(count) or len(set(states)) < len(states):
            raise FileFormatError(
                f"BIF: variable {value_text(name)} announces {count[:20]} states and names {len(states)}: {first_few(states)}."
            )
    if not states:
        raise FileFormatError(f"BIF: variable {value_text(name)} has no states.")
    return name, states


def once(seen: set[tuple[int, ...]], cells: tuple[int, ...], what: str, name: str) -> None:
    """Refuse cells that were given before: nothing says which of the two are meant."""
    if cells in seen or (() in seen) or (not cells and seen):
        raise FileFormatError(f"BIF: {what} of {value_text(name)} is given twice.")
    seen.add(cells)


def read_table(tokens: Tokens, states: dict[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...], NDArray[np.float64]]:
    tokens.expect("(")
    name = tokens.name()
    parents: tuple[str, ...] = ()
    if tokens.take() == "|":
        parents = tuple(tokens.listed(")"))
    for variable in (name, *parents):
        if variable not in states:
            raise FileFormatError(f"BIF: a probability names {value_text(variable)}, which is no variable of the file.")
    shape = [len(states[v]) for v in (*parents, name)]
    if np.prod(np.array(shape, dtype=float)) > MOST_CELLS:
        raise FileFormatError(
            f"BIF: the table of {value_text(name)} would have {np.prod(np.array(shape, dtype=float)):.3g} cells."
        )
    table = np.full(shape, np.nan)
    seen: set[tuple[int, ...]] = set()  # states of the parents that have a row, or () where the whole table is given
    place = [{state: i for i, state in enumerate(states[p])} for p in parents]
    tokens.expect("{")
    while (word := tokens.take()) != "}":
        if word == "(":
            given = tuple(tokens.listed(")"))
            if len(given) != len(parents) or any(s not in at for s, at in zip(given, place, strict=True)):
                raise FileFormatError(f"BIF: ({first_few(given)}) are no states of the parents of {value_text(name)}.")
            row = [number(w) for w in tokens.listed(";")]
            if len(row) != shape[-1]:
                raise FileFormatError(
                    f"BIF: {value_text(name)} given ({first_few(given)}) has {len(row)} numbers, not {shape[-1]}."
                )
            at_row = tuple(at[s] for s, at in zip(given, place, strict=True))
            once(seen, at_row, f"the row ({first_few(given)})", name)
            table[at_row] = row
        elif word in ("table", "default"):
            row = [number(w) for w in tokens.listed(";")]
            if word == "default" and len(row) == shape[-1]:
                table = np.where(np.isnan(table), np.array(row), table)
            elif len(row) == table.size:
                once(seen, (), "the table", name)
                table = np.moveaxis(np.array(row).reshape(shape[-1], *shape[:-1]), 0, -1)
            else:
                raise FileFormatError(f"BIF: the table of {value_text(name)} has {len(row)} numbers, not {table.size}.")
        else:
            tokens.skip(";")
    if np.isnan(table).any():
        raise FileFormatError(
            f"BIF: the table of {value_text(name)} leaves out {int(np.isnan(table[..., 0]).sum())} states of its parents."
        )
    return name, parents, table


def read_bif(text: str) -> NetworkContent:
    """Return the network of a BIF text."""
    tokens = Tokens(text)
    title, states = "", {}
    parents: dict[str, tuple[str, ...]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    while tokens.at < len(tokens.words):
        word = tokens.take()
        if word == "network":
            title = "" if tokens.words[tokens.at : tokens.at + 1] == ["{"] else tokens.name()
            tokens.expect("{")
            tokens.skip("}")
        elif word == "variable":
            name, found = read_variable(tokens)
            if name in states:
                raise FileFormatError(f"BIF: variable {value_text(name)} is declared twice.")
            states[name] = found
        elif word == "probability":
            name, given, table = read_table(tokens, states)
            if name in tables:
                raise FileFormatError(f"BIF: {value_text(name)} has two tables.")
            parents[name], tables[name] = given, table
        else:
            raise FileFormatError(f"BIF: expected network, variable or probability, found {value_text(word)}.")
    lost = [name for name in states if name not in tables]
    if lost or not states:
        raise FileFormatError(f"BIF: no table for {first_few(lost)}." if lost else "BIF: the file has no variables.")
    return NetworkContent(
        {n: parents[n] for n in states}, states, {n: tables[n] for n in states}, "" if title == "unknown" else title
    )


def quote(name: object) -> str:
    text = str(name)
    if PLAIN.fullmatch(text):
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def write_bif(parts: NetworkContent) -> str:
    """Return a network as BIF text; numbers are written so that they are read back to the last bit."""
    lines = [f"network {quote(parts.name or 'unknown')} {{", "}"]
    for name, states in parts.states.items():
        listed = ", ".join(map(quote, states))
        lines += [f"variable {quote(name)} {{", f"  type discrete [ {len(states)} ] {{ {listed} }};", "}"]
    for name, parents in parts.parents.items():
        table = parts.tables[name]
        given = f" | {', '.join(map(quote, parents))}" if parents else ""
        lines.append(f"probability ( {quote(name)}{given} ) {{")
        if not parents:
            lines.append(f"  table {', '.join(map(repr, table.tolist()))};")
        for at in product(*(range(len(parts.states[p])) for p in parents)) if parents else ():
            words = ", ".join(quote(parts.states[p][i]) for p, i in zip(parents, at, strict=True))
            lines.append(f"  ({words}) {', '.join(map(repr, table[at].tolist()))};")
        lines.append("}")
    return "\n".join(lines) + "\n"
