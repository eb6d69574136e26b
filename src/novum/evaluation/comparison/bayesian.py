r"""How probable is it that a model is better, by more than anybody cares about? (Benavoli et al., JMLR 18, 2017)

A difference within +- r, the region of practical equivalence, is of no interest. With differences d_j on J folds of one data set,
correlated as training sets that share rows are, the posterior of the mean difference under the usual flat prior is

    mu ~ t_{J-1}(mean(d), S_d^2 (1/J + n2/n1))                                                     (1)
    P(b better) = P(mu < -r),   P(equivalent) = P(-r <= mu <= r),   P(a better) = P(mu > r)        (2)

On several data sets, counts (l, e, g) of differences below, within and above the region and a prior of weight s inside it give the
probabilities of the three for a new data set the posterior Dirichlet(l, e + s, g). Reported is how probable it is that each is the
largest:

    P(theta_c largest) = int f_c(x) prod_{c' != c} F_{c'}(x) dx,   theta from independent gammas   (3)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import series
from novum.report.tables import html_text

__all__ = ["PRACTICAL", "BayesianComparison", "correlated_t", "signed_rank_posterior"]

PRACTICAL = 0.01  # of a score between 0 and 1: one right answer in a hundred
PRIOR_WEIGHT = 1.0  # of the signed test: one imagined data set without a difference
NODES = 2000  # of the quadrature (3), in probability: errors below 1e-6


@dataclass(frozen=True, repr=False)
class BayesianComparison(Result):
    """Posterior probabilities of "b better", "practically equivalent" and "a better".

    Attributes
    ----------
    names : (str, str)
        a and b.
    b_better, equivalent, a_better : float
    rope : float
        Half the width of the region of practical equivalence.
    distribution : scipy distribution or None
        Of the mean difference (1), for one data set.
    """

    names: tuple[str, str]
    b_better: float
    equivalent: float
    a_better: float
    rope: float
    distribution: Any = None

    def _result_columns(self) -> dict[str, Any]:
        names = ("b_better", "equivalent", "a_better", "rope")
        return {"a": [self.names[0]], "b": [self.names[1]], **{name: [getattr(self, name)] for name in names}}

    def _result_scalars(self) -> dict[str, Any]:
        return {}

    def sentence(self) -> str:
        """Return the probabilities in words."""
        a, b = self.names
        if np.isnan(self.equivalent):
            return "all differences are equal, so that no probability can be given"
        return (
            f"P({a} better) = {num(self.a_better):.3f}, P(equivalent within {num(self.rope):g}) = {num(self.equivalent):.3f},"
            f" P({b} better) = {num(self.b_better):.3f}"
        )

    def turned(self) -> "BayesianComparison":
        """Return the same posterior seen from b."""
        distribution = self.distribution
        if distribution is not None:
            df, mean, scale = distribution.args
            distribution = distribution.dist(df, -mean, scale)
        a, b = self.names
        return BayesianComparison((b, a), self.a_better, self.equivalent, self.b_better, self.rope, distribution)

    def plot(self, ax: Any = None) -> Any:
        """Draw the posterior with the region of practical equivalence, or the three probabilities."""
        ax = drawing_axes(ax)
        if self.distribution is None:
            ax.bar(
                [f"{self.names[1]} better", "equivalent", f"{self.names[0]} better"],
                [self.b_better, self.equivalent, self.a_better],
                color=series(ax, 0),
            )
            ax.set(ylabel="posterior probability", ylim=(0, 1))
            return ax
        x = np.linspace(float(self.distribution.ppf(0.001)), float(self.distribution.ppf(0.999)), 500)
        ax.plot(x, self.distribution.pdf(x), color=series(ax, 0))
        ax.axvspan(
            -self.rope, self.rope, color=series(ax, 2), alpha=0.3, label=f"equivalent {num(self.equivalent):.3f}"
        )
        ax.set(xlabel=f"{self.names[0]} - {self.names[1]}", ylabel="posterior density", title=self.sentence())
        ax.title.set_fontsize("small")
        draw_legend(ax)
        return ax

    def __repr__(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        return html_text(repr(self))


def correlated_t(
    d: NDArray, test_over_train: float, rope: float, names: tuple[str, str], size: float
) -> BayesianComparison:
    """Return (2); differences below rounding of the scores' own size are none."""
    from scipy import stats

    mean, scale = float(d.mean()), float(d.std(ddof=1) * np.sqrt(1 / len(d) + test_over_train))
    if scale <= 1e-12 * size:  # (1) would be a point: no variance, no knowledge of the error
        alike = 1.0 if abs(mean) <= 1e-12 * size else float("nan")
        return BayesianComparison(names, 1 - alike, alike, 1 - alike, rope)
    distribution = stats.t(len(d) - 1, mean, scale)
    below, above = float(distribution.cdf(-rope)), float(distribution.sf(rope))
    return BayesianComparison(names, below, max(0.0, 1 - below - above), above, rope, distribution)


def largest(weights: NDArray) -> NDArray:
    """Return (3) for the weights of a Dirichlet distribution; a weight of zero is a probability of zero."""
    from scipy import stats

    u = (np.arange(NODES) + 0.5) / NODES
    out = np.zeros(len(weights))
    for c, weight in enumerate(weights):
        if weight > 0:
            x = stats.gamma.ppf(u, weight)
            others = [stats.gamma.cdf(x, other) for i, other in enumerate(weights) if i != c and other > 0]
            out[c] = float(np.prod(others, axis=0).mean()) if others else 1.0
    return out / out.sum()


def signed_rank_posterior(d: NDArray, rope: float, names: tuple[str, str]) -> BayesianComparison:
    """Return (3) for differences on several data sets."""
    counts = np.array([(d < -rope).sum(), (np.abs(d) <= rope).sum() + PRIOR_WEIGHT, (d > rope).sum()], dtype=float)
    below, within, above = largest(counts).tolist()
    return BayesianComparison(names, below, within, above, rope)
