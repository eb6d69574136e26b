"""What a network cannot know, or only roughly, is said: evidence in logs, bounds, few samples, chains apart, long messages."""

import gzip
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest

from novum.exceptions import DataError, DataWarning, FileFormatError, NotConverged, ParameterError
from novum.graphical import DAG, PC, BayesianNetwork, HillClimb, MarkovNetwork, NoisyOr


def wide(n: int) -> tuple[BayesianNetwork, dict[str, str]]:
    parents = {"h": []} | {f"x{i}": ["h"] for i in range(n)}
    tables = {"h": [0.5, 0.5]} | {f"x{i}": [[1 - 1e-5, 1e-5], [1 - 1.004e-5, 1.004e-5]] for i in range(n)}
    return BayesianNetwork(parents, tables), {f"x{i}": "yes" for i in range(n)}


def test_evidence_of_any_probability_is_weighed():
    n = 300
    network, evidence = wide(n)
    logs = np.log(0.5) + n * np.log([1e-5, 1.004e-5])
    total = np.logaddexp(*logs)
    assert total < -3000
    exact = network.query("h", evidence)
    assert exact.log_evidence == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(exact.p, np.exp(logs - total), rtol=1e-9)
    assert f"log P(evidence) = {total:.6g}" in repr(exact) and "P(evidence) = 0" not in repr(exact)
    drawn = network.query("h", evidence, method="likelihood_weighting", n_samples=4000, random_state=0)
    np.testing.assert_allclose(drawn.p, exact.p, atol=5 * drawn.standard_error.max())
    assert drawn.log_evidence == pytest.approx(total, abs=0.2) and "about" in repr(drawn)


def test_messages_stay_short():
    network, evidence = wide(400)
    for call in (
        lambda: network.query("nobody", evidence),
        lambda: network.query("h", evidence | {"x0": "?" * 100_000}),
        lambda: network.query("h", {"x1": list(range(9000))}),
        lambda: network.query([f"q{i}" for i in range(9000)]),
        lambda: network.dag.ancestors("nobody"),
        lambda: DAG([(i, i + 1) for i in range(3000)] + [(3000, 0)]),
        lambda: BayesianNetwork(network.dag, {"nobody": [1.0]}),
        lambda: network.query("h", evidence, method="rejection", n_samples=10),
    ):
        with pytest.raises((ParameterError, DataError)) as error:
            call()
        assert len(str(error.value)) < 1500


def test_a_bound_is_no_probability():
    network = BayesianNetwork([("a", "b")], {"a": [0.4, 0.6], "b": [[0.9, 0.1], [0.2, 0.8]]})
    found = network.query("a", {"b": "yes"}, method="mean_field")
    assert "P(evidence) >= " in repr(found) and "P(evidence) = " not in repr(found)
    assert np.isnan(found.log_evidence) and found.details["bound"] <= network.log_evidence({"b": "yes"}) + 1e-12


def test_one_accepted_row_is_no_certainty():
    network = BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[0.999, 0.001], [0.999, 0.001]]})
    errors = []
    for seed in range(20):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = network.query("a", {"b": "yes"}, method="rejection", n_samples=1500, random_state=seed)
            except DataError:
                continue  # not one row was accepted
        assert issubclass(caught[-1].category, DataWarning) and "the answer is rough" in str(caught[-1].message)
        errors.append(found.standard_error.min())
    assert len(errors) > 5 and min(errors) > 0.1


def test_chains_that_disagree_warn():
    apart = MarkovNetwork({"f": (("a", "b"), [[1.0, 1e-9], [1e-9, 3.0]])})
    with pytest.warns(NotConverged, match="the chains disagree"):
        apart.query("a", method="gibbs", n_samples=2000, random_state=0)


def test_booleans_of_numpy_are_states():
    network = BayesianNetwork(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.2, 0.8]]}, {"a": (False, True), "b": (False, True)}
    )
    row = network.sample(5, random_state=0).iloc[0]
    assert network.query("a", {"b": np.bool_(True)}).p == pytest.approx(network.query("a", {"b": True}).p)
    network.query("a", {"b": row["b"]})
    network.do({"b": np.bool_(False)})
    same = BayesianNetwork(network.dag, network.tables, {v: np.array([False, True]) for v in "ab"})
    assert same.states == network.states
    with pytest.raises(ParameterError, match="no state"):
        network.query("a", {"b": np.int64(1)})


