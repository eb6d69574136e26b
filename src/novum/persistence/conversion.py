"""Model files of older formats, made into files of this one: `novum convert`.

A file is its description and its arrays (`novum.persistence.archive`). Converting renames in the description what
`novum.persistence.renames` lists, format by format, and leaves the arrays as they are: nothing is fitted or computed, so
predictions stay the same. The old file passes the checks of every archive before its description is read, the new one
those of `load` before it is written. Files that need the caller's own code or trust to be loaded are converted without being
loaded.
"""

import io
import json
import os
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZipFile

from novum import __version__
from novum.exceptions import FileFormatError
from novum.persistence.archive import ABOUT, SCHEMA, Contents, inspect
from novum.persistence.code import RECORD
from novum.persistence.files import build, checked_archive
from novum.persistence.packing import compressed
from novum.persistence.renames import CHANGES, FORMAT, Changes
from novum.runtime.writing import check_plain, replace_file

__all__ = ["Converted", "convert_file", "converted_description", "current_path"]

TEXT = {"__class__": "str", "__module__": "builtins"}


class Converted(NamedTuple):
    """What was converted."""

    path: Path
    written_by: str  # the version of novum that wrote the old file
    format: str  # and its format
    renamed: int  # names of classes and attributes that changed, each counted once


class Renaming:
    """A walk over a description that renames by one set of changes."""

    def __init__(self, changes: Changes, first_identifier: int) -> None:
        self.changes = changes
        self.identifier = first_identifier
        self.made: set[str] = set()

    def walk(self, node: Any) -> Any:
        """Return a part of the description under its later names."""
        if isinstance(node, list):
            return [self.walk(part) for part in node]
        if not isinstance(node, dict):
            return node
        found = {key: self.walk(part) for key, part in node.items()}
        module, name = node.get("__module__"), node.get("__class__")
        if not (isinstance(module, str) and isinstance(name, str)):
            return found
        old = f"{module}.{name}"
        new = current_path(old, self.changes)
        if new != old:
            self.made.add(old)
            found["__module__"], _, found["__class__"] = new.rpartition(".")
        if node.get("__loader__") == "ObjectNode" and (old in self.changes.attributes or old in self.changes.added):
            self.rename_state(old, found["content"])
        return found

    def rename_state(self, path: str, state: dict[str, Any]) -> None:
        """Rename the attributes of one object of a class in place; skops keeps them as a table beside the types of its keys."""
        renames = self.changes.attributes.get(path, {})
        held, types = {}, []
        for (name, value), kind in zip(state["content"].items(), state["key_types"]["content"], strict=True):
            new = renames.get(name, name)
            if new != name:
                self.made.add(f"{path}.{name}")
            if new is not None:
                held[new] = value
                types.append(kind)
        for name, value in self.changes.added.get(path, {}).items():
            if name not in held:
                self.made.add(f"{path}.{name}")
                held[name] = self.fresh(
                    {**TEXT, "__loader__": "JsonNode", "content": json.dumps(value), "is_json": True}
                )
                types.append(self.fresh({**TEXT, "__loader__": "TypeNode"}))
        state["content"], state["key_types"]["content"] = held, types

    def fresh(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return an object of the description under an identifier that no other has."""
        self.identifier += 1
        return {**node, "__id__": self.identifier}


def current_path(path: str, changes: Changes) -> str:
    """Return the full path of a class after some changes."""
    module, _, name = path.rpartition(".")
    return changes.classes.get(path, f"{changes.modules.get(module, module)}.{name}")


def largest_identifier(node: Any) -> int:
    """Return the largest identifier in a description."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = node.get("__id__", 0) if isinstance(node, dict) else 0
    return max([own if isinstance(own, int) else 0, *map(largest_identifier, parts)])


def converted_description(schema: Any, old: str) -> tuple[Any, set[str]]:
    """Return a description of an older format in today's names, and the names that changed."""
    made: set[str] = set()
    formats = list(CHANGES)
    for step in formats[formats.index(old) :]:
        for changes in CHANGES[step]:
            renaming = Renaming(changes, largest_identifier(schema))
            schema = renaming.walk(schema)
            made |= renaming.made
    return schema, made


def rewritten(file: BinaryIO, contents: Contents) -> tuple[io.BytesIO, set[str], bool]:
    """Return a checked archive in today's format, the names that changed, and whether it waits for code of the caller's."""
    copy = io.BytesIO()
    file.seek(0)
    with ZipFile(file) as before, ZipFile(copy, "w") as after:
        text = before.read(SCHEMA)
        schema, made = converted_description(json.loads(text), contents.versions["format"])
        about = {
            **contents.versions,
            "format": FORMAT,
            "novum": __version__,
            "converted_from": contents.versions["novum"],
        }
        for name in before.namelist():
            new = {SCHEMA: schema, ABOUT: about}.get(name)
            after.writestr(name, before.read(name) if new is None else json.dumps(new))
    return compressed(copy), made, f'"{RECORD}"'.encode() in text


def convert_file(old: str | os.PathLike, new: str | os.PathLike) -> Converted:
    """Write a model file of an older format anew in the format of this version.

    Parameters
    ----------
    old : str or path
        The file of the older version; it is not changed unless `new` is its name.
    new : str or path
        The file to write, whole or not at all.

    Returns
    -------
    Converted

    Raises
    ------
    FileFormatError
        If the file is damaged, of this format already, newer, or holds a class that this version does not have.
    """
    source, target = Path(old), Path(new)
    check_plain(target)
    with open(source, "rb") as file:
        contents = checked_archive(source, file, None)
        written, version = contents.versions["format"], contents.versions["novum"]
        if written == FORMAT:
            raise FileFormatError(f"{source}: has the format of this version, {FORMAT}, already; novum.load reads it.")
        made: set[str]
        try:
            copy, made, waits = rewritten(file, contents)
            after = inspect(copy)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise FileFormatError(f"{source}: cannot be converted: {str(error)[:200]}") from error
    if missing := [name for name in after.foreign if name.startswith("novum.")]:
        raise FileFormatError(
            f"{source}: written by novum {version}, holds {', '.join(missing)[:400]}, which novum {__version__} does not have;"
            " the model has to be fitted again."
        )
    if not waits and not after.unchecked:
        build(source, copy, after, "cannot be converted", set())
    replace_file(target, copy.getbuffer())
    return Converted(target, version, written, len(made))
