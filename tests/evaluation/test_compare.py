"""compare and the paired tests: the notes' ten folds, Demsar's table, SciPy, brute force, designs, failures."""

import pickle

import numpy as np
import pytest
from reference.demsar import DEMSAR
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.preprocessing import StandardScaler

from novum.datasets import load_tenfold_scores
from novum.evaluation import compare, corrected_test, holm, paired_test
from novum.evaluation.comparison.bayesian import signed_rank_posterior
from novum.evaluation.hypotheses.paired import mcnemar
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.linear_model import LinearRegression, LogisticRegression, Ridge
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier

A, B = load_tenfold_scores().data.T
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[::2]
y = y[::2]
HOLD_OUT = ShuffleSplit(1, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.mark.notes("000-a", "t-test-paired-kfold")
def test_the_ten_folds_of_the_notes():
    result = compare({"A": A, "B": B}, test="paired_t")
    pair = result.pair("A", "B")
    assert pair.difference == pytest.approx(0.046, abs=1e-12)
    assert pair.result.standard_error == pytest.approx(0.0154344, abs=5e-8)
    assert pair.result.statistic == pytest.approx(2.980346, abs=5e-7)
    assert pair.result.critical_values(0.05)[1] == pytest.approx(2.262, abs=5e-4)
    assert pair.p_value == pytest.approx(0.015441, abs=5e-7) and result.verdict(pair) == "A better"
    assert pair.result.interval() == pytest.approx((0.011085, 0.080915), abs=5e-7)
    one_sided = compare({"A": A, "B": B}, test="paired_t", alternative="greater").pairs[0]
    assert one_sided.p_value == pytest.approx(0.007720, abs=5e-7)
    assert one_sided.result.critical_values(0.05) == pytest.approx((1.833,), abs=5e-4)
    assert "Caution: training sets share rows" in result.sentence()


@pytest.mark.notes("001", "cv-compare")
def test_differences_of_errors_on_shared_folds():
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    result = compare({"a": GaussianNB(), "b": TREE}, X, y, cv=folds)
    error = {name: 1 - cross_val_score(model, X, y, cv=folds) for name, model in (("a", GaussianNB()), ("b", TREE))}
    np.testing.assert_allclose(result.scores, 1 - np.column_stack([error["a"], error["b"]]), rtol=1e-12)
    delta = error["a"] - error["b"]  # negative: a is better
    assert result.pair("a", "b").difference == pytest.approx(-delta.mean(), rel=1e-12)
    assert list(result.scores_frame().columns) == ["a", "b"]


def test_corrected_t_is_the_one_of_the_study():
    ours, other = paired_test(A, B, test_over_train=1 / 9), corrected_test(A, B, 1 / 9)
    assert (ours.statistic, ours.p_value) == pytest.approx((other.statistic, other.p_value), rel=1e-12)
    assert ours.interval() == pytest.approx(other.interval, rel=1e-12)


def test_five_by_two_by_its_definition():
    d = np.random.default_rng(0).normal(0.02, 0.03, (5, 2))
    s2 = ((d - d.mean(1, keepdims=True)) ** 2).sum(1)
    t, F = d[0, 0] / np.sqrt(s2.mean()), (d**2).sum() / (2 * s2.sum())
    ours = paired_test(0.7 + d.ravel(), np.full(10, 0.7), "5x2cv_t")
    assert (ours.statistic, ours.p_value) == pytest.approx((t, 2 * stats.t.sf(abs(t), 5)), rel=1e-10)
    ours = paired_test(0.7 + d.ravel(), np.full(10, 0.7), "5x2cv_f")
    assert (ours.statistic, ours.p_value) == pytest.approx((F, stats.f.sf(F, 10, 5)), rel=1e-10)
    with pytest.raises(DataError, match="ten differences"):
        paired_test(A[:4], B[:4], "5x2cv_t")


@pytest.mark.peer
def test_five_by_two_and_mcnemar_are_mlxtends():
    evaluate = pytest.importorskip("mlxtend.evaluate")
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import train_test_split

    scores, generator = [], np.random.RandomState(1)
    scorer = get_scorer("accuracy")
    for _ in range(5):  # mlxtend's own splits
        half = train_test_split(np.arange(len(X)), test_size=0.5, random_state=generator.randint(low=0, high=32767))
        scores += [
            [scorer(model.fit(X[a], y[a]), X[b], y[b]) for model in (GaussianNB(), TREE)] for a, b in (half, half[::-1])
        ]
    ours = {kind: paired_test(*np.array(scores).T, f"5x2cv_{kind}") for kind in "tf"}
    theirs = evaluate.paired_ttest_5x2cv(GaussianNB(), TREE, X, y, scoring="accuracy", random_seed=1)
    assert (ours["t"].statistic, ours["t"].p_value) == pytest.approx(theirs, rel=1e-10)
    theirs = evaluate.combined_ftest_5x2cv(GaussianNB(), TREE, X, y, scoring="accuracy", random_seed=1)
    assert (ours["f"].statistic, ours["f"].p_value) == pytest.approx(theirs, rel=1e-10)
    table = np.array([[50, 40], [12, 60]])
    chi2, p = evaluate.mcnemar(table, corrected=True)
    assert (mcnemar(40, 12, exact=False).statistic, mcnemar(40, 12, exact=False).p_value) == pytest.approx(
        (chi2, p), rel=1e-10
    )


def test_mcnemar():
    reference = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    generator = np.random.default_rng(2)
    truth, a, b = (generator.integers(2, size=80) for _ in range(3))
    only_a, only_b = int(((a != truth) & (b == truth)).sum()), int(((a == truth) & (b != truth)).sum())
    table = [[0, only_a], [only_b, 0]]
    for test, exact in (("mcnemar", False), ("mcnemar_exact", True)):
        theirs = reference(table, exact=exact, correction=True)
        assert paired_test(a, b, test, y=truth).p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert paired_test(truth, truth, "mcnemar_exact", y=truth).p_value == 1
    assert paired_test(list("ab"), list("aa"), "mcnemar", y=list("ab")).p_value == 1
    with pytest.raises(ParameterError, match="true labels"):
        paired_test(a, b, "mcnemar")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_and_sign(alternative):
    a, b = np.array(DEMSAR["+m+cf"]), np.array(DEMSAR["C4.5"])
    d = np.round(a - b, 10)
    assert paired_test(a, b, "wilcoxon", alternative=alternative).p_value == pytest.approx(
        stats.wilcoxon(d, alternative=alternative).pvalue, rel=1e-10
    )
    wins, n = int((d > 0).sum()), int((d != 0).sum())
    assert paired_test(a, b, "sign", alternative=alternative).p_value == pytest.approx(
        stats.binomtest(wins, n, 0.5, alternative).pvalue, rel=1e-12
    )
    assert paired_test(a, a, "wilcoxon").p_value == paired_test(a, a, "sign").p_value == 1


# --------------------------------------------------------------------------------------------------- several data sets


@pytest.mark.parametrize(
    "cv, kind, test",
    [
        (4, "folds", "corrected_t"),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), "repeated folds", "corrected_t"),
        (RepeatedKFold(n_splits=2, n_repeats=5, random_state=0), "5x2", "5x2cv_f"),
        (ShuffleSplit(4, random_state=0), "random splits", "corrected_t"),
        (ShuffleSplit(1, test_size=0.4, random_state=0), "hold-out", "mcnemar_exact"),
        (TimeSeriesSplit(3), "time order", "corrected_t"),
    ],
)
def test_the_design_decides_the_test(cv, kind, test):
    result = compare({"nb": GaussianNB(), "tree": TREE}, X, y, cv=cv)
    assert (result.design.kind, result.test) == (kind, test)
    assert 0 <= result.pairs[0].p_value <= 1 and result.scoring == "accuracy"
    text = result.validity()
    assert set(text.valid) <= {"yes", "approximately", "no"} and text.loc[test, "valid"] == (
        "approximately" if kind == "time order" else "yes"
    )
    assert all(text.reason.str.len() > 10) and text.loc["wilcoxon", "valid"] == "no"


