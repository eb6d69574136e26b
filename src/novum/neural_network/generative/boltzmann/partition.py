r"""The constant Z that makes exp(-F) a probability: by counting all states, or by annealed importance sampling.

    Z = sum_v exp(-F(v)) = sum_h exp(-F'(h)),   F' the free energy with the sides changed                (1)
    Gaussian: Z = prod_j sqrt(2 pi s_j^2) sum_h exp(c'h + sum_j [(b + W'h)_j^2 - b_j^2] / (2 s_j^2))      (2)

takes 2^(units of the smaller side) terms. Annealing (Neal 2001; Salakhutdinov and Murray 2008) walks from a machine whose hidden
units know nothing of v to the machine itself, by powers 0 = t_0 < ... < t_K = 1 of what the hidden units say:

    -F_t(v) = b'v + sum_i log(1 + exp(t (c + Wv)_i)),      Z_0 = 2^m prod_j (1 + exp b_j)                (3)
    log w = sum_k [F_{t_{k-1}}(v_k) - F_{t_k}(v_k)],       v_{k+1} after a Gibbs step of machine t_k      (4)
    Z = Z_0 E[w]                                                                                          (5)

(5) is without bias for any number of temperatures; its logarithm errs low where few chains carry the weight, which the number of
effective chains (sum w)^2 / sum w^2 shows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from novum.exceptions import DataWarning, ParameterError
from novum.neural_network.generative.boltzmann.parameters import (
    BoltzmannParameters,
    hidden_input,
    softplus,
    turned,
    visible_draw,
)
from novum.neural_network.generative.counts import check_counts
from novum.report.result import result
from novum.runtime.blas import single_blas
from novum.runtime.warn import warn

__all__ = [
    "MOST_COUNTED",
    "Partition",
    "annealed",
    "binary_states",
    "countable",
    "counted",
    "counted_with",
    "log_partition_of",
]

MOST_COUNTED = 18  # units of the smaller side whose 2^18 states are still counted in about a second
CHUNK = 12  # states are made 2^12 at a time
CELLS = 1 << 20  # numbers at once where many rows are counted together
FEWEST_EFFECTIVE = 10.0  # chains; with fewer the estimate rests on the luck of some
LOG_TWO_PI = float(np.log(2 * np.pi))


@result
class Partition(NamedTuple):
    """log Z, its standard error (0 where it was counted), how many chains carry the estimate, and the method."""

    value: float
    standard_error: float
    n_effective: float
    method: str


def binary_states(n_units: int, first: int, count: int) -> NDArray:
    """Return states first, ..., first + count - 1 of so many units as rows of 0 and 1."""
    return ((np.arange(first, first + count)[:, None] >> np.arange(n_units)) & 1).astype(np.float64)


def countable(machine: BoltzmannParameters) -> int:
    """Return how many units the side has over which (1) or (2) can be summed."""
    m, d = machine.weight.shape
    return m if machine.log_variance is not None else min(m, d)


def counted(machine: BoltzmannParameters) -> float:
    """Return log Z by (1) or (2)."""
    m, d = machine.weight.shape
    if machine.log_variance is None and d < m:
        machine = BoltzmannParameters(
            machine.weight.T, machine.visible, machine.hidden
        )  # the sides are alike: sum over the smaller
        m, d = d, m
    step = 1 << min(m, CHUNK)
    parts = []
    for first in range(0, 1 << m, step):
        h = binary_states(m, first, step)
        inner = h @ machine.weight + machine.visible
        if machine.log_variance is None:
            terms = softplus(inner).sum(axis=1)
        else:
            terms = ((inner**2 - machine.visible**2) * np.exp(-machine.log_variance)).sum(axis=1) / 2
        parts.append(logsumexp(h @ machine.hidden + terms))
    volume = 0.0 if machine.log_variance is None else float((LOG_TWO_PI + machine.log_variance).sum()) / 2
    return float(logsumexp(parts)) + volume


def counted_with(machine: BoltzmannParameters, bias: NDArray) -> NDArray:
    """Return log Z by (1) of binary machines that differ in the biases of their first visible units alone, a row for each."""
    m, d = machine.weight.shape
    k = bias.shape[1]
    over_hidden = m <= d
    step = 1 << min(m if over_hidden else d, CHUNK)
    total = np.full(len(bias), -np.inf)
    rows = max(1, CELLS // (step * (k if over_hidden else 1)))
    for first in range(0, 1 << (m if over_hidden else d), step):
        if over_hidden:  # sum over h: of the visible units only the first k see the row
            h = binary_states(m, first, step)
            inner = h @ machine.weight + machine.visible
            fixed, moving = h @ machine.hidden + softplus(inner[:, k:]).sum(axis=1), inner[:, :k]
        else:  # sum over v: a row is linear in it
            v = binary_states(d, first, step)
            fixed = v @ machine.visible + softplus(v @ machine.weight.T + machine.hidden).sum(axis=1)
            moving = v[:, :k]
        for at in range(0, len(bias), rows):
            part = slice(at, at + rows)
            if over_hidden:
                terms = softplus(moving + bias[part, None]).sum(axis=2) + fixed
            else:
                terms = bias[part] @ moving.T + fixed
            total[part] = np.logaddexp(total[part], logsumexp(terms, axis=1))
    return total


def start(machine: BoltzmannParameters) -> float:
    """Return log Z_0 of (3)."""
    m = len(machine.hidden)
    if machine.log_variance is None:
        return float(m * np.log(2) + softplus(machine.visible).sum())
    return float(m * np.log(2) + (LOG_TWO_PI + machine.log_variance).sum() / 2)


def annealed(machine: BoltzmannParameters, n_chains: int, n_temperatures: int, rng: np.random.RandomState) -> Partition:
    """Return log Z by (3) to (5): of two neighbouring machines only what the hidden units say differs."""
    v = visible_draw(machine, np.zeros((n_chains, len(machine.hidden))), rng)
    log_weight, inputs, before = np.zeros(n_chains), hidden_input(machine, v), 0.0
    for power in np.linspace(0.0, 1.0, n_temperatures + 1)[1:]:
        log_weight += (softplus(power * inputs) - softplus(before * inputs)).sum(axis=1)
        h = turned(expit(power * inputs), rng)
        v = visible_draw(machine, power * h, rng)  # W'h times the power is what machine t says
        inputs, before = hidden_input(machine, v), power
    return _averaged(start(machine), log_weight)


def _averaged(log_start: float, log_weight: NDArray) -> Partition:
    """Return (5) with its standard error by the delta method."""
    share = np.exp(log_weight - log_weight.max())
    n = len(share)
    error = float(share.std(ddof=1) / (share.mean() * np.sqrt(n))) if n > 1 else float("inf")
    effective = float(share.sum() ** 2 / (share**2).sum())
    value = log_start + float(log_weight.max() + np.log(share.mean()))
    return Partition(value, error, effective, "annealed")


def log_partition_of(
    machine: BoltzmannParameters,
    owner: str,
    method: str,
    n_chains: int,
    n_temperatures: int,
    rng: np.random.RandomState,
) -> Partition:
    """Return log Z by the requested method; "auto" counts where that is possible."""
    units = countable(machine)
    if method not in ("auto", "exact", "annealed"):
        raise ParameterError(f"{owner}.log_partition(method={method!r}): choose 'auto', 'exact' or 'annealed'.")
    check_counts(f"{owner}.log_partition", n_chains=n_chains, n_temperatures=n_temperatures)
    if method == "exact" and units > MOST_COUNTED:
        raise ParameterError(
            f"{owner}.log_partition(method='exact'): the smaller side has {units} units, and 2^{units} states are too many to"
            f" count (up to {MOST_COUNTED} units can be). Use method='annealed'."
        )
    with single_blas():  # products of a few hundred rows: threads cost more than they give
        if method == "exact" or (method == "auto" and units <= MOST_COUNTED):
            return Partition(counted(machine), 0.0, float("inf"), "exact")
        found = annealed(machine, n_chains, n_temperatures, rng)
    if found.n_effective < min(FEWEST_EFFECTIVE, n_chains / 2):
        warn(
            f"{owner}: the annealed estimate of log Z rests on {found.n_effective:.1f} of {n_chains} chains and is likely too"
            f" low; raise n_temperatures={n_temperatures}.",
            DataWarning,
        )
    return found
