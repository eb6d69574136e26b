"""What a model file may contain, checked before anything in it is believed.

A model file is a zip archive: `schema.json` describes the objects in skops's format, each array is a member of its
own, `novum.json` names the versions that wrote it. Whoever wrote the file chose every byte of it. So, in this
order: names, number and sizes of the members; the description's values counted before it is read, and taken as a tree
of bounded depth, in which equal identifiers mean equal contents and only loaders that build data are named; headers of
the arrays against their sizes; then the types. A type is trusted if novum or the fixed list below says so, and only in
its own role. What the built objects hold is checked by `novum.persistence.attributes` and `novum.persistence.sklearn_state`.
"""

import json
import math
import re
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from scipy import sparse

from novum.exceptions import FileFormatError
from novum.persistence.sklearn_state import needs_trust
from novum.persistence.sklearn_trees import check_trees
from novum.persistence.trust import Node, is_foreign, is_trusted

__all__ = ["Contents", "inspect"]

SCHEMA, ABOUT = "schema.json", "novum.json"
MEMBER = re.compile(r"[A-Za-z0-9-]+\.(npy|npz|bin)")  # what skops writes: no folders, so nothing to climb out of
MAX_MEMBERS = 100_000  # one per array; the largest models have a few thousand
MAX_DEPTH = 300  # of the description; a search over a pipeline of pipelines has about 60
MAX_GROWTH, ROOM = 20, 256 * 2**20  # unpacked size: 20 times the file, or this many bytes if that is more
# Bytes that Python takes for a character, a value and a container of JSON and skops for an object, at most; a file that
# novum.save writes describes less than DESCRIBED times its own size, as the names of its objects are long.
PER_CHARACTER, PER_VALUE, PER_TABLE, PER_OBJECT, DESCRIBED = 4, 64, 240, 1500, 40
SCALARS = {
    "bool": "b",
    "bool_": "b",
    "str_": "U",
    "bytes_": "S",
    "datetime64": "M",
    "timedelta64": "m",
}  # others: numbers
FILES = {"BytesNode": ".bin", "BytearrayNode": ".bin", "NdArrayNode": ".npy", "SparseMatrixNode": ".npz"}
# Bytes, dtypes and trees (a forest in a stack, say) that are saved twice get new file names each time; everything else that
# is saved twice is written alike.
NEW_EACH_TIME = {
    "BytesNode": ("file",),
    "BytearrayNode": ("file",),
    "DTypeNode": ("content",),
    "TreeNode": ("content", "__reduce__"),
}
# NumPy takes any position in the buffer of a generator from a saved state and reads there.
POSITIONS = {"pos": 624, "buffer_pos": 4}


class Contents(NamedTuple):
    """What a checked file contains."""

    versions: dict[str, str]
    trusted: list[str]  # names, beyond those that skops trusts, that this file uses rightly
    foreign: list[str]  # names that are not data or not in their role
    unchecked: list[str]  # classes of scikit-learn whose state nobody checks


def inspect(file: BinaryIO, max_bytes: int | None = None) -> Contents:
    """Return what an archive contains, or raise ValueError, KeyError or zipfile's errors for what it should not."""
    size = file.seek(0, 2)
    file.seek(0)
    limit = max(MAX_GROWTH * size, ROOM) if max_bytes is None else max_bytes
    described = max(DESCRIBED * size, ROOM) if max_bytes is None else max_bytes
    with ZipFile(file) as archive:
        members = check_members(archive.infolist(), limit)
        for required in (SCHEMA, ABOUT):
            if required not in members:
                raise FileFormatError(f"it has no {required}, so it was not written by novum.save")
        about = parse_json(archive.read(ABOUT), described)
        if not isinstance(about, dict) or not all(isinstance(value, str) for value in about.values()):
            raise FileFormatError(f"its {ABOUT} is not a table of versions")
        schema = parse_json(archive.read(SCHEMA), described)
        description = Description(members, limit, described)
        nodes = description.check(schema)
        for name in members:
            if name.endswith(".npy"):
                check_scalar(name, check_array(archive, name), description.scalars.get(name, set()))
            elif name.endswith(".npz"):
                check_sparse(archive, name, limit)
        check_trees(schema, archive)
    trusted = sorted({str(node) for node in nodes if is_trusted(node)})
    objects = {node for node in nodes if node.loader == "ObjectNode"}
    unchecked = sorted({str(node) for node in objects if needs_trust(node.module, node.name, set())})
    return Contents(about, trusted, sorted({str(node) for node in nodes if is_foreign(node)}), unchecked)


