r"""What a policy would have earned, from a log of what another one did.

    w_i = pi(a_i | x_i) / mu(a_i | x_i)                                  the target over the logger                          (1)
    IPS       mean w_i r_i                                               no bias where the propensities are right            (2)
    SNIPS     sum w_i r_i / sum w_i                                      a little bias, less variance                        (3)
    direct    mean sum_a pi(a | x_i) q(x_i, a)                           no variance of weights, the bias of the model       (4)
    DR        mean sum_a pi(a | x_i) q(x_i, a) + w_i (r_i - q(x_i, a_i)) right where the propensities or the model are       (5)

Intervals have the errors of (2) and (5) from the variance of their terms and of (3) by the jackknife. (4) has none:
the variance of its terms says how contexts differ, and nothing of how far the model is from the truth; (5) measures and corrects
that. Quantiles are Student's with as many degrees as the rows are worth after weighting, (sum w)^2 / sum w^2, less one. They hold
only where the logger might have done what the target does: the result says how much of the target's choices the log never shows,
what the rows are worth, and whether the weights have the mean one that (1) gives them. Models for (4) and (5) are fitted on other
rows than they are used on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.base import clone

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level, float_array, vector
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Numbers, Seed
from novum.runtime.warn import warn
from novum.sampling.importance import pareto_shape

__all__ = ["LoggedValue", "evaluate_logged"]

Array = NDArray[np.float64]
LEAST_SHARE = 0.02  # of the rows that weighting must leave effective
LEAST_ROWS = 30  # effective rows below which a normal interval is no interval
WORST_SHAPE = 0.7  # of the weights' tail: above, errors are not what they say (Vehtari and others 2024)
MOST_MISSING = 1e-3  # share of the target's choices that the log may lack without a word
FAR = 4.0  # standard errors by which the mean weight may miss one


@dataclass(frozen=True, repr=False)
class LoggedValue(Result):
    """The value of a policy by several estimates.

    Attributes
    ----------
    method : list of str
    value, standard_error, low, high : list of float
        Of every method, with the interval of the requested level; nan for "direct", whose error is the model's own.
    weights : ndarray of shape (n,)
        (1).
    effective_size : float
        What the rows are worth after weighting.
    mean_weight : float
        Near one where propensities are right and nothing is missing.
    missing : float
        Share of the target's choices that the log cannot show: they are absent from (2), and only the model speaks for them in (5).
    """

    method: list[str]
    value: list[float]
    standard_error: list[float]
    low: list[float]
    high: list[float]
    weights: Array
    effective_size: float
    mean_weight: float
    missing: float
    level: float

    def _result_columns(self) -> dict[str, Any]:
        names = ("method", "value", "standard_error", "low", "high")
        return {name: list(getattr(self, name)) for name in names}

    def _result_title(self) -> str:
        return (
            f"Value of a policy from {len(self.weights):,} logged choices, worth {num(self.effective_size):,.1f}; mean weight "
            f"{num(self.mean_weight):.3f}, {self.missing:.1%} of its choices never logged"
        )

    def _result_picture(self, ax: Any) -> None:
        places = np.arange(len(self.method))
        half = np.nan_to_num(np.array(self.high) - np.array(self.value))
        ax.errorbar(self.value, places, xerr=half, fmt="o", capsize=4)
        ax.set_yticks(places, self.method)
        ax.set_xlabel(f"value, {self.level:.0%} interval")


def target_table(target: Any, n: int, n_arms: int) -> Array:
    """Return the target's probabilities of every arm in every row."""
    given = np.asarray(target)
    if given.ndim == 1 and given.dtype.kind in "iu" and given.shape == (n,):
        if n and not (given.min() >= 0 and given.max() < n_arms):
            raise DataError(f"evaluate_logged: target holds actions outside 0 to {n_arms - 1}.")
        return np.asarray(np.eye(n_arms)[given])
    table = float_array("evaluate_logged", "target", target).astype(np.float64)
    if table.shape == (n_arms,) and table.ndim == 1:
        table = np.tile(table, (n, 1))
    if table.shape != (n, n_arms) or not (table >= 0).all() or not np.allclose(table.sum(axis=1), 1, atol=1e-6):
        raise DataError(
            f"evaluate_logged: target must hold an action for every row, or probabilities of shape ({n_arms},) or "
            f"({n}, {n_arms}) that are not negative and sum to one; its shape is {np.shape(target)}"
            f"{f', its first probabilities are {table[0].tolist()}' if table.shape == (n, n_arms) else ''}."
        )
    return table