def test_leave_one_out_and_regression():
    rows, target = load_diabetes(return_X_y=True)
    result = compare({"nb": GaussianNB(), "tree": TREE}, X[:40], y[:40], cv=LeaveOneOut())
    assert result.design.kind == "leave-one-out" and result.test == "mcnemar_exact"
    result = compare(
        {"ols": LinearRegression(), "ridge": Ridge(10)}, rows, target, cv=5, scoring="neg_mean_absolute_error"
    )
    assert result.scoring == "neg_mean_absolute_error" and result.best == "ols"
    assert result.validity().loc["mcnemar", "valid"] == "no"
    with pytest.raises(ParameterError, match="not possible on one hold-out set"):
        compare({"ols": LinearRegression(), "ridge": Ridge(10)}, rows, target, cv=ShuffleSplit(1, random_state=0))


def test_mcnemar_counts_the_pooled_predictions():
    from sklearn.model_selection import cross_val_predict

    folds = KFold(4, shuffle=True, random_state=1)
    result = compare({"nb": GaussianNB(), "tree": TREE}, X, y, cv=folds, test="mcnemar_exact")
    wrong = [cross_val_predict(model, X, y, cv=folds) != y for model in (GaussianNB(), TREE)]
    assert result.pairs[0].result.statistic == (wrong[0] & ~wrong[1]).sum()
    assert result.pairs[0].result.n == (wrong[0] ^ wrong[1]).sum()


