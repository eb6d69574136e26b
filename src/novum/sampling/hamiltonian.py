r"""Hamiltonian Monte Carlo: the No-U-Turn sampler with multinomial trajectories, dual averaging and windows of mass adaptation.

    H(q, p) = -log pi(q) + p' C p/2,   p ~ N(0, C^-1)                                                                    (1)
    dq/dt = C p,  dp/dt = grad log pi(q),   by leapfrog steps of size e                                                  (2)

A trajectory along (2) keeps (1) nearly constant, so its points are nearly draws; it doubles until it turns back, and one of its
points is drawn by exp(-H). e and C are learned while warming up. The formulas stand with the kernels:
cpp/include/novum/sampling/{trajectory,hamiltonian,adaptation,metric}.h; the derivation in docs/theory/sampling.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import LowLevelCallable

from novum import _core
from novum.base.domains import Bool, Choice, Function, Instance, Int, Null, Real
from novum.runtime.typing import Numbers, Seed
from novum.sampling.chains import Chains
from novum.sampling.densities import density_of
from novum.sampling.driver import Method, Record, Request, run
from novum.sampling.sampler import Sampler

__all__ = ["HamiltonianMonteCarlo"]

WARMUP = 1000  # iterations: what Stan has found enough for most models
DEEPEST = 20  # doublings: a million steps


def empty_record(n: int, d: int) -> Record:
    """Return the arrays that a chain fills."""
    return {
        "draws": np.empty((n, d)),
        "log_prob": np.empty(n),
        "accepted": np.empty(n),
        "energy": np.empty(n),
        "depth": np.empty(n, np.int32),
        "steps": np.empty(n, np.int32),
        "diverged": np.empty(n, np.bool_),
    }


class HamiltonianMonteCarlo(Sampler):
    """Draw from a density by the No-U-Turn sampler, which follows its gradient.

    Parameters
    ----------
    log_prob : callable
        The log density of a vector x, up to a constant; -inf outside the support. Parameters that are positive or bounded are best
        given on the whole line (their logarithm, say), with the log Jacobian added.
    gradient : callable, True or None, default=None
        Its gradient as a function of x; True where `log_prob` returns (value, gradient) at once, which is fastest; None: `log_prob`
        takes and returns PyTorch tensors, and PyTorch differentiates.
    metric : {"diagonal", "dense"}, default="diagonal"
        What is learned of the distribution's shape: variances, or all covariances.
    target_accept : float, default=0.8
        Mean acceptance that the step size aims at; larger means smaller steps, for distributions that bend sharply.
    max_depth : int, default=10
        Most doublings of a trajectory, so at most 2^max_depth steps.
    vectorized : bool, default=False
        Whether `log_prob` (and `gradient`) take a matrix with a row per chain and return a value (and a gradient) per row: all
        chains then share the cost of a call. Rows must not depend on each other.

    Attributes
    ----------
    interrupted_ : Chains
        After Ctrl-C: what was drawn until then, if the warm-up was over. `sample(n, resume=sampler.interrupted_)` goes on.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import HamiltonianMonteCarlo
    >>> precision = np.array([[2.0, -1.2], [-1.2, 2.0]])
    >>> def log_prob(x):
    ...     slope = -precision @ x
    ...     return 0.5 * (x @ slope), slope
    >>> chains = HamiltonianMonteCarlo(log_prob, gradient=True).sample(1000, start=2, random_state=0)
    >>> bool(np.abs(np.cov(chains["x"].reshape(-1, 2).T) - np.linalg.inv(precision)).max() < 0.1)
    True
    >>> bool(chains.diagnosis)
    True
    """

    _domains = {
        "log_prob": Function() | Instance(LowLevelCallable),
        "gradient": Function() | Bool() | Null(),
        "metric": Choice("diagonal", "dense"),
        "target_accept": Real(0, 1, open="both"),
        "max_depth": Int(1, DEEPEST),
        "vectorized": Bool(),
    }

    def __init__(
        self,
        log_prob: Callable[..., Any],
        gradient: Callable[..., Any] | bool | None = None,
        *,
        metric: str = "diagonal",
        target_accept: float = 0.8,
        max_depth: int = 10,
        vectorized: bool = False,
    ) -> None:
        self.log_prob = log_prob
        self.gradient = gradient
        self.metric = metric
        self.target_accept = target_accept
        self.max_depth = max_depth
        self.vectorized = vectorized

    def _chain(
        self, request: Request, number: int, start: Any, begin: int, learned: dict[str, Any], record: Record
    ) -> Any:
        return _core.sampling.chains.HamiltonianChain(
            seed=request.seed,
            chain=number,
            begin=begin,
            n_warmup=request.n_warmup,
            thin=request.thin,
            start=start,
            dense=self.metric == "dense",
            max_depth=self.max_depth,
            target=self.target_accept,
            step=learned.get("step_size", 0.0),
            covariance=np.ravel(learned["covariance"]) if learned else None,
            **record,
        )

    def _learned(self, chain: Any) -> dict[str, Any]:
        shape = (-1,) if self.metric == "diagonal" else (int(np.sqrt(chain.covariance.size)), -1)
        return {
            "step_size": chain.step_size,
            "covariance": chain.covariance.reshape(shape),
            "warmup_divergences": chain.warmup_divergences,
        }

    def _statistics(self, record: Record) -> Record:
        return {
            "log_prob": record["log_prob"],
            "acceptance_rate": record["accepted"],
            "energy": record["energy"],
            "diverging": record["diverged"],
            "tree_depth": record["depth"],
            "n_steps": record["steps"],
            "reached_max_depth": record["depth"] >= self.max_depth,
        }

    def sample(
        self,
        n_samples: int = 1000,
        *,
        start: int | Numbers | Callable[..., Any] | None = None,
        n_chains: int = 4,
        n_warmup: int | None = None,
        thin: int = 1,
        names: Sequence[str] | Mapping[str, tuple[int, ...]] | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        resume: Chains | None = None,
        check: bool = True,
    ) -> Chains:
        """Return `n_samples` draws of every chain; a warning says where they should not be used.

        Parameters
        ----------
        n_samples : int, default=1000
            Draws of a chain.
        start : int, array-like or callable
            Where chains begin: the dimension alone (points of positive density in a box around zero are drawn), a point for all, a
            matrix with a row per chain, or a function of a NumPy Generator.
        n_chains : int, default=4
        n_warmup : int, default=None
            Iterations before, in which the sampler learns; None: 1000.
        thin : int, default=1
            Iterations per draw that is kept.
        names : list of str or mapping of str to tuple, default=None
            Names of the numbers in x, or of parts of it with their shapes: {"mu": (), "theta": (8,)}.
        random_state : int, Generator, RandomState, SeedSequence or None, default=None
        n_jobs : int, default=None
            Processes that share the chains; the draws do not depend on it. None: one, which is best for densities of microseconds.
        resume : Chains, default=None
            Go on from these, by the seed and settings that they were drawn with; they come first in what is returned.
        check : bool, default=True
            Whether to diagnose the chains, and to warn where something speaks against using them.

        Returns
        -------
        Chains
        """
        self._check_parameters()
        density = density_of("HamiltonianMonteCarlo", self.log_prob, self.gradient, bool(self.vectorized), True)
        method = Method(
            "HamiltonianMonteCarlo", empty_record, self._chain, self._learned, self._statistics, lambda d: WARMUP
        )
        chains, stopped = run(
            method,
            density,
            n_samples=n_samples,
            start=start,
            n_chains=n_chains,
            n_warmup=n_warmup,
            thin=thin,
            names=names,
            random_state=random_state,
            n_jobs=n_jobs,
            resume=resume,
        )
        return self._concluded(chains, stopped, check)