def test_measurements_are_no_states():
    rng = np.random.default_rng(0)
    data = {"a": rng.normal(size=300), "b": np.arange(300) % 2}
    for call in (BayesianNetwork([("a", "b")]).fit, HillClimb().fit, PC().fit):
        with pytest.raises(
            DataError, match=r"column 'a' has 300 different values, numbers with a fraction.*LinearGaussian"
        ):
            call(data)
    with pytest.warns(DataWarning, match="column 'a' has 300 different values in 300 rows"):
        BayesianNetwork([("a", "b")]).fit({"a": np.arange(300), "b": np.arange(300) % 2})
    doses = {"a": np.array([0.5, 1.0, 2.5])[np.arange(300) % 3], "b": np.arange(300) % 2}
    assert BayesianNetwork([("a", "b")]).fit(doses).states["a"] == (0.5, 1.0, 2.5)


def test_rows_that_do_not_sum_to_one_are_named():
    BayesianNetwork({"x": []}, {"x": [0.333, 0.333, 0.333]})  # three decimals miss one by rounding
    for row in ([0.5, 0.491], [0.3, 0.695], [0.2501, 0.25, 0.25, 0.2502]):
        with pytest.warns(DataWarning, match="of the table of 'x' do not sum to 1"):
            network = BayesianNetwork({"x": []}, {"x": row})
        assert network.tables["x"].sum() == pytest.approx(1)


BIF = """network n {{ }} variable a {{ type discrete [ 2 ] {{ t, f }}; }} variable b {{ type discrete [ 2 ] {{ t, f }}; }}
probability ( a ) {{ table 0.4, 0.6; }}
probability ( b | a ) {{ (t) 0.9, 0.1; (f) 0.2, 0.8; {more} }}"""


def test_files_that_say_a_thing_twice(tmp_path):
    path = tmp_path / "n.bif"
    for more in ("(t) 0.5, 0.5;", "table 0.9, 0.2, 0.1, 0.8;"):
        path.write_text(BIF.format(more=more))
        with pytest.raises(FileFormatError, match="given twice"):
            BayesianNetwork.read(path)
    path.write_text(BIF.format(more=""))
    assert BayesianNetwork.read(path).tables["b"][0, 0] == 0.9


def test_damaged_archives_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    raw = gzip.compress(BIF.format(more="").encode())
    path = tmp_path / "n.bif.gz"
    for at in range(10, len(raw)):
        hurt = bytearray(raw)
        hurt[at] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(hurt))
        try:
            BayesianNetwork.read(path)
        except (FileFormatError, ParameterError):
            continue


def test_comments_in_uai_and_endings_of_pyagrum(tmp_path):
    plain = "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n\n2\n0.4 0.6\n\n4\n0.9 0.1 0.2 0.8\n"
    commented = "# a network\nc made by hand\nc\nBAYES // kind\n2 % variables\n" + plain[8:].replace(
        "\n0.4", " /* rows\nfollow */\n0.4"
    )
    for name, text in (("a.uai", plain), ("b.uai", commented)):
        (tmp_path / name).write_text(text)
    one, other = BayesianNetwork.read(tmp_path / "a.uai"), BayesianNetwork.read(tmp_path / "b.uai")
    np.testing.assert_array_equal(one.tables["x1"], other.tables["x1"])
    one.write(tmp_path / "a.bifxml")
    np.testing.assert_array_equal(BayesianNetwork.read(tmp_path / "a.bifxml").tables["x1"], one.tables["x1"])


ODD = [
    ("x", "y"),
    (1, "1"),
    (True, "True"),
    (" x", "y"),
    ("", "y"),
    ("a\nb", "c"),
    ("a\rb", "c"),
    ("\0", "c"),
    ("\ud800", "c"),
    ('q"', "c\\"),
    ("//x", "/*y*/"),
    ("{", "}"),
    ("|", ","),
    ("<a>", "&amp;"),
    ("table", "default"),
]


