r"""Expectations under a known distribution: what a loss, an error or an estimate is on average, exactly or by simulation.

A distribution is a finite table of outcomes and probabilities, or a sampler. With a hypothesis h and a loss L,

    true loss           E[L(t, h(x))] = sum_c p_c L(t_c, h(x_c)),   or a mean over draws           (1)
    sample loss         (1/n) sum_i L(t_i, h(x_i))                                                 (2)
    statistic           E[g(S)], Var[g(S)] over samples S of n independent draws                   (3)
    bias                E[g(S)] - its true value                                                   (4)
    h overfits          sample(h) < sample(h') and true(h) > true(h') for some other h'            (5)
    left out of a bootstrap sample of n:   (1 - 1/n)^n -> 1/e                                      (6)

(3) goes through all samples where they are few: c^n of c outcomes, or C(c, n) subsets of equally likely ones without replacement.
A draw's mean has the standard error s/sqrt(draws), which is reported; an exact value has none.
"""

from collections.abc import Callable, Mapping
from itertools import combinations, product
from math import comb, prod, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.result import result
from novum.runtime.checks import check_count, vector
from novum.runtime.random import seed_of
from novum.runtime.typing import Fittable, Numbers, Rows, Seed

__all__ = ["Expectation", "Overfitting", "expected_loss", "out_of_bag_probability", "overfits", "sampling_distribution"]

ENUMERATED = 200_000  # samples gone through; above they are drawn
DRAWS = 10_000


@result
class Expectation(NamedTuple):
    """A mean under a distribution."""

    value: float
    standard_error: float  # of the simulation; zero where exact
    variance: float  # of what the mean is of
    exact: bool

    def bias(self, true_value: float) -> float:
        """Return by how much the expectation is off: E[g(S)] - its true value    (4)."""
        return self.value - float(true_value)


@result
class Overfitting(NamedTuple):
    """Whether (5) holds, and the four errors it compares."""

    overfits: bool
    sample_error: float
    other_sample_error: float
    true_error: float
    other_true_error: float


def zero_one(t: NDArray, y: NDArray) -> NDArray:
    return (t != y).astype(np.float64)


def squared_error(t: NDArray, y: NDArray) -> NDArray:
    return (t - y) ** 2


LOSSES: dict[str, Callable] = {"zero-one": zero_one, "squared": squared_error, "absolute": lambda t, y: np.abs(t - y)}


def loss_function(owner: str, loss: Any) -> Callable:
    """Return the loss as a function of true and predicted values."""
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ParameterError(
            f"{owner}(loss={loss!r}): use one of {', '.join(map(repr, LOSSES))} or a function of (t, y)."
        )
    return LOSSES[loss]


def outcome_table(owner: str, distribution: Mapping) -> tuple[list, NDArray]:
    """Return the outcomes and their probabilities."""
    outcomes, p = list(distribution), vector(owner, "distribution", list(distribution.values()))
    if len(p) == 0 or (p < 0).any() or abs(p.sum() - 1) > 1e-8:
        raise DataError(
            f"{owner}: the probabilities of the distribution must be >= 0 and sum to one; they sum to {p.sum():g}."
        )
    return outcomes, p / p.sum()


def predictions(hypothesis: Any, X: Any) -> NDArray:
    """Return h(x) row by row, of a fitted model or of a function of one x."""
    if hasattr(hypothesis, "predict"):
        rows = np.asarray(X)
        return np.asarray(hypothesis.predict(rows.reshape(-1, 1) if rows.ndim == 1 else rows))
    return np.asarray([hypothesis(x) for x in X])


def losses_of(owner: str, hypothesis: Any, X: Any, t: Any, loss: Any) -> NDArray:
    truth, predicted = np.asarray(t), predictions(hypothesis, X)
    values = np.asarray(loss_function(owner, loss)(truth, predicted), dtype=np.float64)
    if values.shape != truth.shape:
        raise DataError(
            f"{owner}: the loss has shape {values.shape} for {truth.shape} outcomes; it must be row by row."
        )
    return values


