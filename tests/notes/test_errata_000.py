"""Misprints of 000 up to chapter 11, each shown by a computation: what is printed fails, what errata.tsv calls right holds."""

import itertools
from math import log2

import numpy as np
import pytest
from scipy import stats

from novum import datasets


def separated(parents, a, b, given):
    """d-separation by paths: a path is blocked at a non-collider in `given`, or at a collider without observed descendant."""
    children = {n: [c for c in parents if n in parents[c]] for n in parents}

    def below(n):
        return {n}.union(*(below(c) for c in children[n]))

    def open_path(path):
        for left, mid, right in zip(path, path[1:], path[2:]):
            collider = left in parents[mid] and right in parents[mid]
            if not below(mid) & set(given) if collider else mid in given:
                return False
        return True

    def walk(path):
        if path[-1] == b:
            yield path
            return
        for n in [*parents[path[-1]], *children[path[-1]]]:
            if n not in path:
                yield from walk([*path, n])

    return not any(open_path(path) for path in walk([a]))


def test_000_matrix_in_two_bases():
    A = np.array([[2, -1, 0, 1], [0, 1, -2, 1], [1, 1, -2, 0]])
    B = np.array([[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 0, 1], [0, 1, 1, 1]]).T
    C = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0]]).T
    M = np.linalg.solve(C, A @ B)
    np.testing.assert_allclose(M, [[1, 3, 0, -1], [-1, 0, 1, 1], [2, -4, 0, 0]], atol=1e-14)
    v = np.array([1, 2, 3, 4])
    wrong = np.where((np.arange(12) == 9).reshape(3, 4), 4, M)
    assert np.allclose(C @ M @ np.linalg.solve(B, v), A @ v) and not np.allclose(
        C @ wrong @ np.linalg.solve(B, v), A @ v
    )


def test_000_rotation_has_no_real_eigenvalue():
    assert np.abs(np.linalg.eigvals([[0, -1], [1, 0]]).imag).min() == 1


def test_000_distinct_eigenvalues_give_independent_vectors():
    values, vectors = np.linalg.eig(np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, -1]]))
    assert len(set(values.round(9))) == 3 == np.linalg.matrix_rank(vectors)
    assert (
        np.linalg.matrix_rank(np.linalg.eig(np.array([[1.0, 1], [0, 1]]))[1], tol=1e-8) == 1
    )  # one distinct, one vector


def test_000_stretch_along_eigenvectors_is_linear():
    M = np.array([[2.0, 1.0], [1.0, 2.0]])
    x, y = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    np.testing.assert_allclose(M @ (2 * x + y), 2 * M @ x + M @ y)
    assert not np.allclose(M, np.diag(np.diag(M)))  # no scaling of the standard axes


def test_000_variance_of_a_die():
    face = np.arange(1, 7)
    assert np.mean((face - 3.5) ** 2) == pytest.approx(np.mean(face**2) - 3.5**2) == pytest.approx(2.916667, abs=5e-7)
    assert np.mean(face**2) != 3.5**2


def test_000_moments_of_a_pair():
    p = np.array([[0.1, 0.2, 0.1], [0.3, 0.1, 0.2]])
    x = np.array([1.0, 4.0])
    inside = (x[:, None] * p).sum()
    assert inside == pytest.approx(x @ p.sum(axis=1)) and not np.allclose(x * p.sum(), inside)
    variance = (((x - inside) ** 2)[:, None] * p).sum()
    of_square = ((((x - inside) ** 2)[:, None] - variance) ** 2 * p).sum()
    assert variance == pytest.approx((x**2) @ p.sum(axis=1) - inside**2) and of_square != pytest.approx(variance)


def test_000_chain_of_conditionals():
    p = np.arange(1.0, 13).reshape(2, 2, 3)
    p /= p.sum()  # (x, y, z)
    x_given_yz = p / p.sum(axis=0)
    y_given_z = p.sum(axis=0) / p.sum(axis=(0, 1))
    xz = p.sum(axis=1)
    x_given_z = xz / xz.sum(axis=0)
    total = (x_given_yz * y_given_z * (xz / x_given_z)[:, None, :]).sum(axis=(0, 2))
    np.testing.assert_allclose(total, p.sum(axis=(0, 2)))


def test_000_variance_of_the_mean():
    faces = np.array(list(itertools.product(range(1, 7), repeat=3)))
    assert faces.mean(axis=1).var() == pytest.approx((35 / 12) / 3)
    assert faces.var(axis=1).mean() != pytest.approx((35 / 12) / 3)  # the mean of the variance is something else


def test_000_law_of_large_numbers():
    n, epsilon = np.array([10, 1000, 100_000]), 0.1  # coins with heads 1: the mean tends to 1/2, not to 0
    away = stats.binom.sf(np.ceil((0.5 + epsilon) * n) - 1, n, 0.5) + stats.binom.cdf((0.5 - epsilon) * n, n, 0.5)
    assert away[-1] < 1e-9 and stats.binom.sf(np.ceil(epsilon * n) - 1, n, 0.5)[-1] == pytest.approx(1)


