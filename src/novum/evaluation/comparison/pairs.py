"""Every pair of models tested, or every model with the baseline, and the p-values adjusted for the number of pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.comparison.bayesian import correlated_t, signed_rank_posterior
from novum.evaluation.comparison.ranks import rank_pairs, ranks_of
from novum.evaluation.comparison.result import Pair
from novum.evaluation.comparison.scores import Measured
from novum.evaluation.hypotheses.multiple import holm
from novum.evaluation.hypotheses.paired import FEWER_ERRORS, PAIRED_TESTS, delong, mcnemar, paired_test
from novum.evaluation.hypotheses.result import TestResult, result_of
from novum.exceptions import ParameterError

__all__ = ["pairs_of", "scale_of"]


def paired_test_of(found: Measured, test: str, i: int, j: int, alternative: str) -> TestResult | None:
    """Return the paired test of models i and j."""
    if test == "delong" and found.ranking is not None:
        y, scores = found.ranking
        return delong(y, scores[:, i], scores[:, j], alternative)
    if test not in PAIRED_TESTS:
        return None
    if test.startswith("mcnemar"):
        if found.wrong is None:
            raise ParameterError(
                f"compare(test={test!r}): needs predictions of classifiers on one hold-out set or one run of folds."
            )
        a, b = found.wrong[:, i], found.wrong[:, j]
        counts = int((a & ~b).sum()), int((b & ~a).sum())
        return mcnemar(*counts, exact=test.endswith("exact"), alternative=FEWER_ERRORS[alternative])
    d = found.scores[:, i] - found.scores[:, j]
    if test == "sign" and found.design.kind != "data sets" and d.any() and np.ptp(d) <= 1e-12 * scale_of(found.scores):
        # on dependent folds one difference again and again is one observation, however often it is counted
        return result_of("sign test", float("nan"), None, alternative, symbol="wins", parameter="the share of wins")
    return paired_test(
        found.scores[:, i],
        found.scores[:, j],
        test,
        test_over_train=found.design.test_over_train,
        alternative=alternative,
    )


def adjusted_values(p: NDArray, adjust: str) -> NDArray:
    """Return the p-values for all pairs together; a pair of which nothing can be concluded counts as one that shows nothing."""
    unknown = np.isnan(p)
    if unknown.any():
        return np.where(unknown, np.nan, adjusted_values(np.where(unknown, 1.0, p), adjust))
    if adjust == "holm":
        return holm(p)
    return np.minimum(1.0, p * len(p)) if adjust == "bonferroni" else p


def pairs_of(
    found: Measured, test: str, adjust: str, baseline: int | None, alternative: str, rope: float | None
) -> list[Pair]:
    """Return every pair, or every model with the baseline, tested and adjusted."""
    names, k = found.names, len(found.names)
    index = (
        [(i, j) for i in range(k) for j in range(i + 1, k)]
        if baseline is None
        else [(i, baseline) for i in range(k) if i != baseline]
    )
    posteriors: list[Any] = [None] * len(index)
    if rope is not None and len(found.scores) > 1:
        for place, (i, j) in enumerate(index):
            d, pair = found.scores[:, i] - found.scores[:, j], (names[i], names[j])
            several = found.design.kind == "data sets"
            posteriors[place] = (
                signed_rank_posterior(d, rope, pair)
                if several
                else correlated_t(d, found.design.test_over_train, rope, pair, scale_of(found.scores))
            )
    if test == "friedman":
        ranked = rank_pairs(ranks_of(found.scores, scale_of(found.scores)), adjust, baseline)
        order = {pair: n for n, pair in enumerate(ranked.pairs)}
        unit = np.sqrt(k * (k + 1) / (6 * len(found.scores)))
        return [
            Pair(
                names[i],
                names[j],
                float(-ranked.z[order[i, j]] * unit),
                None,
                float(ranked.alone[order[i, j]]),
                float(ranked.p_values[order[i, j]]),
                post,
            )
            for (i, j), post in zip(index, posteriors)
        ]
    results = [paired_test_of(found, test, i, j, alternative) for i, j in index]
    p = np.array([np.nan if one is None else one.p_value for one in results])
    adjusted = adjusted_values(p, adjust)
    return [
        Pair(
            names[i],
            names[j],
            float(found.scores[:, i].mean() - found.scores[:, j].mean()),
            one,
            float(alone),
            float(both),
            post,
        )
        for (i, j), one, alone, both, post in zip(index, results, p, adjusted, posteriors)
    ]


def scale_of(scores: NDArray) -> float:
    """Return what counts as one when scores are compared for equality."""
    return float(np.abs(scores).max()) or 1.0
