r"""Hidden Markov models over any distribution of the library.

p(x, z) = pi(z_1) prod_t A(z_{t-1}, z_t) prod_t p_{z_t}(x_t)                                   (1)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import distributions
from novum.base.domains import Domain, Null
from novum.base.parameters import stores
from novum.distributions import Distribution
from novum.distributions.table_columns import component_inside, component_statistics, is_vector
from novum.exceptions import ParameterError, ParameterTypeError
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions import family as emissions
from novum.sequence.hmm.emissions.family import Families
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts import clustered_rows, filled_rows

__all__ = ["HiddenMarkovModel"]

MIXED = (
    0.25  # of every row is shared at random at the start: clusters alone would leave discrete families zeros that stay
)
COLLAPSED = 1e-6  # share of a column's variance below which a state sits on single values


class Emissions(Domain):
    """A distribution, its class or the name of that, or a sequence of them."""

    def contains(self, value: Any) -> bool:
        return all(map(is_family, value)) if isinstance(value, list | tuple) and value else is_family(value)

    def __str__(self) -> str:
        return "a distribution of novum.distributions, its class or its name, or a list with one of them per state"


def family_of(value: Any) -> Any:
    """Return a distribution, or the class that a name stands for; None for anything else."""
    if isinstance(value, str):
        value = getattr(distributions, value, None)
    known = isinstance(value, Distribution) or (isinstance(value, type) and issubclass(value, Distribution))
    return value if known else None


def is_family(value: Any) -> bool:
    """Return whether a value is a distribution, a class of distributions or the name of one."""
    return family_of(value) is not None


class HiddenMarkovModel(HiddenMarkovBase):
    """Hidden Markov model whose states emit any distribution of `novum.distributions`.

    Parameters
    ----------
    emission : str, distribution class, distribution, or list of them, default="Normal"
        A class of `novum.distributions`, or its name (which model files can hold), is learned from the rows; an object of it from
        where it stands. One for all states (several columns: a distribution of vectors, or one of numbers for every column), or a
        list with one per state, of one or several families.
    n_components : int or None, default=None
        States; None is the length of the list, or 2.
    emission_prior : conjugate distribution or None, default=None
        Prior of every state's distribution, as `Distribution.fit` takes it: it keeps states alive.
    [chain priors]
    [learning]
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissions.
    [ours]

    Attributes
    ----------
    [chain attributes]
    emissions_ : list of distributions
        One per state.
    [learned]

    [order of states]

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import HiddenMarkovModel
    >>> X = np.array([1, 0, 2, 1, 0, 1, 9, 11, 8, 10, 12, 9])
    >>> model = HiddenMarkovModel("Poisson", 2, random_state=0).fit(X)
    >>> [round(float(one.rate), 2) for one in model.emissions_]
    [0.83, 9.83]
    >>> model.predict(X)
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """

    emissions_: Any
    _letters = {"e": "emissions_"}
    _domains: dict[str, Domain] = {
        **{name: domain for name, domain in COMMON_DOMAINS.items() if name != "implementation"},
        "n_components": COMMON_DOMAINS["n_components"] | Null(),
        "emission": Emissions(),
        "emission_prior": Emissions() | Null(),
        "params": Letters("ste"),
        "init_params": Letters("ste"),
    }

    @stores
    def __init__(
        self, emission: Any = "Normal", n_components: int | None = None, *, emission_prior: Any = None,
        startprob_prior: Any = 1.0, transmat_prior: Any = 1.0, algorithm: str = "viterbi", random_state: Any = None,
        n_iter: int = 200, tol: float = 1e-4, verbose: bool = False, params: str = "ste", init_params: str = "ste",
        n_init: int = 10, topology: str = "full", sticky: float = 0.0, stationary: bool = False,
        n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @property
    def _k(self) -> int:
        if isinstance(self.emission, list | tuple):
            if self.n_components not in (None, len(self.emission)):
                raise ParameterError(
                    f"HiddenMarkovModel: emission lists {len(self.emission)} distributions for n_components={self.n_components}."
                )
            return len(self.emission)
        return 2 if self.n_components is None else int(self.n_components)

    def _given(self) -> tuple:
        """Return the distribution or class of every state."""
        if isinstance(self.emission, list | tuple):
            return tuple(map(family_of, self.emission))
        return (family_of(self.emission),) * self._k

    def _check(self) -> None:
        super()._check()
        components = list(self.emissions_)
        if len(components) != self._k or not all(isinstance(one, Distribution) for one in components):
            raise ParameterTypeError(
                f"HiddenMarkovModel: emissions_ must be {self._k} distributions, one per state; got {self.emissions_!r:.100}."
            )
        self.emissions_ = components

    def _convert(self, rows: NDArray) -> NDArray:
        return rows

    def _emission(self) -> Families:
        return Families(tuple(self.emissions_))

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        given, k = self._given(), self._k
        rows = filled_rows("HiddenMarkovModel", self._sample_rows(bundle))
        _, which = clustered_rows(rows, k, rng, run)
        shares = MIXED * rng.dirichlet(np.ones(k), size=len(rows)) + (1 - MIXED) * np.eye(k)[which]
        found = []
        for state, one in enumerate(given):
            if isinstance(one, Distribution):
                found.append(one)
                continue
            data = rows[:, 0] if rows.shape[1] == 1 and one._event_ndim == 0 else rows
            whole = one._start(data, None)
            weight = np.ascontiguousarray(shares[:, state]) * component_inside(whole, rows)
            found.append(emissions.updated(whole, component_statistics(whole, rows, weight), self.emission_prior))
        for one in found:
            check_shape(one, rows.shape[1])
        self.emissions_ = found

    def _maximize_emission(self, emission: Families, sums: tuple) -> Families:
        if "e" not in self.params:
            return emission
        pairs = zip(emission.components, sums)
        return Families(tuple(emissions.updated(one, part, self.emission_prior) for one, part in pairs))

    def _learned_emission(self, emission: Families, order: NDArray | None) -> dict[str, Any]:
        found = list(emission.components)
        return {"emissions_": found if order is None else [found[j] for j in order]}

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows("HiddenMarkovModel", self._sample_rows(source.first()))
        self._spread = rows.var(axis=0)

    def _collapsed(self, emission: Families) -> tuple[list[int], str]:
        remedy = (
            "Give a prior (emission_prior=) or fewer states; for values that repeat, a family of counts or symbols."
        )
        spread = self.__dict__.pop("_spread")  # of the rows of this fit, and no part of the model
        found = []
        for state, one in enumerate(emission.components):
            if "e" in self.params and one.support.continuous:
                variance = np.atleast_1d(np.asarray(one.var, np.float64))
                variance = np.diag(variance) if variance.ndim == 2 else variance
                if variance.shape == spread.shape and (variance < COLLAPSED * spread).any():
                    found.append(state)
        return found, f"on few values (sd -> 0, the likelihood has no maximum). {remedy}"

    def _counts(self) -> dict[str, int]:
        own = sum(map(emissions.n_parameters, self.emissions_))
        return {**self._chain_counts(), "e": own}

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        mean = np.stack([np.atleast_1d(np.asarray(one.mean, np.float64)) for one in self.emissions_])
        spread = [np.asarray(one.var, np.float64) for one in self.emissions_]
        return mean, np.stack([np.diag(one) if one.ndim == 2 else np.atleast_1d(one) for one in spread])

    def _draw_rows(self, emission: Families, states: NDArray, rng: Any) -> NDArray:
        one = emission.components[0]
        shape = one.event_shape or one.batch_shape
        return emissions.draw_rows(emission.components, states, shape[0] if shape else 1, rng)

    def _state_columns(self) -> dict[str, list[str]]:
        shown = [repr(one) for one in self.emissions_]
        return {"emits": [text if len(text) <= 60 else f"{text[:57]}..." for text in shown]}


def check_shape(component: Distribution, d: int) -> None:
    """Raise unless a distribution can have d columns as an outcome."""
    shape = component.event_shape or component.batch_shape
    if (is_vector(component) and component.batch_shape) or (shape != (d,) and not (shape == () and d == 1)):
        raise ParameterError(
            f"HiddenMarkovModel(emission=...): {component!r:.80} has batch_shape {component.batch_shape} and event_shape"
            f" {component.event_shape}; rows have {d} column(s). Give a distribution of vectors of that length, or a batch of that"
            " length of distributions of numbers."
        )
