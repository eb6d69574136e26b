"""Theorems shown: no free lunch, Gauss-Markov, irrelevant features, the curse of dimensionality, biased variance, universality."""

import itertools
import math

import numpy as np
import pytest
from artists import bars, canvas, curve, curves
from matplotlib.path import Path as MplPath
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from novum.datasets import load_example
from novum.exceptions import DataError, ParameterError
from novum.kernel_ridge import KernelRidge
from novum.linear_model import LinearRegression
from novum.neighbors import KNeighborsClassifier
from novum.teaching import (
    curse_of_dimensionality,
    gauss_markov,
    irrelevant_features,
    no_free_lunch,
    plot_hypothesis_space,
)


@pytest.mark.notes("003", "no-free-lunch")
def test_no_learner_beats_a_coin_over_all_targets():
    learners = {
        "constant": lambda X, y, unseen: np.ones(len(unseen)),
        "majority": lambda X, y, unseen: np.full(len(unseen), y.mean() > 0.5),
        "1-NN": KNeighborsClassifier(1),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    found = no_free_lunch(learners, n_inputs=3, n_train=5)
    assert found.mean == dict.fromkeys(learners, 0.5) and found.targets.shape == (256, 8)
    assert len(np.unique(found.targets, axis=0)) == 256
    assert_allclose(found.accuracy["constant"], found.targets[:, 5:].mean(axis=1))
    most = found.targets[:, :5].mean(axis=1) > 0.5
    assert_allclose(found.accuracy["majority"], (found.targets[:, 5:] == most[:, None]).mean(axis=1))
    better = found.accuracy["1-NN"] - found.accuracy["constant"]
    assert better.max() > 0 > better.min()  # what wins on one target loses on another
    assert no_free_lunch({"c": learners["constant"]}, 2, 1).mean == {"c": 0.5}
    ax = found.plot(canvas())
    assert ax.get_ylabel() == "targets" and "256 targets" in repr(found)
    for k, name in enumerate(learners):
        at, height = bars(ax, k)
        assert_allclose(at, np.arange(4) / 3 + (k - 1.5) * 0.05)  # a share of four bars each about 0, 1/3, 2/3 and 1
        assert_allclose(height, [np.isclose(found.accuracy[name], share).sum() for share in np.arange(4) / 3])
    with pytest.raises(ParameterError, match="at most 4"):
        no_free_lunch(learners, 5)
    with pytest.raises(ParameterError, match="must stay unseen"):
        no_free_lunch(learners, 2, 4)


@pytest.mark.notes("003", "gauss-markov")
def test_least_squares_has_the_least_variance():
    rng = np.random.default_rng(0)
    phi = np.column_stack([np.ones(30), rng.normal(size=(30, 2))])
    inverse = np.linalg.inv(phi.T @ phi)
    for weights in (None, rng.uniform(0.1, 5, 30), np.linalg.pinv(phi) + null_matrix(phi, rng)):
        found = gauss_markov(phi, weights, noise=0.7)
        assert_allclose(found.least_squares, 0.49 * inverse, rtol=1e-10)
        if weights is not None:
            rule = weights if weights.ndim == 2 else np.linalg.inv((phi.T * weights) @ phi) @ (phi.T * weights)
            assert_allclose(found.other, 0.49 * rule @ rule.T, rtol=1e-9)
            assert_allclose(found.efficiency, np.diag(inverse) / np.diag(rule @ rule.T), rtol=1e-9)
        assert found.excess.min() > -1e-12 and (found.efficiency <= 1 + 1e-12).all()
    same = gauss_markov(phi, np.ones(30))
    assert_allclose(same.other, same.least_squares, rtol=1e-10)
    truth = np.array([1.0, -2.0, 0.5])
    found = gauss_markov(phi, np.linspace(1, 9, 30))
    targets = phi @ truth + rng.normal(size=(4000, 30))
    heavy = np.linalg.solve((phi.T * np.linspace(1, 9, 30)) @ phi, phi.T * np.linspace(1, 9, 30))
    plain = LinearRegression(fit_intercept=False).fit(phi, targets.T).coef_
    assert_allclose(plain.mean(axis=0), truth, atol=0.02)
    assert_allclose(np.cov(plain.T), found.least_squares, atol=0.006)
    assert_allclose(np.cov(heavy @ targets.T), found.other, atol=0.006)
    shrunk = 0.9 * plain  # biased, with a smaller variance
    assert np.trace(np.cov(shrunk.T)) < np.trace(found.least_squares)
    ax = found.plot(canvas())
    assert ax.get_xlabel() == "coefficient" and "least squares" in repr(found)
    for k, covariance in enumerate((found.least_squares, found.other)):
        at, height = bars(ax, k)
        assert_allclose(at, np.arange(3) + (k - 0.5) * 0.4)
        assert_allclose(height, np.sqrt(np.diag(covariance)))
    for bad, words in ((np.zeros((3, 30)), "biased"), (np.zeros(30), "positive"), (np.ones(4), "shape")):
        with pytest.raises(DataError, match=words):
            gauss_markov(phi, bad)
    with pytest.raises(DataError, match="rank"):
        gauss_markov(np.ones((4, 2)))


def null_matrix(phi, rng):
    """Return D with D phi = 0."""
    wild = rng.normal(size=(phi.shape[1], len(phi)))
    return wild - wild @ phi @ np.linalg.pinv(phi)


@pytest.mark.notes("000-a", "feature-count-experiment")
def test_noisy_features_hurt_and_more_rows_help():
    X, y = make_classification(1500, 4, n_informative=4, n_redundant=0, class_sep=1.5, random_state=0)
    found = irrelevant_features(
        KNeighborsClassifier(), X, y, n_noise=(0, 10, 60), n_train=(60, 1000), n_repeats=3, random_state=0
    )
    assert (np.diff(found.scores, axis=1) < 0).all()
    assert (found.scores[1] > found.scores[0]).all()
    units = irrelevant_features(
        KNeighborsClassifier(),
        7 + X * [1, 100, 0.01, 5],
        y,
        n_noise=(0, 10, 60),
        n_train=(60, 1000),
        n_repeats=3,
        random_state=0,
    )
    assert_allclose(units.scores, found.scores, atol=2e-3)  # columns are standardized
    fewer = irrelevant_features(KNeighborsClassifier(), X[:, :1], y, n_noise=(0,), n_train=(1000,), random_state=0)
    assert fewer.scores[0, 0] < found.scores[1, 0]  # informative ones are missed
    assert found.to_frame().shape == (2, 3) and found.plot().get_xlabel() == "columns of noise"
    assert "rows" in repr(found) and "<table" in found._repr_html_()
    again = irrelevant_features(KNeighborsClassifier(), *load_iris(return_X_y=True), n_noise=(0, 5), random_state=3)
    same = irrelevant_features(KNeighborsClassifier(), *load_iris(return_X_y=True), n_noise=(0, 5), random_state=3)
    assert np.array_equal(again.scores, same.scores)
    with pytest.raises(ParameterError, match="held out"):
        irrelevant_features(KNeighborsClassifier(), X, y, n_train=(1500,))


@pytest.mark.notes("003", "curse-of-dimensionality")
def test_shell_of_a_cube_and_cells_of_a_grid():
    d = np.array([1, 2, 3, 10, 100])
    found = curse_of_dimensionality(d, side=0.99, cells=4, share=0.1)
    shares = found.plot(canvas())
    need = next(ax for ax in shares.figure.axes if ax is not shares)
    drawn = curves(shares)
    shell, side = drawn["share in the shell"], drawn["side of a neighborhood"]
    assert_allclose(shell[:, 0], d)
    assert_allclose(shell[[0, 1, 3, 4], 1], [0.01, 0.0199, 0.0956179, 0.6339677], atol=5e-8)
    rng = np.random.default_rng(0)
    for k, (dimension, _) in enumerate(shell[1:], 1):
        rows = rng.uniform(size=(20000, int(dimension)))
        assert abs((rows > 0.99).any(axis=1).mean() - shell[k, 1]) < 0.012
        assert abs((rows < side[k, 1]).all(axis=1).mean() - 0.1) < 0.01  # this cube holds a tenth of the rows
    sizes = [len(np.stack(np.meshgrid(*[np.arange(4)] * n)).reshape(n, -1).T) for n in (1, 2, 3)]
    at, rows_needed = curve(need)
    assert_allclose(at, d)
    assert_allclose(rows_needed[:3], sizes)  # N^D rows for N per axis
    assert_allclose(rows_needed[3:], [4.0**10, 4.0**100], rtol=1e-12)
    assert_allclose(curse_of_dimensionality((1, 3), side=0.9).shell, [0.1, 0.271], rtol=1e-12)
    assert list(found.to_frame().columns) == ["dimensions", "shell", "rows", "side"]
    with pytest.raises(ParameterError, match=r"curse_of_dimensionality\(side=1.5\)"):
        curse_of_dimensionality(side=1.5)


@pytest.mark.notes("002", "variance-bias")
def test_maximum_likelihood_variance_is_biased():
    from novum.distributions import Normal
    from novum.teaching import bias_of_variance

    for n, expected in ((2, 0.5), (5, 0.8), (10, 0.9)):
        found = bias_of_variance(n, n_samples=20_000)
        assert found.expected == pytest.approx(expected, rel=1e-15)
        assert abs(found.likely - expected) < 4 * found.standard_error < 0.025
        assert found.unbiased == pytest.approx(found.likely * n / (n - 1), rel=1e-12)
        assert found.standard_error == pytest.approx(np.sqrt(2 * (n - 1)) / n / np.sqrt(20_000), rel=0.05)
    wide = bias_of_variance(4, variance=9.0, random_state=1)
    assert wide.expected == 6.75 and abs(wide.unbiased - 9) < 4 * wide.standard_error * 4 / 3
    sample = np.random.default_rng(0).normal(size=7)
    assert_allclose(Normal.fit(sample).var, ((sample - sample.mean()) ** 2).sum() / 7, rtol=1e-12)
    with pytest.raises(ParameterError, match=r"bias_of_variance.*n=1"):
        bias_of_variance(1)


@pytest.mark.notes("000-b", "multiclass-cost")
def test_pairs_gain_with_the_cost_of_the_base_learner():
    """With base cost n^p and balanced classes: m n^p against m(m-1)/2 (2n/m)^p, a ratio of 2/(m-1) (m/2)^p."""
    from sklearn.dummy import DummyClassifier
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

    from novum.teaching import reduction_cost

    found = [reduction_cost([100] * 10, p) for p in (1, 2, 3)]
    assert_allclose([one.ratio for one in found], [10 / 9, 50 / 9, 250 / 9])
    assert [one.n_learners for one in found] == [(10, 45)] * 3 and found[0].cheaper == "one_vs_one"
    assert found[1].one_vs_rest == 10 * 1000**2 and found[1].one_vs_one == 45 * 200**2
    uneven = reduction_cost([1, 2, 5], 2)
    assert (uneven.one_vs_rest, uneven.one_vs_one) == (3 * 64, 9 + 36 + 49)
    assert reduction_cost([1, 2, 5, 5], 0).cheaper == "one_vs_rest"  # four learners against six
    assert reduction_cost([3, 4], 2).ratio == 1

    class Counter(DummyClassifier):
        rows: list = []

        def fit(self, X, y):
            self.rows.append(len(X))
            return super().fit(X, y)

    y = np.repeat([0, 1, 2], [1, 2, 5])
    for reduction, cost in ((OneVsRestClassifier, uneven.one_vs_rest), (OneVsOneClassifier, uneven.one_vs_one)):
        Counter.rows.clear()
        reduction(Counter()).fit(np.zeros((8, 1)), y)
        assert sum(n**2 for n in Counter.rows) == cost
    with pytest.raises(DataError, match="at least two classes"):
        reduction_cost([3], 1)


@pytest.mark.notes("000-c", "rbf-universality")
def test_gaussian_kernels_come_as_close_as_one_likes():
    def target(x):
        return np.sin(8 * x) + np.abs(x - 0.4)

    dense = np.linspace(0, 1, 2001)[:, None]
    errors = []
    for n, width in ((6, 0.3), (12, 0.15), (40, 0.06), (160, 0.02)):
        x = np.linspace(0, 1, n)[:, None]
        model = KernelRidge(kernel="rbf", gamma=1 / (2 * width**2), alpha=1e-10).fit(x, target(x[:, 0]))
        errors.append(np.abs(model.predict(dense) - target(dense[:, 0])).max())
        K = np.exp(-((x - x.T) ** 2) / (2 * width**2))
        by_hand = np.exp(-((dense - x.T) ** 2) / (2 * width**2)) @ model.dual_coef_
        assert_allclose(model.predict(dense), by_hand, atol=1e-8 * np.abs(model.dual_coef_).sum())
        assert_allclose((K + 1e-10 * np.eye(n)) @ model.dual_coef_, target(x[:, 0]), atol=1e-7)
    assert all(b < a for a, b in itertools.pairwise(errors)) and errors[-1] < 0.01 < 0.05 < errors[0]


@pytest.mark.notes("003", "fig-hypothesis-space")
def test_diagram_of_hypothesis_spaces():
    ax = plot_hypothesis_space(canvas(), n_samples=20)
    drawn = curves(ax)
    (truth,) = drawn["truth f"]
    whole = ax.lines[0].get_xydata()
    for outer, inner in ((whole, drawn["H2"]), (drawn["H2"], drawn["H1"])):  # one inside the other
        assert MplPath(outer).contains_points(inner).all()
    assert MplPath(whole).contains_points([truth]).all() and not MplPath(drawn["H2"]).contains_points([truth]).any()
    small, large = (np.asarray(points.get_offsets()) for points in ax.collections)
    for name, chosen in (("H1", small), ("H2", large)):
        assert len(chosen) == 20 and MplPath(drawn[name]).contains_points(chosen, radius=0.02).all()
        best = drawn[name][np.linalg.norm(drawn[name] - truth, axis=1).argmin()]
        dotted = [line.get_xydata() for line in ax.lines if line.get_linestyle() == ":"]
        assert any(np.allclose(line, [truth, best]) for line in dotted)  # the bias of the space
    assert np.linalg.norm(large - truth, axis=1).mean() < np.linalg.norm(small - truth, axis=1).mean()  # bias
    assert large.std(axis=0).sum() > small.std(axis=0).sum()  # variance


def test_the_integers_of_the_notes_are_where_the_docs_say():
    assert math.isclose(load_example("integers").data[0, 0], 1)
