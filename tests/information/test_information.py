"""Entropies and divergences: the catalogued numbers, definitions by brute force, estimates from samples, pictures, errors."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from artists import canvas, curve, words
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import digamma

from novum.exceptions import DataError, ParameterError
from novum.information import (
    code_length,
    conditional_entropy,
    cross_entropy,
    differential_entropy,
    entropy,
    kl_divergence,
    mutual_information,
)
from novum.teaching import entropy_curve, information_diagram
from novum.teaching.statistics.information import center_distance, lens_area

P, U = [0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]
FIRST, SECOND = [[0.1, 0.2], [0.3, 0.4]], [[0.3, 0.2], [0.1, 0.4]]


class Known(SimpleNamespace):
    """A distribution by its answers."""

    def log_prob(self, x):
        return -np.asarray(x, dtype=float) * self.rate + math.log(self.rate)

    def sample(self, size=None, random_state=None):
        raise NotImplementedError

    def entropy(self):
        return 1 - math.log(self.rate)

    def kl(self, other):
        return math.log(self.rate / other.rate) + other.rate / self.rate - 1


@pytest.mark.notes("000-a", "entropy-labels")
@pytest.mark.notes("000-a", "entropy")
@pytest.mark.notes("001", "entropy")
@pytest.mark.notes("003", "entropy")
def test_entropy_of_labels_counts_and_tables():
    assert entropy(counts=[4, 8]) == pytest.approx(0.9182958340544896, abs=1e-15)
    assert entropy(counts=[1, 1]) == 1 and entropy(labels=["pure"] * 3) == 0
    assert entropy(labels=["yes"] * 9 + ["no"] * 5) == pytest.approx(0.940286, abs=5e-7)
    assert entropy(labels=["a", "b"], sample_weight=[4, 8]) == entropy(counts=[4, 8])
    assert entropy([0.5, 0.5], base="nats") == pytest.approx(math.log(2)) and entropy([0.25] * 4, base=4) == 1
    assert math.copysign(1, entropy([1.0, 0.0])) == 1


@pytest.mark.notes("000-a", "code-length")
@pytest.mark.notes("002", "information")
def test_code_length():
    assert code_length(P).tolist() == [1, 2, 2] and code_length(0.125) == 3 and code_length(0) == math.inf
    assert np.dot(P, code_length(P)) == entropy(P)
    assert code_length(Known(rate=2.0), [1.0], base="nats") == pytest.approx(2 - math.log(2))
    with pytest.raises(DataError, match=r"every p must lie in \[0, 1\]"):
        code_length([0.5, 1.5])
    with pytest.raises(ParameterError, match="needs outcomes"):
        code_length(Known(rate=1.0))


@pytest.mark.notes("000-a", "cross-entropy")
def test_cross_entropy():
    assert cross_entropy(P, U) == pytest.approx(math.log2(3), abs=1e-15)
    assert cross_entropy(P, [1, 0, 0]) == math.inf and cross_entropy([1, 0, 0], [0.5, 0.5, 0]) == 1
    first, second = Known(rate=1.0), Known(rate=3.0)
    assert cross_entropy(first, second, base="nats") == pytest.approx(3 - math.log(3))  # -E log q = 3 E[x] - log 3
    x = np.random.default_rng(0).exponential(size=500)
    assert cross_entropy(q=second, samples=x, base="nats") == pytest.approx(3 * x.mean() - math.log(3))


@pytest.mark.notes("000-a", "kl")
@pytest.mark.notes("002", "kl")
@pytest.mark.notes("003", "kl-divergence")
@pytest.mark.notes("004", "kl-divergence")
def test_relative_entropy():
    assert kl_divergence(P, U) == pytest.approx(0.084963, abs=5e-7)
    assert kl_divergence(U, P) == pytest.approx(0.081704, abs=5e-7)
    p, q, r = [0.5, 0.5], [0.9, 0.1], [0.99, 0.01]
    assert kl_divergence(p, q, base="nats") == pytest.approx(0.510826, abs=5e-7)
    assert kl_divergence(q, p, base="nats") == pytest.approx(0.368064, abs=5e-7)
    assert kl_divergence(q, r, base="nats") == pytest.approx(0.144479, abs=5e-7)
    assert kl_divergence(p, r, base="nats") == pytest.approx(1.614463, abs=5e-7)  # more than the two steps together
    assert kl_divergence([0.8, 0.2], q, base="nats") == pytest.approx(0.0444030, abs=5e-8)
    assert kl_divergence(q, [0.8, 0.2], base="nats") == pytest.approx(0.0366900, abs=5e-8)
    for share, wanted in [([0.5, 0.5], 0), ([9 / 14, 5 / 14], 0.041391), (P, 0.058892)]:
        uniform = np.full(len(share), 1 / len(share))
        assert kl_divergence(share, uniform, base="nats") == pytest.approx(wanted, abs=5e-7)
        assert kl_divergence(share, uniform) == pytest.approx(math.log2(len(share)) - entropy(share), abs=1e-15)
    assert kl_divergence([0.5, 0.5], [1, 0]) == math.inf and kl_divergence(P, P) == 0
    assert kl_divergence(Known(rate=1.0), Known(rate=2.0), base="nats") == pytest.approx(1 - math.log(2))
    assert kl_divergence(labels=(["a", "b", "b", "b"], ["a", "b"])) == pytest.approx(kl_divergence([0.25, 0.75], p))
    assert kl_divergence(labels=(["a", "c"], ["a", "b"])) == math.inf


@pytest.mark.notes("000-a", "conditional-entropy")
@pytest.mark.notes("002", "conditional-entropy")
@pytest.mark.notes("002", "entropy")
def test_conditional_entropy():
    assert conditional_entropy(FIRST) == pytest.approx(0.965148, abs=5e-7)
    assert conditional_entropy(SECOND) == pytest.approx(0.846439, abs=5e-7)
    table = np.array(SECOND)
    assert entropy(table.sum(1)) == 1 and entropy(table.sum(0)) == pytest.approx(0.970951, abs=5e-7)
    assert entropy(table) == pytest.approx(1.846439, abs=5e-7)
    assert entropy(table) == pytest.approx(entropy(table.sum(1)) + conditional_entropy(table), abs=1e-15)
    assert conditional_entropy(table, given=1) == pytest.approx(entropy(table) - entropy(table.sum(0)), abs=1e-15)
    assert conditional_entropy(labels=([0, 0, 1, 1], ["a", "b", "c", "c"])) == 0.5
    assert conditional_entropy([[0.5, 0.5], [0, 0]]) == 1  # a value that never occurs is no trouble
    with pytest.raises(ParameterError, match="every axis is given"):
        conditional_entropy(FIRST, given=(0, 1))
    with pytest.raises(ParameterError, match="stands on both sides"):
        conditional_entropy(FIRST, given=0, of=0)


@pytest.mark.notes("000-a", "mutual-information")
@pytest.mark.notes("002", "mutual-information")
def test_mutual_information():
    assert mutual_information(FIRST) == pytest.approx(0.005802, abs=5e-7)
    assert mutual_information(SECOND) == pytest.approx(0.124511, abs=5e-7)
    assert mutual_information(np.outer(P, U)) == pytest.approx(0, abs=1e-16)
    xor = np.zeros((2, 2, 2))
    for a in (0, 1):
        for b in (0, 1):
            xor[a, b, a ^ b] = 0.25
    assert mutual_information(xor) == 0 and mutual_information(xor, given=2) == 1
    assert mutual_information(xor, x=(0, 1), y=2) == 1
    with pytest.raises(ParameterError, match="3 is no axis; there are 0 to 2"):
        mutual_information(xor, x=3)


@given(seed=st.integers(0, 1000), shape=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)))
@settings(max_examples=40, deadline=None)
def test_the_entropies_of_three_variables_fit_together(seed, shape):
    p = np.random.default_rng(seed).dirichlet(np.full(math.prod(shape), 0.3)).reshape(shape)
    names = ("x", "y", "z")
    table = SimpleNamespace(p=p, names=names)  # what information reads of a JointTable
    H = {s: entropy(p.sum(axis=tuple(i for i in range(3) if names[i] not in s))) for s in ("x", "xz", "yz", "xy")}
    H["z"] = entropy(p.sum(axis=(0, 1)))
    conditional = H["xz"] + H["yz"] - entropy(p) - H["z"]
    assert mutual_information(table, "x", "y", given="z") == pytest.approx(conditional, abs=1e-12)
    assert conditional_entropy(table, of="x", given="y") == pytest.approx(H["xy"] - entropy(p.sum((0, 2))), abs=1e-12)
    chain = mutual_information(table, "x", "z") + mutual_information(table, "x", "y", given="z")
    assert mutual_information(table, "x", ("y", "z")) == pytest.approx(chain, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, -0.5, 1.0], r"p\[1\] = -0.5; probabilities are >= 0"),
        ([0.5, np.nan], r"p\[1\] = nan"),
        ([0.5, 0.4], "p sums to 0.9, not to one; for counts divide"),
        ([], r"has shape \(0,\)"),
        (["a"], "must hold real numbers"),
    ],
)
def test_bad_tables(p, message):
    for function in (entropy, lambda p: kl_divergence(p, p), conditional_entropy, mutual_information):
        with pytest.raises(ValueError, match=message):
            function(p)


def test_other_bad_input():
    with pytest.raises(DataError, match=r"p has shape \(2,\) and q \(3,\)"):
        kl_divergence([0.5, 0.5], U)
    with pytest.raises(ParameterError, match="give exactly one of p, counts, labels; none is"):
        entropy()
    with pytest.raises(ParameterError, match="there are p and counts"):
        entropy(P, counts=[1, 2])
    for base in ("decibels", 1, 0.5, True, None, math.inf):
        with pytest.raises(ParameterError, match="base must be 'bits', 'nats' or a number above 1"):
            entropy(P, base=base)
    for missing in ([None, "a"], [np.nan, 1.0]):
        with pytest.raises(DataError, match=r"\[0\] is missing; drop it or give it a label"):
            entropy(labels=missing)
    with pytest.raises(DataError, match="must be equally long"):
        mutual_information(labels=([0, 1], [0, 1, 1]))
    with pytest.raises(ParameterError, match="sample_weight belongs to labels"):
        entropy(P, sample_weight=[1, 2, 3])
    with pytest.raises(DataError, match="not all zero"):
        entropy(counts=[0, 0])


def chebyshev(x):
    return np.abs(x[:, None] - x[None]).max(axis=2)


@pytest.mark.notes("002", "differential-entropy")
@pytest.mark.notes("000-a", "kl")
@pytest.mark.notes("002", "kl")
@pytest.mark.notes("002", "mutual-information")
@pytest.mark.parametrize("d", [1, 3])
def test_estimates_from_neighbors_are_their_definitions(d):
    rng = np.random.default_rng(d)
    n, m, k = 60, 40, 4
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, 2))
    y[:, 0] += x[:, 0]
    other = rng.normal(size=(m, d)) * 2
    inner = np.sort(chebyshev(x), axis=1)[:, k]
    wanted = digamma(n) - digamma(k) + d * math.log(2) + d * np.log(inner).mean()
    assert differential_entropy(samples=x, n_neighbors=k, base="nats") == pytest.approx(wanted, rel=1e-13)
    pair = np.sort(np.maximum(chebyshev(x), chebyshev(y)), axis=1)[:, k]
    near = [(chebyshev(z) < pair[:, None]).sum(axis=1) for z in (x, y)]  # the point itself included
    wanted = digamma(k) + digamma(n) - (digamma(near[0]) + digamma(near[1])).mean()
    assert mutual_information(samples=(x, y), n_neighbors=k, base="nats") == pytest.approx(wanted, rel=1e-12)
    cross = np.sort(np.abs(x[:, None] - other[None]).max(axis=2), axis=1)[:, k - 1]
    wanted = d * np.log(cross / inner).mean() + math.log(m / (n - 1))
    assert kl_divergence(samples=(x, other), n_neighbors=k, base="nats") == pytest.approx(wanted, rel=1e-12)
    labels = rng.integers(0, 3, size=n)
    same = np.where(labels[:, None] == labels[None], chebyshev(x), np.inf)
    radius = np.sort(same, axis=1)[:, k]
    within = (chebyshev(x) <= radius[:, None]).sum(axis=1) - 1
    size = np.bincount(labels)[labels]
    wanted = digamma(n) + digamma(k) - digamma(size).mean() - digamma(within).mean()
    found = mutual_information(samples=x, labels=labels, n_neighbors=k, base="nats")
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.notes("002", "differential-entropy")
def test_estimates_come_near_the_truth():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    assert differential_entropy(samples=3 * x, base="nats") == pytest.approx(stats.norm(scale=3).entropy(), abs=0.05)
    assert differential_entropy(samples=rng.uniform(0, 0.5, 4000)) == pytest.approx(-1, abs=0.05)
    y = 0.8 * x + 0.6 * rng.normal(size=4000)
    assert mutual_information(samples=(x, y), base="nats") == pytest.approx(-0.5 * math.log(1 - 0.64), abs=0.05)
    assert mutual_information(samples=(x, rng.normal(size=4000))) == pytest.approx(0, abs=0.05)
    assert kl_divergence(samples=(x, 1 + rng.normal(size=4000)), base="nats") == pytest.approx(0.5, abs=0.08)
    labels = x > 0
    assert mutual_information(samples=x, labels=labels) == pytest.approx(1, abs=0.02)


def test_values_that_repeat_in_one_sample_alone_act_as_labels():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, size=600)
    y = labels + rng.normal(size=600)
    by_label = mutual_information(samples=y, labels=labels)
    assert mutual_information(samples=(100.0 * labels, y)) == pytest.approx(by_label, abs=1e-12)


def test_repeated_samples_are_no_draws_of_a_density():
    x = np.r_[np.zeros(5), np.arange(1.0, 20)]
    twice = np.r_[0.0, 0.0, np.arange(1.0, 20)]  # fewer times than n_neighbors: still no draws of a density
    other = np.random.default_rng(0).normal(size=21)
    message = r"row 0 of samples(\[.\])? occurs more than once.*drop the repeated rows, add noise .*labels="
    for ask in (
        lambda: differential_entropy(samples=x),
        lambda: differential_entropy(samples=twice),
        lambda: kl_divergence(samples=(twice, other)),
        lambda: kl_divergence(samples=(other, twice)),
    ):
        with pytest.raises(DataError, match=message):
            ask()
    with pytest.raises(DataError, match=r"row 3 of samples\[0\] is also a row of samples\[1\].*drop the repeated rows"):
        kl_divergence(samples=(np.arange(5.0), np.array([3.0, 7.0, 8.0, 9.0, 10.0])))
    with pytest.raises(DataError, match="n_neighbors=3 needs more than 3 samples; there are 2"):
        differential_entropy(samples=[1.0, 2.0])
    with pytest.raises(DataError, match="NaN or infinity in row 1"):
        mutual_information(samples=([1.0, np.nan, 2.0], [1.0, 2.0, 3.0]))
    with pytest.raises(DataError, match="must be pairs"):
        mutual_information(samples=([1.0, 2.0, 3.0, 4.0], [1.0, 2.0]))
    with pytest.raises(ParameterError, match="has no weights"):
        mutual_information(samples=(x, x), sample_weight=x)
    with pytest.raises(DataError, match="every label occurs once"):
        mutual_information(samples=[1.0, 2.0], labels=[0, 1])


@pytest.mark.notes("001", "entropy-curve")
def test_entropy_curve():
    found = entropy_curve()
    assert (
        found.entropy[0] == found.entropy[-1] == 0
        and found.entropy.max() == 1
        and found.p[found.entropy.argmax()] == 0.5
    )
    axes = found.plot(canvas())
    p, height = curve(axes)
    inside = (p > 0) & (p < 1)
    q = p[inside]
    np.testing.assert_allclose(height[inside], -q * np.log2(q) - (1 - q) * np.log2(1 - q), rtol=1e-12)
    assert axes.get_ylabel() == "entropy H(p) in bits" and height[0] == height[-1] == 0
    assert entropy_curve(base="nats").plot(axes) is axes
    with pytest.raises(DataError, match="every p"):
        entropy_curve([1.5])


@pytest.mark.notes("002", "plot-entropy-venn")
def test_information_diagram_has_true_areas():
    diagram = information_diagram(SECOND)
    assert diagram.joint == pytest.approx(entropy(SECOND)) and diagram.x == pytest.approx(1)
    axes = diagram.plot()
    circles = axes.patches
    (a, _), (b, _) = circles[0].center, circles[1].center
    r, s = circles[0].radius, circles[1].radius
    assert np.pi * r * r == pytest.approx(diagram.x) and np.pi * s * s == pytest.approx(diagram.y)
    assert lens_area(r, s, b - a) == pytest.approx(diagram.shared, rel=1e-9)
    x, y = np.meshgrid(
        np.linspace(-1, 2, 1501), np.linspace(-1, 1, 1001)
    )  # the overlap of the drawn discs, by counting cells
    both = (np.hypot(x - a, y) < r) & (np.hypot(x - b, y) < s)
    assert both.mean() * 6 == pytest.approx(diagram.shared, abs=4e-3)
    for r1, r2, gap in ((1.0, 0.6, 0.9), (0.7, 0.7, 0.5), (1.0, 0.3, 0.8)):
        both = (np.hypot(x, y) < r1) & (np.hypot(x - gap, y) < r2)
        assert both.mean() * 6 == pytest.approx(lens_area(r1, r2, gap), abs=6e-3)
    assert "H(X|Y)\n0.875" in [text.get_text() for text in axes.texts]
    middle = words(axes)
    hx, hy = np.asarray(SECOND).sum(1), np.asarray(SECOND).sum(0)
    hx, hy, both = (-(v[v > 0] * np.log2(v[v > 0])).sum() for v in (hx, hy, np.ravel(SECOND)))
    parts = {"H(X|Y)": both - hy, "I(X;Y)": hx + hy - both, "H(Y|X)": both - hx}
    for name, value in parts.items():
        assert f"{name}\n{value:.3f}" in middle
    assert middle[f"H(X|Y)\n{parts['H(X|Y)']:.3f}"][0] < a + r and middle[f"H(Y|X)\n{parts['H(Y|X)']:.3f}"][0] > b - s
    bars = diagram.plot(canvas(), kind="bars")
    spans = sorted((p.get_y() + p.get_height() / 2, p.get_x(), p.get_width()) for p in bars.patches)
    rows = {
        "H(X,Y)": [*parts.values()],
        "H(X)": [parts["H(X|Y)"], parts["I(X;Y)"]],
        "H(Y)": [parts["I(X;Y)"], parts["H(Y|X)"]],
    }
    assert [t.get_text() for t in bars.get_yticklabels()] == list(rows)
    for tick, widths in zip(bars.get_yticks(), rows.values()):
        drawn = [(left, width) for y, left, width in spans if abs(y - tick) < 0.3]
        np.testing.assert_allclose([width for _, width in drawn], widths, atol=1e-9)
        np.testing.assert_allclose(np.diff([left for left, _ in drawn]), [width for _, width in drawn][:-1], atol=1e-9)
    assert center_distance(1.0, 1.0, 0.0) == 2 and center_distance(2.0, 1.0, math.pi) == 1
    copied = information_diagram(labels=([0, 1, 1], [0, 1, 1]), names=("A", "B"))
    assert copied.x_only == copied.y_only == 0 and copied.plot() is not None
    assert information_diagram(np.outer(P, U)).plot() is not None
    with pytest.raises(DataError, match="a diagram shows two variables"):
        information_diagram(np.full((2, 2, 2), 0.125))
    with pytest.raises(ParameterError, match="kind must be one of 'venn', 'bars'"):
        diagram.plot(kind="pie")


@pytest.mark.notes("002", "differential-entropy")
def test_distributions_answer_for_themselves():
    from novum.distributions import Bernoulli, Beta, Categorical, MultivariateNormal, Normal, Uniform

    assert entropy(Categorical(P)) == pytest.approx(1.5) and entropy(Bernoulli([0.5, 0.25]))[0] == 1
    assert differential_entropy(Uniform(0, 0.5)) == pytest.approx(-1)
    assert differential_entropy(Normal(0, 9), base="nats") == pytest.approx(0.5 * math.log(2 * math.pi * math.e * 9))
    assert kl_divergence(Bernoulli([0.8, 0.5]), Bernoulli(0.9), base="nats") == pytest.approx(
        [0.0444030, 0.5108256], abs=5e-8
    )
    assert cross_entropy(Categorical(P), Categorical(U)) == pytest.approx(math.log2(3))
    assert code_length(Categorical(P), [0, 1, 2]) == pytest.approx([1, 2, 2])
    model = MultivariateNormal([0, 0, 0], [[1, 0.8, 0.3], [0.8, 1, 0.1], [0.3, 0.1, 2]])
    assert mutual_information(model, base="nats") == pytest.approx(-0.5 * math.log(1 - 0.64))
    both = mutual_information(model, 0, (1, 2))
    assert both == pytest.approx(mutual_information(model, 0, 2) + mutual_information(model, 0, 1, given=2))
    assert conditional_entropy(model, given=1, of=0) == pytest.approx(
        differential_entropy(model.condition(1, [0.3]).marginal(0))
    )
    assert conditional_entropy(model, given=(1, 2)) == pytest.approx(
        differential_entropy(model.condition([1, 2], [0, 1]))
    )
    with pytest.raises(ParameterError, match="for probabilities `entropy`"):
        differential_entropy(P)
    x = Beta(2, 5).sample(3000, random_state=0)
    assert differential_entropy(samples=x) == pytest.approx(differential_entropy(Beta(2, 5)), abs=0.06)


def test_scikit_learn_agrees_up_to_its_noise_and_scaling():
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
    from sklearn.metrics import mutual_info_score

    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = 0.8 * x + 0.6 * rng.normal(size=300)
    scaled = (x / x.std(), y / y.std())
    assert mutual_information(samples=scaled, base="nats") == pytest.approx(
        mutual_info_regression(x[:, None], y, random_state=0)[0], rel=1e-9
    )
    labels = np.digitize(x, [-0.5, 0.5])
    assert mutual_information(samples=y, labels=labels, base="nats") == pytest.approx(
        mutual_info_classif(y[:, None], labels, random_state=0)[0], rel=1e-9
    )
    other = rng.integers(0, 3, size=300)
    assert mutual_information(labels=(labels, other), base="nats") == pytest.approx(mutual_info_score(labels, other))
