"""Joint and conditional tables: the rules of probability by brute force, independence, enumeration, and errors that help."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from novum import information, teaching
from novum.distributions import ConditionalTable, JointTable, Statement
from novum.exceptions import DataError, ParameterError


@pytest.fixture
def pair():
    return JointTable([[0.1, 0.2], [0.3, 0.4]], names=("x", "y"))


@pytest.fixture
def three():
    """Independent propositions of probability .6, .3 and .5."""
    p = np.einsum("i,j,k->ijk", [0.4, 0.6], [0.7, 0.3], [0.5, 0.5])
    return JointTable(p, names=("x1", "x2", "x3"), states=[(False, True)] * 3)


def drawn(seed, shape=(2, 3, 2)):
    p = np.random.default_rng(seed).dirichlet(np.full(int(np.prod(shape)), 0.7)).reshape(shape)
    return JointTable(p, names=("a", "b", "c"))


@pytest.mark.notes("004", "covariance")
@pytest.mark.notes("000-a", "joint-pmf")
@pytest.mark.notes("001", "joint-distribution")
def test_moments_of_a_pair(pair):
    assert np.allclose(pair.marginal("x").p, [0.3, 0.7], atol=1e-16)
    assert np.allclose(pair.marginal("y").p, [0.4, 0.6], atol=1e-16)
    assert pair.expectation("x") == pytest.approx(0.7) and pair.expectation("y") == pytest.approx(0.6)
    assert pair.variance("x") == pytest.approx(0.21) and pair.variance("y") == pytest.approx(0.24)
    assert pair.covariance("x", "y") == pytest.approx(-0.02) and pair.correlation("x", "y") == pytest.approx(
        -0.089087, abs=5e-7
    )
    assert np.allclose(pair.covariance(), [[0.21, -0.02], [-0.02, 0.24]])
    assert pair.marginal("y", "x").p.tolist() == pair.p.T.tolist()
    assert not pair.p.flags.writeable


@pytest.mark.notes("004", "probability-reminders")
def test_expectations(pair):
    assert pair.expectation(lambda x, y: x * y) == pytest.approx(0.4)
    assert pair.expectation("y", given={"x": 0}) == pytest.approx(2 / 3)
    by_x = pair.expectation("y", given="x")
    assert by_x == pytest.approx({0: 2 / 3, 1: 4 / 7})
    tower = sum(pair.marginal("x").p[x] * mean for x, mean in by_x.items())  # E[E[y|x]] = E[y]
    assert tower == pytest.approx(pair.expectation("y"))
    both = drawn(0).expectation("c", given=("a", "b"))
    assert both[(1, 2)] == pytest.approx(drawn(0).condition(a=1, b=2).expectation("c"))
    assert np.isnan(JointTable([[0.5, 0.5], [0, 0]]).expectation("x1", given="x0")[1])
    named = JointTable([0.5, 0.5], "weather", [("sun", "rain")])
    assert named.expectation(lambda weather: weather == "sun") == 0.5
    with pytest.raises(DataError, match=r"'weather' has values that are no numbers.*lambda weather"):
        named.expectation("weather")
    with pytest.raises(DataError, match="a variable is constant"):
        JointTable([[1.0, 0.0]]).correlation("x0", "x1")


@pytest.mark.notes("000-a", "prob-rules")
@pytest.mark.notes("002", "prob-rules")
@pytest.mark.notes("001", "conditional-product-chain")
@given(seed=st.integers(0, 500))
@settings(max_examples=20, deadline=None)
def test_the_rules_on_any_table(seed):
    table = drawn(seed)
    p = table.p
    assert np.allclose(table.condition(b=1).p, p[:, 1] / p[:, 1].sum(), rtol=1e-13)
    given_b = table.conditional(("a", "c"), "b")
    assert np.allclose((given_b * table.marginal("b")).marginal("a", "b", "c").p, p, atol=1e-15)
    for order in (("a", "b", "c"), ("c", "a", "b")):
        factors = table.chain_rule(*order)
        assert np.allclose(JointTable.from_factors(factors).marginal("a", "b", "c").p, p, atol=1e-15)
    posterior = table.conditional("a", "b").bayes(table.marginal("b"))
    assert np.allclose(posterior.p, table.conditional("b", "a").p, rtol=1e-12)
    context = table.conditional("a", ("b", "c")).bayes(table.conditional("b", "c"))  # P(b | a, c)
    for a, c in product((0, 1), (0, 1)):
        assert np.allclose(context.at(a=a, c=c).p, table.condition(a=a, c=c).p, rtol=1e-12)


@pytest.mark.notes("000-a", "prob-rules")
@pytest.mark.notes("001", "total-probability")
def test_bayes_and_total_probability(pair):
    assert np.allclose(pair.query("x", {"y": 1}).p, [1 / 3, 2 / 3])
    bags = JointTable([0.1, 0.2, 0.4, 0.2, 0.1], "bag")
    lime = ConditionalTable([[1, 0], [0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [0, 1]], "lime", "bag")
    assert (lime * bags).marginal("lime").p[1] == pytest.approx(0.5)
    assert np.allclose(lime.bayes(bags).at(lime=1).p, [0, 0.1, 0.4, 0.3, 0.2])
    with pytest.raises(DataError, match="the states of 'bag' differ"):
        lime * JointTable([0.1, 0.2, 0.4, 0.2, 0.1], "bag", [tuple("abcde")])
    with pytest.raises(ParameterError, match="can be multiplied by a table of its conditions"):
        lime * JointTable([0.5, 0.5], "coin")


@pytest.mark.notes("001", "enumeration-inference")
def test_propositions_by_enumeration(three):
    assert three.probability(lambda x1, x2, x3: x1 or (x2 and not x3)) == pytest.approx(0.66, abs=1e-15)
    assert three.probability(lambda x1, x2, x3: (x1 or x2) and not x3) == pytest.approx(0.36, abs=1e-15)
    assert three.probability({"x1": True, "x2": True}) == pytest.approx(0.18)
    assert three.probability({"x1": True}, given=lambda x1, x2: x1 or x2) == pytest.approx(0.6 / 0.72)
    table = drawn(3)
    assert np.allclose(table.query("c", {"a": 1}).p, table.p[1].sum(0) / table.p[1].sum())
    assert table.query(("c", "b")).p.shape == (2, 3)
    with pytest.raises(ParameterError, match="a is target and evidence"):
        table.query("a", {"a": 1})
    with pytest.raises(ParameterError, match="there is no variable 'x9'"):
        three.probability(lambda x9: x9)


@pytest.mark.notes("001", "probability-space")
def test_a_die_is_a_probability_space():
    die = JointTable([1 / 6] * 6, "face", [range(1, 7)])
    assert die.probability(lambda face: face % 2) == pytest.approx(0.5)
    game = die.with_variable("X", lambda face: 30 if face <= 2 else -20)
    assert game.marginal("X").states["X"] == (-20, 30) and game.marginal("X").p == pytest.approx([2 / 3, 1 / 3])
    assert game.expectation("X") == pytest.approx(-10 / 3)
    events = [lambda face: face <= 2, lambda face: face > 4]  # additivity of disjoint events, and the whole
    union = die.probability(lambda face: face <= 2 or face > 4)
    assert union == pytest.approx(sum(die.probability(event) for event in events))
    assert die.probability(lambda face: True) == pytest.approx(1, abs=1e-15)
    assert die.probability(lambda face: face > 2) == pytest.approx(1 - die.probability(events[0]))
    with pytest.raises(ParameterError, match="already"):
        die.with_variable("face", lambda face: face)


@pytest.mark.notes("001", "independence-check")
def test_independence_of_events():
    dice = JointTable(np.full((6, 6), 1 / 36), ("first", "second"), [range(1, 7)] * 2)
    events = dice.with_variable("A", lambda first: first % 2 == 0).with_variable(
        "B", lambda first, second: first + second == 7
    )
    assert events.independence("A", "B")
    events = dice.with_variable("A", lambda first: first == 6).with_variable(
        "B", lambda first, second: first + second > 9
    )
    found = events.independence("A", "B")
    assert not found and found.deviation == pytest.approx(abs(3 / 36 - 1 / 6 * 6 / 36))


@pytest.mark.notes("000-b", "independence-check-exact")
@pytest.mark.notes("001", "conditional-independence")
@pytest.mark.notes("002", "ci-check")
def test_conditional_independence():
    xor = np.zeros((2, 2, 2))
    for a, b in product((0, 1), repeat=2):
        xor[a, b, a ^ b] = 0.25
    table = JointTable(xor, ("A", "B", "C"))
    assert table.independencies() == [Statement("A", "B"), Statement("A", "C"), Statement("B", "C")]
    assert repr(Statement("A", "B", ("C", "D"))) == "A ⊥ B | C, D"
    assert table.independence("A", "B", "C").deviation == pytest.approx(0.25)
    assert not table.independence("A", ("B", "C"))
    chain = np.einsum("a,ab,bc->abc", [0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.1, 0.9]])
    assert JointTable(chain, ("a", "b", "c")).independencies() == [Statement("a", "c", ("b",))]
    gone = np.array([[[0.5, 0.5], [0, 0]]])  # P(x1 = 1) = 0 says nothing
    assert JointTable(gone).independence("x0", "x2", given="x1")
    for statement in ("A", "A"), ("A", ()):
        with pytest.raises(ParameterError, match="must name different variables"):
            table.independence(*statement)


@pytest.mark.notes("001", "most-likely-value")
def test_the_posterior_mode_needs_the_prior():
    likelihood = ConditionalTable([[0.9, 0.1], [0.2, 0.8]], "test", "ill")
    joint = likelihood * JointTable([0.99, 0.01], "ill")
    assert joint.most_likely("ill", {"test": 1}) == {"ill": 0}
    assert int(likelihood.p[:, 1].argmax()) == 1  # the likelihood alone says otherwise
    assert joint.most_likely() == {"ill": 0, "test": 0} and joint.most_likely(evidence={"ill": 1}) == {"test": 1}


def test_evidence_of_probability_zero_is_an_error():
    table = JointTable([[0.5, 0.5], [0.0, 0.0]], ("x", "y"))
    message = "has probability zero"
    for call in (
        lambda: table.condition(x=1),
        lambda: table.query("y", {"x": 1}),
        lambda: table.most_likely("y", {"x": 1}),
        lambda: table.probability({"y": 0}, given={"x": 1}),
        lambda: table.expectation("y", given={"x": 1}),
        lambda: table.conditional("y", "x").at(x=1),
    ):
        with pytest.raises(DataError, match=message):
            call()
    conditional = table.conditional("y", "x")
    assert np.isnan(conditional.p[1]).all() and np.array_equal((conditional * table.marginal("x")).p, table.p)


def test_from_samples_frames_and_counts():
    import pandas as pd
    import polars as pl

    data = {"play": ["no", "yes", "yes", "no"], "wind": [1, 0, 1, 1]}
    for frame in (data, pd.DataFrame(data), pl.DataFrame(data)):
        table = JointTable.from_samples(frame)
        assert table.names == ("play", "wind") and table.states["play"] == ("no", "yes") and table.n_samples == 4
        assert table.p.tolist() == [[0, 0.5], [0.25, 0.25]]
    weighted = JointTable.from_samples(data, names=["wind"], sample_weight=[1, 2, 0, 1])
    assert weighted.p.tolist() == [0.5, 0.5] and weighted.n_samples == 4
    array = JointTable.from_samples(np.array([[0, 1], [1, 1]]), names=("a", "b"), states={"b": (0, 1, 2)})
    assert array.p.shape == (2, 3) and array.p[:, 1].tolist() == [0.5, 0.5]
    long = pd.DataFrame({"x": ["a", "a", "b"], "y": [0, 1, 1], "p": [0.2, 0.3, 0.5]})
    assert JointTable.from_frame(long).p.tolist() == [[0.2, 0.3], [0, 0.5]]
    with pytest.raises(DataError, match="stands in two rows"):
        JointTable.from_frame(pd.DataFrame({"x": ["a", "a"], "p": [0.5, 0.5]}))
    with pytest.raises(DataError, match=r"b holds 1, which is not among its states \(0,\)"):
        JointTable.from_samples(np.array([[0, 1]]), names=("a", "b"), states={"b": (0,)})
    with pytest.raises(DataError, match=r"x\[1\] is missing"):
        JointTable.from_samples({"x": ["a", None]})
    mixed = JointTable.from_samples({"x": np.array(["a", 2, "a"], dtype=object)})  # no common order: as they appear
    assert mixed.states["x"] == ("a", 2) and mixed.p == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(DataError, match="equally long"):
        JointTable.from_samples({"x": [1, 2], "y": [1]})
    with pytest.raises(ParameterError, match="no column 'z'"):
        JointTable.from_samples(data, names=["z"])


@pytest.mark.parametrize("statistic", ["g", "chi2"])
def test_a_test_of_counts_is_scipy_s(statistic):
    counts = np.random.default_rng(0).integers(5, 40, size=(3, 4))
    table = JointTable.from_counts(counts, ("x", "y"))
    found = table.test_independence("x", "y", statistic=statistic)
    wanted = chi2_contingency(counts, correction=False, lambda_="log-likelihood" if statistic == "g" else None)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-12) and found.df == wanted.dof
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-10) and found.n == counts.sum()
    strata = np.random.default_rng(1).integers(0, 9, size=(2, 3, 2))
    strata[0, 0] = 0  # a value that does not occur in a stratum takes its degrees of freedom along
    whole = JointTable.from_counts(strata, ("z", "x", "y")).test_independence("x", "y", "z", statistic=statistic)
    lam = "log-likelihood" if statistic == "g" else None
    parts = [chi2_contingency(s, correction=False, lambda_=lam) for s in (strata[0, 1:], strata[1])]
    assert whole.statistic == pytest.approx(sum(p.statistic for p in parts), rel=1e-12)
    assert whole.df == sum(p.dof for p in parts)
    with pytest.raises(DataError, match="exact probabilities"):
        JointTable(counts / counts.sum()).test_independence("x0", "x1")


def test_information_takes_tables(pair):
    assert information.mutual_information(pair, "x", "y") == pytest.approx(0.005802, abs=5e-7)
    assert information.conditional_entropy(pair, of="y", given="x") == pytest.approx(0.965148, abs=5e-7)
    assert information.entropy(pair) == pytest.approx(information.entropy(pair.p))
    assert teaching.information_diagram(pair).names == ("x", "y")
    counts = JointTable.from_counts([[10, 20], [30, 15]], ("x", "y"))
    g = counts.test_independence("x", "y").statistic
    assert g == pytest.approx(2 * 75 * information.mutual_information(counts, "x", "y", base="nats"))


@pytest.mark.notes("001", "distribution-check")
@pytest.mark.parametrize(
    ("p", "names", "states", "message"),
    [
        ([0.5, 0.6], None, None, "p sums to 1.1, not to one"),
        ([1.5, -0.5], None, None, r"p\[1\] = -0.5"),
        ([np.nan, 1.0], None, None, r"p\[0\] = nan"),
        ([0.5, 0.5], ("a", "b"), None, "must be 1 different strings"),
        ([0.5, 0.5], "a", {"b": (0, 1)}, "which are no variables"),
        ([0.5, 0.5], "a", {"a": (0, 0)}, "give 2 different"),
    ],
)
def test_what_is_no_distribution(p, names, states, message):
    with pytest.raises(ValueError, match=message):
        JointTable(p, names, states)


def test_conditional_tables_are_checked():
    with pytest.raises(DataError, match="sum to one over y"):
        ConditionalTable([[0.5, 0.6]], "y", "x")
    table = ConditionalTable([[0.5, 0.5], [np.nan, np.nan]], "y", "x")
    assert "P(y | x)" in repr(table) and "-" in repr(table)
    with pytest.raises(ParameterError, match="give a state for each of x"):
        table.at(y=0)


def test_samples_and_pictures(pair):
    sample = pair.sample(20_000, random_state=0)
    again = JointTable.from_samples(sample)
    assert np.abs(again.p - pair.p).max() < 0.015
    big = JointTable(np.full((4, 4, 4), 1 / 64))
    assert "... 40 more" in repr(big) and "from 20000 observations" in repr(again)
    html = JointTable([0.5, 0.5], "<x>")._repr_html_()
    assert "&lt;x&gt;" in html and html.count("<tr>") == 3
    with pytest.raises(DataError, match=r"'x' has no state 7; its states are 0, 1"):
        pair.condition(x=7)
    with pytest.raises(ParameterError, match="every variable is observed"):
        pair.condition(x=0, y=0)
