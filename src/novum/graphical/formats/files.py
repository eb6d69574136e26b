"""Network files by their ending: .bif, .xmlbif (.xml, .bifxml), .uai, .json, each also with .gz.

BIF and XMLBIF keep names and order; their states come back as text. UAI keeps numbers only. JSON keeps the types of
names and states (text, whole numbers, floats, booleans) and is the format for anything that is not to leave novum.
A name that a format cannot keep is refused before anything is written.
"""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from novum.exceptions import FileFormatError, ParameterError
from novum.graphical.formats.bif import read_bif, write_bif
from novum.graphical.formats.content import NetworkContent
from novum.graphical.formats.uai import Tables, read_uai, write_uai
from novum.graphical.formats.xmlbif import read_xmlbif, write_xmlbif
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.runtime.message_text import value_text
from novum.runtime.writing import replace_file

__all__ = ["ending", "read_parts", "write_parts"]

FORMATS = (".bif", ".xmlbif", ".xml", ".bifxml", ".uai", ".json")
MOST_BYTES = 1 << 30  # of an unpacked file: a packed one may hide any number
SCALAR = (str, int, float, bool, type(None))


def ending(owner: str, path: Path) -> str:
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix.lower() not in FORMATS:
        raise ParameterError.of(
            owner, f"the name must end in one of {', '.join(FORMATS)}, or these with .gz.", path=str(path)
        )
    return suffix.lower()


def text_of(owner: str, path: Path) -> str:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        try:
            raw = file.read(MOST_BYTES + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FileFormatError(f"{owner}({str(path)!r}): the file is damaged: {error}.") from None
    if len(raw) > MOST_BYTES:
        raise FileFormatError(f"{owner}({str(path)!r}): the file has more than {MOST_BYTES >> 30} GiB.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def from_uai(text: str) -> NetworkContent:
    tables = read_uai(text)
    if not tables.directed:
        raise FileFormatError("UAI: a MARKOV file; read it with MarkovNetwork.read.")
    names = [f"x{i}" for i in range(len(tables.cards))]
    by_child = {names[scope[-1]]: (scope, table) for scope, table in zip(tables.scopes, tables.tables, strict=True)}
    return NetworkContent(
        {name: tuple(names[v] for v in by_child[name][0][:-1]) for name in names},
        {name: tuple(range(card)) for name, card in zip(names, tables.cards, strict=True)},
        {name: by_child[name][1] for name in names},
    )


def to_uai(parts: NetworkContent) -> str:
    place = {name: i for i, name in enumerate(parts.states)}
    scopes = [tuple(place[v] for v in (*parts.parents[name], name)) for name in parts.states]
    return write_uai(
        Tables(True, tuple(len(s) for s in parts.states.values()), scopes, [parts.tables[n] for n in parts.states])
    )


def from_json(text: str) -> NetworkContent:
    try:
        data = json.loads(text)
        if data["format"] != "novum.BayesianNetwork":
            raise FileFormatError(f"JSON: the file holds {value_text(data['format'])}, not 'novum.BayesianNetwork'.")
        nodes = data["variables"]
        names = [node["name"] for node in nodes]
        if len({json.dumps(name) for name in names}) < len(names) or not all(
            isinstance(name, SCALAR) for name in names
        ):
            raise FileFormatError("JSON: variables need names that differ.")
        return NetworkContent(
            {node["name"]: tuple(node["parents"]) for node in nodes},
            {node["name"]: tuple(node["states"]) for node in nodes if "states" in node},
            {
                node["name"]: np.array(node["table"], dtype=np.float64) if "states" in node else real_node(node)
                for node in nodes
            },
            str(data.get("name", "")),
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"JSON: not a network file: {type(error).__name__} {value_text(error)}.") from None


def real_node(node: dict[str, Any]) -> LinearGaussian:
    slopes = {parent: np.array(b, dtype=np.float64) for parent, b in node["coefficients"]}
    return LinearGaussian(np.array(node["intercept"]), slopes, np.array(node["variance"]))


def to_json(parts: NetworkContent) -> str:
    for values in ([*parts.parents], *parts.states.values()):
        odd = [value for value in values if not isinstance(value, SCALAR)]
        if odd:
            raise ParameterError(
                f"BayesianNetwork.write: {odd[0]!r} is neither text nor a number; JSON cannot keep it."
            )
    nodes = []
    for name, parents in parts.parents.items():
        node: dict[str, Any] = {"name": name, "parents": list(parents)}
        given = parts.tables[name]
        if isinstance(given, LinearGaussian):
            slopes = [[parent, b.tolist()] for parent, b in given.coefficients.items()]
            node |= {"intercept": given.intercept.tolist(), "coefficients": slopes, "variance": given.variance.tolist()}
        else:
            node |= {"states": list(parts.states[name]), "table": given.tolist()}
        nodes.append(node)
    return json.dumps(
        {"format": "novum.BayesianNetwork", "version": 1, "name": parts.name, "variables": nodes}, indent=1
    )


READERS: dict[str, Any] = {
    ".bif": read_bif,
    ".xmlbif": read_xmlbif,
    ".xml": read_xmlbif,
    ".bifxml": read_xmlbif,
    ".uai": from_uai,
    ".json": from_json,
}
WRITERS: dict[str, Any] = {
    ".bif": write_bif,
    ".xmlbif": write_xmlbif,
    ".xml": write_xmlbif,
    ".bifxml": write_xmlbif,
    ".uai": to_uai,
    ".json": to_json,
}


def read_parts(owner: str, path: Any) -> NetworkContent:
    """Return the network of a file."""
    path = Path(path)
    parts = READERS[ending(owner, path)](text_of(owner, path))
    name = path.name.removesuffix(".gz")
    return parts if parts.name else parts._replace(name=name[: name.rfind(".")])


def check_readable(owner: str, path: Path, parts: NetworkContent) -> None:
    """Refuse names and states that the reader of this format would not give back: read a small file that holds them."""
    form = ending(owner, path)
    if form in (".uai", ".json"):
        return  # UAI keeps no names; JSON looks at each
    wanted = {str(name): tuple(map(str, states)) for name, states in parts.states.items()}
    even = {name: np.full(len(states), 1.0 / len(states)) for name, states in parts.states.items()}
    try:
        text = WRITERS[form](NetworkContent(dict.fromkeys(parts.states, ()), parts.states, even, parts.name))
        text.encode()
        found = READERS[form](text).states
    except (FileFormatError, UnicodeEncodeError) as error:
        raise ParameterError(
            f"{owner}({str(path)!r}): the file could not be read back ({value_text(error)}); rename variables or states, or "
            "write .json."
        ) from None
    if len(wanted) < len(parts.states) or found != wanted:
        lost = next((v for v in parts.states if found.get(str(v)) != tuple(map(str, parts.states[v]))), "a name")
        raise ParameterError(
            f"{owner}({str(path)!r}): {form} keeps names as text without outer blanks, and {value_text(lost)} or its states "
            "would not come back; rename them, or write .json."
        )


def write_parts(owner: str, path: Any, parts: NetworkContent) -> None:
    """Write a network to a file; an existing file is replaced whole or not at all."""
    path = Path(path)
    real = [name for name in parts.parents if name not in parts.states]
    if real and ending(owner, path) != ".json":
        raise ParameterError(f"{owner}({str(path)!r}): {real[0]!r} is a real variable; only .json keeps those.")
    check_readable(owner, path, parts)
    text = WRITERS[ending(owner, path)](parts).encode()
    replace_file(path, gzip.compress(text) if path.suffix == ".gz" else text)
