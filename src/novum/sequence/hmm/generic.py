r"""Hidden Markov models over any distribution of the library.

p(x, z) = pi(z_1) prod_t A(z_{t-1}, z_t) prod_t p_{z_t}(x_t)                                   (1)
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from novum import distributions
from novum.base.domains import Domain, Null
from novum.distributions import Distribution
from novum.distributions.learning.table_columns import component_inside, component_statistics, is_vector
from novum.exceptions import ParameterError, ParameterTypeError
from novum.runtime.typing import Numbers, Seed
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.family import Families, FamilyPrior, updated
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts.kmeans import clustered_rows, filled_rows

__all__ = ["HiddenMarkovModel"]

MIXED = (
    0.25  # of every row is shared at random at the start: clusters alone would leave discrete families zeros that stay
)


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
    startprob_prior : float or array-like of shape (n_components,), default=1.0
        Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
    transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
        Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    max_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="ste"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, e emissions. A part that is not
        started afresh begins at its attribute.
    n_init : int, default=10
        Starts to try; the best after 20 passes goes on. One where nothing is started afresh.
    topology : {"full", "left-right", "banded"}, default="full"
        Transitions that are allowed: all; to the state itself and later ones; to itself and the next. The last two start in
        state 0, with states that are stretches of time.
    sticky : float, default=0.0
        Visits from every state to itself that are added to the prior: states last longer.
    stationary : bool, default=False
        Whether sequences start in the distribution that the transitions leave as it is, in place of a start of their own.
    n_jobs : int or None, default=None
        Threads over bundles of sequences.

    Attributes
    ----------
    startprob_ : array of shape (n_components,)
    transmat_ : array of shape (n_components, n_components)
        From row to column.
    emissions_ : list of distributions
        One per state.
    monitor_ : ConvergenceMonitor
        What every pass was reported to: its `history` and `iter`.
    converged_ : bool
    n_iter_ : int
    history_ : History
        Log-likelihood plus log-prior of the parameters that entered every pass, which never falls, and the log-likelihood alone.
    log_likelihood_ : float
        Of the data of the fit under the parameters learned (above 100,000 rows: under those that entered the last pass).
    n_samples_ : int or None
        Rows of the fit.
    bic_one_state_ : float or None
        The Bayesian criterion of one state, for comparison.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    States come in the order of their first visit, so that fits can be compared; they keep their numbers where a part of the start
    was given (an attribute set, its letter left out of `init_params`), where states are known, and under a topology.

    Inside: a start learns every state's distribution from a cluster of k-means (the best of ten runs for the first start, a single
    run for every other) and a random share of all rows. Each start gets 20 passes of Baum-Welch, and the best goes on to the end.

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
    _only_in_fit = ("_column_variance",)
    _domains: dict[str, Domain] = {
        **{name: domain for name, domain in COMMON_DOMAINS.items() if name != "implementation"},
        "n_components": COMMON_DOMAINS["n_components"] | Null(),
        "emission": Emissions(),
        "emission_prior": Emissions() | Null(),
        "params": Letters("ste"),
        "init_params": Letters("ste"),
    }

    def __init__(
        self,
        emission: str | Distribution | type[Distribution] | Sequence[Any] = "Normal",
        n_components: int | None = None,
        *,
        emission_prior: Distribution | None = None,
        startprob_prior: Numbers = 1.0,
        transmat_prior: Numbers = 1.0,
        algorithm: str = "viterbi",
        random_state: Seed = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        verbose: bool = False,
        params: str = "ste",
        init_params: str = "ste",
        n_init: int = 10,
        topology: Literal["full", "left-right", "banded"] = "full",
        sticky: float = 0.0,
        stationary: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.emission = emission
        self.n_components = n_components
        self.emission_prior = emission_prior
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.n_init = n_init
        self.topology = topology
        self.sticky = sticky
        self.stationary = stationary
        self.n_jobs = n_jobs

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
            found.append(updated(whole, component_statistics(whole, rows, weight), self.emission_prior))
        for one in found:
            check_shape(one, rows.shape[1])
        self.emissions_ = found

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows("HiddenMarkovModel", self._sample_rows(source.first()))
        self._column_variance = rows.var(axis=0)

    def _prior(self) -> FamilyPrior:
        return FamilyPrior(self.emission_prior, self.__dict__.get("_column_variance") if "e" in self.params else None)


def check_shape(component: Distribution, d: int) -> None:
    """Raise unless a distribution can have d columns as an outcome."""
    shape = component.event_shape or component.batch_shape
    if (is_vector(component) and component.batch_shape) or (shape != (d,) and not (shape == () and d == 1)):
        raise ParameterError(
            f"HiddenMarkovModel(emission=...): {component!r:.80} has batch_shape {component.batch_shape} and event_shape"
            f" {component.event_shape}; rows have {d} column(s). Give a distribution of vectors of that length, or a batch of that"
            " length of distributions of numbers."
        )
