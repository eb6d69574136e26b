r"""Rejection sampling: draw below an envelope, keep what falls below the target.

    z ~ q,  height u k q(z),  u ~ U(0, 1);   keep z where the height is below p~(z)                                       (1)
    rate of keeping = integral of p~ / k                                                                                 (2)

It is exact as long as k q >= p~ everywhere. That cannot be proved by looking; where a draw shows that it fails, the
draws kept so far
are of another distribution, and the call ends with the point.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.base import Distribution
from novum.exceptions import DataError, ParameterTypeError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import ink, series
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Axes, Seed
from novum.sampling.expectations import drawn, generator

__all__ = ["RejectionSample", "density_values", "proposal_parts", "rejection_sample"]

ROUNDING = 1e-9  # relative: an envelope that touches the target may lie this much below it
MOST_PER_DRAW = 10_000  # proposals per draw: beyond, the envelope is of no use
BLOCK = 4096  # proposals at a time, at least
SHOWN = 2000  # proposals that the picture keeps


@dataclass(frozen=True, repr=False)
class RejectionSample(Result):
    """Exact draws, and how many proposals they took.

    Attributes
    ----------
    samples : ndarray of shape (n_samples, ...)
    n_proposed : int
    acceptance_rate : float
        Share of the proposals that were kept; its expectation is (2).
    normalizer : float
        Estimate of the integral of the density, `bound` times the rate; `normalizer_error` is its standard error.
    normalizer_error : float
    bound : float
    proposals, heights : ndarray
        The first proposals and their heights u k q(z), for the picture.
    """

    samples: NDArray[Any]
    n_proposed: int
    acceptance_rate: float
    normalizer: float
    normalizer_error: float
    bound: float
    proposals: NDArray[Any]
    heights: NDArray[np.float64]
    _density: Callable[[Any], Any] = field(repr=False)
    _envelope: Callable[[Any], Any] = field(repr=False)

    def _result_columns(self) -> dict[str, Any]:
        flat = self.samples.reshape(len(self.samples), -1)
        return {"x" if flat.shape[1] == 1 else f"x[{j}]": flat[:, j].tolist() for j in range(flat.shape[1])}

    def __repr__(self) -> str:
        return (
            f"RejectionSample: {counted(len(self.samples), 'draw')} of {counted(self.n_proposed, 'proposal')}, acceptance rate "
            f"{num(self.acceptance_rate):.3f}, integral {num(self.normalizer):.4g} +- {num(self.normalizer_error):.2g}"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw target, envelope, and the proposals as points at their heights: kept below the target, rejected above it."""
        if self.proposals.ndim > 1 and self.proposals.reshape(len(self.proposals), -1).shape[1] > 1:
            raise DataError("RejectionSample.plot: the picture shows one dimension; these draws have more.")
        ax = drawing_axes(ax)
        z = np.ravel(self.proposals)
        grid = np.linspace(z.min(), z.max(), 400)
        shape = (-1, *self.proposals.shape[1:])
        target = np.ravel(self._density(grid.reshape(shape)))
        kept = self.heights < np.ravel(self._density(self.proposals))
        ax.plot(z[~kept], self.heights[~kept], ".", ms=3, color=series(ax, 3), label="rejected")
        ax.plot(z[kept], self.heights[kept], ".", ms=3, color=series(ax, 2), label="accepted")
        ax.plot(grid, np.ravel(self._envelope(grid.reshape(shape))), color=series(ax, 0), label="envelope k q")
        ax.plot(grid, target, color=ink(ax), label="target")
        ax.set_xlabel("x")
        ax.set_ylabel("density, not normalized")
        draw_legend(ax)
        return ax


