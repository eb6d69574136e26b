"""Tables from data: counts, priors, streams and EM, against the notes' numbers and a literal E-step."""

import itertools

import numpy as np
import pandas as pd
import pytest
from reference.graphical import random_network

import novum
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.graphical import BayesianNetwork, LinearGaussian, NoisyOr

SEVEN = {"X1": list("TTTFTTT"), "X2": list("RRGRBBB"), "X3": list("FFTFTTT")}
GAPS = {"X1": ["T", None, "T", "F", "T", "T", "T"], "X2": ["R", "R", "G", None, "B", None, "B"], "X3": list("FFTFTTT")}
STATES = {"X1": "TF", "X2": "RGB", "X3": "TF"}
FORK = {"X1": [], "X2": ["X1"], "X3": ["X1"]}


@pytest.mark.notes("000-b", "bn-mle")
@pytest.mark.notes("002", "bn-mle")
def test_counts_of_the_seven_rows():
    network = BayesianNetwork({"X2": [], "X1": ["X2"], "X3": []}, states=STATES).fit(SEVEN)
    np.testing.assert_allclose(network.tables["X1"], [[2 / 3, 1 / 3], [1, 0], [1, 0]], atol=1e-15)
    local = sum(
        np.log(network.tables["X1"]["RGB".index(b), "TF".index(a)])
        for a, b in zip(SEVEN["X1"], SEVEN["X2"], strict=True)
    )
    assert local == pytest.approx(np.log(4 / 27))
    other = BayesianNetwork(FORK, states=STATES).fit(SEVEN)
    np.testing.assert_allclose(other.tables["X1"], [6 / 7, 1 / 7])
    np.testing.assert_allclose(other.tables["X2"], [[1 / 3, 1 / 6, 1 / 2], [1, 0, 0]])
    np.testing.assert_allclose(other.tables["X3"], [[2 / 3, 1 / 3], [0, 1]])
    assert other.report_.log_likelihood == pytest.approx(other.score_samples(SEVEN).sum())
    data = {**SEVEN, "y": np.array([0.3, -1.0, 2.5, 0.1, 4.0, 1.2, 2.2])}
    tables = {name: np.ones((2, 3) if name == "X2" else 2) / len(STATES[name]) for name in STATES}
    mixed = BayesianNetwork(
        {"X1": [], "X2": ["X1"], "X3": [], "y": ["X3"]}, {**tables, "y": LinearGaussian([0, 0])}, STATES
    ).fit(data)
    assert mixed.report_.log_likelihood == pytest.approx(mixed.score_samples(data).sum())
    third = np.array(data["X3"])
    parts = [data["y"][third == state] for state in "TF"]
    real = sum(-len(y) / 2 * (np.log(2 * np.pi * y.var()) + 1) for y in parts)
    table = BayesianNetwork({"X1": [], "X2": ["X1"], "X3": []}, states=STATES).fit(SEVEN)
    assert mixed.report_.log_likelihood == pytest.approx(table.report_.log_likelihood + real)


@pytest.mark.notes("000-b", "bn-map")
def test_pseudo_counts():
    chain = {"X2": [], "X1": ["X2"], "X3": []}
    for alpha, expected in ((1, (3 / 5, 2 / 3, 4 / 5)), (0.5, (0.625, 0.75, 0.875))):
        network = BayesianNetwork(chain, states=STATES).fit(SEVEN, prior=alpha)
        np.testing.assert_allclose(network.tables["X1"][:, 0], expected)
    same = BayesianNetwork(chain, states=STATES).fit(SEVEN, prior="laplace").tables["X1"]
    np.testing.assert_array_equal(same, BayesianNetwork(chain, states=STATES).fit(SEVEN, prior="k2").tables["X1"])
    mode = BayesianNetwork(chain, states=STATES).fit(SEVEN, prior=2, estimate="mode")
    np.testing.assert_allclose(mode.tables["X1"], same)  # the mode of Dirichlet(a + 1) is the mean of Dirichlet(a)
    bdeu = BayesianNetwork(chain, states=STATES).fit(SEVEN, prior="bdeu", equivalent_sample_size=6)
    np.testing.assert_allclose(bdeu.tables["X1"][:, 0], (3 / 5, 2 / 3, 4 / 5))
    own = BayesianNetwork(chain, states=STATES).fit(SEVEN, prior={"X1": np.ones((3, 2)), "X3": 3})
    np.testing.assert_allclose(own.tables["X1"], same)
    np.testing.assert_allclose(own.tables["X2"], [3 / 7, 1 / 7, 3 / 7])
    with pytest.raises(ParameterError, match="needs pseudo-counts >= 1"):
        BayesianNetwork(chain, states=STATES).fit(SEVEN, prior=0.5, estimate="mode")


