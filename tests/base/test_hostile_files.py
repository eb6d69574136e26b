"""Files made to do harm: each is refused by name, quickly, and runs nothing."""

import io
import json
import os
import pickle
import struct
import sys
import time
import zipfile

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from novum.base import archive
from novum.base.persistence import load, save
from novum.exceptions import FileFormatError
from novum.linear_model import Ridge

MODEL = Ridge().fit(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0))
STRING = {
    "__module__": "builtins",
    "__class__": "str",
    "__loader__": "JsonNode",
    "content": '"touch owned"',
    "is_json": True,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


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


# ---------------------------------------------------------------------------------------------------- not a model file


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"not a zip at all" * 100, pickle.dumps(os.getcwd), b"PK\x05\x06" + bytes(18)],
    ids=range(5),
)
def test_other_files(data, path):
    path.write_bytes(data)
    refused(path)


@pytest.mark.parametrize("keep", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_truncated(keep, path):
    data = save(MODEL, path).read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    refused(path)


def test_flipped_bytes_never_escape_as_another_error(path):
    data = bytearray(save(MODEL, path).read_bytes())
    for at in np.random.default_rng(0).integers(len(data), size=150):
        broken = data.copy()
        broken[at] ^= 0xFF
        path.write_bytes(broken)
        try:
            load(path)
        except FileFormatError as error:
            assert str(path) in str(error)


def test_a_plain_skops_file(path):
    from skops.io import dump

    dump(LogisticRegression(), path)
    refused(path, r"no novum\.json, so it was not written by novum\.save")


@pytest.mark.parametrize(
    "about", [{"novum": "99.0.0", "format": "1"}, {"novum": "0.1.0", "format": "2"}], ids=["major version", "format"]
)
def test_newer_versions(about, path):
    rewrite(path, about=lambda old: old | about)
    refused(path, r"written by novum .*upgrade with pip install")


@pytest.mark.parametrize(
    "about",
    [{}, [], {"novum": 3}, {"novum": "zero"}, {"novum": "9" * 5000 + ".0", "format": "1"}, "novum"],
    ids=range(6),
)
def test_malformed_versions(about, path):
    rewrite(path, change=lambda members: members.update({"novum.json": json.dumps(about).encode()}))
    refused(path)


def test_no_estimator_inside(path):
    rewrite(path, schema=lambda schema: listing() | {"protocol": 2})
    refused(path, "does not hold an estimator")
    rewrite(path, schema=lambda schema: STRING | {"protocol": 2})
    refused(path, "does not hold an estimator")


# ---------------------------------------------------------------------------------------------------- archives


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/evil.npy", "a/b.npy", "..\\evil.npy", "evil.py", ".npy"])
def test_members_with_other_names(name, path):
    rewrite(path, add=[(name, b"x")])
    refused(path, "a member")


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_members_that_come_twice(path):
    rewrite(path, add=[("schema.json", b"{}")])
    refused(path, "twice")


def test_too_many_members(path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 50)
    rewrite(path, add=[(f"{k}.bin", b"") for k in range(60)])
    refused(path, "more than the 50 that a model can have")


def test_a_zip_bomb(path, monkeypatch):
    monkeypatch.setattr(archive, "ROOM", 2**20)
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_DEFLATED) as new, new.open("bomb.npy", "w") as member:
        for _ in range(30):
            member.write(bytes(2**20))
    assert path.stat().st_size < 2**16
    refused(path, "would unpack to .* pass max_bytes")


def test_the_bound_on_memory_can_be_set(path):
    save(MODEL, path)
    with pytest.raises(FileFormatError, match="more than the 1000 that"):
        load(path, max_bytes=1000)
    assert load(path, max_bytes=10**6).alpha == MODEL.alpha


def test_sizes_that_lie(path):
    """The directory says ten bytes, the member holds many: no more than ten are read."""
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_DEFLATED) as new:
        new.writestr("1.npy", bytes(2**20))
    data = path.read_bytes()
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"1.npy"))
    path.write_bytes(data[: entry + 24] + struct.pack("<I", 10) + data[entry + 28 :])
    refused(path)


def test_encrypted_and_exotic_members(path):
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_LZMA) as new:
        new.writestr("1.npy", b"x")
    refused(path, "compressed in an unknown way")


def first_array(members):
    return next(name for name in members if name.endswith(".npy"))