def test_000_conditional_entropy_is_not_negative():
    p = np.array([[0.3, 0.2], [0.1, 0.4]])
    y_given_x = p / p.sum(axis=1, keepdims=True)
    printed = (p * np.log2(y_given_x)).sum()
    assert printed < 0
    joint, x = -(p * np.log2(p)).sum(), -sum(q * log2(q) for q in p.sum(axis=1))
    assert -printed == pytest.approx(joint - x)


def test_000_precision_falls_as_the_threshold_falls():
    score, y = np.array([0.9, 0.8, 0.7, 0.4, 0.2]), np.array([1, 1, 0, 1, 0])
    precision, recall = {}, {}
    for threshold in (0.0, 0.85):
        said = score >= threshold
        precision[threshold], recall[threshold] = y[said].mean(), y[said].sum() / y.sum()
    assert precision[0.85] > precision[0.0] and recall[0.0] == 1 > recall[0.85]


def test_000_unbiased_is_not_consistent():
    p = 0.3  # of heads; the first toss alone: expectation p, variance p (1 - p) for any number of tosses
    assert stats.bernoulli(p).mean() == p and stats.bernoulli(p).var() == pytest.approx(0.21)
    shrunk = {n: stats.binom(n, p).expect(lambda heads, n=n: (heads + 1) / (n + 2)) for n in (2, 2000)}
    assert shrunk[2] == pytest.approx(0.4) and shrunk[2000] == pytest.approx(p, abs=3e-4)  # biased, yet consistent


def test_000_two_sided_p_value():
    A, B = datasets.load_tenfold_scores().data.T
    t, p = stats.ttest_rel(A, B)
    assert p == pytest.approx(2 * stats.t.sf(t, 9)) == pytest.approx(0.015441, abs=5e-7)
    assert stats.t.sf(t, 9) == pytest.approx(0.007720, abs=5e-7)


def test_000_paired_t():
    d = np.subtract(*datasets.load_tenfold_scores().data.T)
    error = np.sqrt(((d - d.mean()) ** 2).sum() / 90)
    assert error == pytest.approx(0.0154344, abs=5e-8)
    assert d.mean() / error == pytest.approx(2.98, abs=0.005) and d.mean() / np.sqrt(error) == pytest.approx(
        0.370, abs=5e-4
    )


def test_000_log_likelihood_derivative():
    x, h = np.array([0.2, 1.4, 2.3]), 1e-6
    at = {m: stats.norm.logpdf(x, m).sum() for m in (1 - h, 1 + h)}
    slope = (at[1 + h] - at[1 - h]) / (2 * h)
    assert slope == pytest.approx((x - 1).sum(), abs=1e-8)
    density = {m: np.exp(value) for m, value in at.items()}
    assert (density[1 + h] - density[1 - h]) / (2 * h) != pytest.approx(slope, abs=1e-2)


def test_000_posterior_of_a_mean():
    x, grid = np.array([1.0, 2.0, 4.0]), np.linspace(-10, 10, 20_001)
    posterior = np.exp(stats.norm.logpdf(x[:, None], grid).sum(axis=0) + stats.norm.logpdf(grid, 0, 2))
    posterior /= posterior.sum() * 1e-3
    variance = 1 / (3 + 1 / 4)
    mean = variance * x.sum()
    np.testing.assert_allclose(
        posterior, np.exp(-0.5 * (grid - mean) ** 2 / variance) / np.sqrt(2 * np.pi * variance), atol=1e-9
    )
    assert np.exp(0.5 * (10 - mean) ** 2 / variance) > 1e20  # with a plus the tail explodes


def test_000_weather_days():
    days = datasets.load_example("weather").data[:, 0]
    assert len(days) == 8 and len(set(days)) == 3


def test_000_dirichlet_posterior():
    counts, alpha = np.array([2, 3, 3]), np.array([1.0, 2.0, 0.5])
    mean = (counts + alpha) / (counts + alpha).sum()
    np.testing.assert_allclose(mean, stats.dirichlet(counts + alpha).mean())
    literal = (counts + alpha) / (counts.sum() + alpha)  # the sum over the counts alone, then one alpha
    assert mean.sum() == pytest.approx(1) and literal.sum() != pytest.approx(1)
    assert len(set(counts + alpha)) == 3  # a parameter per outcome, hence the index