def proposal_parts(owner: str, proposal: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return what proposals are drawn from, and their log density: a distribution, or a pair (draws, log density)."""
    if hasattr(proposal, "sample") and hasattr(proposal, "log_prob"):
        return proposal, proposal.log_prob
    if isinstance(proposal, tuple) and len(proposal) == 2 and all(callable(part) for part in proposal):
        return proposal
    raise ParameterTypeError(
        f"{owner}(proposal={proposal!r}): give a distribution with sample and log_prob, or a pair (draws, log_prob) of functions: "
        "(n, generator) -> draws and draws -> log density."
    )


def density_values(owner: str, name: str, function: Callable[[Any], Any], draws: NDArray[Any]) -> NDArray[np.float64]:
    """Return a density of every draw, NaN refused; a function that is not vectorised is called draw by draw."""
    with np.errstate(divide="ignore", over="ignore"):
        try:
            values = np.asarray(function(draws), dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape != (len(draws),):
            values = np.array([float(function(x)) for x in draws])
    if np.isnan(values).any():
        at = draws[int(np.argmax(np.isnan(values)))]
        raise DataError(
            f"{owner}: {name} is NaN at {at!r}; mend it (zero, or -inf for a logarithm, outside the support)."
        )
    return values


def rejection_sample(
    density: Callable[[Any], Any],
    proposal: Distribution | tuple[Callable[..., Any], Callable[..., Any]],
    n_samples: int = 1000,
    *,
    bound: float = 1.0,
    log: bool = False,
    random_state: Seed = None,
) -> RejectionSample:
    """Return exact draws of a density that lies below a multiple of another.

    Parameters
    ----------
    density : callable
        p~ of an array of draws (or of one), up to a constant; its logarithm where `log`.
    proposal : distribution or pair of callables
        q: with `sample` and `log_prob`, or (draws, log_prob) as functions (n, generator) -> draws and draws -> log density.
    n_samples : int, default=1000
    bound : float, default=1.0
        k: k q(x) >= p~(x) for every x.
    log : bool, default=False
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    RejectionSample
        Its `plot` shows target, envelope and points.

    Raises
    ------
    DataError
        Where a proposal lies above the envelope: the message has the point and the bound that it needs.

    Examples
    --------
    >>> from novum.distributions import Uniform
    >>> from novum.sampling import rejection_sample
    >>> found = rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 10_000, bound=0.25, random_state=0)
    >>> round(found.acceptance_rate, 1), round(found.normalizer, 2)  # 2/3 and 1/6
    (0.7, 0.17)
    """
    owner = "rejection_sample"
    n, k = check_count(owner, "n_samples", n_samples), check_number(owner, "bound", bound, 0, open_low=True)
    draws_of, log_q = proposal_parts(owner, proposal)
    rng = generator(random_state)
    kept: list[NDArray[Any]] = []
    shown: list[NDArray[Any]] = []
    heights: list[NDArray[np.float64]] = []
    n_kept = n_proposed = 0
    while n_kept < n:
        rate = n_kept / n_proposed if n_kept else 0.5
        z = drawn(owner, draws_of, int(min(1 << 20, max(BLOCK, 1.1 * (n - n_kept) / rate))), rng)
        target = density_values(owner, "density", density, z)
        envelope = np.log(k) + density_values(owner, "the proposal's log_prob", log_q, z)
        with np.errstate(divide="ignore"):
            if not log and (target < 0).any():
                raise DataError(
                    f"{owner}: density is negative at {z[int(np.argmin(target))]!r}; for logarithms set log=True."
                )
            excess = (target if log else np.log(target)) - envelope
        excess = np.where(np.isnan(excess), -np.inf, excess)  # zero over zero
        worst = int(np.argmax(excess))
        if excess[worst] > ROUNDING:
            needed = k * np.exp(excess[worst])
            raise DataError(
                f"{owner}(bound={k:g}): the envelope is violated at x = {z[worst]!r}, where the density is "
                f"{num(np.exp(excess[worst])):.4g} times "
                f"the envelope; raise bound to {num(needed):.6g} or more (more elsewhere, perhaps), or choose a proposal "
                f"with heavier tails."
            )
        u = rng.random(len(z))
        chosen = np.flatnonzero(u < np.exp(np.minimum(excess, 0)))
        if (
            n_kept + chosen.size >= n
        ):  # no further than the last draw needed, so that the rate is not biased by the block's end
            end = int(chosen[n - n_kept - 1]) + 1
            z, u, envelope, chosen = z[:end], u[:end], envelope[:end], chosen[chosen < end]
        if sum(map(len, shown)) < SHOWN:
            shown.append(z[:SHOWN])
            heights.append(u[:SHOWN] * np.exp(envelope[:SHOWN]))
        kept.append(z[chosen])
        n_kept, n_proposed = n_kept + chosen.size, n_proposed + len(z)
        if n_proposed > MOST_PER_DRAW * max(n_kept, 100):
            raise DataError(
                f"{owner}: {n_kept} of {n_proposed:,} proposals were kept; the envelope is far too wide. Choose a "
                f"closer proposal, or "
                "use HamiltonianMonteCarlo or MetropolisHastings."
            )
    rate = n_kept / n_proposed

    def plain(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return (
                np.exp(density_values(owner, "density", density, x))
                if log
                else density_values(owner, "density", density, x)
            )

    return RejectionSample(
        samples=np.concatenate(kept),
        n_proposed=n_proposed,
        acceptance_rate=rate,
        normalizer=k * rate,
        normalizer_error=k * float(np.sqrt(rate * (1 - rate) / n_proposed)),
        bound=k,
        proposals=np.concatenate(shown)[:SHOWN],
        heights=np.concatenate(heights)[:SHOWN],
        _density=plain,
        _envelope=lambda x: k * np.exp(density_values(owner, "the proposal's log_prob", log_q, x)),
    )
