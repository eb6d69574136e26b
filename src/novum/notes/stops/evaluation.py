"""Scores and tests."""

import warnings
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.datasets import load_example, load_tenfold_scores
from novum.evaluation import (
    adjusted_r2,
    bias_variance_decomposition,
    compare,
    cross_validate,
    evaluate_predictions,
    z_test,
)
from novum.exceptions import DataWarning
from novum.linear_model import LinearRegression
from novum.notes.stops.registry import stop
from novum.teaching import out_of_bag_probability, t_table


@stop("000", "6.6", "paired t-test over ten folds", printed="2.98", unit="t = ")
def paired_t() -> Any:
    A, B = load_tenfold_scores().data.T
    test = compare({"A": A, "B": B}, test="paired_t").pair("A", "B").result
    return test.statistic if test else "-"


@stop("000", "6.6", "... and what it must exceed", printed="2.262")
def critical_t() -> Any:
    return float(t_table([0.025], df=[9]).iloc[0, 0])


@stop("000", "6.5", "quantile that leaves 2.5 % above", printed="1.96")
def critical_z() -> Any:
    return z_test([0.0], sigma=1).critical_values(0.05)[1]


@stop("000", "17.2", "left out of a bootstrap sample of 1000", printed="37 %", reference="37 %")
def left_out() -> str:
    return f"{100 * out_of_bag_probability(1000):.0f} %"


@stop("003", "6.2", "adjusted R2 of a line through four points", reference=0.944, remark="the notes print RSS x TSS")
def adjusted() -> Any:
    return adjusted_r2(0.7, 18.75, 4, 1)


@stop("003", "5.2", "squared bias of a line at .3 under a sine", reference=0.4641754, remark="checked by simulation")
def line_bias() -> Any:
    line, x = make_pipeline(PolynomialFeatures(1), LinearRegression()), np.linspace(0, 1, 10)[:, None]
    parts = bias_variance_decomposition(
        line, x, X_test=[[0.3]], truth=lambda x: np.sin(2 * np.pi * x[:, 0]), noise=0.3, method="exact"
    )
    return parts.bias


@stop("000", "7.4", "HHTTTHH under Beta(1, 1): next is heads", reference=5 / 9, remark="(4 + 1) / (7 + 2)")
def next_heads() -> Any:
    tosses = load_example("coin").data[:, 0]
    return float(stats.beta(1 + np.sum(tosses == "H"), 1 + np.sum(tosses == "T")).mean())


@stop("001", "1.3", "four hypotheses vote on 11", printed="undefined")
def vote() -> Any:
    votes = sum(1 if hypothesis(11) else -1 for hypothesis in load_example("integers").hypotheses.values())
    return "undefined" if votes == 0 else "+-"[votes < 0]


@stop("003", "6.2", "leave-one-out error of the line, from one fit", reference=0.7426304, remark="refitted four times")
def leave_one_out() -> Any:
    rows, target = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 2, 2, 4])
    return -cross_validate(LinearRegression(), rows, target, cv=LeaveOneOut()).mean()


@stop("000", "6.2", "three classes: mean F1", reference=0.759334, remark="from the table of counts")
def mean_f() -> Any:
    table = np.array([[5, 1, 0], [2, 6, 2], [0, 1, 8]])
    i, j = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of its interval, which is not needed
        return evaluate_predictions(i, j, n_resamples=10)["macro_f_score"].value
