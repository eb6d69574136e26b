r"""What theory says of regret: below no policy that learns can stay for ever, above some never rise.

    Lai-Robbins   L_T >= log T sum_{a: Delta_a > 0} Delta_a / KL(R(a), R(a*))             for T to infinity                    (1)
    UCB1          L_T <= 8 log T sum 1/Delta_a + (1 + pi^2 / 3) sum Delta_a               rewards in [0, 1], all T             (2)
    Thompson      sum Delta_a / KL(R(a), R(a*)) (log T + log log T)                       leading term, T to infinity          (3)
    minimax       inf sup L_T >= c min(sqrt(T K), T),  c = 1/20, K >= 2                   adversarial, any policy              (4)
    EXP3          L_T <= 2 sqrt(e - 1) sqrt(T K log K)                                    tuned by (8) of the page           (5)
    anytime EXP3  L_T <= 2 sqrt(T K log K)                                                (9) of the page                      (6)

KL is p log(p/q) + (1 - p) log((1 - p)/(1 - q)) of Bernoulli arms and Delta^2 / (2 s^2) of Gaussian ones. The notes print 1/sqrt(20)
in (4); Auer, Cesa-Bianchi, Freund and Schapire (2002, theorem 5.1) prove 1/20, and only as far as T, the most that can be lost. (2)
rests on Hoeffding's inequality, which normal rewards share where their standard deviation is at most 1/2. Derivations:
docs/theory/bandits.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.bandits.environments import ArmsWithMeans, Bandit, BernoulliBandit
from novum.bandits.upper_bounds import bernoulli_divergence
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_choice, check_number, float_array
from novum.runtime.typing import Numbers

__all__ = ["KINDS", "regret_bound"]

KINDS = ("lai-robbins", "ucb1", "thompson", "minimax", "exp3", "exp3-anytime")
HOEFFDING_SCALE = 0.5  # of normal rewards, up to which Hoeffding's inequality for [0, 1] holds


def divergence_sum(bandit: ArmsWithMeans) -> float:
    """Return the constant of (1): the sum of Delta / KL over the arms that are not best."""
    total, star = 0.0, bandit.best_arm
    for a in np.flatnonzero(bandit.gaps > 0):
        if isinstance(bandit, BernoulliBandit):
            kl = bernoulli_divergence(float(bandit.means[a]), float(bandit.means[star]))
        elif bandit.scale[a] != bandit.scale[star]:
            raise ParameterError(
                "regret_bound: arms of different standard deviations have no common divergence; give them one scale."
            )
        else:
            kl = float(np.divide(bandit.gaps[a] ** 2, 2 * bandit.scale[a] ** 2)) if bandit.scale[a] else np.inf
        total += bandit.gaps[a] / kl
    return total


def regret_bound(bandit: Bandit, horizon: int | Numbers, kind: str = "lai-robbins", *, constant: float = 0.05) -> Any:
    """Return a bound on the pseudo-regret after `horizon` rounds.

    Parameters
    ----------
    bandit : BernoulliBandit, GaussianBandit or AdversarialBandit
        "lai-robbins", "ucb1" and "thompson" need arms with means; the others only their number.
    horizon : int or array-like of int
        T.
    kind : {"lai-robbins", "ucb1", "thompson", "minimax", "exp3", "exp3-anytime"}, default="lai-robbins"
        (1) to (6) in that order. "lai-robbins" and "minimax" are lower bounds, the first and "thompson" leading terms for large T.
    constant : float, default=0.05
        c of "minimax"; the notes print 1/sqrt(20).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from novum.bandits import BernoulliBandit, regret_bound
    >>> bandit = BernoulliBandit([0.9, 0.8, 0.5])
    >>> round(regret_bound(bandit, 10_000), 6), round(regret_bound(bandit, 10_000, "ucb1"), 6)
    (27.954726, 923.178971)
    """
    owner = "regret_bound"
    check_choice(owner, "kind", kind, KINDS)
    constant = check_number(owner, "constant", constant, 0)
    t = float_array(owner, "horizon", horizon).astype(np.float64)
    if not (np.isfinite(t).all() and (t >= 1).all()):
        raise DataError(f"{owner}: horizon must be one round or more.")
    if kind in ("lai-robbins", "ucb1", "thompson"):
        if not isinstance(bandit, ArmsWithMeans):
            raise ParameterError(
                f"{owner}(kind={kind!r}) needs arms with means, not {bandit!r}; kinds for others: 'minimax', 'exp3'."
            )
        found = bound_of_means(bandit, t, kind)
    else:
        k = bandit.n_arms
        found = {
            "minimax": constant * np.minimum(np.sqrt(t * k), t) * (k > 1),
            "exp3": np.minimum(2 * np.sqrt((np.e - 1) * t * k * np.log(k)), t),
            "exp3-anytime": np.minimum(2 * np.sqrt(t * k * np.log(k)), t),
        }[kind]
    return float(found) if np.ndim(found) == 0 else found


def bound_of_means(bandit: ArmsWithMeans, t: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """Return (1), (2) or (3)."""
    gaps = bandit.gaps[bandit.gaps > 0]
    if kind == "lai-robbins":
        return np.asarray(np.log(t) * divergence_sum(bandit))
    if kind == "thompson":
        return np.asarray(divergence_sum(bandit) * (np.log(t) + np.log(np.maximum(np.log(np.maximum(t, 1.0)), 1.0))))
    if not isinstance(bandit, BernoulliBandit) and bandit.scale.max() > HOEFFDING_SCALE:
        raise ParameterError(
            f"regret_bound(kind='ucb1'): the bound is for rewards in [0, 1], or normal ones with a scale of at most "
            f"{HOEFFDING_SCALE}; the largest scale is {bandit.scale.max():g}."
        )
    return np.asarray(8 * np.log(t) * np.sum(1 / gaps) + (1 + np.pi**2 / 3) * gaps.sum())
