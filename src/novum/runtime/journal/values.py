"""Plain values as bytes and back, without pickle: what a step of a computation may come to.

    bytes = length of the outline (8) | outline, JSON | the bytes of all arrays, one after another      (1)

The outline is the value with every array replaced by its place, and behind it their types and shapes. Named tuples and frozen
dataclasses of novum, and its classes that say `_in_journals`, are written as their name and their parts; nothing else is imported,
nothing is called but constructors of tuples. A value that has no such form raises `NotPlain`: it is then made again instead of
being read.
"""

import dataclasses
import importlib
import json
import math
import sys
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from novum.exceptions import FileFormatError
from novum.runtime import arrays

__all__ = ["NotPlain", "decode", "digest", "encode"]

LENGTH = 8  # bytes of the length of the outline
DIGEST = 16  # bytes of a digest


class NotPlain(Exception):
    """The value has no form in bytes."""


def encode(value: Any) -> bytes:
    """Return a value as (1).

    Examples
    --------
    >>> from novum.runtime.journal.values import decode, encode
    >>> decode(encode((1, 0.5, {"a": None})))
    (1, 0.5, {'a': None})
    """
    parts: list[np.ndarray] = []
    tree = outlined(value, parts)
    outline = json.dumps([tree, [heading(part) for part in parts]]).encode()
    return b"".join([len(outline).to_bytes(LENGTH, "little"), outline, *map(plain_bytes, parts)])


def by_columns(array: np.ndarray) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


def heading(array: np.ndarray) -> list[Any]:
    """Return type, shape and layout of an array: sums of matrices may depend on how they lie."""
    return [np.lib.format.dtype_to_descr(array.dtype), list(array.shape), by_columns(array)]


def plain_bytes(array: np.ndarray) -> Any:
    """Return the bytes of an array in its layout."""
    whole = np.ascontiguousarray(array.T if by_columns(array) else array)
    return whole.reshape(-1).view(np.uint8).data


def arrays_in(data: bytes, begin: int, headings: list) -> list[np.ndarray]:
    """Return the arrays that stand one after another from a place on."""
    parts = []
    for descr, shape, columns in headings:
        kind = np.lib.format.descr_to_dtype(as_descr(descr))
        if kind.hasobject or any(not isinstance(n, int) or n < 0 for n in shape):
            raise ValueError(f"no array of type {descr}, shape {shape}")
        size = kind.itemsize * math.prod(shape)
        if begin + size > len(data):
            raise ValueError("its arrays are cut short")
        flat = np.frombuffer(data, np.uint8, size, begin).copy().view(kind)
        parts.append(flat.reshape(shape[::-1]).T if columns else flat.reshape(shape))
        begin += size
    return parts


def as_descr(descr: Any) -> Any:
    """Return a type as NumPy describes it, of which JSON has made lists."""
    if isinstance(descr, str):
        return descr
    return [tuple(as_descr(one) if i == 1 else tuple(one) if i == 2 else one for i, one in enumerate(f)) for f in descr]


def decode(data: bytes) -> Any:
    """Return the value that (1) stands for, its arrays apart from `data`; raise FileFormatError for what is none."""
    try:
        end = LENGTH + int.from_bytes(data[:LENGTH], "little")
        outline, headings = json.loads(data[LENGTH:end])
        return rebuilt(outline, arrays_in(data, end, headings))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ImportError, RecursionError) as error:
        raise FileFormatError(f"no value of a checkpoint: {error}") from error


def outlined(value: Any, parts: list[np.ndarray]) -> Any:
    """Return a value as JSON holds it, its arrays put aside."""
    if value is None or isinstance(value, str) or type(value) in (bool, int):
        return value
    if type(value) is float:
        return {"float": value.hex()}
    if type(value) in (list, tuple):
        return {type(value).__name__: [outlined(one, parts) for one in value]}
    if type(value) is dict:
        return {"dict": [[outlined(key, parts), outlined(one, parts)] for key, one in value.items()]}
    if isinstance(value, np.ndarray | np.generic):
        return outlined_array(value, parts)
    if arrays.is_tensor(value):
        parts.append(arrays.to_numpy(value))
        return {"tensor": len(parts) - 1, "device": str(value.device)}
    return outlined_object(value, parts)


