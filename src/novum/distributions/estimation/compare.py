r"""Which of several given distributions the data speak for.

log-likelihood of candidate k:    L_k = sum_i w_i log p_k(x_i)                                            (15)
its probability, a priori equal:  exp(L_k) / sum_j exp(L_j)                                               (16)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from novum.distributions.plots import span_of
from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import ink
from novum.runtime.checks import row_weights, vector
from novum.runtime.typing import Axes, Numbers, RowWeights

__all__ = ["LikelihoodRanking", "rank_by_likelihood"]

POINTS = 400


@dataclass(frozen=True, repr=False)
class LikelihoodRanking(Result):
    """Candidates from the most to the least likely.

    Attributes
    ----------
    names : list of str
    log_likelihood : ndarray
        (15), falling.
    probability : ndarray
        (16).
    """

    names: list[str]
    log_likelihood: NDArray[Any]
    probability: NDArray[Any]
    _data: NDArray[Any]
    _candidates: list[Any]

    def __repr__(self) -> str:
        rows = zip(self.names, self.log_likelihood, self.probability)
        lines = [
            f"  {name}: log-likelihood {num(total):.6g}, probability {num(share):.4g}" for name, total, share in rows
        ]
        return "\n".join([f"LikelihoodRanking from {counted(self._data.size, 'observation')}", *lines])

    @property
    def best(self) -> str:
        """The name of the most likely one."""
        return self.names[0]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the data as ticks under the candidate densities; the most likely one is solid."""
        ax = drawing_axes(ax)
        x = self._data
        margin = 0.5 * (np.ptp(x) or 1.0)
        ends = [(x.min() - margin, x.max() + margin), *(span_of(one) for one in self._candidates)]
        grid = np.linspace(min(low for low, _ in ends), max(high for _, high in ends), POINTS)
        for place, (name, candidate) in enumerate(zip(self.names, self._candidates)):
            label = f"{name}: {num(self.log_likelihood[place]):.1f}"
            ax.plot(grid, candidate.prob(grid), "--" if place else "-", lw=1.2 if place else 2.2, label=label)
        ax.plot(x, np.zeros_like(x), "|", color=ink(ax), ms=12)
        ax.set(xlabel="x", ylabel="density")
        draw_legend(ax, title="log-likelihood")
        return ax


def rank_by_likelihood(
    data: Numbers, candidates: Mapping[str, Any], *, sample_weight: RowWeights = None
) -> LikelihoodRanking:
    """Rank distributions of numbers by the likelihood they give to data.

    Parameters
    ----------
    data : array-like of shape (n,)
    candidates : mapping of name to distribution
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    LikelihoodRanking
        `.plot()` draws the data under the densities.

    Examples
    --------
    >>> from novum.distributions import Normal, rank_by_likelihood
    >>> found = rank_by_likelihood([-0.5, 0.2, 0.4], {"left": Normal(-2), "middle": Normal(0), "right": Normal(2)})
    >>> found.names
    ['middle', 'right', 'left']
    """
    owner = "rank_by_likelihood"
    x = vector(owner, "data", data)
    weight = row_weights(owner, sample_weight, x.size)
    if not candidates:
        raise ParameterError(f"{owner}: candidates is empty; give a mapping of names to distributions.")
    for name, model in candidates.items():
        if isinstance(model, type) or not hasattr(model, "log_prob"):
            fit = f"; fit the family first, {model.__name__}.fit(data)" if isinstance(model, type) else ""
            raise ParameterError(
                f"{owner}(candidates={{{name!r}: {model!r}}}): a candidate must be a distribution{fit}."
            )
    if any(getattr(model, "batch_shape", ()) or getattr(model, "event_shape", ()) for model in candidates.values()):
        raise ParameterError(f"{owner}: every candidate must be one distribution of numbers, no batch.")
    rows = np.array([np.asarray(model.log_prob(x), dtype=np.float64) for model in candidates.values()])
    total = rows.sum(axis=1) if weight is None else rows[:, weight > 0] @ weight[weight > 0]
    order = np.argsort(-total, kind="stable")
    names, models = list(candidates), list(candidates.values())
    return LikelihoodRanking(
        [names[i] for i in order], total[order], softmax(total[order]), x, [models[i] for i in order]
    )