def test_each_split_is_made_once_and_both_cores_agree():
    class Counting(KFold):
        made = 0

        def split(self, *args):
            Counting.made += 1
            return super().split(*args)

    models = {"nb": GaussianNB(), "tree": TREE, "logistic": LogisticRegression()}
    serial = compare(models, X, y, cv=Counting(3), n_jobs=1)
    assert Counting.made == 1
    parallel = compare(models, X, y, cv=KFold(3), n_jobs=2)
    assert np.array_equal(serial.scores, parallel.scores)
    assert [one.adjusted for one in serial.pairs] == [one.adjusted for one in parallel.pairs]
    np.testing.assert_allclose([one.adjusted for one in serial.pairs], holm([one.p_value for one in serial.pairs]))
    bonferroni = compare(models, X, y, cv=KFold(3), n_jobs=1, adjust="bonferroni", baseline="nb")
    assert [(one.a, one.b) for one in bonferroni.pairs] == [("tree", "nb"), ("logistic", "nb")]
    np.testing.assert_allclose(
        [one.adjusted for one in bonferroni.pairs], [min(1, 2 * one.p_value) for one in bonferroni.pairs]
    )


def test_groups_stay_together():
    groups = np.arange(len(X)) // 10
    result = compare({"nb": GaussianNB(), "tree": TREE}, X, y, cv=3, groups=groups)
    assert result.design.kind == "folds"


class Failing(ClassifierMixin, BaseEstimator):
    """A classifier that dislikes some rows."""

    def fit(self, X, y):
        if X[0, 0] == rows_zero:
            raise ValueError("cannot bear the first row")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


rows_zero = X[0, 0]


def test_a_model_that_fails_is_named():
    models = {"nb": GaussianNB(), "bad": Failing(), "tree": TREE}
    with pytest.warns(DataWarning, match=r"bad \(fold 2: ValueError: cannot bear the first row\)"):
        result = compare(models, X, y, cv=KFold(4), n_jobs=1)
    assert result.names == ["nb", "tree"] and len(result.failures) == 3
    assert (
        "left out: bad failed on fold 2 and 2 more: ValueError" in repr(result)
        and "bad failed and is left out" in result.sentence()
    )
    with pytest.raises(DataError, match=r"fewer than two models.*bad"):
        compare({"bad": Failing(), "tree": TREE}, X, y, cv=KFold(4), n_jobs=1)
    with pytest.warns(DataWarning, match="the score is missing"):
        assert compare({"a": A, "b": B, "c": np.where(A > 0.85, np.nan, A)}).names == ["a", "b"]


