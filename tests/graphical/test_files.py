"""Network files: every format survives a round trip to the last bit, hostile ones are refused by name."""

import gzip

import numpy as np
import pytest

from novum.exceptions import FileFormatError, ParameterError
from novum.graphical import BayesianNetwork


def awkward():
    rng = np.random.default_rng(0)
    states = {"a b": ("yes", 'no "way"', "<5, >3"), "c|d": ("{x}", "y//z"), "e": ("Transp.", "1e-3")}
    return BayesianNetwork(
        {"a b": [], "c|d": ["a b"], "e": ["c|d", "a b"]},
        {"a b": rng.dirichlet(np.ones(3)), "c|d": rng.dirichlet(np.ones(2), 3), "e": rng.dirichlet(np.ones(2), (2, 3))},
        states,
        name="awkward",
    )


@pytest.mark.parametrize("ending", [".bif", ".bif.gz", ".xmlbif", ".xml", ".json", ".uai"])
def test_a_network_survives_its_file(tmp_path, ending):
    network = awkward()
    path = tmp_path / f"awkward{ending}"
    network.write(path)
    again = BayesianNetwork.read(path)
    for one, other in zip(network.tables.values(), again.tables.values(), strict=True):
        assert np.array_equal(one, other)
    if ending != ".uai":
        assert again.states == network.states and again.parents == network.parents and again.name == "awkward"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_json_keeps_the_types_of_states(tmp_path):
    network = BayesianNetwork(
        [("x", "y")], {"x": [0.5, 0.5], "y": [[0.1, 0.9], [1, 0]]}, {"x": (1, 2), "y": (True, 0.5)}
    )
    network.write(tmp_path / "n.json")
    states = BayesianNetwork.read(tmp_path / "n.json").states
    assert states == network.states and [type(s) for s in states["y"]] == [bool, float]


def test_bif_with_comments_properties_defaults_and_tables(tmp_path):
    text = """// a comment { }
    network "two words" { property author = nobody ; }
    variable a { type discrete [2] { t f }; /* block ; } */ property position = (3, 4) ; }
    variable b { type discrete[ 3 ]{ x, y, z }; }
    probability ( a ) { table .3 .7 ; }
    probability ( b | a ) { default 0.2, 0.3, 0.5; (f) 0, 0, 1; }
    """
    path = tmp_path / "n.bif"
    path.write_text(text)
    network = BayesianNetwork.read(path)
    assert network.name == "two words" and network.states["a"] == ("t", "f")
    np.testing.assert_array_equal(network.tables["b"], [[0.2, 0.3, 0.5], [0, 0, 1]])


BIF = "variable a { type discrete [ 2 ] { t, f }; }\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n.bif", BIF, "no table for a"),
        ("n.bif", BIF + "probability ( a ) { table 0.3; }", "has 1 numbers, not 2"),
        ("n.bif", BIF + "probability ( a ) { table 0.3, x; }", "'x' is no number"),
        ("n.bif", BIF + "probability ( a | q ) { }", "'q', which is no variable"),
        ("n.bif", BIF + "probability ( a ) { table 0.3, 0.7;", "ends in the middle"),
        ("n.bif", BIF + BIF, "declared twice"),
        ("n.bif", "garbage", "expected network, variable or probability, found 'garbage'"),
        ("n.bif", "variable a { type discrete [ 3 ] { t, f }; }", "announces 3 states and names 2"),
        ("n.xmlbif", "<BIF><NETWORK></NETWORK></BIF>", "no variables"),
        ("n.xmlbif", "<BIF", "not well-formed"),
        ("n.xmlbif", '<!DOCTYPE x [<!ENTITY a "b">]><BIF/>', "declares entities"),
        ("n.uai", "BAYES 2 2 2 1", "ends where"),
        ("n.uai", "BAYES 1 99999999999999 1 1 0", "where a number of states should"),
        ("n.uai", "TREE", "not with BAYES or MARKOV"),
        ("n.json", "{}", "not a network file"),
        ("n.json", "[" * 100000, "not a network file"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=message):
        BayesianNetwork.read(tmp_path / name)


def test_a_bad_name_and_a_damaged_file(tmp_path):
    with pytest.raises(ParameterError, match=r"the name must end in one of \.bif"):
        awkward().write(tmp_path / "n.txt")
    (tmp_path / "n.bif.gz").write_bytes(gzip.compress(b"network")[:-4])
    with pytest.raises(FileFormatError, match="damaged"):
        BayesianNetwork.read(tmp_path / "n.bif.gz")
    with pytest.raises(ParameterError, match=r"sums to 1\.2, not to 1"):
        BayesianNetwork({"a": []}, {"a": [0.6, 0.6]})
