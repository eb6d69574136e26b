r"""Do events that are said to happen with probability q happen in a share q of the cases?

Rows are put into bins b by q, with weights w, W their sum, W_b that of a bin, q_b and o_b the means of q and of the outcome o
(0 or 1) in a bin, and o_mean that of all rows:

    expected calibration error   sum_b W_b |o_b - q_b| / W                                                        (1)
    largest calibration error    max_b |o_b - q_b|                                                                (2)
    Brier    sum w (q - o)^2 / W = reliability - resolution + uncertainty + within                                (3)
        reliability  = sum_b W_b (q_b - o_b)^2 / W          how far from the diagonal: 0 is best                  (4)
        resolution   = sum_b W_b (o_b - o_mean)^2 / W       how far the bins differ: large is best                (5)
        uncertainty  = o_mean (1 - o_mean)                  what nobody can change                                (6)
        within       = sum_b sum_{i in b} w_i ((q_i - q_b)^2 - 2 (q_i - q_b)(o_i - o_b)) / W                      (7)

(7) is zero where all forecasts of a bin are equal (Murphy 1973); otherwise it is what binning hides (Stephenson 2008), and with it
(3) is an identity. The bands of the diagram are Wilson's intervals for o_b.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.intervals.proportion import share_interval
from novum.evaluation.scores.prediction_input import classification_given
from novum.evaluation.scores.probabilities import bin_of, outcomes_and_probabilities
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import decimal, weight_text
from novum.report.result import Result
from novum.report.style import series, shade
from novum.report.tables import html_table, text_table
from novum.runtime.checks import check_choice, check_count, check_level
from novum.runtime.typing import Label, Numbers, RowWeights, Target

__all__ = ["Calibration", "calibration"]


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """Forecasts against outcomes, by bins.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n_occupied_bins,)
        q_b and o_b.
    lower, upper : ndarray of shape (n_occupied_bins,)
        Wilson's interval for o_b.
    weight : ndarray of shape (n_occupied_bins,)
        W_b.
    edges : ndarray
        Of all bins.
    expected_error, largest_error, brier, reliability, resolution, uncertainty, within : float
        (1) to (7).
    level : float
    weighted : bool
        Whether rows had weights.
    """

    predicted: NDArray
    observed: NDArray
    lower: NDArray
    upper: NDArray
    weight: NDArray
    edges: NDArray
    expected_error: float
    largest_error: float
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    level: float
    weighted: bool = False

    def to_frame(self) -> Any:
        """Return the bins as a pandas frame."""
        import pandas as pd

        columns = ("predicted", "observed", "lower", "upper", "weight")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def plot(self, ax: Any = None) -> Any:
        """Draw the reliability diagram with its bands."""
        ax = drawing_axes(ax)
        ax.plot([0, 1], [0, 1], color=shade(ax, 0.55), ls="--", lw=1, label="perfect")
        ends = [self.observed - self.lower, self.upper - self.observed]
        ax.errorbar(
            self.predicted,
            self.observed,
            np.maximum(ends, 0),
            fmt="o-",
            color=series(ax, 0),
            capsize=3,
            label=f"observed, {100 * self.level:g} %",
        )
        ax.set(xlabel="predicted probability", ylabel="observed share", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        draw_legend(ax)
        return ax

    def _rows(self) -> list[list[str]]:
        mass = "weight" if self.weighted else "rows"
        rows = [["predicted", "observed", f"{100 * self.level:g} % interval", mass]]
        for q, o, low, high, w in zip(self.predicted, self.observed, self.lower, self.upper, self.weight):
            rows.append([decimal(q), decimal(o), f"{decimal(low)} - {decimal(high)}", weight_text(w)])
        return rows

    def _head(self) -> str:
        sign = "-" if self.within <= -0.0005 else "+"
        return (
            f"Calibration: expected error {decimal(self.expected_error)}, Brier {decimal(self.brier)} ="
            f" {decimal(self.reliability)} reliability - {decimal(self.resolution)} resolution +"
            f" {decimal(self.uncertainty)} uncertainty {sign} {decimal(abs(self.within))} within bins"
        )

    def __repr__(self) -> str:
        return "\n".join([self._head(), *text_table(self._rows(), left=0)])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head())


def bin_edges(q: NDArray, n_bins: int, strategy: str) -> NDArray:
    """Return bins of equal width, or of about equal numbers of rows."""
    if strategy == "uniform":
        return np.linspace(0, 1, n_bins + 1)
    edges = np.unique(np.quantile(q, np.linspace(0, 1, n_bins + 1)))
    edges[0], edges[-1] = 0.0, 1.0
    return edges if len(edges) > 1 else np.array([0.0, 1.0])


def calibration(
    y: Target,
    y_proba: Numbers,
    *,
    classes: Numbers | None = None,
    pos_label: Label | None = None,
    sample_weight: RowWeights = None,
    n_bins: int = 10,
    strategy: str = "uniform",
    level: float = 0.95,
) -> Calibration:
    """Return how predicted probabilities agree with what happens.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of the positive class, or of every class; of more than two the largest is judged, by whether its class is
        right.
    classes, pos_label, sample_weight
        As in `evaluate_predictions`.
    n_bins : int, default=10
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of about equal numbers of rows.
    level : float, default=0.95
        Of the bands.

    Returns
    -------
    Calibration
        Prints the bins and the parts of the Brier score; `.plot()` draws the reliability diagram.

    Examples
    --------
    >>> from novum.evaluation import calibration
    >>> calibration([0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.1, 0.1, 0.6, 0.6, 0.6, 0.9, 0.9], n_bins=5)
    Calibration: expected error .137, Brier .191 = .025 reliability - .068 resolution + .234 uncertainty + .000 within bins
      predicted  observed  95 % interval  rows
           .100      .333    .061 - .792     3
           .600      .667    .208 - .939     3
           .900     1.000   .342 - 1.000     2
    """
    owner = "calibration"
    n_bins = check_count(owner, "n_bins", n_bins)
    check_choice(owner, "strategy", strategy, ("uniform", "quantile"))
    level = check_level(owner, level)
    given = classification_given(
        y, y_proba=y_proba, classes=classes, sample_weight=sample_weight, pos_label=pos_label, owner=owner
    )
    assert given.proba is not None
    outcome, q = outcomes_and_probabilities(given.truth, given.proba, given.positive)
    w = np.ones(given.n) if given.weight is None else given.weight
    edges = bin_edges(q, n_bins, strategy)
    place = bin_of(q, edges)
    mass = np.bincount(place, w, minlength=len(edges) - 1)
    there = mass > 0
    inner = np.where(there, mass, 1.0)
    q_bin, o_bin = (np.bincount(place, w * v, minlength=len(mass)) / inner for v in (q, outcome))
    total, mean = w.sum(), float(np.average(outcome, weights=w))
    gap = o_bin - q_bin
    dq, do = q - q_bin[place], outcome - o_bin[place]
    bands = [
        share_interval(outcome[place == b] > 0, None if given.weight is None else w[place == b], level)
        for b in np.flatnonzero(there)
    ]
    return Calibration(
        predicted=q_bin[there],
        observed=o_bin[there],
        lower=np.array([band.lower for band in bands]),
        upper=np.array([band.upper for band in bands]),
        weight=mass[there],
        edges=edges,
        expected_error=float(mass @ np.abs(gap) / total),
        largest_error=float(np.abs(gap[there]).max()),
        brier=float(w @ (q - outcome) ** 2 / total),
        reliability=float(mass @ gap**2 / total),
        resolution=float(mass @ (o_bin - mean) ** 2 / total),
        uncertainty=mean * (1 - mean),
        within=float(w @ (dq**2 - 2 * dq * do) / total),
        level=level,
        weighted=given.weight is not None,
    )
