r"""All readings of the number of clusters in one table.

elbow and gap (`bends`), the mean silhouette, stability under bootstrap samples, and, where models of the density are given
(mixtures), their own Bayesian information criterion or bound of the evidence. They answer different questions and need not
agree: the table shows where they do.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.cluster.number.bends import bend_of, gap_statistic, mark
from novum.cluster.number.partitions import checked_range, checked_rows, clusterer_for, partitions
from novum.cluster.number.stability import bootstrap_stability
from novum.cluster.silhouette import silhouette_score
from novum.exceptions import NotConverged, ParameterError
from novum.report.axes import new_figure
from novum.report.legends import draw_legend
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, Seed

__all__ = ["ClusterChoice", "choose_clusters"]

OF_LABELS = ("elbow", "silhouette", "gap", "stability")  # criteria that any clusterer has
OF_MODELS = ("bic", "elbo")  # those of models with a likelihood
LEAST_IS_BEST = ("bic",)


@dataclass(repr=False)
class ClusterChoice(Result):
    """Criteria by number of clusters, and the number each of them chooses."""

    n_clusters: NDArray
    values: dict  # criterion: its value for every number, NaN where it says nothing
    best: dict  # criterion: the number it chooses
    labels: list  # of the rows, for every number

    @property
    def consensus(self) -> int:
        """The number that most criteria choose, the smallest of equals."""
        numbers, votes = np.unique(list(self.best.values()), return_counts=True)
        return int(numbers[np.argmax(votes)])

    def _result_columns(self) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, **self.values}

    def _result_scalars(self) -> dict[str, Any]:
        return {**{f"by {name}": k for name, k in self.best.items()}, "consensus": self.consensus}

    def plot(self, ax: Any = None) -> Any:
        """Draw a panel for every criterion, its choice ringed; return the axes.

        Parameters
        ----------
        ax : axes, array of axes or None, default=None
            None makes a figure with a panel each. On single axes all criteria are drawn from their least, 0, to their most, 1.
        """
        if ax is None:
            columns = min(3, len(self.values))
            rows = -(-len(self.values) // columns)
            ax = new_figure(3.4 * columns, 2.6 * rows).subplots(rows, columns, squeeze=False)
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(axes) == 1 and len(self.values) > 1:
            return self._on_one(axes[0])
        if len(axes) < len(self.values):
            raise ParameterError(
                f"choose_clusters: {len(self.values)} panels need as many axes, or one; {len(axes)} were given."
            )
        for panel, (name, values) in zip(axes, self.values.items()):
            mark(panel, self.n_clusters, values, self.best[name], name)
            panel.set_title(f"{name}: {self.best[name]}")
        for panel in axes[len(self.values) :]:
            panel.set_axis_off()
        return axes[: len(self.values)]

    def _on_one(self, ax: Any) -> Any:
        for name, values in self.values.items():
            low, high = np.nanmin(values), np.nanmax(values)
            scaled = (np.asarray(values) - low) / (high - low if high > low else 1.0)
            (line,) = ax.plot(self.n_clusters, scaled, label=f"{name}: {self.best[name]}")
            at = list(self.n_clusters).index(self.best[name])
            ax.plot(self.best[name], scaled[at], "o", markerfacecolor="none", color=line.get_color())
        ax.set(xlabel="number of clusters", ylabel="criterion, from least to most")
        draw_legend(ax)
        return ax


def criteria_of(models: Sequence[Any]) -> dict[str, Any]:
    """Return the models by the criterion that is their own: "bic" of one with that method, "elbo" of one that fits a bound."""
    found: dict[str, Any] = {}
    for model in models:
        found.setdefault("bic" if hasattr(model, "bic") else "elbo", model)
    return found


def evidence(X: NDArray, k: int, model: Any, seed: int) -> float:
    """Return the Bayesian information criterion of a model with k components, or the bound of its evidence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # the criterion of a fit that nearly converged is near enough
        fitted = clusterer_for(model, k, seed).fit(X)
    if hasattr(fitted, "bic"):
        return float(fitted.bic(X))
    if not hasattr(fitted, "elbo_"):
        raise ParameterError(
            f"choose_clusters(models=...): {type(model).__name__} has neither bic nor elbo_; give models such as GaussianMixture."
        )
    return float(fitted.elbo_)


