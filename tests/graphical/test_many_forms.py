"""Odd but legal: names of any type, frames of any kind, noisy-or of many causes, networks with real nodes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, BayesianNetwork, HillClimb, LinearGaussian, NoisyOr


def test_a_noisy_or_of_forty_causes_needs_no_table():
    k = 40
    causes = {i: [0.5, 0.5] for i in range(k)}
    network = BayesianNetwork(
        {**dict.fromkeys(causes, ()), "y": tuple(causes)}, {**causes, "y": NoisyOr(dict.fromkeys(causes, 0.1), 0.2)}
    )
    off = 0.8 * 0.95**k
    assert network.query("y")["no"] == pytest.approx(off)
    assert network.query(0, {"y": "no"})["yes"] == pytest.approx(0.45 / 0.95)
    assert network.query(0, {"y": "yes"})["yes"] == pytest.approx((0.5 - off * 0.45 / 0.95) / (1 - off))
    rows = network.sample(4000, random_state=0)
    assert (rows["y"] == "no").mean() == pytest.approx(off, abs=0.02)
    assert network.score_samples(rows[["y"]].iloc[:1])[0] == pytest.approx(
        np.log(off if rows["y"].iloc[0] == "no" else 1 - off)
    )
    with pytest.raises(MemoryError, match="NoisyOr: the table of 40 parents"):
        _ = network.tables


def test_taken_apart_or_whole_the_noisy_or_is_the_same():
    strength = {f"a{i}": 0.05 * i + 0.1 for i in range(8)}
    causes = {a: [0.6, 0.4] for a in strength}
    graph = {**dict.fromkeys(causes, ()), "y": tuple(causes)}
    parted = BayesianNetwork(graph, {**causes, "y": NoisyOr(strength, 0.1)}, {"y": ("off", "on")})
    whole = BayesianNetwork(graph, {**causes, "y": NoisyOr(strength, 0.1).table()}, {"y": ("off", "on")})
    for evidence in ({"y": "on"}, {"y": "off", "a3": "yes"}):
        for a in ("a0", "a7"):
            np.testing.assert_allclose(parted.query(a, evidence).p, whole.query(a, evidence).p, atol=1e-14)
        assert parted.map_query(evidence=evidence).probability == pytest.approx(
            whole.map_query(evidence=evidence).probability
        )
    with pytest.raises(ParameterError, match="has two states"):
        BayesianNetwork(graph, {**causes, "y": NoisyOr(strength)}, {"y": ("a", "b", "c")})


def test_names_of_any_type_and_frames_of_any_kind():
    network = BayesianNetwork(
        [((0, 1), 7), (7, "z")], {(0, 1): [0.5, 0.5], 7: [[0.9, 0.1], [0.2, 0.8]], "z": [[0.5, 0.5], [0.1, 0.9]]}
    )
    rows = network.sample(300, random_state=0)
    assert list(rows.columns) == [(0, 1), 7, "z"] and len(network.score_samples(rows)) == 300
    numbers = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (200, 3)))
    assert len(HillClimb().fit(numbers).dag_) == 3
    enum = pl.DataFrame(
        {
            "a": pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x"])),
            "b": pl.Series(["p", None, "p"], dtype=pl.Categorical),
        }
    )
    found = BayesianNetwork([("a", "b")], states={"b": ("p", "q")}).fit(enum)
    assert found.states["a"] == ("y", "x")
    mixed = BayesianNetwork({"a": []}, {"a": [0.9, 0.1]}, {"a": (1, "1")})
    np.testing.assert_allclose(np.exp(mixed.score_samples({"a": [1, "1"]})), [0.9, 0.1])


def test_what_real_nodes_cannot_do_is_said():
    network = BayesianNetwork([("s", "x")], {"s": [0.5, 0.5], "x": LinearGaussian([0, 1])})
    for call in (
        lambda: network.map_query("s", {"x": 1.0}),
        lambda: network.cost("s", {"x": 1.0}),
        network.to_factor_graph,
        lambda: network.query_rows("s", {"x": [1.0]}),
    ):
        with pytest.raises(ParameterError, match="real variable"):
            call()


def test_mean_field_refuses_impossible_evidence():
    never = BayesianNetwork([("a", "b")], {"a": [1, 0], "b": [[1, 0], [0, 1]]})
    with pytest.raises(DataError, match="probability zero"):
        never.query("a", {"b": "yes"}, method="mean_field")


def test_ragged_tables_and_lists_as_names_are_refused_by_name():
    with pytest.raises(ParameterError, match="the table of 'a' must be a regular array"):
        BayesianNetwork({"a": []}, {"a": [[0.5], [0.5, 0.5]]})
    with pytest.raises(ParameterError, match="cannot be hashed"):
        DAG([(["a"], "b")])


def test_a_byte_order_mark_is_no_word(tmp_path):
    path = tmp_path / "n.bif"
    path.write_text(
        "\ufeffvariable a { type discrete [ 2 ] { t, f }; }\nprobability ( a ) { table 0.3, 0.7; }\n", encoding="utf-8"
    )
    assert BayesianNetwork.read(path).states == {"a": ("t", "f")}