@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (-1,), (3, -3)])
def test_arrays_that_claim_more_than_they_have(shape, path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    rewrite(path, change=lambda members: members.update({first_array(members): header.getvalue() + bytes(16)}))
    refused(path, "claims")


def test_arrays_of_pickled_objects(path):
    data = io.BytesIO()
    np.save(data, np.array([os.getcwd], dtype=object), allow_pickle=True)
    rewrite(path, change=lambda members: members.update({first_array(members): data.getvalue()}))
    refused(path)


def test_arrays_that_are_not_arrays(path):
    for data in (b"", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x07\x00" + bytes(20), pickle.dumps(os.getcwd)):
        rewrite(path, change=lambda members, data=data: members.update({first_array(members): data}))
        refused(path)


@pytest.mark.parametrize("indices", [[0, 10**6], [0, -5]])
def test_sparse_matrices_with_indices_outside(indices, path):
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    model.coef_ = sparse.csr_matrix(np.array([[1.0, 0, 2.0, 0]]))

    def change(members):
        name = next(name for name in members if name.endswith(".npz"))
        arrays = dict(np.load(io.BytesIO(members[name])))
        arrays["indices"] = np.array(indices, dtype=arrays["indices"].dtype)
        data = io.BytesIO()
        np.savez(data, **arrays)
        members[name] = data.getvalue()

    rewrite(path, model, change=change)
    refused(path)


def test_a_bomb_inside_a_sparse_matrix(path, monkeypatch):
    monkeypatch.setattr(archive, "ROOM", 2**20)
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    model.coef_ = sparse.csr_matrix(np.array([[1.0, 0, 2.0, 0]]))

    def change(members):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as new, new.open("data.npy", "w") as member:
            for _ in range(30):
                member.write(bytes(2**20))
        members[next(name for name in members if name.endswith(".npz"))] = data.getvalue()

    rewrite(path, model, change=change)
    refused(path, "sparse matrix .* would unpack")


# ---------------------------------------------------------------------------------------------------- descriptions


HARMFUL = {
    "os.system as a function": node("os", "system", "FunctionNode"),
    "os.system as a type": node("os", "system", "TypeNode"),
    "posix.system": node("posix", "system", "FunctionNode"),
    "eval as a type": node("builtins", "eval", "TypeNode"),
    "eval called": node("builtins", "eval", "ConstructorFromReduceNode", content=pair(STRING)),
    "exec as a list": node("builtins", "exec", "ListNode", content=[STRING]),
    "eval as an object": node("builtins", "eval", "ObjectNode", content=NOTHING),
    "eval as a scalar": node("builtins", "eval", "NdArrayNode", type="json", content=[STRING], shape=pair(STRING)),
    "subprocess.Popen": node("subprocess", "Popen", "ConstructorFromReduceNode", content=pair(STRING)),
    "partial": node(
        "functools",
        "partial",
        "PartialNode",
        content={
            "func": node("os", "system", "FunctionNode"),
            "args": pair(STRING),
            "kwds": NOTHING,
            "namespace": NOTHING,
        },
    ),
    "methodcaller": node("operator", "methodcaller", "OperatorFuncNode", attrs=pair(STRING)),
    "attrgetter": node("operator", "attrgetter", "OperatorFuncNode", attrs=pair(STRING)),
    "a bound method": node(
        "novum.linear_model.ridge",
        "Ridge",
        "MethodNode",
        content={"func": "fit", "obj": node("novum.linear_model.ridge", "Ridge", "ObjectNode", content=NOTHING)},
    ),
    "a ufunc": node("numpy", "exp", "FunctionNode"),
    "a tree": node("sklearn.tree._tree", "Tree", "TreeNode", __reduce__={"args": pair()}, content=NOTHING),
    "a loss that is none": node("os", "system", "LossNode", __reduce__={"args": pair(STRING)}, content=NOTHING),
    "a default factory": node(
        "collections",
        "defaultdict",
        "DefaultDictNode",
        content={"main": NOTHING, "default_factory": node("os", "abort", "FunctionNode")},
    ),
    "a key type": node(
        "builtins",
        "dict",
        "DictNode",
        content={"touch owned": STRING},
        key_types=listing(node("os", "system", "FunctionNode")),
    ),
    "a module that acts on import": node("antigravity", "webbrowser", "ObjectNode", content=NOTHING),
    "a package named almost like ours": node("novum_evil", "Ridge", "ObjectNode", content=NOTHING),
    "a private class of ours": node("novum.linear_model._model", "LinearModel", "ObjectNode", content=NOTHING),
    "a function of ours": node("novum.base.persistence", "save", "FunctionNode"),
    "a function of ours as a type": node("novum.base.persistence", "load", "TypeNode"),
    "something that we import": node("novum.base.persistence", "ZipFile", "ObjectNode", content=NOTHING),
    "a class of ours that is called": node(
        "novum.linear_model.ridge", "Ridge", "ConstructorFromReduceNode", content=pair()
    ),
    "a class of ours as a list": node("novum.linear_model.ridge", "Ridge", "ListNode", content=[]),
    "a class of ours as a type": node("novum.linear_model.ridge", "Ridge", "TypeNode"),
    "an allowed type in another role": node("numpy", "dtype", "ListNode", content=[STRING]),
    "a kernel that is called": node(
        "sklearn.gaussian_process.kernels", "RBF", "ConstructorFromReduceNode", content=pair()
    ),
    "our command line": node("novum.__main__", "main", "ObjectNode", content=NOTHING),
}


FOREIGN = {"defaultdict": "os.abort", "dict": "os.system"}  # harmless around, harmful inside


@pytest.mark.parametrize("harm", HARMFUL.values(), ids=HARMFUL.keys())
def test_types_that_are_not_data(harm, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    rewrite(path, schema=put(harm))
    refused(path, rf"(?s)refused, because it contains .*{FOREIGN.get(harm['__class__'], harm['__class__'])}")


def test_all_foreign_types_are_listed(path):
    rewrite(path, schema=put(listing(HARMFUL["os.system as a function"], HARMFUL["methodcaller"], HARMFUL["partial"])))
    refused(path, "contains functools.partial, operator.methodcaller, os.system")
    rewrite(path, schema=put(listing(node("their.models", "Net", "ObjectNode"), node("other", "Thing", "ObjectNode"))))
    refused(path, "contains other.Thing, their.models.Net")


@pytest.mark.parametrize(
    "broken",
    [
        {"__loader__": "ListNode"},
        node("builtins", "list", "NoSuchNode", content=[]),
        node(None, None, "CachedNode", __id__=10**12),
        node("builtins", "list", "ListNode", content=3),
        node("builtins", "dict", "DictNode", content=[], key_types=3),
        node(["os"], {"system": 1}, "ListNode", content=[]),
        node("builtins", "str", "JsonNode", content=7),
        node("builtins", "str", "JsonNode", content="[" * 100_000),
        node("builtins", "bytes", "BytesNode", file="nothing.bin"),
        node("builtins", "bytes", "BytesNode", file=["x"]),
        node("numpy", "ndarray", "NdArrayNode", type="numpy", file="schema.json"),
        {"__id__": 10**12},
    ],
    ids=lambda broken: str(broken)[:80],
)
def test_malformed_descriptions(broken, path):
    rewrite(path, schema=put(broken))
    refused(path)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"null", b"[1]", b'{"__loader__": "ObjectNode"}', b"[" * 10**6, b'{"a":' * 10**5],
    ids=range(7),
)
def test_descriptions_that_are_not_json(text, path):
    rewrite(path, change=lambda members: members.update({"schema.json": text}))
    refused(path)


@pytest.mark.parametrize("protocol", [-1, 10**6, True, "2", None])
def test_unknown_protocols(protocol, path):
    rewrite(path, schema=lambda schema: schema | {"protocol": protocol})
    refused(path)


def test_deep_nesting(path):
    deep = STRING
    for _ in range(200):
        deep = listing(deep)
    rewrite(path, schema=put(deep))
    refused(path, "nested more than 300 deep")


def test_a_small_file_that_describes_an_endless_tree(path):
    """Each list holds the next one twice, the second time by its identifier alone: 2^60 visits for whoever follows."""
    inside = listing()
    for identifier in range(60):
        inside = listing(inside | {"__id__": identifier + 1}, listing() | {"__id__": identifier + 1})
    rewrite(path, schema=put(inside))
    refused(path, "two of its objects have one identifier")


def test_a_list_that_contains_itself(path):
    rewrite(path, schema=put(listing(listing() | {"__id__": 5}) | {"__id__": 5}))
    refused(path, "two of its objects have one identifier")


def test_one_array_read_a_thousand_times(path):
    """A thousand objects over one member of a megabyte: small on disk, a gigabyte in memory."""
    data = io.BytesIO()
    np.save(data, np.zeros(2**17))
    many = listing(*(node("numpy", "ndarray", "NdArrayNode", type="numpy", file="1.npy") for _ in range(1000)))
    rewrite(path, schema=put(many), add=[("1.npy", data.getvalue())])
    refused(path, "again and again")


def test_attributes_of_the_wrong_kind_do_not_become_methods(path):
    """A file may set any attribute to data; it cannot put a function where a method is."""
    rewrite(path, schema=lambda schema: attributes(schema).update(predict=node("os", "system", "FunctionNode")))
    refused(path, "os.system")