def outlined_array(value: Any, parts: list[np.ndarray]) -> Any:
    """Return the place of an array; one of objects is a list in its shape."""
    if value.dtype.kind == "O":
        return {"objects": [outlined(one, parts) for one in value.ravel().tolist()], "shape": list(value.shape)}
    parts.append(np.asarray(value))
    return {"array" if isinstance(value, np.ndarray) else "scalar": len(parts) - 1}


def outlined_object(value: Any, parts: list[np.ndarray]) -> Any:
    """Return the name and the parts of an object of novum."""
    kind = type(value)
    name = f"{kind.__module__}:{kind.__qualname__}"
    if not name.startswith("novum.") or "<" in name or not constructed(kind):
        raise NotPlain(name)
    if isinstance(value, tuple):
        return {"fields": [outlined(one, parts) for one in value], "class": name}
    return {"state": outlined(dict(vars(value)), parts), "class": name}


def constructed(kind: Any) -> bool:
    """Return whether a class is one that a file may name."""
    if issubclass(kind, tuple):
        return hasattr(kind, "_fields")
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return bool(frozen or getattr(kind, "_in_journals", False))


def class_named(name: str) -> Any:
    """Return the class of novum under a name, or raise."""
    module, _, path = name.partition(":")
    if not module.startswith("novum."):
        raise ValueError(f"{name!r} is no class of novum")
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not constructed(found):
        raise ValueError(f"{name!r} is no class of values")
    return found


def rebuilt(outline: Any, parts: list[np.ndarray]) -> Any:
    """Return the value of an outline."""
    if not isinstance(outline, dict):
        return outline
    if "class" in outline:
        kind = class_named(outline["class"])
        if "fields" in outline:
            return kind(*(rebuilt(one, parts) for one in outline["fields"]))
        made = object.__new__(kind)
        made.__dict__.update(rebuilt(outline["state"], parts))
        return made
    if "float" in outline:
        return float.fromhex(outline["float"])
    if "list" in outline:
        return [rebuilt(one, parts) for one in outline["list"]]
    if "tuple" in outline:
        return tuple(rebuilt(one, parts) for one in outline["tuple"])
    if "dict" in outline:
        return {rebuilt(key, parts): rebuilt(one, parts) for key, one in outline["dict"]}
    if "objects" in outline:
        made = np.empty(len(outline["objects"]), object)
        made[:] = [rebuilt(one, parts) for one in outline["objects"]]
        return made.reshape(outline["shape"])
    if "tensor" in outline:
        import torch

        return torch.from_numpy(parts[outline["tensor"]]).to(outline["device"])
    return parts[outline["array"]] if "array" in outline else parts[outline["scalar"]][()]


def digest(value: Any) -> str:
    """Return a short word for a value: equal ones have equal words; functions and objects that are no values go by name.

    Examples
    --------
    >>> from novum.runtime.journal.values import digest
    >>> digest([1, 2.0]) == digest([1, 2.0]), digest([1, 2.0]) == digest([1, 2.5])
    (True, False)
    """
    state = blake2b(digest_size=DIGEST)
    for part in pieces(value, 0):
        state.update(part)
    return state.hexdigest()


MOST_DEEP = 12  # an object within an object, ...: deeper ones go by their type


def pieces(value: Any, depth: int) -> Iterator[Any]:
    """Yield the bytes that tell a value from others."""
    kind = type(value)
    if arrays.is_tensor(value):
        value = arrays.to_numpy(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind != "O":
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
    elif value is None or isinstance(value, str | bytes | bool | int | float | complex):
        yield f"{kind.__name__} {value!r};".encode()
    elif depth < MOST_DEEP and isinstance(value, list | tuple | dict | np.ndarray):
        yield f"{kind.__qualname__} {len(value)}:".encode()
        for one in value.items() if isinstance(value, dict) else value:
            yield from pieces(one, depth + 1)
    elif depth < MOST_DEEP and dataclasses.is_dataclass(value):
        yield f"{kind.__qualname__}:".encode()
        yield from pieces(vars(value), depth + 1)
    else:
        yield f"{kind.__module__}.{getattr(value, '__qualname__', kind.__qualname__)};".encode()