def test_000_size_of_a_factorised_joint():
    """Free parameters are directions in which the joint table can move: the rank of its derivatives."""
    parents = {1: (), 2: (), 3: (), 4: (1, 2, 3), 5: (1, 3), 6: (4,), 7: (4, 5)}
    configurations = {
        node: set(itertools.product((0, 1), repeat=1 + len(above))) for node, above in parents.items()
    }  # of a node and its parents: one entry each
    assert len(configurations[6]) == 2**2 and sum(map(len, configurations.values())) == 42
    places = {
        (node, c[1:]): i
        for i, (node, c) in enumerate((n, c) for n in parents for c in sorted(configurations[n]) if c[0])
    }
    states = list(itertools.product((0, 1), repeat=7))

    def joint(on):
        table = np.ones(len(states), dtype=complex)
        for row, state in enumerate(states):
            for node, above in parents.items():
                p = on[places[node, tuple(state[a - 1] for a in above)]]
                table[row] *= p if state[node - 1] else 1 - p
        return table

    on = np.random.default_rng(0).uniform(0.2, 0.8, len(places))
    steps = 1e-30j * np.eye(len(places))
    slopes = np.column_stack([joint(on + step).imag / 1e-30 for step in steps])
    assert joint(on).real.sum() == pytest.approx(1) and np.linalg.matrix_rank(slopes) == 21


def test_000_explaining_away_leaves_the_cause_possible():
    p = np.zeros((2, 2, 2))  # burglar, earthquake, alarm
    for b, e in itertools.product((0, 1), repeat=2):
        rings = (0.01, 0.3, 0.9, 0.95)[2 * b + e]
        p[b, e] = np.array([1 - rings, rings]) * (0.99, 0.01)[b] * (0.98, 0.02)[e]
    alarm, both = p[1, :, 1].sum() / p[:, :, 1].sum(), p[1, 1, 1] / p[:, 1, 1].sum()
    assert 0 < both < alarm


def test_000_d_separation_exercises():
    graph = datasets.load_network("d_separation").parents
    assert [separated(graph, "a", "b", g) for g in ("c", "", "f", "e", "cf")] == [False, True, True, False, True]
    assert graph["b"] == ("f",) and set(graph["e"]) == {"a", "f"}


def test_000_two_equivalence_classes():
    for parents in ({"A": "", "C": "A", "B": "C"}, {"B": "", "C": "B", "A": "C"}, {"C": "", "A": "C", "B": "C"}):
        assert not separated(parents, "A", "B", "") and separated(parents, "A", "B", "C")
    collider = {"A": "", "B": "", "C": "AB"}
    assert separated(collider, "A", "B", "") and not separated(collider, "A", "B", "C")


def test_000_chain_factorisation():
    start, step = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]])
    joint = np.einsum("a,ab,bc,cd->abcd", start, step, step, step)
    seen = joint[0, :, 1, :].sum(axis=1)
    np.testing.assert_allclose(seen, start[0] * step[0] * step[:, 1])
    given = joint[0, :, 1, :].sum(axis=1) / joint[0, :, 1, :].sum()  # P(X2 | x1, x3)
    assert not np.allclose(start[0] * given * joint.sum(axis=(0, 1, 3))[1], seen)


def test_000_messages_inside_the_sum():
    f_a, f_b, f_c = (t for _, t in datasets.load_factors("star").factors.values())
    message = f_a.sum(axis=0) * f_c.sum(axis=0)
    inside = message @ f_b
    np.testing.assert_allclose(inside, np.einsum("ab,bc,db->c", f_a, f_b, f_c))
    assert not np.allclose(message * f_b.sum(axis=0), inside)


def test_000_nested_maxima():
    start, step = np.array([0.6, 0.4]), np.array([[0.5, 0.5], [0.1, 0.9]])
    joint = np.einsum("a,ab,bc->abc", start, step, step)
    nested = (start[:, None] * step * step.max(axis=1)).max()
    assert nested == pytest.approx(joint.max()) and start.max() * step.max() ** 2 > joint.max()


def test_000_conditional_tables_sum_by_row():
    gauge = datasets.load_fuel_gauge().tables["gauge"]
    np.testing.assert_allclose(gauge.sum(axis=-1), 1)
    assert gauge.sum() == pytest.approx(4)  # probabilities of configurations would sum to one


def test_000_two_structures_of_seven_rows():
    rows = datasets.load_example("seven_rows").data
    first = rows[:, 0] == "T"
    x1_given_red = first[rows[:, 1] == "R"].mean()
    red_given_x1 = (rows[first, 1] == "R").mean()
    assert (x1_given_red, red_given_x1) == pytest.approx((2 / 3, 1 / 3))


def test_000_dirichlet_mean_is_not_the_mode():
    counts, alpha = np.array([2.0, 1.0]), np.array([2.0, 2.0])
    theta = np.linspace(1e-4, 1 - 1e-4, 99_999)
    density = theta ** (counts[0] + alpha[0] - 1) * (1 - theta) ** (counts[1] + alpha[1] - 1)
    mode, mean = theta[density.argmax()], (theta * density).sum() / density.sum()
    assert mean == pytest.approx((counts[0] + alpha[0]) / (counts + alpha).sum(), abs=1e-6)
    assert mode == pytest.approx((counts[0] + alpha[0] - 1) / (counts + alpha - 1).sum(), abs=1e-4)


def test_000_posterior_needs_the_evidence():
    prior, likelihood = np.array([0.3, 0.7]), np.array([0.2, 0.1])
    assert (prior * likelihood).sum() != pytest.approx(1)
    assert (prior * likelihood / (prior @ likelihood)).sum() == pytest.approx(1)
