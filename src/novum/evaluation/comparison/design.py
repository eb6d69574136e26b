r"""Which test is valid for which design, and why the others are not.

A comparison is made on parts of one data set (a hold-out set, folds, repeated folds, five times two folds, random splits, one row
at a time) or on several data sets. The tests differ in what they take the differences of two models to be: the t-test independent,
the corrected one correlated as overlapping training sets make them, Wilcoxon's independent and symmetric. On one data set only the
rows of a hold-out set are independent; between data sets the differences are.
"""

from typing import NamedTuple

import numpy as np

from novum.evaluation.comparison.shared_folds import Fold
from novum.report.numbers import counted
from novum.report.result import result

__all__ = ["Design", "Verdict", "design_of", "usual_test", "verdicts"]

SMALL = 0.02  # fold sizes within this share of each other are called equal


@result
class Design(NamedTuple):
    """How the scores came about."""

    kind: (
        str  # "hold-out", "folds", "repeated folds", "5x2", "random splits", "time order", "leave-one-out", "data sets"
    )
    parts: int  # scores per model
    test_over_train: float  # n2/n1; zero for data sets
    description: str


@result
class Verdict(NamedTuple):
    """What to think of a test for a design."""

    test: str
    valid: str  # "yes", "approximately" or "no"
    reason: str


def is_five_by_two(folds: list[Fold]) -> bool:
    """Return whether ten splits are five pairs that swap training and test half."""
    if len(folds) != 10:
        return False
    pairs = zip(folds[::2], folds[1::2])
    return all(
        np.array_equal(np.sort(a.train), np.sort(b.test)) and np.array_equal(np.sort(a.test), np.sort(b.train))
        for a, b in pairs
    )


def design_of(folds: list[Fold], rows: int) -> Design:
    """Return the design of splits of one data set."""
    ratio = sum(len(fold.test) for fold in folds) / sum(len(fold.train) for fold in folds)
    J = len(folds)
    if J == 1:
        return Design("hold-out", 1, ratio, f"one hold-out set of {counted(len(folds[0].test), 'row')}")
    if is_five_by_two(folds):
        return Design("5x2", J, ratio, "five repetitions of two folds")
    if all(fold.train.max() < fold.test.min() for fold in folds):
        return Design("time order", J, ratio, f"{counted(J, 'split')} in order of time")
    repeats = 1 + max(fold.repeat for fold in folds)
    whole = all(
        sum(len(fold.test) for fold in folds if fold.repeat == r) == rows
        and all(len(fold.train) + len(fold.test) == rows for fold in folds if fold.repeat == r)
        for r in range(repeats)
    )
    if whole and repeats == 1 and rows == J:
        return Design("leave-one-out", J, ratio, f"leave-one-out on {counted(rows, 'row')}")
    if whole and repeats == 1:
        return Design("folds", J, ratio, counted(J, "fold"))
    if whole:
        return Design("repeated folds", J, ratio, f"{counted(J // repeats, 'fold')}, repeated {repeats} times")
    return Design("random splits", J, ratio, counted(J, "split"))