def test_equal_models_cannot_be_distinguished():
    result = compare({"one": GaussianNB(), "two": GaussianNB()}, X, y, cv=4)
    assert result.pairs[0].p_value == 1 and result.verdict(result.pairs[0]) == "cannot tell"
    shifted = compare(
        {"a": [0.5] * 5, "b": [0.4] * 5}
    )  # the same difference on every fold shows no variance, so no error
    assert np.isnan(shifted.pairs[0].p_value) and shifted.verdict(shifted.pairs[0]) == "cannot tell"


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: compare({"a": A}), "two models or more"),
        (lambda: compare([GaussianNB()], X, y), "dict of name to estimator"),
        (lambda: compare({"a": A, "b": B[:4]}), "they are paired"),
        (lambda: compare({"a": GaussianNB(), "b": B}, X, y), "no fit method"),
        (lambda: compare({"a": GaussianNB, "b": GaussianNB}, X, y), "is a class"),
        (lambda: compare({"a": GaussianNB(), "b": LinearRegression()}, X, y), "different scores"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}), "pass the rows X"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X), "pass y"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y[:9]), "rows"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, cv=1), "at least 2 folds"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, cv="ten"), "cv"),
        (lambda: compare({"a": A, "b": B}, test="anova"), "test"),
        (lambda: compare({"a": A, "b": B}, test="friedman"), "not possible"),
        (lambda: compare({"a": A, "b": B}, test="5x2cv_t"), "not possible"),
        (lambda: compare({"a": A, "b": B}, adjust="nemenyi"), "belongs to test='friedman'"),
        (lambda: compare({"a": A, "b": B}, baseline="c"), "baseline"),
        (lambda: compare({"a": A, "b": B}, significance=1.5), "significance"),
        (lambda: compare({"a": A, "b": B}, test="bayesian", rope=None), "rope"),
        (lambda: compare({"a": A, "b": B}, alternative="less").pair("b", "a"), "compared as"),
        (lambda: compare(DEMSAR, design="data sets", alternative="less"), "no direction"),
        (lambda: compare({"a": [], "b": []}), "'a' has no scores"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, scoring="acc"), "did you mean accuracy"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, scoring=["accuracy", "f1"]), "one score only"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, scoring="f1_macro", cv=HOLD_OUT), "use folds"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X, y, scoring="roc_auc_ovr", test="mcnemar"), "error rates"),
        (lambda: compare({"a": Ridge(), "b": LinearRegression()}, X, y, cv=LeaveOneOut()), "R2 of a single row"),
        (lambda: compare({"a": GaussianNB(), "b": TREE}, X[:9], y[:9], cv=KFold(12)), "cannot split the rows"),
        (lambda: compare({"a": list("xyz"), "b": list("xyz")}), "list of numbers"),
        (lambda: compare(DEMSAR, design="data sets", adjust="nemenyi", baseline="+m"), "leave the baseline out"),
        (lambda: compare({"a": A[:1], "b": B[:1]}), "no variance"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


def test_frames_in_and_out():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(DEMSAR, index=[f"set {i}" for i in range(14)])
    result = compare(frame, design="data sets")
    assert result.parts[3] == "set 3" and result.to_frame().shape[0] == 6
    assert pickle.loads(pickle.dumps(result)).critical_difference == result.critical_difference
    assert repr(compare(DEMSAR, design="data sets")) == repr(result) and "<pre>" in result._repr_html_()


def test_pictures():
    pytest.importorskip("matplotlib")
    result = compare(DEMSAR, design="data sets", significance=0.1)
    ax = result.plot()
    words = " ".join(text.get_text() for text in ax.texts)
    assert "CD 1.12" in words and "+m+cf 1.96" in words and ax.get_xlabel()
    assert "CD" in " ".join(t.get_text() for t in compare(DEMSAR, design="data sets", baseline="+m").plot().texts)
    ax = compare({"A": A, "B": B, "C": A}).plot()
    assert len(ax.get_yticklabels()) == 3 and ax.get_xlabel()
    assert compare({"A": A, "B": B}).pairs[0].posterior.plot().get_ylabel() == "posterior density"
    assert signed_rank_posterior(A - B, 0.01, ("a", "b")).plot().get_ylabel() == "posterior probability"


@pytest.mark.slow
def test_the_corrected_t_keeps_its_level_and_the_plain_one_does_not():
    """Two learners of equal expected accuracy, many data sets: how often is a difference found at .05?"""
    generator, found = np.random.default_rng(0), np.zeros(2)
    repeats = 300
    for _ in range(repeats):
        labels = generator.integers(2, size=200)
        rows = generator.normal(size=(200, 2)) + labels[:, None]
        one, other = (
            cross_val_score(
                GaussianNB(), rows[:, [j]], labels, cv=RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
            )
            for j in (0, 1)
        )
        found += [
            paired_test(one, other, "corrected_t", test_over_train=1 / 4).p_value <= 0.05,
            paired_test(one, other, "paired_t").p_value <= 0.05,
        ]
    corrected, plain = found / repeats
    assert corrected < 0.1 < plain
