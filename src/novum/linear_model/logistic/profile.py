r"""Intervals from the likelihood itself: they hold where Wald's do not, in small samples and after separation.

With D_j(b) = 2 (max l - max_{B_j = b} l), the deviance of a held coefficient (of (17), or of (18) for Firth's estimates),

    interval_j = {b : D_j(b) <= chi^2_1(level)},   p_j = P(chi^2_1 > D_j(0)),   z_j = sign(b_j) sqrt(D_j(0))       (19)

l is concave, so D_j is convex: the interval has one bound on each side, or none where D_j stays below the quantile for ever. That
happens when classes are separated: the coefficient is then infinite, with one finite bound; or, if the other columns separate
the classes without it, anything at all. (18) is not concave: with several separated classes a held coefficient can have more than
one maximum, and the highest of those found counts.
"""

from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from novum.linear_model.frame import Frame
from novum.linear_model.logistic.likelihood import Likelihood, LikelihoodPoint

__all__ = ["LikelihoodTable", "likelihood_table"]

FARTHEST = 1e7  # of a coefficient of a unit column; what is not decided there is infinite
CLOSE = 1e-11  # relative width of the bracket of a bound


class LikelihoodTable(NamedTuple):
    """(19), a number per coefficient."""

    coef: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray
    value: float  # the log-likelihood at its maximum
    null: float  # and with intercepts only


class Profile:
    """D_j of one coefficient, warm-started from the last place it was evaluated at."""

    def __init__(self, likelihood: Likelihood, best: LikelihoodPoint, j: int) -> None:
        self.likelihood, self.best, self.j = likelihood, best, j
        self.free = np.arange(likelihood.size) != j
        self.last = best
        self.known = {float(best.B.ravel()[j]): best}  # the highest place found at every value that was requested

    def deviance(self, b: float) -> float:
        """Return D_j(b); (18) may have several maxima, so that it is sought from all places that are near.

        What was found at a value stays the answer there: another start might end lower, and a bracket would hold no root.
        """
        if b not in self.known:
            starts = [self.start(b)]
            if self.likelihood.firth:
                several = self.likelihood.shape[0] > 1
                around = [self.best.B, *self.neighbors(b)] if several else [self.best.B]
                for place in around:
                    starts.append(place.copy())
                    starts[-1].ravel()[self.j] = b
            found = [self.likelihood.maximum(start, self.free) for start in starts]
            self.known[b] = max(found, key=lambda place: place.value)
        self.last = self.known[b]
        return 2 * (self.best.value - self.last.value)

    def neighbors(self, b: float) -> list[np.ndarray]:
        """Return the coefficients at the nearest values on either side of b."""
        below, above = [v for v in self.known if v < b], [v for v in self.known if v > b]
        ends = ([max(below)] if below else []) + ([min(above)] if above else [])
        return [self.known[v].B for v in ends if self.known[v] is not self.best and self.known[v] is not self.last]

    def start(self, b: float) -> np.ndarray:
        """Return the likeliest of four guesses: others as they were, moved along the tangent, zero, or all in proportion.

        After separation the last place may lie where all rows are certain: from there zero is the only way back.
        """
        here = self.last.B.ravel()
        kept = here.copy()
        kept[self.j] = b
        moved, (at, information) = kept.copy(), (here[self.j], self.last.information)
        tangent = np.linalg.lstsq(
            information[np.ix_(self.free, self.free)], information[self.free, self.j], rcond=1e-12
        )[0]
        moved[self.free] -= tangent * (b - at)
        zero = np.zeros_like(here)
        zero[self.j] = b
        guesses = [kept, moved, zero] + ([here * (b / at)] if at * b > 0 else [])
        places = [self.likelihood.at(guess.reshape(self.likelihood.shape)) for guess in guesses]
        return max(places, key=lambda place: place.value).B

    def bound(self, quantile: float, side: int, step: float, open_ended: bool) -> float:
        """Return where D_j crosses the quantile on one side; infinite where it never does.

        After separation the maximum is a direction, followed far out: steps are then factors of two, along which all
        coefficients keep their proportion.
        """
        centre = inner = float(self.best.B.ravel()[self.j])
        self.last = self.best
        while True:
            outer = centre + side * step
            if open_ended:
                outer = inner / 2 if side * inner < -1 else side * max(2 * abs(inner), 1.0)
            if abs(outer) > FARTHEST:
                return side * np.inf
            if self.deviance(outer) >= quantile:
                break
            inner, step = outer, 2 * step
        return float(
            optimize.brentq(lambda b: self.deviance(b) - quantile, inner, outer, xtol=CLOSE * max(1, abs(outer)))
        )


