"""Model files that are no larger than they must be.

An array of its own costs a file some hundred bytes, whatever it holds, and a forest has thousands. Objects of classes with
`_packed_in_files` are written as one array of bytes and a text that says where each of theirs begins:

    [name, type in the file, type, shape]    numbers in four bytes where they lose nothing; "0" is all zeros

Members of the archive are then compressed where that gains anything: texts always, arrays by a look at their beginning.
"""

import io
import json
import math
import zlib
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from novum.exceptions import FileFormatError
from novum.persistence.archive import SCHEMA
from novum.persistence.attributes import own_objects

__all__ = ["compressed", "packed", "unpack_all"]

BYTES, LAYOUT = "packed_", "layout_"
NARROWER = {"<i8": "<i4", "<f8": "<f4"}
TYPES = ("<i8", "<i4", "<f8", "<f4", "|u1", "<u4", "|b1")
ZEROS = "0"
LOOKED_AT, WORTH_IT = 2**16, 0.8  # bytes of a member, and the share that they must shrink to


def packed(item: Any) -> Any:
    """Return an object as it is written: its plain values, and all its arrays as one."""
    state = {name: value for name, value in vars(item).items() if not is_packable(value)}
    layout, pieces = [], []
    for name, value in vars(item).items():
        if name in state:
            continue
        kind = value.dtype.str
        if not value.any():
            layout.append([name, ZEROS, kind, list(value.shape)])
            continue
        stored = value.astype(NARROWER[kind]) if kind in NARROWER and is_narrow(value, NARROWER[kind]) else value
        layout.append([name, stored.dtype.str, kind, list(value.shape)])
        pieces.append(np.ascontiguousarray(stored).tobytes())
    result = object.__new__(type(item))
    joined = np.frombuffer(b"".join(pieces), dtype=np.uint8)
    result.__dict__ = {**state, BYTES: joined, LAYOUT: json.dumps(layout, separators=(",", ":"))}
    return result


def is_packable(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.str in TYPES


def is_narrow(value: np.ndarray, kind: str) -> bool:
    """Return whether values are the same in a narrower type, bit for bit."""
    with np.errstate(over="ignore", invalid="ignore"):
        return value.astype(kind).astype(value.dtype).tobytes() == np.ascontiguousarray(value).tobytes()


def unpack_all(value: Any) -> None:
    """Give every object in a value its arrays back, or raise FileFormatError."""
    for item in own_objects(value):
        if getattr(type(item), "_packed_in_files", False) and BYTES in vars(item):
            state = vars(item)
            state.update(unpacked(type(item).__name__, state.pop(BYTES), state.pop(LAYOUT, "")))


def unpacked(owner: str, data: Any, layout: Any) -> dict[str, np.ndarray]:
    """Return the arrays that a text finds in an array of bytes."""
    found: dict[str, np.ndarray] = {}
    try:
        if data.dtype != np.uint8 or data.ndim != 1:
            raise ValueError("its bytes are none")
        begin = 0
        for name, stored, kind, shape in json.loads(layout):
            whole = all(type(length) is int and length >= 0 for length in shape)
            if kind not in TYPES or not name.isidentifier() or name in found or not whole or len(shape) > 4:
                raise ValueError(f"no array is called {str(name)[:40]!r}")
            count = math.prod(shape)
            if stored == ZEROS:
                found[name] = np.broadcast_to(np.zeros((), kind), shape)  # takes no memory, however long it says it is
                continue
            if stored not in (kind, NARROWER.get(kind)):
                raise ValueError(f"{name} is {str(stored)[:20]}")
            end = begin + count * np.dtype(stored).itemsize
            if end > len(data):
                raise ValueError("there are too few bytes")
            found[name] = np.frombuffer(data[begin:end].tobytes(), dtype=stored).astype(kind).reshape(shape)
            begin = end
        if begin != len(data):
            raise ValueError("there are too many bytes")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise FileFormatError(f"the arrays of its {owner} do not fit together: {str(error)[:200]}") from error
    longest = max((len(value) for value in found.values() if value.ndim and value.strides[0]), default=0)
    for name, value in found.items():
        if value.ndim and not value.strides[0] and value.size and len(value) <= max(longest, 1):
            found[name] = np.zeros(value.shape, value.dtype)  # of a real length, so it may be one that can be written
    return found


class Renumbering:
    """Names of objects and members by their order: skops takes addresses in memory, so that no two files were alike."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.members: dict[str, str] = {}

    def renamed(self, node: Any) -> Any:
        """Return a part of the schema with names that depend on what it describes alone."""
        if isinstance(node, list):
            return [self.renamed(part) for part in node]
        if not isinstance(node, dict):
            return node
        found = {key: self.renamed(part) for key, part in node.items()}
        if isinstance(number := node.get("__id__"), int):
            found["__id__"] = self.numbers.setdefault(number, len(self.numbers) + 1)
        if isinstance(name := node.get("file"), str):
            ending = name.rpartition(".")[2]
            found["file"] = self.members.setdefault(name, f"member-{len(self.members) + 1}.{ending}")
        return found


def compressed(file: io.BytesIO) -> io.BytesIO:
    """Return an archive with those members compressed that gain from it; equal models give equal bytes."""
    out, names = io.BytesIO(), Renumbering()
    with ZipFile(file) as before, ZipFile(out, "w") as after:
        schema = names.renamed(json.loads(before.read(SCHEMA)))
        for name in before.namelist():
            data = json.dumps(schema).encode() if name == SCHEMA else before.read(name)
            part = data[:LOOKED_AT]
            gains = name.endswith(".json") or len(zlib.compress(part, 1)) < WORTH_IT * len(part)
            after.writestr(ZipInfo(names.members.get(name, name)), data, ZIP_DEFLATED if gains else ZIP_STORED)
    return out