def wrong_propensity(own: Array, n: int) -> str:
    """Return what is wrong with the probabilities of the logged actions."""
    if own.shape != (n,):
        return f"their shape is {own.shape}"
    row = int(np.argmax(~((own > 0) & (own <= 1 + 1e-9))))
    return f"row {row} has {own[row]:g}"


def cross_fitted(model: Any, contexts: Any, actions: Any, rewards: Array, n_arms: int, folds: int, seed: int) -> Array:
    """Return q(x, a) of every row and arm, by models that have not seen the row; an arm without rows gets the mean reward."""
    rows = float_array("evaluate_logged", "contexts", contexts)
    if rows.ndim != 2 or len(rows) != len(rewards):
        raise DataError(
            f"evaluate_logged: contexts has shape {rows.shape}; it needs a row for each of {len(rewards)} actions."
        )
    if not np.isfinite(rows).all():
        where = int(np.argmax(~np.isfinite(rows).all(axis=1)))
        raise DataError(f"evaluate_logged: contexts holds NaN or infinity in row {where}; remove or impute it.")
    part = Stream(seed).permutation("folds", 0, len(rewards)) % folds
    q = np.empty((len(rewards), n_arms))
    for k in range(folds):
        held, train = part == k, part != k
        for a in range(n_arms):
            own = train & (actions == a)
            if own.sum() > 1:
                q[held, a] = clone(model).fit(rows[own], rewards[own]).predict(rows[held])
            else:
                q[held, a] = rewards[train].mean()
    return q


def complain(weights: Array, size: float, mean: float, error: float, missing: float) -> None:
    """Warn of everything that makes the intervals say less than they seem to."""
    n, shape = len(weights), pareto_shape(np.log(np.maximum(weights, 1e-300)))
    doubts = []
    if missing > MOST_MISSING:
        doubts.append(f"{missing:.1%} of the target's choices were never logged, so the log says nothing about them")
    if size < max(LEAST_SHARE * n, min(LEAST_ROWS, n)):
        doubts.append(f"{counted(n, 'row', 'are')} worth {num(size):.1f} after weighting")
    elif shape > WORST_SHAPE:
        doubts.append(f"the tail of the weights has Pareto shape {num(shape):.2f} (should be below {WORST_SHAPE})")
    if abs(mean - 1) > FAR * error + 1e-9 and missing <= MOST_MISSING:
        doubts.append(
            f"the mean weight is {num(mean):.3f}, not 1: propensities are wrong, or choices are missing from the log"
        )
    if doubts:
        warn(
            f"evaluate_logged: overlap is missing: {'; '.join(doubts)}. Intervals cannot be trusted; log more exploration, choose "
            "a target closer to the logger, or rely on a model you have checked.",
            DataWarning,
        )


