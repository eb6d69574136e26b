"""XMLBIF 0.3: the same network as XML.

TABLE runs over the states of the variables in the order GIVEN, GIVEN, ..., FOR, the last one fastest.
"""

from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np

from novum.exceptions import FileFormatError
from novum.graphical.formats.content import NetworkContent
from novum.runtime.message_text import first_few, value_text

__all__ = ["read_xmlbif", "write_xmlbif"]


def texts(element: ElementTree.Element, tag: str) -> list[str]:
    return [(found.text or "").strip() for found in element if found.tag.upper() == tag]


def read_xmlbif(text: str) -> NetworkContent:
    """Return the network of an XMLBIF text."""
    if "<!ENTITY" in text.upper():
        raise FileFormatError(
            "XMLBIF: the file declares entities; they are refused, because they can expand without bound."
        )
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FileFormatError(f"XMLBIF: not well-formed XML: {error}.") from None
    network = root if root.tag.upper() == "NETWORK" else next((e for e in root if e.tag.upper() == "NETWORK"), None)
    if network is None:
        raise FileFormatError("XMLBIF: there is no NETWORK element.")
    states = {}
    for element in (e for e in network if e.tag.upper() == "VARIABLE"):
        name, found = (texts(element, "NAME") or [""])[0], tuple(texts(element, "OUTCOME") or texts(element, "VALUE"))
        if not name or not found or name in states or len(set(found)) < len(found):
            raise FileFormatError(
                f"XMLBIF: variable {value_text(name)} needs a name of its own and outcomes that differ."
            )
        states[name] = found
    parents, tables = {}, {}
    for element in (e for e in network if e.tag.upper() in ("DEFINITION", "PROBABILITY")):
        name, given = (texts(element, "FOR") or [""])[0], tuple(texts(element, "GIVEN"))
        unknown = [v for v in (name, *given) if v not in states]
        if unknown or name in tables:
            raise FileFormatError(
                f"XMLBIF: a definition of {value_text(name)} names an unknown variable or is the second one."
            )
        shape = [len(states[v]) for v in (*given, name)]
        try:
            cells = np.array([float(w) for w in " ".join(texts(element, "TABLE")).split()])
        except ValueError:
            raise FileFormatError(
                f"XMLBIF: the table of {value_text(name)} holds something that is no number."
            ) from None
        if cells.size != int(np.prod(np.array(shape, dtype=float))):
            raise FileFormatError(
                f"XMLBIF: the table of {value_text(name)} has {cells.size} numbers, not {first_few(shape, ' x ')}."
            )
        parents[name], tables[name] = given, cells.reshape(shape)
    lost = [name for name in states if name not in tables]
    if lost or not states:
        raise FileFormatError(f"XMLBIF: no definition of {first_few(lost)}." if lost else "XMLBIF: no variables.")
    title = (texts(network, "NAME") or [""])[0]
    return NetworkContent({n: parents[n] for n in states}, states, {n: tables[n] for n in states}, title)


def write_xmlbif(parts: NetworkContent) -> str:
    """Return a network as XMLBIF."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        f"<NAME>{escape(parts.name)}</NAME>",
    ]
    for name, states in parts.states.items():
        outcomes = "".join(f"<OUTCOME>{escape(str(s))}</OUTCOME>" for s in states)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{escape(str(name))}</NAME>{outcomes}</VARIABLE>')
    for name, parents in parts.parents.items():
        given = "".join(f"<GIVEN>{escape(str(p))}</GIVEN>" for p in parents)
        cells = " ".join(map(repr, parts.tables[name].ravel().tolist()))
        lines.append(f"<DEFINITION><FOR>{escape(str(name))}</FOR>{given}<TABLE>{cells}</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])
