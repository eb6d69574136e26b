r"""Models compared by their evidence.

    P(M_i | D) = P(M_i) p(D | M_i) / sum_j P(M_j) p(D | M_j),   Bayes factor  B_ij = p(D | M_i) / p(D | M_j)    (1)
    log p(D | M) ~ log p(D | w_MAP) + K log(posterior width / prior width)                                      (2)
    averaged  p(t | x, D) = sum_i P(M_i | D) p(t | x, M_i, D)                                                   (3)

(2), for K weights under a flat prior and a peaked posterior, splits the evidence into fit and penalty (the Occam factor):
weights that the data pin down narrowly, out of a wide prior, cost much.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.pipeline import Pipeline

from novum.base.intervals import check_interval, mixture_interval
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes, name_places
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.tables import html_table
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Axes, Numbers, Rows

__all__ = ["EvidenceComparison", "compare_evidence", "evidence_of", "occam_factor"]


class EvidenceComparison(Result):
    """Log evidences of several models and what follows from them.

    Attributes
    ----------
    names : list of str
    log_evidence : array of shape (n_models,)
    probability : array of shape (n_models,)
        Of every model, given the data.
    log_bayes_factor : array of shape (n_models, n_models)
        Row against column.
    best : str
    """

    names: list[str]
    log_evidence: NDArray
    probability: NDArray
    log_bayes_factor: NDArray
    best: str

    def __init__(self, names: list[str], models: list[Any], log_evidence: NDArray, log_prior: NDArray) -> None:
        self.names, self.models, self.log_evidence = names, models, log_evidence
        score = log_evidence + log_prior
        self.probability = np.exp(score - logsumexp(score))
        self.log_bayes_factor = log_evidence[:, None] - log_evidence[None, :]
        self.best = names[int(np.argmax(score))]

    def bayes_factor(self, a: str, b: str) -> float:
        """Return p(D | a) / p(D | b)."""
        for name in (a, b):
            if name not in self.names:
                raise ParameterError(
                    f"bayes_factor: there is no model {name!r}; the models are {', '.join(self.names)}."
                )
        return float(np.exp(self.log_bayes_factor[self.names.index(a), self.names.index(b)]))

    def predict(self, X: Rows, return_std: bool = False, *, interval: str | None = None, level: float = 0.95) -> Any:
        """Return the mean of (3) for every row, of all models by their probability, with its standard deviation or its interval.

            averaged  p(t | x, D) = sum_i P(M_i | D) p(t | x, M_i, D)    (3)

        Models that the data have all but ruled out (probability below 1e-12) are left out. `compare_evidence` must have been given
        fitted models whose `predict` takes `return_std`.
        """
        plausible = [(p, model) for p, model in zip(self.probability, self.models) if p > 1e-12]
        if any(isinstance(model, int | float | np.number) for _, model in plausible):
            raise ParameterError(
                "EvidenceComparison.predict: some models were given as numbers; give fitted models to average."
            )
        weight = np.array([p for p, _ in plausible]) / sum(p for p, _ in plausible)
        both = np.array([model.predict(X, return_std=True) for _, model in plausible])  # (models, 2, rows)
        mean = weight @ both[:, 0]
        if interval is not None:
            check_interval("EvidenceComparison.predict", interval, level, ("prediction",), std=return_std)
            return mixture_interval(mean, weight, both[:, 0].T, both[:, 1].T, level)
        if not return_std:
            return mean
        return mean, np.sqrt(weight @ (both[:, 1] ** 2 + (both[:, 0] - mean) ** 2))

    def _result_columns(self) -> dict[str, Any]:
        return {"model": self.names, "log_evidence": self.log_evidence, "probability": self.probability}

    def __repr__(self) -> str:
        width = max(len("model"), *map(len, self.names))
        lines = [f"{'model':<{width}}  log evidence  probability"]
        rows = zip(self.names, self.log_evidence, self.probability)
        return "\n".join([*lines, *(f"{name:<{width}}  {num(value):12.4f}  {num(p):11.4f}" for name, value, p in rows)])

    def _repr_html_(self) -> str:
        rows = zip(self.names, self.log_evidence, self.probability)
        cells = [[name, f"{num(value):.4f}", f"{num(p):.4f}"] for name, value, p in rows]
        return html_table([["model", "log evidence", "probability"], *cells])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the log evidence of the models in their order; return the axes."""
        ax = drawing_axes(ax)
        ax.plot(range(len(self.names)), self.log_evidence, marker="o")
        name_places(ax, "x", range(len(self.names)), self.names)
        ax.set(xlabel="model", ylabel="log evidence", title=f"largest: {self.best}")
        return ax


def evidence_of(name: str, model: Any) -> float:
    """Return the log evidence of a number, a fitted model or a pipeline that ends in one."""
    if isinstance(model, Pipeline):
        model = model[-1]
    value = getattr(model, "log_evidence_", model)
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ParameterError(
            f"compare_evidence: {name!r} has no log evidence; give a number, or a fitted model with log_evidence_ such as"
            " BayesianLinearRegression."
        )
    if np.isnan(value):
        raise DataError(f"compare_evidence: the log evidence of {name!r} is not a number.")
    return float(value)


def compare_evidence(models: Mapping[str, Any], prior: Numbers | None = None) -> EvidenceComparison:
    """Compare models by their evidence for the same data.

    Parameters
    ----------
    models : mapping from name to fitted model, pipeline or log evidence
        A model has `log_evidence_`.
    prior : array-like of shape (n_models,), default=None
        Probabilities of the models before the data, in their order; None: equal.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import betaln
    >>> from novum.linear_model import compare_evidence
    >>> coins = compare_evidence({"fair": 10 * np.log(0.5), "any": betaln(8, 4)})  # seven heads in ten throws
    >>> coins
    model  log evidence  probability
    fair        -6.9315        .5631
    any         -7.1854        .4369
    >>> round(coins.bayes_factor("fair", "any"), 6)
    1.289062
    """
    if not isinstance(models, Mapping) or not models:
        raise ParameterError(f"compare_evidence(models={models!r}): give a mapping from names to models, not empty.")
    names = [str(name) for name in models]
    evidence = np.array([evidence_of(name, model) for name, model in zip(names, models.values())])
    share = np.full(len(names), 1 / len(names)) if prior is None else np.asarray(prior, dtype=np.float64)
    if share.shape != (len(names),) or not (share >= 0).all() or not np.isclose(share.sum(), 1):
        raise ParameterError(f"compare_evidence(prior={prior!r}): give {len(names)} probabilities that add up to one.")
    with np.errstate(divide="ignore"):  # a model that was ruled out beforehand
        return EvidenceComparison(names, list(models.values()), evidence, np.log(share))


def occam_factor(posterior_width: float, prior_width: float, n_weights: int) -> float:
    """Return the penalty K log(posterior width / prior width) of (2), to be added to the log likelihood at its maximum.

        log p(D | M) ~ log p(D | w_MAP) + K log(posterior width / prior width)    (2)

    Examples
    --------
    >>> from novum.linear_model import occam_factor
    >>> round(occam_factor(0.1, 10.0, n_weights=2), 4)
    -9.2103
    """
    narrow = check_number("occam_factor", "posterior_width", posterior_width, 0.0, open_low=True)
    wide = check_number("occam_factor", "prior_width", prior_width, 0.0, open_low=True)
    return check_count("occam_factor", "n_weights", n_weights, 0) * float(np.log(narrow / wide))
