r"""Coordinate ascent: factors of an approximate posterior updated in turn until none moves.

    q(Z) = prod_i q_i(Z_i),    log q_i(Z_i) = E_{the other factors}[log p(X, Z)] + const                        (1)
    L(q) = E_q[log p(X, Z)] + sum_i H(q_i)  <=  log p(X)                                                        (2)

The update (1) of one factor maximises (2) over it, so that no sweep lowers (2). The driver stops when a whole sweep neither moves
a parameter of a factor nor raises the bound; one that lowers it gives a warning, since the updates then are not those of (1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning, NotConverged
from novum.report.legends import draw_legend
from novum.report.numbers import cell_text, counted, num
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.warn import warn
from novum.variational.numbers import largest_change

__all__ = ["MeanField", "coordinate_ascent", "warn_unless_converged"]

ROUNDING = 1e-10  # relative: what a bound summed in another order may lose
Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class MeanField(Result):
    """A factorised posterior.

    Attributes
    ----------
    factors : dict
        q_i by name: distributions, or arrays of probabilities.
    bounds : ndarray of shape (n_iter + 1,)
        The bound (2) at the start and after every sweep.
    converged : bool
    n_iter : int
        Sweeps.
    log_evidence : float
        log p(X) where it can be had exactly, else NaN.
    """

    factors: dict[Any, Any]
    bounds: Array
    converged: bool
    n_iter: int
    log_evidence: float = float("nan")

    @property
    def elbo(self) -> float:
        """The bound after the last sweep."""
        return float(self.bounds[-1])

    @property
    def kl(self) -> float:
        """KL(q || posterior), what the factorisation costs; NaN where the evidence is not known."""
        return self.log_evidence - self.elbo

    def __getitem__(self, name: Any) -> Any:
        return self.factors[name]

    def _result_columns(self) -> dict[str, Any]:
        return {"factor": list(self.factors), "q": [cell_text(q) for q in self.factors.values()]}

    def _result_caption(self) -> str:
        state = "converged" if self.converged else "not converged"
        known = "" if np.isnan(self.log_evidence) else f", log-evidence {num(self.log_evidence):.8g}"
        return f"Mean field: {state} after {counted(self.n_iter, 'sweep')}, bound {num(self.elbo):.8g}{known}"

    def _result_title(self) -> str:
        return self._result_caption()

    def _result_picture(self, ax: Any) -> None:
        ax.plot(np.arange(self.bounds.size), self.bounds, marker=".", color=series(ax, 3), label="bound")
        if not np.isnan(self.log_evidence):
            ax.axhline(self.log_evidence, color=series(ax, 0), ls="--", lw=1, label="log-evidence")
        ax.set(xlabel="sweep", ylabel="nats", title="The bound never falls")
        draw_legend(ax)


def coordinate_ascent(
    owner: str,
    updates: Mapping[Any, Callable[[dict[Any, Any]], Any]],
    start: Mapping[Any, Any],
    bound: Callable[[dict[Any, Any]], float],
    tol: float,
    max_iter: int,
) -> MeanField:
    """Sweep over the updates, each a function of all factors to the new one, until the factors rest."""
    q = dict(start)
    bounds, converged = [float(bound(q))], False
    for sweep in range(max_iter):
        before = dict(q)
        for name, update in updates.items():
            q[name] = update(q)
        bounds.append(float(bound(q)))
        last, value = bounds[-2:]
        if np.isnan(value):
            raise DataError(f"{owner}: the bound is NaN after sweep {sweep + 1}; an update has left its domain.")
        if value < last - ROUNDING * max(1.0, abs(last)):
            warn(
                f"{owner}: sweep {sweep + 1} lowered the bound from {num(last):.10g} to {num(value):.10g}; an "
                "update is not the maximum "
                "over its factor, or the bound is not that of these updates.",
                DataWarning,
            )
        moved = largest_change([before[name] for name in updates], [q[name] for name in updates])
        if (np.isnan(moved) or moved <= tol) and value - last <= tol * max(1.0, abs(value)):
            converged = True
            break
    return MeanField(q, np.array(bounds), converged, len(bounds) - 1)


def warn_unless_converged(owner: str, found: Any, max_iter: int) -> Any:
    """Return the result, after a warning where its iterations were cut off."""
    if not found.converged:
        rise = found.bounds[-1] - found.bounds[-2] if len(found.bounds) > 1 else np.inf
        warn(
            f"{owner}: stopped after max_iter={max_iter} sweeps before the factors came to rest (the "
            "last one raised the bound "
            f"by {num(rise):.2g}); raise max_iter= or tol=.",
            NotConverged,
        )
    return found
