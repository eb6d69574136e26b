r"""Metropolis and Hastings: propose a step, take it or stay.

    alpha(x -> x') = min(1, pi(x') Q(x' -> x) / (pi(x) Q(x -> x')))                                                      (1)
    pi(x) Q(x -> x') alpha(x -> x') = pi(x') Q(x' -> x) alpha(x' -> x)                      detailed balance             (2)

The random walk that adapts itself while it warms up is compiled (cpp/include/novum/sampling/random_walk.h); proposals of a user are
called in Python.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import LowLevelCallable

from novum import _core
from novum.base.domains import ArrayLike, Bool, Function, Instance, Methods, Null, Real
from novum.exceptions import DataError, ParameterError
from novum.report.result import result
from novum.runtime.checks import check_count
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed
from novum.sampling.chains import Chains
from novum.sampling.densities import check_value, density_of, place_text
from novum.sampling.driver import Method, Record, Request, run
from novum.sampling.kernels import numbers_of, run_steps
from novum.sampling.sampler import Sampler
from novum.sampling.starts import start_points

__all__ = ["MetropolisHastings", "acceptance"]

LEAST_WARMUP, WARMUP_PER_PAIR, MOST_WARMUP = 1000, 50, 50_000
BEST_SCALE = 2.38  # over sqrt(d): Roberts, Gelman and Gilks (1997)


class ChainState(NamedTuple):
    """A state of a chain with a user's proposal."""

    x: Any
    log_prob: float
    accepted: float


@result
class Proposal(NamedTuple):
    """One iteration of a chain, to be looked at.

    Attributes
    ----------
    proposed : state
    log_ratio : float
        log pi(x') + log Q(x' -> x) - log pi(x) - log Q(x -> x'); the step is taken with probability min(1, exp(log_ratio)).
    accepted : bool
    state : state
        Where the chain is afterwards: `proposed`, or where it was.
    """

    proposed: Any
    log_ratio: float
    accepted: bool
    state: Any


def acceptance(log_ratio: float) -> float:
    """Return (1) from log pi(x') + log Q(x' -> x) - log pi(x) - log Q(x -> x'); zero where it is no number."""
    return 0.0 if np.isnan(log_ratio) else float(np.exp(min(0.0, log_ratio)))


def empty_record(n: int, d: int) -> Record:
    """Return the arrays that a chain fills."""
    return {"draws": np.empty((n, d)), "log_prob": np.empty(n), "accepted": np.empty(n)}


def walk_statistics(record: Record) -> Record:
    """Return what is said of every draw."""
    return {"log_prob": record["log_prob"], "acceptance_rate": record["accepted"]}