def choose_clusters(
    X: Rows,
    clusterer: Fittable | None = None,
    *,
    max_clusters: int = 10,
    criteria: Sequence[str] | None = None,
    models: Sequence[Fittable] = (),
    n_resamples: int = 10,
    random_state: Seed = None,
) -> ClusterChoice:
    """Return what every criterion says about the number of clusters, in one table.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    clusterer : estimator with n_clusters, default=None
        None is k-means from several starts.
    max_clusters : int, default=10
    criteria : sequence of {"elbow", "silhouette", "gap", "stability", "bic", "elbo"}, default=None
        Which to compute; None for all, "bic" and "elbo" where a model has them.
    models : sequence of estimators with n_components, default=()
        Models of the density whose own criteria join the table: `GaussianMixture()` has "bic", `BayesianGaussianMixture()`
        "elbo". They are fitted for every number of components, whatever the clusterer is.
    n_resamples : int, default=10
        Reference samples of the gap, pairs of bootstrap samples of the stability.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    ClusterChoice
        `values` and `best` by criterion, `labels` by number, `consensus`; prints as a table, `plot()` draws a panel each.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import choose_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(40, 2)) + shift for shift in ([0, 0], [9, 0], [0, 9])])
    >>> choice = choose_clusters(X, max_clusters=5, criteria=["elbow", "silhouette", "gap"], random_state=0)
    >>> choice.best
    {'elbow': 3, 'silhouette': 3, 'gap': 3}
    """
    X = checked_rows(X, "choose_clusters")
    numbers = checked_range(max_clusters, len(X), "choose_clusters")
    known = criteria_of(models)
    names = [*OF_LABELS, *(name for name in OF_MODELS if name in known)] if criteria is None else criteria
    for name in names:
        if name not in (*OF_LABELS, *OF_MODELS):
            raise ParameterError(f"choose_clusters(criteria=...): {name!r} is none of {[*OF_LABELS, *OF_MODELS]}.")
        if name in OF_MODELS and name not in known:
            raise ParameterError(
                f"choose_clusters(criteria=...): {name!r} is a criterion of a model; give"
                f" models=[{'GaussianMixture' if name == 'bic' else 'BayesianGaussianMixture'}()] of novum.mixture."
            )
    seeds = [int(s) for s in Stream(seed_of(random_state)).integers("choice", 0, 4, 2**31)]
    found = list(partitions(X, numbers, clusterer, seeds[0]))
    ks, values, best = np.array(numbers), {}, {}
    for name in names:
        values[name], best[name] = criterion_values(
            name, X, numbers, found, clusterer=clusterer, model=known.get(name), n_resamples=n_resamples, seeds=seeds
        )
    return ClusterChoice(ks, values, best, [part.labels for part in found])


def criterion_values(
    name: str,
    X: NDArray,
    numbers: range,
    found: list,
    *,
    clusterer: Any,
    model: Any,
    n_resamples: int,
    seeds: list[int],
) -> tuple[NDArray, int]:
    """Return the values of one criterion for all numbers of clusters, and the number it chooses."""
    ks = np.array(numbers)
    if name == "elbow":
        error = np.array([part.error for part in found])
        return error, bend_of(ks, error)[1]
    if name == "gap":
        gap = gap_statistic(
            X, clusterer, max_clusters=numbers[-1], n_references=max(2, n_resamples), random_state=seeds[1]
        )
        return gap.gap, gap.best
    values = np.full(len(ks), np.nan)
    for i, part in enumerate(found):
        k = part.n_clusters
        if name == "silhouette" and 1 < len(np.unique(part.labels)) < len(X):
            values[i] = silhouette_score(X, part.labels)
        elif name == "stability" and k > 1:
            values[i] = bootstrap_stability(X, k, clusterer, n_resamples, seeds[2])[0]
        elif model is not None:
            values[i] = evidence(X, k, model, seeds[3])
    if np.isnan(values).all():
        raise ParameterError(
            f"choose_clusters: {name!r} says nothing about {list(numbers)} clusters of {counted(len(X), 'row')}."
        )
    place = np.nanargmin(values) if name in LEAST_IS_BEST else np.nanargmax(values)
    return values, int(ks[place])
