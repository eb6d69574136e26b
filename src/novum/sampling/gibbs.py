r"""Gibbs sampling: every variable in turn is drawn given all others.

x_i ~ p(x_i | x_-i)                                      a Metropolis step that is always accepted                    (1)
systematic  T = T_1 T_2 ... T_k    leaves p invariant; not reversible
random      a new order every sweep;   scan   one variable, drawn at random: both reversible                          (2)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Instance
from novum.distributions.tables.joint import JointTable
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.runtime.checks import check_count, float_array
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed
from novum.sampling.chains import Chains, resumed_state
from novum.sampling.kernels import numbers_of, run_steps
from novum.sampling.sampler import Sampler

__all__ = ["GibbsSampler", "conditional_weights"]

State = dict[str, Any]
ORDERS = ("systematic", "random", "scan")


def conditional_weights(table: NDArray[np.float64], state: tuple[int, ...], axis: int) -> NDArray[np.float64]:
    """Return p(x_i | x_-i) of (1), up to a constant, from a joint table."""
    return table[tuple(slice(None) if a == axis else k for a, k in enumerate(state))]


class GibbsSampler(Sampler):
    """Draw from a joint distribution by its conditionals.

    Parameters
    ----------
    conditionals : mapping of str to callable
        For every variable, in the order in which they are drawn: a function (state, generator) that returns its new value (a number
        or an array), or a distribution of `novum.distributions` to draw it from. `state` maps every variable to its value.
    order : {"systematic", "random", "scan"}, default="systematic"
        All in the given order; all in a new order every sweep; one that is drawn at random per iteration. The last two are
        reversible.
    vectorized : bool, default=False
        Whether the functions take the states of all chains at once, arrays with a row per chain, and return a value for each.

    Attributes
    ----------
    interrupted_ : Chains
        After Ctrl-C: what was drawn until then, if the warm-up was over.

    Notes
    -----
    Bayesian and Markov networks have this sampler built in, with their blankets as conditionals: `network.query(...,
    method="gibbs")`.

    Examples
    --------
    Two standard normals with correlation 0.8:

    >>> from novum.sampling import GibbsSampler
    >>> gibbs = GibbsSampler({
    ...     "x": lambda s, rng: 0.8 * s["y"] + 0.6 * rng.normal(),
    ...     "y": lambda s, rng: 0.8 * s["x"] + 0.6 * rng.normal(),
    ... })
    >>> chains = gibbs.sample(3000, start={"x": 0.0, "y": 0.0}, random_state=0)
    >>> import numpy as np
    >>> float(np.corrcoef(chains["x"].ravel(), chains["y"].ravel())[0, 1].round(1))
    0.8
    """

    _domains = {
        "conditionals": Instance(Mapping),
        "order": Choice(*ORDERS),
        "vectorized": Bool(),
    }

    def __init__(
        self,
        conditionals: Mapping[str, Callable[[State, np.random.Generator], Any]],
        *,
        order: str = "systematic",
        vectorized: bool = False,
    ) -> None:
        self.conditionals = conditionals
        self.order = order
        self.vectorized = vectorized

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.conditionals or not all(map(callable, self.conditionals.values())):
            raise ParameterTypeError(
                "GibbsSampler(conditionals=...): give a mapping of every variable's name to a function (state, generator) -> value."
            )

    @classmethod
    def from_table(
        cls,
        table: Numbers | JointTable,
        names: Sequence[str] | Mapping[str, tuple[int, ...]] | None = None,
        *,
        order: str = "systematic",
    ) -> "GibbsSampler":
        """Return the sampler of a joint table: an axis per variable, values 0, 1, ...; weights need not sum to one.

        `table` may be an array or a `novum.distributions.JointTable`.
        """
        joint = float_array("GibbsSampler.from_table", "table", getattr(table, "p", table)).astype(
            np.float64, copy=False
        )
        labels = list(
            map(str, names if names is not None else getattr(table, "names", [f"x{i}" for i in range(joint.ndim)]))
        )
        if joint.ndim < 1 or len(labels) != joint.ndim:
            raise ParameterError(
                f"GibbsSampler.from_table(names=...): {len(labels)} names for a table of {joint.ndim} axes; give one for each."
            )
        if not np.isfinite(joint).all() or (joint < 0).any() or not joint.any():
            raise DataError("GibbsSampler.from_table: the table must hold weights of zero or more, not all zero.")

        def conditional(axis: int) -> Callable[[State, np.random.Generator], int]:
            def draw(state: State, rng: np.random.Generator) -> int:
                edges = np.cumsum(conditional_weights(joint, tuple(int(state[name]) for name in labels), axis))
                if not edges[-1] > 0:
                    raise DataError(
                        f"GibbsSampler: {labels[axis]} has no value of positive probability given {state}; start "
                        f"inside the support."
                    )
                return min(int(np.searchsorted(edges, rng.random() * edges[-1], side="right")), len(edges) - 1)

            return draw

        return cls({name: conditional(axis) for axis, name in enumerate(labels)}, order=order)

    def step(self, state: State, random_state: np.random.Generator) -> State:
        """Return the state after one sweep, or after one variable of a scan: a kernel for `run_chains`."""
        new, names = dict(state), list(self.conditionals)
        if self.order == "random":
            names = [names[i] for i in random_state.permutation(len(names))]
        elif self.order == "scan":
            names = [names[random_state.integers(len(names))]]
        for name in names:
            value = self.conditionals[name](new, random_state)
            if hasattr(value, "sample"):
                value = value.sample(random_state=random_state)
            if value is not None and np.shape(value) != np.shape(new[name]):
                raise DataError(
                    f"GibbsSampler: the conditional of {name} returned shape {np.shape(value)}; its state has "
                    f"{np.shape(new[name])}."
                )
            if np.asarray(value).dtype.kind not in "biufc":
                raise ParameterTypeError(
                    f"GibbsSampler: the conditional of {name} returned {value!r:.60}; it must return a draw, a number or an array "
                    "of the state's shape, or a distribution to draw from."
                )
            if not np.all(np.isfinite(value)):
                raise DataError(
                    f"GibbsSampler: the conditional of {name} returned {value!r}, given {new}; it must be finite."
                )
            new[name] = value
        return new

    def sample(
        self,
        n_samples: int = 1000,
        *,
        start: Mapping[Any, Any] | Sequence[Any] | Callable[..., Any] | None = None,
        n_chains: int = 4,
        n_warmup: int = 1000,
        thin: int = 1,
        random_state: Seed = None,
        resume: Chains | None = None,
        check: bool = True,
    ) -> Chains:
        """Return `n_samples` draws of every chain.

        Parameters
        ----------
        n_samples, n_chains, n_warmup, thin, random_state, resume, check
            As in `HamiltonianMonteCarlo.sample`.
        start : mapping, list of mappings, or callable
            The value of every variable that chains begin at: for all, for each of them, or a function of a NumPy Generator. With
            `vectorized`, a mapping of arrays with a row per chain is one for each.
        """
        self._check_parameters()
        n_chains = check_count("GibbsSampler", "n_chains", n_chains)
        shapes: dict[str, tuple[int, ...]] | None = None
        states: list[State] = []
        if resume is None:
            random_state = seed_of(random_state)
            states = self._first(start, n_chains, random_state)
            shapes = {name: np.shape(states[0][name]) for name in self.conditionals}
        if self.vectorized and resume is None:
            states = [{name: np.stack([np.asarray(one[name]) for one in states]) for name in self.conditionals}]
        options: dict[str, Any] = {"n_samples": n_samples, "n_warmup": n_warmup, "thin": thin}
        options |= {"random_state": random_state, "resume": resume}
        if self.vectorized:
            chains, stopped = self._together(
                states,
                shapes,
                n_chains,
                **options,
            )
        else:
            chains, stopped = run_steps(
                "GibbsSampler",
                self.step,
                states,
                lambda state: (numbers_of("GibbsSampler", {name: state[name] for name in self.conditionals}), ()),
                (),
                shapes,
                settings={"order": self.order},
                **options,
            )
        return self._concluded(chains, stopped, check)

    def _together(
        self, states: list[State], shapes: Any, n_chains: int, **options: Any
    ) -> tuple[Chains, BaseException | None]:
        """Run all chains as one whose state has a row for each of them."""
        before: Chains | None = options.pop("resume")
        if before is not None:
            resumed_state("GibbsSampler", before)
            shapes, n_chains = before.shapes, before.draws.shape[0]
        inner = None
        if before is not None:
            flat = np.moveaxis(before.draws, 0, 1).reshape(1, len(before), -1)
            inner = Chains(flat, {"x": (flat.shape[2],)}, {}, {}, before.seconds, before.state, before.sampler)

        def record(state: State) -> tuple[NDArray[np.float64], tuple[float, ...]]:
            return np.concatenate(
                [np.reshape(state[name], (n_chains, -1)) for name in self.conditionals], axis=1
            ).ravel(), ()

        one, stopped = run_steps("GibbsSampler", self.step, states, record, (), None, resume=inner, **options)
        draws = np.moveaxis(one.draws.reshape(len(one), n_chains, -1), 0, 1)
        return Chains(draws, shapes, {}, {"order": self.order}, one.seconds, one.state, "GibbsSampler"), stopped

    def _first(self, start: Any, n_chains: int, seed: int) -> list[State]:
        """Return the state that every chain begins at, or raise."""
        if callable(start):
            given = [start(np.random.default_rng([seed, k])) for k in range(n_chains)]
        elif (
            isinstance(start, Mapping)
            and self.vectorized
            and all(np.shape(v)[:1] == (n_chains,) for v in start.values())
        ):
            given = [{name: np.asarray(value)[k] for name, value in start.items()} for k in range(n_chains)]
        else:
            given = [start] * n_chains if isinstance(start, Mapping) else list(start) if isinstance(start, list) else []
        for state in given:
            missing = set(self.conditionals) - set(state) if isinstance(state, Mapping) else set(self.conditionals)
            if missing:
                raise ParameterError(f"GibbsSampler(start=...): it gives no value to {', '.join(sorted(missing))}.")
        if len(given) != n_chains:
            raise ParameterError(
                "GibbsSampler(start=...): give a mapping of every variable to its value, or a list of such, one for each chain."
            )
        return [dict(state) for state in given]