def expected_loss(
    hypothesis: Callable[..., Any] | Fittable,
    distribution: Mapping[Any, Any] | Callable[..., Any],
    loss: Literal["zero-one", "squared", "absolute"] | Callable[..., Any] = "zero-one",
    *,
    n_draws: int = DRAWS,
    random_state: Seed = None,
) -> Expectation:
    """Return the true loss of a hypothesis: its mean over the distribution.

    Parameters
    ----------
    hypothesis : callable or fitted model
        h(x) of one x, or an object with `predict`.
    distribution : dict, or callable
        {(x, t): probability}, summed exactly, or `distribution(n, rng)` that draws (X, t), averaged over draws.
    loss : {"zero-one", "squared", "absolute"} or callable
        A callable takes arrays of true and predicted values.
    n_draws : int, default=10000
        For a sampler.
    random_state : int, Generator, RandomState, SeedSequence or None

    Returns
    -------
    Expectation
        `value`, `standard_error`, `variance`, `exact`.

    Examples
    --------
    >>> from novum.teaching import expected_loss
    >>> uniform = {(x, x % 2): 1 / 6 for x in range(6)}      # the true label of x is its parity
    >>> round(expected_loss(lambda x: int(x in (1, 3, 4)), uniform).value, 6)   # wrong at 4 and 5
    0.333333
    """
    owner = "expected_loss"
    if isinstance(distribution, Mapping):
        outcomes, p = outcome_table(owner, distribution)
        try:
            X, t = zip(*outcomes)
        except (TypeError, ValueError) as problem:
            raise DataError(f"{owner}: the outcomes of the distribution must be pairs (x, t).") from problem
        values = losses_of(owner, hypothesis, list(X), list(t), loss)
        mean = float(p @ values)
        return Expectation(mean, 0.0, float(p @ (values - mean) ** 2), True)
    draws = check_count(owner, "n_draws", n_draws, 2)
    X, t = distribution(draws, np.random.default_rng(seed_of(random_state)))
    values = losses_of(owner, hypothesis, X, t, loss)
    return simulated_mean(values)


def simulated_mean(values: NDArray) -> Expectation:
    """Return the mean of draws with its standard error."""
    variance = float(values.var(ddof=1)) if len(values) > 1 else float("nan")
    return Expectation(float(values.mean()), sqrt(variance / len(values)), variance, False)


def exact_samples(statistic: Callable, outcomes: list, p: NDArray, n: int, replace: bool) -> Expectation:
    """Return (3) over all samples."""
    if replace:
        index = product(range(len(outcomes)), repeat=n)
        pairs = [(prod(p[i] for i in one), statistic([outcomes[i] for i in one])) for one in index]
    else:
        pairs = [(1.0, statistic([outcomes[i] for i in one])) for one in combinations(range(len(outcomes)), n)]
    weight = np.array([w for w, _ in pairs])
    values = np.array([value for _, value in pairs], dtype=np.float64)
    mean = float(weight @ values / weight.sum())
    return Expectation(mean, 0.0, float(weight @ (values - mean) ** 2 / weight.sum()), True)


