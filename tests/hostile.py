"""Tools to make model files that do harm, and to see them refused."""

import json
import os
import sys
import time
import zipfile

import numpy as np
import pytest

from novum.exceptions import FileFormatError
from novum.linear_model import Ridge
from novum.persistence.files import load, save

MODEL = Ridge().fit(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0))
STRING = {
    "__module__": "builtins",
    "__class__": "str",
    "__loader__": "JsonNode",
    "content": '"touch owned"',
    "is_json": True,
}


def refused(path, match=None):
    """The file is refused soon, by the right error with its name in it, and nothing happened in its folder."""
    before, modules, start = set(os.listdir(path.parent)), set(sys.modules), time.monotonic()
    with pytest.raises(FileFormatError, match=match) as caught:
        load(path)
    assert time.monotonic() - start < 10
    assert str(path) in str(caught.value)
    assert set(os.listdir(path.parent)) == before
    assert not {name for name in set(sys.modules) - modules if name.startswith(("this", "antigravity"))}


def rewrite(path, model=MODEL, schema=None, about=None, add=(), change=None):
    """Save a model, then rewrite its archive with other contents."""
    save(model, path)
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    for name, edit in (("schema.json", schema), ("novum.json", about)):
        if edit is not None:
            value = json.loads(members[name])
            members[name] = json.dumps(edit(value) or value).encode()
    if change is not None:
        change(members)
    with zipfile.ZipFile(path, "w") as new:
        for name, data in members.items():
            new.writestr(name, data)
        for name, data in add:
            new.writestr(name, data)


def attributes(schema):
    return schema["content"]["content"]


def put(node):
    """Return an edit that puts `node` in the place of the parameter alpha."""

    def edit(schema):
        attributes(schema)["alpha"] = node

    return edit


def node(module, name, loader, **fields):
    return {"__module__": module, "__class__": name, "__loader__": loader, **fields}


def listing(*items):
    return node("builtins", "list", "ListNode", content=list(items))


def pair(*items):
    return node("builtins", "tuple", "TupleNode", content=list(items))


NOTHING = node("builtins", "dict", "DictNode", content={}, key_types=listing())
