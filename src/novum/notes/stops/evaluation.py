"""Scores and tests."""

import numpy as np
from scipy import special, stats

from novum.datasets import load_example, load_tenfold_scores
from novum.notes.stops.registry import stop


@stop("000", "6.6", "paired t-test over ten folds", printed="2.98", unit="t = ")
def paired_t():
    difference = np.subtract(*load_tenfold_scores().data.T)
    return float(difference.mean() / (difference.std(ddof=1) / np.sqrt(difference.size)))


@stop("000", "6.6", "... and what it must exceed", printed="2.262")
def critical_t():
    return float(special.stdtrit(9, 0.975))


@stop("000", "6.5", "quantile that leaves 2.5 % above", printed="1.96")
def critical_z():
    return float(special.ndtri(0.975))


@stop("000", "7.4", "HHTTTHH under Beta(1, 1): next is heads", reference=5 / 9, remark="(4 + 1) / (7 + 2)")
def next_heads():
    tosses = load_example("coin").data[:, 0]
    return float(stats.beta(1 + np.sum(tosses == "H"), 1 + np.sum(tosses == "T")).mean())


@stop("001", "1.3", "four hypotheses vote on 11", printed="undefined")
def vote():
    votes = sum(1 if hypothesis(11) else -1 for hypothesis in load_example("integers").hypotheses.values())
    return "undefined" if votes == 0 else "+-"[votes < 0]