@pytest.mark.notes("000-b", "bn-em")
def test_em_on_the_rows_with_question_marks():
    network = BayesianNetwork(FORK, states=STATES).fit(GAPS, init="uniform", tol=1e-15, max_iter=5000)
    np.testing.assert_allclose(network.report_.history[:3], [-14.503975, -11.208160, -10.994720], atol=1e-6)
    assert network.report_.log_likelihood == pytest.approx(-10.713494, abs=1e-6)
    assert network.tables["X1"][0] == pytest.approx(0.735128, abs=1e-5)
    np.testing.assert_allclose(network.tables["X2"], [[0.276393, 0.241202, 0.482405], [1, 0, 0]], atol=1e-5)
    np.testing.assert_allclose(network.tables["X3"][:, 0], [0.777318, 0], atol=1e-5)
    start = BayesianNetwork(  # counts of rows in which a family is complete, and one
        FORK,
        {"X1": [6 / 8, 2 / 8], "X2": [[2 / 7, 2 / 7, 3 / 7], [1 / 3] * 3], "X3": [[5 / 7, 2 / 7], [1 / 3, 2 / 3]]},
        STATES,
    )
    rows = [{name: GAPS[name][i] for name in GAPS if GAPS[name][i] is not None} for i in range(7)]
    first = BayesianNetwork(FORK, states=STATES).fit(GAPS).report_.history[0]
    assert first == pytest.approx(sum(np.log(probability_of(start, row)) for row in rows))
    turned = BayesianNetwork({"X2": [], "X1": ["X2"], "X3": ["X1"]}, states=STATES).fit(
        GAPS, init="uniform", tol=1e-15, max_iter=5000
    )
    assert turned.report_.log_likelihood == pytest.approx(-10.713494, abs=1e-6)
    assert turned.tables["X1"][0, 0] == pytest.approx(0.434103, abs=1e-4)
    smooth = BayesianNetwork(FORK, states=STATES).fit(GAPS, prior=1, init="uniform", tol=1e-15, max_iter=5000)
    assert smooth.tables["X1"][0] == pytest.approx(0.719566, abs=1e-5)
    np.testing.assert_allclose(
        smooth.tables["X2"], [[0.331202, 0.267519, 0.401279], [0.432448, 0.283776, 0.283776]], atol=1e-5
    )
    np.testing.assert_allclose(smooth.tables["X3"][:, 0], [0.668798, 0.283776], atol=1e-5)
    assert smooth.report_.log_likelihood == pytest.approx(-12.011648, abs=1e-5)


def literal_expectation(network, columns):
    """Expected counts by enumeration of the missing cells of every row, and the log-likelihood."""
    names = list(network.states)
    counts = {v: np.zeros_like(t) for v, t in network.tables.items()}
    total = 0.0
    for i in range(len(columns[names[0]])):
        seen = {v: columns[v][i] for v in names if columns[v][i] is not None}
        free = [v for v in names if v not in seen]
        cells = []
        for x in itertools.product(*(network.states[v] for v in free)):
            at = {v: network.states[v].index(s) for v, s in {**seen, **dict(zip(free, x, strict=True))}.items()}
            cells.append(
                (at, np.prod([network.tables[v][(*(at[p] for p in network.parents[v]), at[v])] for v in names]))
            )
        mass = sum(p for _, p in cells)
        total += np.log(mass)
        for at, p in cells:
            for v in names:
                counts[v][(*(at[u] for u in network.parents[v]), at[v])] += p / mass
    return counts, total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.notes("000-b", "bn-em")
