r"""Is one model better than another? Same splits for all, a test that is valid for the design, all pairs accounted for.

    scores a_j, b_j of every two models on the same parts j -> d_j -> one test per pair -> p-values adjusted for the pairs

On one data set the parts are folds (or random splits, or one hold-out set), on several data sets each is a part. The splits are
made once and shared. `novum.evaluation.comparison.design` says which test is valid where; `paired`, `ranks` and
`bayesian` have their formulas. Scores are scikit-learn's, higher is better.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from novum.evaluation.comparison.bayesian import PRACTICAL
from novum.evaluation.comparison.design import TABLE, Design, usual_test, verdicts
from novum.evaluation.comparison.pairs import pairs_of, scale_of
from novum.evaluation.comparison.ranks import critical_difference, friedman, iman_davenport, ranks_of
from novum.evaluation.comparison.result import Comparison, ModelFailure
from novum.evaluation.comparison.score_tables import is_table, table_of
from novum.evaluation.comparison.scores import Measured, on_one, on_several
from novum.evaluation.hypotheses.result import ALTERNATIVES
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime.checks import check_choice, check_number, check_significance
from novum.runtime.typing import Rows, Seed, Splitter, Target
from novum.runtime.warn import warn

__all__ = ["compare"]

TESTS = ("auto", *TABLE)
ADJUSTMENTS = ("auto", "holm", "bonferroni", "nemenyi", "bonferroni-dunn", "none")
NOT_POSSIBLE = ("5x2", "mcnemar", "delong", "friedman")  # tests that do not exist outside their design
AFTER_FRIEDMAN = ("nemenyi", "bonferroni-dunn", "holm")


def chosen_adjustment(adjust: str, test: str, baseline: int | None) -> str:
    """Return the adjustment that "auto" means for a test, refusing those that do not belong to it."""
    check_choice("compare", "adjust", adjust, ADJUSTMENTS)
    if test == "bayesian":
        return "none"
    if test != "friedman":
        usual = "holm" if adjust == "auto" else adjust
        if usual in ("nemenyi", "bonferroni-dunn"):
            raise ParameterError(
                f"compare(adjust={adjust!r}, test={test!r}): it belongs to test='friedman'; use 'holm'."
            )
        return usual
    usual = ("nemenyi" if baseline is None else "bonferroni-dunn") if adjust == "auto" else adjust
    if usual not in AFTER_FRIEDMAN:
        raise ParameterError(f"compare(adjust={adjust!r}, test='friedman'): use one of {', '.join(AFTER_FRIEDMAN)}.")
    if (usual == "nemenyi") != (baseline is None) and usual != "holm":
        remedy = "give a baseline" if baseline is None else "leave the baseline out"
        raise ParameterError(
            f"compare(adjust={usual!r}): it compares {'with a baseline' if baseline is None else 'all pairs'}; {remedy}."
        )
    return usual


def compare(
    models: Mapping[str, Any],
    X: Rows | Mapping[Any, Any] | None = None,
    y: Target = None,
    *,
    cv: Splitter = 10,
    scoring: str | Callable[..., Any] | None = None,
    test: str = "auto",
    baseline: str | None = None,
    alternative: str = "two-sided",
    significance: float = 0.05,
    adjust: str = "auto",
    rope: float | None = PRACTICAL,
    design: str = "folds",
    test_over_train: float | None = None,
    groups: Target = None,
    n_jobs: int | None = None,
    random_state: Seed = 0,
) -> Comparison:
    """Compare models on the same folds of a data set, or on several data sets, by a test that is valid for the design.

    Parameters
    ----------
    models : dict of name to estimator, or to scores
        Scores already measured may be given instead of estimators, one list per model or a frame with a column per model.
    X : array-like, or dict of name to (X, y)
        The rows; a dict of data sets compares the mean scores on them.
    y : array-like
    cv : int, splitter or iterable, default=10
        A number means so many shuffled folds, stratified for classifiers. The splits are made once, for all models.
    scoring : str or callable, default=None
        As in scikit-learn; the models' own score by default.
    test : str, default="auto"
        "paired_t", "corrected_t", "5x2cv_t", "5x2cv_f", "mcnemar", "mcnemar_exact", "delong", "wilcoxon", "sign", "friedman"
        or "bayesian". "auto" takes a valid one: the corrected t on folds, the F test on five times two folds, on one hold-out
        set McNemar's of accuracies and DeLong's of roc_auc, on data sets Wilcoxon's for two models and Friedman's for more.
    baseline : str, default=None
        Compare every model with this one only.
    alternative : {"two-sided", "greater", "less"}
        For paired tests; "greater": the first model of a pair is better. Friedman's and the Bayesian test have no direction.
    significance : float, default=0.05
    adjust : {"auto", "holm", "bonferroni", "none"}, after Friedman's test {"auto", "nemenyi", "bonferroni-dunn", "holm"}
        For the number of pairs; "auto" is Holm's, after Friedman's test Nemenyi's, or Bonferroni and Dunn's with a baseline.
    rope : float or None, default=0.01
        Differences within this are of no practical interest; None leaves the posterior probabilities out.
    design : {"folds", "5x2", "data sets"}
        What the rows of given scores are.
    test_over_train : float, default=None
        For given scores: rows tested over rows trained on, 1/(k - 1) for k folds by default; repeated folds need it.
    groups : array-like, default=None
        Rows of a group stay on one side of every split.
    n_jobs : int, default=None
        Processes; None uses all cores where that is worth it, or the backend that joblib is configured for.
    random_state : int, RandomState or None, default=0
        Of the shuffled folds.

    Returns
    -------
    Comparison
        With `to_frame()`, `validity()`, `sentence()`, `plot()`. A model that fails somewhere is named in `failures`, warned
        of, and left out.

    Examples
    --------
    >>> from novum.datasets import load_tenfold_scores
    >>> from novum.evaluation import compare
    >>> A, B = load_tenfold_scores().data.T
    >>> result = compare({"A": A, "B": B}, test="paired_t")
    >>> pair = result.pair("A", "B")
    >>> round(pair.difference, 3), round(pair.result.standard_error, 7), round(pair.result.statistic, 2)
    (0.046, 0.0154344, 2.98)
    >>> print(compare({"A": A, "B": B}).sentence())
    On 10 folds, A had a mean score of .824 and B of .778, a difference of .046 that cannot be distinguished from zero at
    significance .05 (corrected resampled t-test: t(9) = 2.05, p = .070, 95 % interval -.005 to .097).
    """
    check_choice("compare", "test", test, TESTS)
    check_choice("compare", "alternative", alternative, ALTERNATIVES)
    significance = check_significance("compare", significance)
    rope = None if rope is None else check_number("compare", "rope", rope, 0)
    if is_table(models):
        if X is not None or y is not None:
            raise ParameterError("compare: `models` are scores already; leave X and y out.")
        names, scores, parts = table_of(models)
        found = Measured(names, scores, parts, given_design(design, len(scores), test_over_train))
        found.failures = [
            ModelFailure(names[j], parts[i], "the score is missing") for i, j in np.argwhere(~np.isfinite(scores))
        ]
    else:
        models = dict(models)
        if X is None:
            raise DataError("compare: pass the rows X and the target y, or a dict of data sets.")
        several = isinstance(X, Mapping) and y is None
        if several and groups is not None:
            raise ParameterError("compare(groups=...): groups are for one data set.")
        if isinstance(X, Mapping) and y is None:
            found = on_several(models, X, cv, scoring, n_jobs, random_state)
        else:
            found = on_one(
                models,
                X=X,
                y=y,
                cv=cv,
                scoring=scoring,
                groups=groups,
                n_jobs=n_jobs,
                seed=random_state,
                mcnemar=test.startswith("mcnemar"),
            )
    return judge(found, test, baseline, alternative, significance, adjust, rope)


def given_design(design: str, parts: int, ratio: float | None) -> Design:
    """Return the design of scores that were given."""
    check_choice("compare", "design", design, ("folds", "5x2", "data sets"))
    if design == "data sets":
        return Design("data sets", parts, 0.0, f"{parts} data sets")
    if design == "5x2":
        return Design("5x2", parts, 1.0, "five repetitions of two folds")
    if ratio is None:
        return Design("folds", parts, 1 / max(parts - 1, 1), f"{parts} folds")
    ratio = check_number("compare", "test_over_train", ratio, 0)
    repeated = abs(parts * ratio / (1 + ratio) - 1) > 1e-6
    return Design(
        "repeated folds" if repeated else "folds", parts, ratio, f"{parts} test parts" if repeated else f"{parts} folds"
    )


def judge(
    found: Measured,
    test: str,
    baseline: str | None,
    alternative: str,
    significance: float,
    adjust: str,
    rope: float | None,
) -> Comparison:
    """Return the comparison of what was measured."""
    failed = {failure.model for failure in found.failures}
    if failed:
        first = {failure.model: failure for failure in reversed(found.failures)}
        reasons = "; ".join(
            f"{name} ({first[name].part}: {first[name].error})" for name in found.names if name in failed
        )
        if len(found.names) - len(failed) < 2:
            raise DataError(f"compare: fewer than two models gave scores everywhere; failed: {reasons}.")
        warn(f"compare: left out because they failed: {reasons}", DataWarning)
        found.only([j for j, name in enumerate(found.names) if name not in failed])
    if baseline is not None and baseline not in found.names:
        raise ParameterError(
            f"compare(baseline={baseline!r}): no model of that name is left; there are {', '.join(found.names)}."
        )
    base = None if baseline is None else found.names.index(baseline)
    k, labels, measure = len(found.names), found.classification, found.scoring
    chosen = usual_test(found.design, k, labels, measure) if test == "auto" else test
    known = verdicts(found.design, k, labels, measure)
    impossible = [v for v in known if v.test == chosen and v.valid == "no"]
    if chosen is None or (impossible and (len(found.scores) < 2 or chosen.startswith(NOT_POSSIBLE))):
        why = (
            impossible[0].reason if impossible else f"one {measure} per model has no variance; use folds, such as cv=10"
        )
        if chosen is None and labels and found.design.kind == "hold-out":
            why += ", or scoring='accuracy' or 'roc_auc', which have tests on one hold-out set"
        given = "" if test == "auto" else f"(test={test!r})"
        raise ParameterError(f"compare{given}: not possible on {found.design.description}: {why}.")
    test = chosen
    if test == "delong" and found.ranking is None:
        raise ParameterError("compare(test='delong'): needs scores of classifiers for two classes on one hold-out set.")
    if test in ("friedman", "bayesian") and alternative != "two-sided":
        raise ParameterError(f"compare(test={test!r}, alternative={alternative!r}): this test has no direction.")
    if test == "bayesian" and rope is None:
        raise ParameterError("compare(test='bayesian', rope=None): give the width that is of no practical interest.")
    adjust = chosen_adjustment(adjust, test, base)
    ranks, overall, width = None, {}, None
    if found.design.kind == "data sets":
        each = ranks_of(found.scores, scale_of(found.scores))
        ranks = each.mean(0)
        if test == "friedman":
            overall = {"friedman": friedman(each), "iman_davenport": iman_davenport(each)}
            width = critical_difference(k, len(each), significance, adjust) if adjust != "holm" else None
    pairs = pairs_of(found, test, adjust, base, alternative, rope)
    return Comparison(
        **found.facts(),
        test=test,
        adjust=adjust,
        significance=significance,
        pairs=pairs,
        overall=overall,
        verdicts=known,
        ranks=ranks,
        critical_difference=width,
        baseline=baseline,
        alternative=alternative,
    )