def described_bytes(text: str | bytes) -> int:
    """Return a bound on the memory that a text of JSON, and the objects that it describes, will take."""
    marks = [mark if isinstance(text, str) else mark.encode() for mark in ("[", "{", ",", ":", "__loader__")]
    lists, tables, commas, colons, objects = (text.count(mark) for mark in marks)  # type: ignore[arg-type]
    values = PER_VALUE * (2 * lists + commas + colons + 1)
    return PER_CHARACTER * len(text) + values + PER_TABLE * tables + PER_OBJECT * objects


def parse_json(text: bytes, room: int) -> Any:
    """Return the value of a text of JSON, or raise before it is built if it would take more than so many bytes."""
    if (needed := described_bytes(text)) > room:
        raise FileFormatError(
            f"its description would take {needed} bytes of memory, more than the {room} that a file of its size may; "
            "pass max_bytes to load it if you trust it"
        )
    return json.loads(text)


def check_members(members: list[ZipInfo], limit: int) -> dict[str, int]:
    """Return the size of every member by name."""
    if len(members) > MAX_MEMBERS:
        raise FileFormatError(f"it has {len(members)} members, more than the {MAX_MEMBERS} that a model can have")
    sizes: dict[str, int] = {}
    for member in members:
        name = member.filename
        if name in sizes or not (name in (SCHEMA, ABOUT) or MEMBER.fullmatch(name)):
            raise FileFormatError(f"it has a member {name!r}, twice or with a name that novum.save never writes")
        if member.flag_bits & 1 or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise FileFormatError(f"its member {name!r} is encrypted or compressed in an unknown way")
        sizes[name] = member.file_size
    if (total := sum(sizes.values())) > limit:
        raise FileFormatError(
            f"it would unpack to {total} bytes, more than the {limit} that a file of its size may; "
            "pass max_bytes to load it if you trust it"
        )
    return sizes


def check_scalar(name: str, header: tuple[tuple[int, ...], np.dtype], classes: set[str]) -> None:
    """Raise unless what reads an array as a scalar finds one of its own kind: `bytes_` of a number makes so many bytes."""
    shape, dtype = header
    for cls in classes - {"ndarray"}:
        if (
            shape != ()
            or SCALARS.get(cls, "number") != SCALARS.get(dtype.type.__name__, "number")
            or dtype.kind in "OV"
        ):
            raise FileFormatError(f"its array {name!r} of {dtype} with shape {shape} is read as a {cls[:40]}")


