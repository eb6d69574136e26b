r"""A finite set of hypotheses and what observations make of it, one at a time or all at once.

    P(h | D) = P(D | h) P(h) / P(D),   P(D) = sum_h P(D | h) P(h)                                  (1)
    P(D + x | h) = P(D | h) P(x | h)          observations independent given the hypothesis        (2)
    P(x | D) = sum_h P(x | h) P(h | D)                                                             (3)
    h_MAP = argmax P(D | h) P(h),   h_ML = argmax P(D | h)                                         (4)

(3) is Bayes-optimal: it weighs all hypotheses; the prediction of h_MAP alone can be certain where (3) is not. Sums are kept as
logarithms.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.typing import Axes, Label, Numbers

__all__ = ["HypothesisPosterior"]


def log_of(values: NDArray) -> NDArray:
    """Return logarithms, minus infinity for zero."""
    with np.errstate(divide="ignore"):
        return np.log(values)


def normalize_weights(log_weight: NDArray) -> tuple[NDArray, float]:
    """Return exp(log_weight) over its sum, and the logarithm of the sum."""
    top = log_weight.max()
    if top == -np.inf:
        raise DataError(
            "HypothesisPosterior: the observations are impossible under every hypothesis that has a prior; add one that"
            " allows them."
        )
    weight = np.exp(log_weight - top)
    return weight / weight.sum(), float(top + np.log(weight.sum()))


class HypothesisPosterior(Result):
    """Beliefs about a finite set of hypotheses.

    Parameters
    ----------
    prior : array-like of shape (n_hypotheses,) or None
        P(h), or None for equal ones.
    likelihood : array-like of shape (n_hypotheses, n_outcomes), or callable
        P(outcome | h) in a table; or a function of one observation that gives P(observation | h) for every hypothesis, as an array.
    outcomes : sequence, default=None
        Names of the columns of a table; None numbers them.
    hypotheses : sequence, default=None
        Names of the hypotheses; None calls them h1, h2, ...

    Attributes
    ----------
    posterior : array of shape (n_hypotheses,)
        (1).
    log_evidence : float
        log P(D).
    n_observations : int
    history : array of shape (n_observations + 1, n_hypotheses)
        The posterior before and after every observation.

    Examples
    --------
    Five kinds of candy bags; after three limes the likeliest bag holds nothing but lime, yet the next candy is lime with
    probability 0.796 only.

    >>> from novum.datasets import load_candy_bags
    >>> from novum.decision_theory import HypothesisPosterior
    >>> bags = load_candy_bags()
    >>> table = [[1 - lime, lime] for lime in bags.lime]
    >>> belief = HypothesisPosterior(bags.prior, table, ["cherry", "lime"], bags.hypotheses)
    >>> belief = belief.update(bags.target)
    >>> belief.posterior.round(3)
    array([0.   , 0.013, 0.211, 0.355, 0.421])
    >>> belief.map, round(belief.predictive()["lime"], 6), belief.map_predictive()["lime"]
    ('h5', 0.796053, 1.0)
    """

    history: np.ndarray

    def __init__(
        self,
        prior: Numbers | None,
        likelihood: Numbers | Callable[..., Any],
        outcomes: Sequence[Any] | None = None,
        hypotheses: Sequence[Any] | None = None,
    ) -> None:
        self._function: Callable[[Any], Any] | None = likelihood if callable(likelihood) else None
        table = None if self._function is not None else np.asarray(likelihood, np.float64)
        if table is not None and (table.ndim != 2 or (table < 0).any() or not np.allclose(table.sum(axis=1), 1)):
            raise ParameterError(
                "HypothesisPosterior(likelihood=...): give one row of probabilities for every hypothesis, each with sum 1."
            )
        if prior is None:
            size = len(table) if table is not None else len(hypotheses or ())
            prior = np.full(size, 1 / max(size, 1))
        weights = np.asarray(prior, np.float64)
        if weights.ndim != 1 or not weights.size or (weights < 0).any() or not np.isclose(weights.sum(), 1):
            raise ParameterError("HypothesisPosterior(prior=...): give probabilities with sum 1, one per hypothesis.")
        if table is not None and len(table) != len(weights):
            raise ParameterError(
                f"HypothesisPosterior: {len(weights)} prior probabilities for {counted(len(table), 'row')} of likelihood."
            )
        self.prior, self.likelihood = weights, table
        self.hypotheses = list(hypotheses) if hypotheses is not None else [f"h{i + 1}" for i in range(len(weights))]
        if len(self.hypotheses) != len(weights):
            raise ParameterError(
                f"HypothesisPosterior: {counted(len(self.hypotheses), 'name')} for {len(weights)} hypotheses."
            )
        self.outcomes = list(outcomes) if outcomes is not None else list(range(0 if table is None else table.shape[1]))
        if table is not None and len(self.outcomes) != table.shape[1]:
            raise ParameterError(
                f"HypothesisPosterior: {len(self.outcomes)} outcomes for {counted(table.shape[1], 'column')}."
            )
        self._log_likelihood = np.zeros(len(weights))
        self.history = weights[None].copy()

    def _of(self, observation: Any) -> NDArray:
        """Return P(observation | h) of every hypothesis."""
        if self._function is not None:
            values = np.asarray(self._function(observation), np.float64)
            if values.shape != self.prior.shape or (values < 0).any():
                raise ParameterError(
                    f"HypothesisPosterior: likelihood({observation!r}) must give one value, zero or more, for each of"
                    f" {len(self.prior)} hypotheses."
                )
            return values
        if observation not in self.outcomes:
            raise DataError(f"HypothesisPosterior: {observation!r} is no outcome; they are {self.outcomes}.")
        assert self.likelihood is not None
        return self.likelihood[:, self.outcomes.index(observation)]

    def update(self, observations: Any) -> "HypothesisPosterior":
        """Return the beliefs after more observations, by (2) one at a time; this object stays as it is.

            P(D + x | h) = P(D | h) P(x | h)   observations independent given the hypothesis    (2)

        Parameters
        ----------
        observations : sequence of outcomes, or one outcome that is a string
        """
        items = [observations] if isinstance(observations, str) else list(observations)
        after = object.__new__(type(self))
        after.__dict__.update(self.__dict__)
        total, rows = self._log_likelihood.copy(), [self.history]
        for item in items:
            total = total + log_of(self._of(item))
            rows.append(normalize_weights(total + log_of(self.prior))[0][None])
        after._log_likelihood, after.history = total, np.vstack(rows)
        return after

    def _result_columns(self) -> dict[str, Any]:
        return {"hypothesis": self.hypotheses, "prior": self.prior, "posterior": self.posterior}

    @property
    def posterior(self) -> NDArray:
        return self.history[-1]

    @property
    def n_observations(self) -> int:
        return len(self.history) - 1

    @property
    def log_evidence(self) -> float:
        return normalize_weights(self._log_likelihood + log_of(self.prior))[1]

    @property
    def map(self) -> Any:
        """The hypothesis of largest posterior probability, the first of equals."""
        return self.hypotheses[int(self.posterior.argmax())]

    @property
    def ml(self) -> Any:
        """The hypothesis under which the observations are most probable, the first of equals."""
        return self.hypotheses[int(self._log_likelihood.argmax())]

    def predictive(self, observation: Label | None = None) -> Any:
        """Return (3): the probability of one next observation, or of every outcome as a dict.

        P(x | D) = sum_h P(x | h) P(h | D)    (3)
        """
        if observation is not None:
            return float(self._of(observation) @ self.posterior)
        self._needs_table("predictive")
        return {outcome: float(self._of(outcome) @ self.posterior) for outcome in self.outcomes}

    def map_predictive(self, observation: Label | None = None) -> Any:
        """Return what the hypothesis `map` alone predicts, as `predictive`."""
        best = int(self.posterior.argmax())
        if observation is not None:
            return float(self._of(observation)[best])
        self._needs_table("map_predictive")
        return {outcome: float(self._of(outcome)[best]) for outcome in self.outcomes}

    def predict(self) -> Any:
        """Return the Bayes-optimal guess of the next observation: the outcome of largest (3).

        P(x | D) = sum_h P(x | h) P(h | D)    (3)
        """
        shares = self.predictive()
        return max(shares, key=shares.__getitem__)

    def _needs_table(self, method: str) -> None:
        if self.likelihood is None:
            raise ParameterError(
                f"HypothesisPosterior.{method}(): the likelihood is a function, so the outcomes are unknown; name the"
                " observation."
            )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior of every hypothesis against the number of observations; return the axes."""
        ax = drawing_axes(ax)
        for name, curve in zip(self.hypotheses, self.history.T):
            ax.plot(range(len(self.history)), curve, marker="o", label=str(name))
        ax.set(xlabel="observations", ylabel="posterior probability", ylim=(-0.02, 1.02))
        draw_legend(ax)
        return ax

    def __repr__(self) -> str:
        shares = ", ".join(f"{name}: {num(share):.3g}" for name, share in zip(self.hypotheses, self.posterior))
        return f"HypothesisPosterior({shares}; {counted(self.n_observations, 'observation')})"