OVERLAP = "training sets share rows, so the differences are correlated and it rejects too often"
ONE_SET = "on one data set the differences are correlated; it is for several data sets"
GROWING = "training sets are earlier rows, of unequal size and overlap: one correlation for all splits is a rough guess"
TWO_FOLDS = "needs cv of two folds, five times"
TABLE: dict[str, dict[str, tuple[str, str]]] = {
    "paired_t": {
        "folds": ("approximately", f"{OVERLAP}; usual in textbooks"),
        "data sets": ("approximately", "scores of different data sets are not on one scale, nor normal"),
        "leave-one-out": ("approximately", "one difference per row, the training sets all but equal"),
        "": ("no", OVERLAP),
    },
    "corrected_t": {
        "folds": ("yes", "corrects the variance for overlapping training sets; measured to keep its level nearly"),
        "repeated folds": (
            "yes",
            "corrects the variance for overlapping training sets; measured to keep its level nearly",
        ),
        "random splits": ("yes", "made for random splits"),
        "time order": ("approximately", GROWING),
        "5x2": ("approximately", "halves overlap less than it assumes"),
        "leave-one-out": ("no", "with one row per part n2/n1 says nothing of the correlation"),
        "": ("no", "data sets share no rows: there is nothing to correct"),
    },
    "5x2cv_t": {"5x2": ("yes", "made for it; rests on one of the ten differences"), "": ("no", TWO_FOLDS)},
    "5x2cv_f": {"5x2": ("yes", "made for it; uses all ten differences"), "": ("no", TWO_FOLDS)},
    "mcnemar": {
        "hold-out": ("yes", "rows of one hold-out set are independent; says nothing of other training sets"),
        "folds": ("approximately", "pools the predictions of several fitted models as if one had made them"),
        "leave-one-out": ("approximately", "pools the predictions of several fitted models as if one had made them"),
        "": ("no", "every row would count several times, or rows of different tasks would be pooled"),
    },
    "delong": {
        "hold-out": ("yes", "rows of one hold-out set are independent; says nothing of other training sets"),
        "": ("no", "areas under curves of different fitted models cannot be pooled; it is for one hold-out set"),
    },
    "wilcoxon": {
        "data sets": ("yes", "data sets are independent; needs no common scale nor normal differences"),
        "": ("no", ONE_SET),
    },
    "sign": {
        "data sets": ("yes", "data sets are independent; counts wins only, so it has little power"),
        "": ("no", ONE_SET),
    },
    "friedman": {
        "data sets": ("yes", "ranks within independent data sets; for three models or more"),
        "": ("no", ONE_SET),
    },
    "bayesian": {
        "folds": ("yes", "posterior with the same correlation as the corrected t"),
        "repeated folds": ("yes", "posterior with the same correlation as the corrected t"),
        "random splits": ("yes", "posterior with the same correlation as the corrected t"),
        "time order": ("approximately", GROWING),
        "5x2": ("approximately", "halves overlap less than it assumes"),
        "data sets": ("yes", "signed test: data sets are independent"),
        "": ("no", "with one row or one part there is no variance between parts to learn from"),
    },
}
TABLE["mcnemar_exact"] = TABLE["mcnemar"]
FEW_SETS = 6  # two-sided Wilcoxon and sign tests cannot reach .05 with five differences: 2/2^5 > .05
CLASSIFIERS_ONLY = ("mcnemar", "mcnemar_exact")
ON_ROWS = (*CLASSIFIERS_ONLY, "delong")  # they compare rows, so one part is enough


def verdicts(design: Design, n_models: int, classification: bool, measure: str = "accuracy") -> list[Verdict]:
    """Return what to think of every test for a comparison by a measure."""
    out = []
    for test, by_design in TABLE.items():
        valid, reason = by_design.get(design.kind, by_design[""])
        if design.parts < 2 and test not in ON_ROWS:
            valid, reason = "no", "one score per model has no variance"
        elif test in CLASSIFIERS_ONLY and not classification:
            valid, reason = "no", "counts wrong labels: needs predictions of classifiers"
        elif test in CLASSIFIERS_ONLY and measure != "accuracy":
            valid, reason = "no", f"tests error rates, not {measure}; it needs scoring='accuracy'"
        elif test == "delong" and measure != "roc_auc":
            valid, reason = "no", f"tests areas under ROC curves, not {measure}; it needs scoring='roc_auc'"
        elif test == "friedman" and valid == "yes" and n_models < 3:
            valid, reason = "no", "for three models or more; two are compared by Wilcoxon's test"
        elif test in ("wilcoxon", "sign") and valid == "yes" and design.parts < FEW_SETS:
            valid, reason = "approximately", f"{design.parts} data sets cannot give a two-sided p below .05"
        elif test in ("wilcoxon", "sign") and valid == "yes" and n_models > 2:
            reason += "; with several models the p-values need adjusting"
        out.append(Verdict(test, valid, reason))
    return out


def usual_test(design: Design, n_models: int, classification: bool, measure: str = "accuracy") -> str | None:
    """Return the test that `test="auto"` takes, None where no test is valid."""
    if design.kind == "data sets":
        return ("friedman" if n_models > 2 else "wilcoxon") if design.parts > 1 else None
    if design.kind == "hold-out" and measure == "roc_auc":
        return "delong"
    if design.kind in ("hold-out", "leave-one-out"):
        return "mcnemar_exact" if classification and measure == "accuracy" else "paired_t" if design.parts > 1 else None
    return "5x2cv_f" if design.kind == "5x2" else "corrected_t"
