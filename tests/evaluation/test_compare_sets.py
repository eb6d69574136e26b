"""compare over several data sets: Demsar's table, quantiles, Holm after Friedman, and the Bayesian tests."""

import numpy as np
import pytest
from reference.demsar import DEMSAR
from scipy import integrate, stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import (
    ShuffleSplit,
)
from sklearn.preprocessing import StandardScaler

from novum.datasets import load_tenfold_scores
from novum.evaluation import compare, holm
from novum.evaluation.comparison.bayesian import correlated_t, largest, signed_rank_posterior
from novum.evaluation.comparison.plots import indistinct
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier

A, B = load_tenfold_scores().data.T
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[::2]
y = y[::2]
HOLD_OUT = ShuffleSplit(1, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


# ------------------------------------------------------------------------------------------------------ paired tests


def test_friedman_on_demsars_table():
    result = compare(DEMSAR, design="data sets")
    np.testing.assert_allclose(result.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)  # as printed
    theirs = stats.friedmanchisquare(*DEMSAR.values())
    ours = result.overall["friedman"]
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    N, k = 14, 4
    untied = 12 * N / (k * (k + 1)) * ((result.ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert untied == pytest.approx(9.28, abs=0.01)  # the paper, without a correction for ties
    F = (N - 1) * ours.statistic / (N * (k - 1) - ours.statistic)
    assert result.overall["iman_davenport"].statistic == pytest.approx(F, rel=1e-12)
    assert result.overall["iman_davenport"].p_value == pytest.approx(stats.f.sf(F, 3, 39), rel=1e-12)
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)  # the paper at .05
    tenth = compare(DEMSAR, design="data sets", significance=0.1)
    assert tenth.critical_difference == pytest.approx(1.12, abs=0.005)
    better = {frozenset((one.a, one.b)) for one in tenth.pairs if tenth.verdict(one) != "cannot tell"}
    # the paper at .1: C4.5 is worse than +m and +m+cf; the other pairs cannot be distinguished
    assert better == {frozenset(("C4.5", "+m")), frozenset(("C4.5", "+m+cf"))}
    assert indistinct(tenth) == [["+m+cf", "+m", "+cf"], ["+cf", "C4.5"]]
    dunn = compare(DEMSAR, design="data sets", baseline="C4.5")
    assert dunn.adjust == "bonferroni-dunn" and dunn.critical_difference == pytest.approx(1.16, abs=0.01)  # the paper
    assert "4 models were compared on 14 data sets" in tenth.sentence() and "+m over C4.5" in tenth.sentence()


@pytest.mark.parametrize("k, q", [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_nemenyi_quantiles_of_demsars_table(k, q):
    from novum.evaluation.comparison.ranks import critical_difference

    assert critical_difference(k, 1, 0.05, "nemenyi") / np.sqrt(k * (k + 1) / 6) == pytest.approx(
        q, abs=1e-3
    )  # the table cuts some digits off
    dunn = {2: 1.960, 3: 2.241, 5: 2.498, 10: 2.773}[k]
    assert critical_difference(k, 1, 0.05, "bonferroni-dunn") / np.sqrt(k * (k + 1) / 6) == pytest.approx(
        dunn, abs=6e-4
    )


def test_range_of_normals_is_scipys():
    from novum.evaluation.comparison.ranks import range_tail

    q = np.array([0.3, 1.5, 3.314493, 6.0])
    np.testing.assert_allclose(range_tail(q, 3), stats.studentized_range.sf(q, 3, np.inf), rtol=1e-9)
    np.testing.assert_allclose(range_tail(q, 2), 2 * stats.norm.sf(q / np.sqrt(2)), rtol=1e-12)


def test_holm_after_friedman():
    result = compare(DEMSAR, design="data sets", adjust="holm", baseline="C4.5")
    z = [(result.ranks[j] - result.ranks[0]) / np.sqrt(20 / 84) for j in (1, 2, 3)]
    alone = 2 * stats.norm.sf(np.abs(z))
    np.testing.assert_allclose([one.p_value for one in result.pairs], alone, rtol=1e-10)
    np.testing.assert_allclose([one.adjusted for one in result.pairs], holm(alone), rtol=1e-10)


def test_models_on_several_data_sets():
    sets = {"iris": load_iris(), "wine": load_wine(), "cancer": (X, y)}
    result = compare({"nb": GaussianNB(), "tree": TREE}, sets, cv=3)
    assert result.design.kind == "data sets" and result.test == "wilcoxon" and result.parts == list(sets)
    own = compare({"nb": GaussianNB(), "tree": TREE}, X, y, cv=3)
    np.testing.assert_allclose(result.scores[2], own.scores.mean(0), rtol=1e-12)
    assert result.pairs[0].p_value == stats.wilcoxon(result.scores[:, 0] - result.scores[:, 1]).pvalue
    assert (
        "cannot give a two-sided p below .05"
        in dict(zip(result.validity().index, result.validity().reason))["wilcoxon"]
    )


# ------------------------------------------------------------------------------------------------------------ Bayesian


@pytest.mark.notes("000-a", "t-test-paired-kfold")
def test_correlated_t_by_quadrature():
    post = correlated_t(A - B, 1 / 9, 0.01, ("A", "B"), 1.0)
    scale = np.std(A - B, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    density = lambda m: stats.t.pdf((m - 0.046) / scale, 9) / scale  # noqa: E731
    assert post.equivalent == pytest.approx(integrate.quad(density, -0.01, 0.01)[0], abs=1e-10)
    assert post.a_better == pytest.approx(integrate.quad(density, 0.01, np.inf)[0], abs=1e-8)
    assert post.a_better + post.equivalent + post.b_better == pytest.approx(1)
    result = compare({"A": A, "B": B}, test="bayesian", rope=0.01)
    assert result.pairs[0].posterior.a_better == pytest.approx(post.a_better, rel=1e-12)
    assert result.verdict(result.pairs[0]) == "cannot tell" and "P(A better)" in result.sentence()
    same = compare({"A": A, "B": A + np.resize([0.001, -0.001], len(A))}, test="bayesian")
    assert same.verdict(same.pairs[0]) == "practically equivalent"
    shifted = compare({"A": A, "B": A + 0.001}, test="bayesian")  # no variance, so nothing is known of the error
    assert shifted.verdict(shifted.pairs[0]) == "cannot tell"
    sure = compare({"A": A + 0.2, "B": B}, test="bayesian")
    assert sure.verdict(sure.pairs[0]) == "A better"


def test_signed_test_by_simulation():
    weights = np.array([2.0, 3.0, 9.0])
    draws = np.random.default_rng(0).dirichlet(weights, 200_000)
    share = np.bincount(draws.argmax(1), minlength=3) / 200_000
    np.testing.assert_allclose(largest(weights), share, atol=5e-3)
    post = signed_rank_posterior(np.array([0.05] * 8 + [0.0, -0.02]), 0.01, ("a", "b"))
    assert post.a_better > 0.9 and post.b_better < 0.05
    assert signed_rank_posterior(np.zeros(4), 0.01, ("a", "b")).equivalent == 1


# ------------------------------------------------------------------------------------------------------------- designs