class MetropolisHastings(Sampler):
    """Draw from a density by proposed steps that are taken or refused; no gradient is needed.

    Parameters
    ----------
    log_prob : callable
        The log density of a state, up to a constant; -inf outside the support.
    proposal : callable or object, default=None
        None: a Gaussian random walk, compiled, that learns its step and covariance while it warms up. A function (x,
        generator) -> x' that is symmetric, such as a walk of your own; or an object with `sample(x, generator)` and
        `log_prob(new, old)`, the log density of proposing new from old, for those that are not. States may then be anything that
        `log_prob` takes, integers too.
    scale : float or array-like, default=None
        The random walk's first covariance: a number (its square root, the standard deviation), standard deviations, or a matrix.
    adapt : bool, default=True
        Whether the random walk learns while it warms up. Without, `scale` is the step itself.
    vectorized : bool, default=False
        Whether `log_prob` takes a matrix with a row per chain and returns a value per row (random walk only).

    Attributes
    ----------
    interrupted_ : Chains
        After Ctrl-C: what was drawn until then, if the warm-up was over.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import MetropolisHastings
    >>> walk = MetropolisHastings(lambda x: -np.abs(x).sum())
    >>> chains = walk.sample(4000, start=2, random_state=0)
    >>> bool(abs(chains["x"].std() - 2**0.5) < 0.1)
    True

    A proposal of your own, on three states with weights 2, 3 and 5:

    >>> weights = np.log([2.0, 3.0, 5.0])
    >>> hop = MetropolisHastings(lambda k: weights[k] if 0 <= k < 3 else -np.inf, lambda k, rng: k + rng.choice([-1, 1]))
    >>> chains = hop.sample(2000, start=1, random_state=0)
    >>> (np.bincount(chains["x"].astype(int).ravel()) / 8000).round(1).tolist()
    [0.2, 0.3, 0.5]
    """

    _domains = {
        "log_prob": Function() | Instance(LowLevelCallable),
        "proposal": Function() | Methods("sample", "log_prob") | Null(),
        "scale": Real(0, open="low") | ArrayLike() | Null(),
        "adapt": Bool(),
        "vectorized": Bool(),
    }

    def __init__(
        self,
        log_prob: Callable[..., Any],
        proposal: Any = None,
        *,
        scale: float | Numbers | None = None,
        adapt: bool = True,
        vectorized: bool = False,
    ) -> None:
        self.log_prob = log_prob
        self.proposal = proposal
        self.scale = scale
        self.adapt = adapt
        self.vectorized = vectorized

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.proposal is not None and (self.vectorized or self.scale is not None):
            raise ParameterError("MetropolisHastings: scale= and vectorized= belong to the random walk, proposal=None.")
        if not self.adapt and self.scale is None and self.proposal is None:
            raise ParameterError("MetropolisHastings(adapt=False): without learning, scale= must say how far to step.")

    def sample(
        self,
        n_samples: int = 1000,
        *,
        start: Numbers | Sequence[Any] | None = None,
        n_chains: int = 4,
        n_warmup: int | None = None,
        thin: int = 1,
        names: Sequence[str] | Mapping[str, tuple[int, ...]] | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        resume: Chains | None = None,
        check: bool = True,
    ) -> Chains:
        """Return `n_samples` draws of every chain; the parameters are those of `HamiltonianMonteCarlo.sample`.

        `n_warmup=None` stands for 50 d^2 iterations, between 1,000 and 50,000: fewer do not show the walk a
        covariance of d dimensions.
        With a proposal of the user it is 1000, and nothing is learned; `start` is a state or a list of `n_chains`
        states, and `n_jobs` has no effect.
        """
        self._check_parameters()
        options: dict[str, Any] = {
            "n_samples": n_samples,
            "n_warmup": n_warmup,
            "thin": thin,
            "random_state": random_state,
            "resume": resume,
        }
        if self.proposal is None:
            density = density_of("MetropolisHastings", self.log_prob, None, bool(self.vectorized), False)
            method = Method(
                "MetropolisHastings", empty_record, self._chain, self._learned, walk_statistics, self._warmup
            )
            chains, stopped = run(
                method, density, start=start, n_chains=n_chains, names=names, n_jobs=n_jobs, **options
            )
        else:
            n_chains = check_count("MetropolisHastings", "n_chains", n_chains)
            options["n_warmup"] = LEAST_WARMUP if n_warmup is None else n_warmup
            chains, stopped = run_steps(
                "MetropolisHastings",
                self.step,
                self._first(start, n_chains, random_state) if resume is None else [],
                lambda place: (numbers_of("MetropolisHastings", place.x), (place.log_prob, place.accepted)),
                ("log_prob", "acceptance_rate"),
                names,
                begin=self._begin,
                **options,
            )
        return self._concluded(chains, stopped, check)

    def _first(self, start: Any, n_chains: int, random_state: Any) -> list[Any]:
        """Return the states that chains with a user's proposal begin at."""
        if start is None:
            start_points("MetropolisHastings", None, n_chains, 0, None)
        if callable(start):
            return list(start_points("MetropolisHastings", start, n_chains, seed_of(random_state), None))
        if (
            isinstance(start, list)
            and len(start) == n_chains
            and np.ndim(start[0]) == np.ndim(start) - 1
            and np.ndim(start) > 1
        ):
            return [np.asarray(one) for one in start]
        array = np.asarray(start)
        if array.ndim == 2:
            return list(start_points("MetropolisHastings", array, n_chains, 0, None))
        return [start if array.ndim == 0 else array] * n_chains

    def _begin(self, x: Any) -> ChainState:
        value = float(self.log_prob(x))
        check_value("MetropolisHastings", value, np.asarray(x))
        return ChainState(x, value, 0.0)

    def step(self, state: Any, random_state: np.random.Generator) -> Any:
        """Return the next state by (1): a kernel for `run_chains`, where states are bare."""
        bare = not isinstance(state, ChainState)
        place = self._begin(state) if bare else state
        new, value, _, accepted = self._propose(place, random_state)
        after = ChainState(new, value, 1.0) if accepted else place._replace(accepted=0.0)
        return after.x if bare else after

    def propose(self, state: Any, random_state: np.random.Generator) -> Proposal:
        """Return what `step` does at a state with the same draws: the proposal, its log ratio, and whether it is taken.

        Examples
        --------
        >>> import numpy as np
        >>> from novum.sampling import MetropolisHastings
        >>> walk = MetropolisHastings(lambda x: -0.5 * float(x @ x), scale=1.0, adapt=False)
        >>> found = walk.propose(np.array([0.0]), np.random.default_rng(1))
        >>> found.proposed.round(3), round(found.log_ratio, 3), found.accepted
        (array([0.346]), -0.06, False)
        """
        new, _, log_ratio, accepted = self._propose(self._begin(state), random_state)
        return Proposal(new, log_ratio, accepted, new if accepted else state)

    def _propose(self, place: ChainState, random_state: np.random.Generator) -> tuple[Any, float, float, bool]:
        """Return a proposal, its log density, the log ratio of (1), and whether it is taken."""
        if self.proposal is None:
            size = np.size(place.x)
            root = self._covariance(size)
            new = place.x + (
                root @ random_state.normal(size=size) if root.ndim == 2 else root * random_state.normal(size=size)
            ).reshape(np.shape(place.x))
            log_ratio = 0.0
        elif hasattr(self.proposal, "sample") and hasattr(self.proposal, "log_prob"):
            new = self.proposal.sample(place.x, random_state)
            log_ratio = float(self.proposal.log_prob(place.x, new)) - float(self.proposal.log_prob(new, place.x))
        else:
            new, log_ratio = self.proposal(place.x, random_state), 0.0
        value = float(self.log_prob(new))
        if value == np.inf:
            raise DataError(f"MetropolisHastings: log_prob is +inf at {place_text(np.asarray(new))}; mend log_prob.")
        log_ratio = value - place.log_prob + log_ratio
        return new, value, log_ratio, bool(random_state.random() < acceptance(log_ratio))

    def _covariance(self, d: int) -> NDArray[np.float64]:
        """Return the standard deviations, or the Cholesky factor, of a step in d dimensions."""
        scale = np.asarray(1.0 if self.scale is None else self.scale, dtype=np.float64)
        if scale.ndim == 0:
            scale = np.full(d, float(scale))
        fits = scale.shape in ((d,), (d, d)) and bool(np.isfinite(scale).all())
        try:
            if not fits or (scale.ndim == 1 and not (scale > 0).all()):
                raise np.linalg.LinAlgError
            return scale if scale.ndim == 1 else np.asarray(np.linalg.cholesky(scale), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise ParameterError(
                f"MetropolisHastings(scale=...): give a positive number, {d} positive standard deviations, or a positive definite "
                f"covariance of shape ({d}, {d}); the shape is {scale.shape}."
            ) from None

    def _chain(
        self, request: Request, number: int, start: Any, begin: int, learned: dict[str, Any], record: Record
    ) -> Any:
        d = start.size
        if learned:
            factor, covariance = learned["scale"], np.ravel(learned["covariance"])
        else:
            root = self._covariance(d)
            covariance = np.ravel(root @ root.T if root.ndim == 2 else np.diag(root**2))
            factor = BEST_SCALE / np.sqrt(d) if self.adapt else 1.0
        return _core.sampling.chains.RandomWalkChain(
            seed=request.seed,
            chain=number,
            begin=begin,
            n_warmup=request.n_warmup,
            thin=request.thin,
            start=start,
            dense=True,
            adapts=bool(self.adapt),
            scale=factor,
            covariance=np.ascontiguousarray(covariance),
            **record,
        )

    def _warmup(self, d: int) -> int:
        """Return how many iterations show the walk a covariance: draws are correlated over some 5 d, several d are needed."""
        return min(max(LEAST_WARMUP, WARMUP_PER_PAIR * d * d), MOST_WARMUP) if self.adapt else LEAST_WARMUP

    def _learned(self, chain: Any) -> dict[str, Any]:
        d = int(np.sqrt(chain.covariance.size))
        return {"scale": chain.scale, "covariance": chain.covariance.reshape(d, d)}