def intercept_basis(pull: np.ndarray) -> tuple[np.ndarray, int]:
    """Return coordinates of which one is the intercept in the user's units, over that of the strongest column, and its place.

    In a frame a = e - sum_j pull_j B_j, (2) there, so that a takes the place of the B_j of the strongest pull; as the others then
    have weights of at most one, columns far from zero leave the new coordinates as well conditioned as the frame.
    """
    j = int(np.abs(pull).argmax())
    basis = np.eye(len(pull) + 1)
    basis[j, :-1] = -pull / pull[j]
    basis[j, -1] = 1 / pull[j]
    return basis, j


def likelihood_table(
    likelihood: Likelihood, level: float, separated: bool, frame: Frame | None = None
) -> LikelihoodTable:
    """Return (19) for every coefficient, in the user's units and the order (class, column)."""
    (q, m), p = likelihood.shape, likelihood.shape[1] - likelihood.intercept
    everything = np.ones(likelihood.size, dtype=bool)
    best = likelihood.maximum(np.zeros(likelihood.shape), everything)
    T = np.diag(1 / likelihood.scale)
    if frame is not None:
        T = frame.matrix(likelihood.intercept) @ T
    outward = np.kron(np.eye(q), T)
    open_ended = separated and not likelihood.firth
    covariance = np.full(best.information.shape, np.nan) if open_ended else np.linalg.inv(best.information)
    covariance = outward @ covariance @ outward.T
    error = np.sqrt(np.diag(covariance))
    quantile = float(stats.chi2.ppf(level, 1))
    lower, upper, ratio = np.empty(likelihood.size), np.empty(likelihood.size), np.empty(likelihood.size)
    centered = frame is not None and likelihood.intercept and frame.center.any()
    for j in range(likelihood.size):
        profile, unit = Profile(likelihood, best, j), T[j % m, j % m]
        if centered and j % m == p:
            pull = -T[p, :p]
            basis, place = intercept_basis(pull)
            moved = likelihood.rebased(basis)
            there = moved.at(best.B @ np.linalg.inv(basis).T)
            profile, unit = Profile(moved, there, j - p + place), pull[place]
        step = 1.0 if open_ended else np.sqrt(quantile) * error[j] / abs(unit)
        ends = sorted(unit * profile.bound(quantile, side, step, open_ended) for side in (-1, 1))
        lower[j], upper[j] = ends
        profile.last = profile.best
        ratio[j] = max(profile.deviance(0.0), 0.0)
    coef = outward @ best.B.ravel()
    coef = np.where(
        np.isinf(lower), np.where(np.isinf(upper), np.nan, -np.inf), np.where(np.isinf(upper), np.inf, coef)
    )
    features = np.tile(np.arange(m) < p, q)
    null = likelihood.maximum(np.zeros(likelihood.shape), ~features)
    return LikelihoodTable(
        coef=coef,
        standard_error=error,
        statistic=np.sign(coef) * np.sqrt(ratio),
        p_value=stats.chi2.sf(ratio, 1),
        lower=lower,
        upper=upper,
        covariance=covariance,
        value=best.value,
        null=null.value,
    )
