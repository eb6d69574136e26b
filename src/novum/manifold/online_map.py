r"""Online steps of a self-organising map over some of the rows, wherever they are.

    w_v <- w_v + eta_t h_t(u(x), v) (x - w_v),   eta_t = eta / (1 + 2 t / T),  sigma_t = sigma / (1 + 2 t / T)        (1)

for one row x after the other, t counting the rows of all epochs; (3) of novum.manifold.self_organizing. The order of an epoch is
that of novum.fold.dealing.
"""

from typing import NamedTuple

import numpy as np

from novum import _core
from novum.fold.dealing import Deal, Portion, order_in_bucket
from novum.runtime import arrays

__all__ = ["Moving", "OnlineSteps", "move_units"]


class OnlineSteps(NamedTuple):
    """What the steps (1) of an epoch depend on."""

    deal: Deal
    lattice: np.ndarray  # (m, m): g
    eta: float
    sigma: float
    total: int  # T
    epoch: int = 0


class Moving(NamedTuple):
    units: np.ndarray  # (m, p)
    done: int  # t of (1)


def move_units(steps: OnlineSteps, before: Moving, portion: Portion) -> Moving:
    """Return the units after the steps (1) over the rows of a portion."""
    X, units = np.ascontiguousarray(arrays.to_numpy(portion.block.X)), before.units.copy()
    _core.manifold.units.online_steps(
        X,
        order=order_in_bucket(steps.deal, portion.number, steps.epoch, len(X)),
        units=units,
        lattice=steps.lattice,
        eta=steps.eta,
        sigma=steps.sigma,
        first=before.done,
        total=steps.total,
    )
    return Moving(units, before.done + len(X))