def test_em_passes_equal_a_literal_expectation_and_never_fall(seed):
    truth = random_network(seed)
    rng = np.random.default_rng(seed)
    rows = truth.sample(60, random_state=seed).astype(object)
    columns = {v: [None if rng.random() < 0.3 else s for s in rows[v]] for v in rows}
    with pytest.warns(NotConverged):
        network = BayesianNetwork(truth.parents, states=truth.states).fit(
            columns, init="random", random_state=1, max_iter=1
        )
    once = {v: t.copy() for v, t in network.tables.items()}
    with pytest.warns(NotConverged):
        network.fit(columns, init="random", random_state=1, max_iter=2)
    before = BayesianNetwork(truth.parents, once, truth.states)
    counts, total = literal_expectation(before, columns)
    assert network.report_.history[1] == pytest.approx(total, rel=1e-12)
    for v, table in network.tables.items():
        mass = counts[v].sum(-1, keepdims=True)
        np.testing.assert_allclose(
            table, np.where(mass > 0, counts[v] / np.where(mass > 0, mass, 1), once[v]), atol=1e-12
        )
    network.fit(columns, n_init=3, random_state=0)
    assert (np.diff(network.report_.history) >= -1e-10 * np.abs(network.report_.history[1:])).all()
    assert network.report_.log_likelihood == pytest.approx(network.score_samples(columns).sum(), rel=1e-9)


@pytest.mark.notes("000-b", "plot-em-trace")
def test_the_trace_of_em_is_drawn():
    from artists import canvas

    ax = canvas()
    for seed in range(3):
        network = BayesianNetwork(FORK, states=STATES).fit(GAPS, init="random", random_state=seed)
        network.report_.history.plot(ax)
        line = ax.lines[seed]
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, len(line.get_ydata()) + 1))
        rows = [{name: GAPS[name][i] for name in GAPS if GAPS[name][i] is not None} for i in range(7)]
        likelihood = sum(np.log(probability_of(network, row)) for row in rows)
        assert line.get_ydata()[-1] == pytest.approx(likelihood, abs=1e-3)  # where the trace ends, by enumeration
        assert (np.diff(line.get_ydata()) >= -1e-9).all() and line.get_ydata()[0] < line.get_ydata()[-1]
    assert ax.get_xlabel() and ax.get_ylabel()
    assert len({line.get_ydata()[0] for line in ax.lines}) == 3  # each from a start of its own
    ends = []
    for n_init in range(1, 7):  # short runs end at different heights: the best so far is kept
        with pytest.warns(NotConverged, match="max_iter=2"):
            short = BayesianNetwork(FORK, states=STATES).fit(
                GAPS, init="random", n_init=n_init, max_iter=2, random_state=0
            )
        ends.append(short.report_.history[-1])
    assert (np.diff(ends) >= 0).all() and ends[-1] > ends[0]


def probability_of(network, row):
    """Sum the product of the tables over all cells that are missing."""
    from itertools import product

    missing = [name for name in FORK if name not in row]
    total = 0.0
    for values in product(*(STATES[name] for name in missing)):
        whole = {**row, **dict(zip(missing, values))}
        value = 1.0
        for name, parents in FORK.items():
            table = np.asarray(network.conditionals[name].table())
            at = tuple(list(STATES[v]).index(whole[v]) for v in [*parents, name])
            value *= table[at]
        total += value
    return total


def test_a_hidden_variable_is_learned():
    rng = np.random.default_rng(0)
    z = rng.random(3000) < 0.4
    cols = {f"x{i}": np.where(rng.random(3000) < np.where(z, 0.9, 0.2), "yes", "no") for i in range(4)}
    network = BayesianNetwork([("z", x) for x in cols], states={"z": ("a", "b")})
    network.fit({**cols, "z": [None] * 3000}, n_init=3, random_state=0)
    p = network.tables["z"]
    assert min(p) == pytest.approx(0.4, abs=0.05)


def test_streams_files_and_clusters_give_the_counts_of_one_fit(tmp_path):
    truth = random_network(2)
    rows = truth.sample(500, random_state=0)
    whole = BayesianNetwork(truth.parents).fit(rows, prior=1)
    parts = [rows.iloc[:200], rows.iloc[200:]]
    stream = BayesianNetwork(truth.parents, states=truth.states)
    for part in parts:
        stream.partial_fit(part, prior=1)
    iterated = BayesianNetwork(truth.parents, states=truth.states).fit(iter(parts), prior=1)
    import dask.dataframe as dd

    distributed = BayesianNetwork(truth.parents, states=truth.states).fit(
        dd.from_pandas(rows.astype(str), npartitions=3), prior=1
    )
    codes = rows.apply(lambda c: c.cat.codes).astype(float)
    codes.to_csv(tmp_path / "rows.csv", index=False)
    numbers = {v: tuple(map(float, range(len(s)))) for v, s in truth.states.items()}
    scanned = BayesianNetwork(truth.parents, states=numbers).fit(
        novum.scan(tmp_path / "rows.csv", batch_rows=64), prior=1
    )
    for other in (stream, iterated, distributed, scanned):
        for v in truth.states:
            np.testing.assert_allclose(other.tables[v], whole.tables[v], atol=1e-15)