def check_array(archive: ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Return shape and type of an array whose header fits the bytes that follow: a header alone must not take memory."""
    with archive.open(name) as member:
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        version = np.lib.format.read_magic(member)
        if version not in read:
            raise FileFormatError(f"its array {name!r} has an unknown format {version}")
        shape, _, dtype = read[version](member)
        claimed, there = math.prod(shape) * dtype.itemsize, archive.getinfo(name).file_size - member.tell()
    if dtype.hasobject or any(length < 0 for length in shape) or claimed != there:
        raise FileFormatError(f"its array {name!r} claims {claimed} bytes of {dtype}, and has {there}")
    return shape, dtype


def check_sparse(archive: ZipFile, name: str, limit: int) -> None:
    """Check a sparse matrix: its own archive, its arrays, and that its indices stay inside its shape."""
    with archive.open(name) as member:
        with ZipFile(member) as inner:
            if sum(part.file_size for part in inner.infolist()) > limit:
                raise FileFormatError(f"its sparse matrix {name!r} would unpack to more than {limit} bytes")
            for part in inner.namelist():
                check_array(inner, part)
        member.seek(0)
        matrix: Any = sparse.load_npz(member)
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)


class Description:
    """A walk over the description of the objects; no object is made."""

    def __init__(self, members: dict[str, int], limit: int, described: int) -> None:
        self.members = members
        self.room = limit
        self.described = described  # bytes that texts of JSON inside the description may take together
        self.scalars: dict[str, set[str]] = {}  # the classes that read each array
        self.contents: dict[Any, int] = {}  # a number for every different subtree
        self.by_identifier: dict[Any, int] = {}
        self.nodes: set[Node] = set()

    def check(self, schema: Any) -> set[Node]:
        """Return the types that the description names."""
        if not isinstance(schema, dict) or schema.get("__loader__") != "ObjectNode":
            raise FileFormatError("it does not hold an estimator")
        self.walk(schema, 0)
        return self.nodes

    def walk(self, value: Any, depth: int) -> int:
        """Return a number that two subtrees share only if they are equal but for identifiers."""
        if depth > MAX_DEPTH:
            raise FileFormatError(f"its objects are nested more than {MAX_DEPTH} deep")
        key: Any
        if isinstance(value, dict):
            fresh = NEW_EACH_TIME.get(str(value.get("__loader__")), ())
            numbers = {name: self.walk(value[name], depth + 1) for name in sorted(value) if name != "__id__"}
            key = tuple((name, number) for name, number in numbers.items() if name not in fresh)
        elif isinstance(value, list):
            key = tuple(self.walk(item, depth + 1) for item in value)
        else:
            key = value
        number = self.contents.setdefault((type(value), key), len(self.contents))
        if isinstance(value, dict) and ("__loader__" in value or "__id__" in value):
            self.visit(value, number)
        return number

    def visit(self, node: dict[str, Any], number: int) -> None:
        """Check one object. Equal identifiers must mean equal contents, or a small file could describe an endless
        tree.
        """
        identifier = node.get("__id__")
        known = identifier is not None and identifier in self.by_identifier
        if self.by_identifier.setdefault(identifier, number) != number and identifier is not None:
            raise FileFormatError("two of its objects have one identifier")
        words = [node.get(field) for field in ("__module__", "__class__", "__loader__")]
        if not all(isinstance(word, str) for word in words):
            raise FileFormatError("one of its objects has no type")
        found = Node(*map(str, words))
        self.nodes.add(found)
        if "file" in node:
            self.open(node["file"], found.loader, known)
        if found.loader == "NdArrayNode" and isinstance(file := node.get("file"), str):
            self.scalars.setdefault(file, set()).add(found.name)
        if found.loader == "JsonNode" and isinstance(text := node.get("content"), str):
            self.described -= described_bytes(text)
            if self.described < 0:
                raise FileFormatError("the texts in its description would take too much memory")
        if found.loader in ("RandomStateNode", "RandomGeneratorNode"):
            check_generator(node)

    def open(self, file: Any, loader: str, known: bool) -> None:
        """Check that an object reads a member of its own kind, and that all of them together do not read too much."""
        if not isinstance(file, str) or file not in self.members or not file.endswith(FILES.get(loader, "?")):
            raise FileFormatError(f"one of its objects reads {str(file)[:80]!r}, which is no data of its kind")
        self.room -= 0 if known else self.members[file]  # skops reads it once per object
        if self.room < 0:
            raise FileFormatError("its objects read the same data again and again")


def check_generator(node: dict[str, Any]) -> None:
    """Check that the state of a random generator is spelled out, and that its positions lie in its buffers."""
    if node["__loader__"] == "RandomStateNode" and node["content"]["__loader__"] != "DictNode":
        raise FileFormatError("the state of a random generator in it is not a table")
    waiting = [node["content"]]
    while waiting:
        value = waiting.pop()
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, item in entries:
            plain = (
                json.loads(item["content"]) if isinstance(item, dict) and item.get("__loader__") == "JsonNode" else None
            )
            if isinstance(plain, dict | list):
                raise FileFormatError("the state of a random generator in it is not a table")
            if name in POSITIONS and not (isinstance(plain, int) and 0 <= plain <= POSITIONS[name]):
                raise FileFormatError(f"a random generator in it stands at {str(plain)[:20]} of {POSITIONS[name]}")
            waiting.append(item)