@pytest.mark.parametrize("form", [".bif", ".xmlbif", ".bifxml", ".uai", ".json", ".bif.gz"])
def test_what_is_written_can_be_read(tmp_path, form):
    path = tmp_path / f"n{form}"
    written = 0
    for states, name in product(ODD, ("a", "probability", "", "a b")):
        network = BayesianNetwork([(name, "z")], {name: [0.4, 0.6], "z": [[0.9, 0.1], [0.2, 0.8]]}, {name: states})
        try:
            network.write(path)
        except ParameterError as error:
            assert "json" in str(error).lower()
            continue
        written += 1
        back = BayesianNetwork.read(path)
        assert tuple(map(str, next(iter(back.states.values())))) == tuple(map(str, states)) or form == ".uai"
        np.testing.assert_array_equal([*back.tables.values()][1], network.tables["z"])
    assert written >= 20


def with_causes(k, rng):
    causes = [f"u{i}" for i in range(k)]
    arcs = {u: causes[i - 1 : i] if i else [] for i, u in enumerate(causes)} | {"z": causes, "w": causes}
    tables = {u: rng.dirichlet([3, 1], 2) if i else rng.dirichlet([3, 1]) for i, u in enumerate(causes)}
    for node in "zw":
        tables[node] = NoisyOr({u: float(rng.random()) for u in causes}, leak=float(0.1 * rng.random()))
    return BayesianNetwork(arcs, tables)


def test_most_probable_causes_of_a_noisy_or():
    from novum.graphical.inference.evidence import read_evidence
    from novum.graphical.inference.noisy_or_maximum import noisy_or_maximum, problem_of

    rng = np.random.default_rng(0)
    for evidence in ({}, {"z": "yes"}, {"z": "yes", "w": "no"}, {"z": "yes", "w": "yes", "u3": "no"}):
        network = with_causes(8, rng)
        free = [v for v in network.nodes if v not in evidence]
        best = max(  # by enumeration
            network.score_samples(
                pd.DataFrame(
                    [
                        dict(zip(free, values, strict=True)) | evidence
                        for values in product(("no", "yes"), repeat=len(free))
                    ]
                )
            )
        )
        seen, place = read_evidence("test", evidence, network.states), network._place()
        _, log = noisy_or_maximum(problem_of(network, 7, seen, [place[v] for v in free], 1e9))
        assert log == pytest.approx(best, abs=1e-9)
        assert network.map_query(None, evidence).log_probability == pytest.approx(best, abs=1e-9)


def test_most_probable_causes_of_many():
    causes = [f"u{i}" for i in range(60)]
    network = BayesianNetwork(
        {**{u: [] for u in causes}, "z": causes},
        {**{u: [0.9, 0.1] for u in causes}, "z": NoisyOr(dict.fromkeys(causes, 0.5))},
    )
    found = network.map_query(None, {"z": "yes"})
    assert sum(v == "yes" for v in found.values.values()) == 1  # one cause is enough
    assert found.log_probability == pytest.approx(np.log(0.5) + 59 * np.log(0.9) + np.log(0.1))
    assert network.map_query(["u0", "u1"], {"z": "yes"}).values == {"u0": "no", "u1": "no"}
    assert network.map_rows(causes, {"z": ["no", "yes"]}).eq("yes").sum(axis=1).tolist() == [0, 1]
    assert network.do({"u0": "yes"}).query("z")["no"] == pytest.approx(0.5 * 0.95**59)


def test_advice_can_be_followed():
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(60)]
    factors = {f"f{i}_{j}": ((names[i], names[j]), rng.random((3, 3)) + 0.1) for i in range(60) for j in range(i)}
    dense = MarkovNetwork(factors)
    with pytest.raises(
        MemoryError, match=r"by query\(variable, evidence, \.\.\.\), one variable at a time: method='loopy_bp'"
    ):
        dense.map_query()
    with pytest.raises(MemoryError, match=r"an approximation: method='loopy_bp'"):
        dense.query("v0")