def test_weights_are_repetitions_and_states_come_from_the_frame():
    rows = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], ["z", "y", "x"]), "b": [1, 2, 1]})
    weighted = BayesianNetwork([("a", "b")]).fit(rows, sample_weight=[2, 1, 3])
    repeated = BayesianNetwork([("a", "b")]).fit(rows.iloc[[0, 0, 1, 2, 2, 2]])
    assert weighted.states == {"a": ("z", "y", "x"), "b": (1, 2)} == repeated.states
    for v in "ab":
        np.testing.assert_allclose(weighted.tables[v], repeated.tables[v])
    assert weighted.report_.unseen == {"b": 1} and (weighted.tables["b"][0] == 0.5).all()
    gaps = rows.astype(object).where([[True, True], [False, True], [True, False]], None)
    one = BayesianNetwork([("a", "b")], states=weighted.states).fit(gaps, sample_weight=[2, 1, 3])
    two = BayesianNetwork([("a", "b")], states=weighted.states).fit(gaps.iloc[[0, 0, 1, 2, 2, 2]])
    for v in "ab":
        np.testing.assert_allclose(one.tables[v], two.tables[v], atol=1e-9)


@pytest.mark.notes("002", "bayes-net")
def test_real_nodes_are_regressions():
    truth = BayesianNetwork(
        {"s": [], "h": ["s"], "w": ["h", "s"]},
        {
            "s": [0.4, 0.6],
            "h": LinearGaussian([178, 165], variance=[50, 40]),
            "w": LinearGaussian([-80, -70], {"h": [0.9, 0.8]}, [30, 20]),
        },
    )
    rows = truth.sample(4000, random_state=0)
    found = BayesianNetwork(
        truth.parents, {"s": [0.5, 0.5], "h": LinearGaussian([0, 0]), "w": LinearGaussian([0, 0], {"h": [0, 0]})}
    ).fit(rows)
    for k, s in enumerate(("no", "yes")):
        part = rows[rows["s"] == s]
        slope, intercept = np.polyfit(part["h"], part["w"], 1)
        assert found.conditionals["w"].coefficients["h"][k] == pytest.approx(slope)
        assert found.conditionals["w"].intercept[k] == pytest.approx(intercept)
        assert found.conditionals["w"].variance[k] == pytest.approx(
            np.mean((part["w"] - slope * part["h"] - intercept) ** 2)
        )
    assert found.report_.log_likelihood == pytest.approx(found.score_samples(rows).sum())


def test_bad_data_change_nothing():
    network = BayesianNetwork(FORK, states=STATES).fit(SEVEN)
    before = {v: t.copy() for v, t in network.tables.items()}
    for data, options, error, message in (
        ({**SEVEN, "X2": list("RRGRBBZ")}, {}, DataError, "row 6 of column 'X2' holds 'Z', which is no state"),
        ({"X1": SEVEN["X1"]}, {}, DataError, "no column X2, X3"),
        ({k: [] for k in SEVEN}, {}, DataError, "no rows"),
        ({**SEVEN, "X1": ["T"]}, {}, DataError, "differ in length"),
        (SEVEN, {"prior": -1}, ParameterError, "prior=-1"),
        (SEVEN, {"prior": "flat"}, ParameterError, "'laplace', 'k2', 'bdeu'"),
        (SEVEN, {"prior": {"X9": 1}}, ParameterError, "no variable 'X9'"),
        (SEVEN, {"sample_weight": [-1] * 7}, ValueError, "weight"),
        (GAPS, {"init": "clever"}, ParameterError, "init must be one of"),
    ):
        with pytest.raises(error, match=message):
            network.fit(data, **options)
        for v, table in network.tables.items():
            np.testing.assert_array_equal(table, before[v])
    noisy = BayesianNetwork([("a", "x")], {"a": [0.5, 0.5], "x": NoisyOr({"a": 0.5})})
    with pytest.raises(ParameterError, match="'x' is a NoisyOr"):
        noisy.fit({"a": ["no", "yes"], "x": ["no", "yes"]})
    with pytest.raises(DataError, match="EM"):
        network.partial_fit(GAPS)
