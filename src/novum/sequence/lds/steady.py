r"""The covariance that the filter settles at.

    P = A (P - P C'(C P C' + R)^{-1} C P) A' + Q                                                       (12)

by doubling (Anderson 1978; Chu, Fan, Lin and Wang 2004), each step of which covers twice as many rows as the one before:

    E <- E (I + G H)^{-1} E,   G <- G + E_old (I + G H)^{-1} G E_old',   H <- H + E_old' H (I + G H)^{-1} E_old     (13)

from E = A', G = C'R^{-1}C, H = Q; H tends to P. Where R is singular the filter's own steps are repeated instead.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.result import result
from novum.sequence.lds.system import System

__all__ = ["SteadyState", "steady_covariance"]

Array = NDArray[Any]
MOST_DOUBLINGS = 60  # 2^60 rows
MOST_STEPS = 100_000
MOST_COVARIANCE = 1e150  # beyond, squares overflow: it grows without end
SETTLED = 1e-13  # relative change at which the covariance stands still


@result
class SteadyState(NamedTuple):
    """The filter of the far future."""

    predicted: Array  # (s, s): P of (12)
    filtered: Array  # (s, s): after a row
    gain: Array  # (s, p): m += K (x - C m)


def filtered_covariance(P: Array, C: Array, R: Array) -> tuple[Array, Array]:
    """Return the covariance after a row, in the form that stays positive, and the gain."""
    F = C @ P @ C.T + R
    K = np.linalg.solve(F, C @ P).T if np.linalg.cond(F) < 1e14 else P @ C.T @ np.linalg.pinv(F, hermitian=True)
    rest = np.eye(len(P)) - K @ C
    return rest @ P @ rest.T + K @ R @ K.T, K


def doubling(A: Array, Q: Array, C: Array, R: Array) -> Array | None:
    """Return P by (13), or None where R is singular or nothing settles."""
    if np.linalg.cond(R) > 1e12:
        return None
    E, G, H = A.T.copy(), C.T @ np.linalg.solve(R, C), Q.copy()
    identity = np.eye(len(A))
    with np.errstate(all="ignore"):
        for _ in range(MOST_DOUBLINGS):
            W = np.linalg.solve(identity + G @ H, np.hstack([E, G]))
            WE, WG = W[:, : len(A)], W[:, len(A) :]
            new = H + E.T @ H @ WE
            G, E = G + E @ WG @ E.T, E @ WE
            change = np.abs(new - H).max()
            H = (new + new.T) / 2
            if not np.isfinite(H).all() or not np.isfinite(E).all():
                return None
            if change <= SETTLED * np.abs(H).max():
                return H
    return None


def steady_covariance(owner: str, system: System) -> SteadyState:
    """Return what the filter settles at, or raise where it does not."""
    if not system.is_constant:
        raise ParameterError(f"{owner}: a steady state needs matrices that are the same at every step.")
    A, Q, C, R = system.transition, system.transition_covariance, system.observation, system.observation_covariance
    P = doubling(A, Q, C, R)
    if P is not None:
        again = A @ filtered_covariance(P, C, R)[0] @ A.T + Q
        if np.abs(again - P).max() > 1e-8 * max(np.abs(P).max(), 1e-300):
            P = None
    if P is None:
        P = Q + np.eye(len(A)) * max(float(np.trace(Q)), 1e-300)
        for _ in range(MOST_STEPS):
            if not np.abs(P).max() < MOST_COVARIANCE:
                break
            new = A @ filtered_covariance(P, C, R)[0] @ A.T + Q
            new = (new + new.T) / 2
            change, P = np.abs(new - P).max(), new
            if change <= SETTLED * np.abs(P).max():
                break
        else:
            change = np.inf
        if not np.abs(P).max() < MOST_COVARIANCE or change > SETTLED * np.abs(P).max():
            raise ParameterError(
                f"{owner}: the covariance of the filter does not settle: some state that grows is never observed. Use "
                'form="covariance".'
            )
    filtered, gain = filtered_covariance(P, C, R)
    return SteadyState(P, filtered, gain)