def sampling_distribution(
    statistic: Callable,
    distribution: Mapping[Any, float] | Callable[..., Any],
    n: int,
    *,
    replace: bool = True,
    n_draws: int = DRAWS,
    random_state: Seed = None,
) -> Expectation:
    """Return mean and variance of a statistic over samples of size n, for the bias of estimators and of sample errors.

    Parameters
    ----------
    statistic : callable
        A sample to a number: a list of outcomes, or what the sampler returns.
    distribution : dict, or callable
        {outcome: probability}, or `distribution(n, rng)` that draws a sample.
    n : int
        Size of a sample.
    replace : bool, default=True
        Independent draws; False takes subsets of equally likely outcomes.
    n_draws : int, default=10000
        Samples drawn where there are too many to go through.
    random_state : int, Generator, RandomState, SeedSequence or None

    Returns
    -------
    Expectation
        With `bias(true_value)`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import sampling_distribution
    >>> die = {face: 1 / 6 for face in range(1, 7)}
    >>> round(sampling_distribution(np.var, die, 3).bias(35 / 12), 6)    # dividing by n: -variance/n
    -0.972222
    """
    owner = "sampling_distribution"
    n, draws = check_count(owner, "n", n), check_count(owner, "n_draws", n_draws, 2)
    generator = np.random.default_rng(seed_of(random_state))
    if not isinstance(distribution, Mapping):
        if not replace:
            raise ParameterError(f"{owner}(replace=False): subsets need a table of outcomes.")
        return simulated_mean(np.array([statistic(distribution(n, generator)) for _ in range(draws)], dtype=np.float64))
    outcomes, p = outcome_table(owner, distribution)
    if not replace and (n > len(outcomes) or np.ptp(p) > 1e-12):
        raise ParameterError(f"{owner}(replace=False, n={n}): needs equally likely outcomes, at least n of them.")
    count = len(outcomes) ** n if replace else comb(len(outcomes), n)
    if count <= ENUMERATED:
        return exact_samples(statistic, outcomes, p, n, replace)
    picks = [generator.choice(len(outcomes), n, replace=replace, p=p) for _ in range(draws)]
    return simulated_mean(np.array([statistic([outcomes[i] for i in one]) for one in picks], dtype=np.float64))


def overfits(
    h: Any,
    other: Any,
    X: Rows,
    t: Numbers,
    distribution: Any,
    loss: Any = "zero-one",
    *,
    n_draws: int = DRAWS,
    random_state: Seed = 0,
) -> Overfitting:
    """Return whether h overfits relative to another hypothesis: better on the sample, worse in expectation.

    Parameters
    ----------
    h, other : callable or fitted model
    X, t : array-like
        The sample.
    distribution : dict, or callable
        As in `expected_loss`; both hypotheses see the same draws.
    loss, n_draws, random_state
        As in `expected_loss`.

    Returns
    -------
    Overfitting
        `overfits`, and the four errors.

    Examples
    --------
    >>> from novum.teaching import overfits
    >>> distribution = {(x, int(x > 2)): 1 / 6 for x in range(6)}
    >>> memory = {0: 0, 2: 1, 5: 1}                            # the label of 2 was noise
    >>> overfits(lambda x: memory.get(x, 0), lambda x: int(x > 2), [0, 2, 5], [0, 1, 1], distribution).overfits
    True
    """
    seed = int(np.random.default_rng(seed_of(random_state)).integers(2**63))
    true = [expected_loss(one, distribution, loss, n_draws=n_draws, random_state=seed).value for one in (h, other)]
    seen = [float(losses_of("overfits", one, X, t, loss).mean()) for one in (h, other)]
    return Overfitting(seen[0] < seen[1] and true[0] > true[1], *seen, *true)


def out_of_bag_probability(n: Numbers) -> Any:
    """Return the probability (1 - 1/n)^n that a row is not in a bootstrap sample of n rows.

    Parameters
    ----------
    n : int or array-like of int

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from novum.teaching import out_of_bag_probability
    >>> out_of_bag_probability([1, 2, 5]).round(5)
    array([0.     , 0.25   , 0.32768])
    """
    size = np.asarray(n, dtype=np.float64)
    if size.size == 0 or not (np.isfinite(size) & (size >= 1) & (size == np.floor(size))).all():
        raise ParameterError(f"out_of_bag_probability(n={n!r}): n must be a whole number, at least 1.")
    with np.errstate(divide="ignore"):
        out = np.exp(size * np.log1p(-1 / size))
    return float(out) if out.ndim == 0 else out
