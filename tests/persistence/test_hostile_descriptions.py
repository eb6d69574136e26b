"""Descriptions of objects made to do harm: each is refused by name, quickly, and runs nothing."""

import io

import numpy as np
import pytest
from hostile import NOTHING, STRING, attributes, listing, node, pair, put, refused, rewrite

from novum.linear_model import Ridge


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


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
    "a private class of ours": node(
        "novum.linear_model.least_squares.model", "LinearModel", "ObjectNode", content=NOTHING
    ),
    "a function of ours": node("novum.persistence.files", "save", "FunctionNode"),
    "a function of ours as a type": node("novum.persistence.files", "load", "TypeNode"),
    "something that we import": node("novum.persistence.files", "ZipFile", "ObjectNode", content=NOTHING),
    "a class of ours that is called": node(
        "novum.linear_model.ridge", "Ridge", "ConstructorFromReduceNode", content=pair()
    ),
    "a class of ours as a list": node("novum.linear_model.ridge", "Ridge", "ListNode", content=[]),
    "a class of ours that is no NamedTuple": node("novum.linear_model.ridge", "Ridge", "TupleNode", content=[]),
    "a class of ours that acts when it is made": node(
        "novum.persistence.archive", "Node", "ObjectNode", content=NOTHING
    ),
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


@pytest.mark.parametrize("position", ["1000000", "-1", '"623"', "0.5"])
def test_random_generators_that_stand_outside_their_state(position, path):
    """NumPy would read memory that is not the generator's."""

    def edit(schema):
        state = attributes(schema)["random_state"]["content"]["content"]["state"]["content"]
        state["pos"]["content"] = position
        for found in walk(schema):
            found.pop("__id__", None)

    model = Ridge(random_state=np.random.RandomState(0))
    rewrite(path, model, schema=edit)
    refused(path, "random generator in it stands at")


@pytest.mark.parametrize(
    "state", [pair(STRING, STRING), STRING | {"content": '{"state": {"pos": 1000000}}'}], ids=range(2)
)
def test_random_generators_with_a_state_that_is_not_spelled_out(state, path):
    def edit(schema):
        attributes(schema)["random_state"]["content"] = state

    rewrite(path, Ridge(random_state=np.random.RandomState(0)), schema=edit)
    refused(path, "is not a table")

    def edit_inside(schema):
        attributes(schema)["random_state"]["content"]["content"]["state"] = STRING | {"content": '{"pos": 1000000}'}

    rewrite(path, Ridge(random_state=np.random.RandomState(0)), schema=edit_inside)
    refused(path, "is not a table")


def walk(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from walk(item)


def test_objects_that_read_members_of_another_kind(path):
    """NumPy opens whatever looks like an archive, which the checks of arrays would not have seen."""
    inner = io.BytesIO()
    np.savez(inner, a=np.zeros(3))
    array = node("numpy", "ndarray", "NdArrayNode", type="numpy", file="1.bin")
    rewrite(path, schema=put(array), add=[("1.bin", inner.getvalue())])
    refused(path, "no data of its kind")


def test_attributes_of_the_wrong_kind_do_not_become_methods(path):
    """A file may set any attribute to data; it cannot put a function where a method is."""
    rewrite(path, schema=lambda schema: attributes(schema).update(predict=node("os", "system", "FunctionNode")))
    refused(path, "os.system")