def evaluate_logged(
    actions: Numbers,
    rewards: Numbers,
    propensities: float | Numbers,
    target: Any,
    *,
    predictions: Any = None,
    contexts: Numbers | None = None,
    model: Fittable | None = None,
    folds: int = 5,
    level: float = 0.95,
    random_state: Seed = 0,
) -> LoggedValue:
    """Return the value of a policy from logged choices of another, with intervals; a warning says where overlap is missing.

    Parameters
    ----------
    actions : array-like of shape (n,)
        What the logger did: whole numbers from 0.
    rewards : array-like of shape (n,)
    propensities : float or array-like of shape (n,) or (n, n_actions)
        The logger's probabilities of what it did (a number: always the same), or of everything it might have done; the latter
        shows which choices it never makes.
    target : array-like of shape (n,), (n_actions,) or (n, n_actions)
        The policy to be judged: its action in every row (whole numbers), or its probabilities.
    predictions : array-like of shape (n, n_actions), default=None
        A model's rewards of all actions, for "direct" and "doubly robust".
    contexts : array-like of shape (n, n_features), default=None
        From which a model is cross-fitted where there are no predictions.
    model : regressor, default=None
        Cloned and fitted for every action; `novum.linear_model.Ridge` by default.
    folds : int, default=5
        Parts of the rows in cross-fitting.
    level : float, default=0.95
    random_state : int, Generator, RandomState, SeedSequence or None, default=0
        Which part a row belongs to.

    Returns
    -------
    LoggedValue

    Examples
    --------
    >>> import numpy as np
    >>> from novum.bandits import evaluate_logged
    >>> rng = np.random.default_rng(0)
    >>> actions = rng.integers(2, size=4000)  # a coin chose
    >>> rewards = (rng.random(4000) < np.array([0.3, 0.6])[actions]).astype(float)
    >>> found = evaluate_logged(actions, rewards, np.full(4000, 0.5), target=[0.0, 1.0])
    >>> found.method, bool(abs(found.value[1] - 0.6) < 0.03)
    (['IPS', 'self-normalised IPS'], True)
    """
    owner = "evaluate_logged"
    level = check_level(owner, level)
    r = vector(owner, "rewards", rewards)
    n = r.size
    a = np.asarray(actions)
    if a.shape != (n,) or a.dtype.kind not in "iu" or n < 2 or a.min() < 0:
        names = a.dtype.kind in "OUST"
        raise DataError(
            f"{owner}: actions must be whole numbers from 0, one for each of {n} rewards (at least two); they are of dtype "
            f"{a.dtype} and shape {a.shape}.{' Number names by np.unique(actions, return_inverse=True)[1].' if names else ''}"
        )
    mu = float_array(owner, "propensities", propensities).astype(np.float64)
    if mu.ndim == 0:  # the same probability in every row, as of a logger that draws uniformly
        mu = np.full(n, float(mu))
    sizes = [shape[1] for part in (mu, np.asarray(target), predictions) if len(shape := np.shape(part)) == 2]
    if np.ndim(target) == 1 and np.asarray(target).dtype.kind == "f":
        sizes.append(np.size(target))
    whole = (
        [int(np.max(target))]
        if np.ndim(target) == 1 and np.asarray(target).dtype.kind in "iu" and np.size(target)
        else []
    )
    n_arms = max([int(a.max()) + 1, *sizes, *(top + 1 for top in whole)])
    pi = target_table(target, n, n_arms)
    own = mu[np.arange(n), a] if mu.shape == (n, n_arms) else mu
    if own.shape != (n,) or not np.isfinite(own).all() or not ((own > 0) & (own <= 1 + 1e-9)).all():
        raise DataError(
            f"{owner}: propensities must be probabilities in (0, 1] of the logged actions, of shape ({n},) or ({n}, {n_arms}); "
            f"{wrong_propensity(own, n)}; what was done had a positive probability."
        )
    if mu.ndim == 2:
        missing = float((pi * (mu <= 0)).sum(axis=1).mean())
    else:
        never = np.bincount(a, minlength=n_arms) == 0
        missing = float(pi[:, never].sum(axis=1).mean())
    w = pi[np.arange(n), a] / own
    total = w.sum()
    if not total > 0:
        raise DataError(f"{owner}: the target never does what was logged; nothing can be said of it from these rows.")
    snips = float(w @ r / total)
    found = {
        "IPS": mean_and_error(w * r),
        "self-normalised IPS": (snips, ratio_error(w, r, snips)),
    }
    if predictions is None and contexts is not None:
        predictions = cross_fitted(
            chosen_model(model), contexts, a, r, n_arms, check_count(owner, "folds", folds, 2), seed_of(random_state)
        )
    elif predictions is None and model is not None:
        raise ParameterError(f"{owner}(model=...): a model needs `contexts` to be fitted on.")
    if predictions is not None:
        q = float_array(owner, "predictions", predictions).astype(np.float64)
        if q.shape != (n, n_arms) or not np.isfinite(q).all():
            raise DataError(f"{owner}: predictions must be finite, of shape ({n}, {n_arms}), not {q.shape}.")
        direct = (pi * q).sum(axis=1)
        found["direct"] = (float(direct.mean()), float("nan"))
        found["doubly robust"] = mean_and_error(direct + w * (r - q[np.arange(n), a]))
    mean, error = mean_and_error(w)
    size = float(total**2 / np.sum(w**2))
    complain(w, size, mean, error, missing)
    z = float(student.ppf(0.5 + level / 2, max(size - 1, 1.0)))
    values, errors = [pair[0] for pair in found.values()], [pair[1] for pair in found.values()]
    low, high = ([v + sign * z * e for v, e in found.values()] for sign in (-1, 1))
    return LoggedValue(
        method=list(found),
        value=values,
        standard_error=errors,
        low=low,
        high=high,
        weights=w,
        effective_size=size,
        mean_weight=mean,
        missing=missing,
        level=level,
    )


def mean_and_error(terms: Array) -> tuple[float, float]:
    """Return the mean of independent terms and its standard error."""
    return float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(terms.size))


def ratio_error(w: Array, r: Array, mean: float) -> float:
    """Return the standard error of a weighted mean; every row counts as if it were left out, as heavy ones pull it their way."""
    total = w.sum()
    left = np.maximum(1 - w / total, 1 / w.size)
    return float(np.sqrt(np.sum((w * (r - mean) / left) ** 2)) / total)


def chosen_model(model: Any) -> Any:
    """Return the model that predicts rewards."""
    if model is not None:
        return model
    from novum.linear_model import Ridge

    return Ridge()
