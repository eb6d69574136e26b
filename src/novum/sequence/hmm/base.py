"""What every hidden Markov model shares: sequences in, Baum-Welch with several starts, answers out, with hmmlearn's names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.history import History
from novum.exceptions import NotConverged, ParameterError
from novum.runtime.typing import Numbers, Rows, Target
from novum.runtime.warn import warn
from novum.sequence.hmm import markov, recursions
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.inference import InferenceMixin
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape, check_priors
from novum.sequence.hmm.recursions import Chain, decode
from novum.sequence.hmm.sequence_input import SequenceInputMixin
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts.initialization import InitializationMixin, generator_of
from novum.sequence.hmm.summary import describe
from novum.sequence.hmm.training import (
    ConvergenceMonitor,
    Expected,
    Learning,
    Model,
    Run,
    continued,
    expected,
    run_from,
    score_bundle,
)

__all__ = ["COMMON_DOMAINS", "HiddenMarkovBase", "Letters"]

SMALL_FIT = 100_000  # rows up to which a fit looks at its data once more, for what its repr says
MOST_STATES = 10_000  # whose transitions are 800 MB
SCREENING = 20  # passes after which starts are compared; the best goes on


@dataclass(frozen=True)
class Letters(Domain):
    """Some of the letters that stand for the parts of a model."""

    letters: str

    def contains(self, value: Any) -> bool:
        return isinstance(value, str) and set(value) <= set(self.letters)

    def right_type(self, value: Any) -> bool:
        return isinstance(value, str)

    def __str__(self) -> str:
        return f"a str of the letters {', '.join(map(repr, self.letters))}"


COMMON_DOMAINS: dict[str, Domain] = {
    "n_components": Int(1),
    "startprob_prior": Real(0) | ArrayLike(),
    "transmat_prior": Real(0) | ArrayLike(),
    "algorithm": Choice("viterbi", "map"),
    "random_state": RandomState(),
    "max_iter": Int(0),
    "tol": Real(),
    "verbose": Bool() | Int(0),
    "implementation": Choice("log", "scaling"),
    "n_init": Int(1),
    "topology": Choice(*markov.TOPOLOGIES),
    "sticky": Real(0),
    "stationary": Bool(),
    "n_jobs": Int() | Null(),
}


class HiddenMarkovBase(InitializationMixin, InferenceMixin, SequenceInputMixin, Estimator):
    """A hidden Markov model; a subclass brings its emissions.

    What it brings reads its parameters: `_letters` with the attributes they stand for, `_convert` (rows as it takes them), `_check`
    (attributes that were given), `_emission` and `_prior` (from attributes and parameters) and `_start_emission`. All the rest is
    the emission's own: `emissions/base.py`.
    """

    _reports_passes = True
    _monitors_likelihood = True  # whether monitors get the log-likelihood; else the objective
    _pass: Callable[[Any, Bundle], Expected] = staticmethod(expected)  # what a pass adds up over bundles
    _letters: dict[str, str] = {}  # of the emission: letter of `params` -> attribute
    _only_in_fit: tuple[str, ...] = ()  # attributes that are no part of the model

    startprob_: Any
    transmat_: Any
    converged_: bool
    n_iter_: int
    history_: History
    log_likelihood_: float
    n_samples_: int | None
    bic_one_state_: float | None
    max_iter: int
    params: str
    random_state: Any
    startprob_prior: Any
    stationary: bool
    sticky: float
    tol: float
    topology: str
    transmat_prior: Any
    verbose: bool

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        if not getattr(self, "_learned", False) or "log_likelihood_" not in self.__dict__:
            return super().__repr__(N_CHAR_MAX)
        return describe(self, self._emission().columns(self._feature_names()))

    def _emission(self) -> Emission:
        raise NotImplementedError

    def _prior(self) -> Any:
        """Return what the maximization of the emission knows besides the rows."""
        return None

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        raise NotImplementedError

    def _counts(self) -> dict[str, int]:
        """Return the free numbers by letter, those of the chain and of the emission."""
        return {**self._chain_counts(), **self._emission().n_parameters()}

    def _learned_emission(self, emission: Emission) -> dict[str, Any]:
        """Return the attributes that an emission comes to."""
        return {self._letters[letter]: value for letter, value in emission.parameters().items()}

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        """Return the shapes that priors may have besides a number; `d` columns."""
        return {"startprob_prior": [(self._k,)], "transmat_prior": [(self._k, self._k), (self._k,)]}

    @property
    def monitor_(self) -> Any:
        """The monitor that passes are reported to; give an own one before `fit` to stop by another rule."""
        if "_monitor" not in self.__dict__:
            monitor = ConvergenceMonitor(self.tol, self.max_iter, bool(self.verbose))
            if "history_" in self.__dict__:  # a fitted model keeps numbers, not the object that collected them
                column = "log-likelihood" if self._monitors_likelihood else self.history_.name
                monitor.history, monitor.iter = list(self.history_[column]), self.n_iter_
                return monitor
            self._monitor = monitor
        return self._monitor

    @monitor_.setter
    def monitor_(self, monitor: Any) -> None:
        self._monitor = monitor

    def _chain(self) -> Chain:
        return Chain(np.asarray(self.startprob_, np.float64), np.asarray(self.transmat_, np.float64))

    def _model(self) -> Model:
        """Return the fitted or given parameters after their checks."""
        self._check()
        return Model(self._chain(), self._emission())

    def _check(self) -> None:
        """Raise unless startprob_ and transmat_ are probabilities of the right shape."""
        owner, k = type(self).__name__, self._k
        self.startprob_ = check_distribution(owner, "startprob_", self.startprob_, (k,))
        self.transmat_ = check_distribution(owner, "transmat_", self.transmat_, (k, k))

    # --------------------------------------------------------------------------------------------------------- learning

    @fits
    def fit(
        self,
        X: Rows,
        lengths: Numbers | None = None,
        *,
        groups: Target = None,
        states: Any = None,
        sequence_weight: Numbers | None = None,
    ) -> Self:
        """Learn the parameters by Baum-Welch.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features), list of sequences, scan or Dask collection
            Rows in the order of time. NaN is summed out: cells, or whole rows.
        lengths : array-like of int, default=None
            Rows of every sequence, in their order; None is one sequence.
        groups : str or array-like, default=None
            In place of lengths: the column of X, or an array, that says which sequence a row belongs to.
        states : array-like of shape (n_samples,), or a list with one for every sequence, default=None
            Known states; -1 or NaN where unknown.
        sequence_weight : array-like of shape (n_sequences,), default=None
            How often every sequence counts.

        Returns
        -------
        self
        """
        if self._k > MOST_STATES:
            raise ParameterError(
                f"{type(self).__name__}: n_components={self._k} states have {self._k}^2 transitions, too many for a table; give at "
                f"most {MOST_STATES}."
            )
        source = self._sequences(X, lengths, groups, states, sequence_weight, reset=True)
        check_priors(type(self).__name__, self.__dict__, self._prior_shapes(source.n_features))
        self._prepare(source)
        check_priors(
            type(self).__name__, self.__dict__, self._prior_shapes(source.n_features)
        )  # symbols are counted now
        first = source.first()
        rng = generator_of(self.random_state)
        best: Run | None = None
        fresh = False
        given = dict(self.__dict__)
        starts = self._n_starts()
        screened = starts > 1 and type(self._monitor_of_fit()) is ConvergenceMonitor and self.max_iter > SCREENING
        with reporting(self, self.max_iter, X=X, n_runs=starts + screened, attributes=self._attributes) as report:
            for run in range(starts):
                if run:
                    self.__dict__.update({name: value for name, value in given.items() if name in self._start_names()})
                    for name in self._start_names() - given.keys():
                        self.__dict__.pop(name, None)
                fresh = self._start(first, rng, run)
                self._check_width(source.n_features)
                if first.states is not None:
                    self._start_at_known(first)
                if starts > 1:
                    with report.run() as listener:
                        found = self._run(source, listener, max_iter=SCREENING if screened else self.max_iter)
                else:
                    found = self._run(source, report, max_iter=self.max_iter)
                if best is None or found_better(found, best):
                    best = found
            assert best is not None
            if screened and not best.converged:
                with report.run() as listener:
                    more = self._run(source, listener, max_iter=self.max_iter - best.n_iter, model=best.model)
                best = continued(best, more)
        self._learn(best, source, fresh and states is None)
        return self

    def _prepare(self, source: Sequences) -> None:
        """Look at the data before the first start, where priors or floors depend on them."""

    def _monitor_of_fit(self) -> Any:
        """Return the monitor that was given, or a new one."""
        given = self.__dict__.get("_monitor")
        if given is None or type(given) is ConvergenceMonitor:
            self._monitor = given = ConvergenceMonitor(self.tol, self.max_iter, bool(self.verbose))
        return given

    def _first_model(self) -> Any:
        """Return the model that enters the first pass."""
        return self._model()

    def _learning(self) -> Any:
        """Return what the passes of a run know besides the rows."""
        trans_prior = markov.transition_prior(self.transmat_prior, self.sticky, self._k)
        return Learning(self._prior(), self.startprob_prior, trans_prior, self.params, self.stationary)

    def _run(self, source: Sequences, report: Any, *, max_iter: int, model: Any = None) -> Run:
        learning = self._learning()
        return run_from(
            self._first_model() if model is None else model,
            source,
            learning.maximized,
            learning.objective,
            self._monitor_of_fit(),
            tol=self.tol,
            max_iter=max_iter,
            statistics=self._pass,
            report=report,
        )

    def _attributes(self, model: Any, order: NDArray | None = None) -> dict[str, Any]:
        (start, trans), emission = model
        if order is not None:
            start, trans, emission = start[order], trans[np.ix_(order, order)], emission.reordered(order)
        return {"startprob_": start, "transmat_": trans, **self._learned_emission(emission)}

    def _learn(self, best: Run, source: Sequences, sortable: bool) -> None:
        """Turn the best run into fitted attributes, states in the order of their first visit."""
        order = self._visit_order(best.model, source) if sortable and self.topology == "full" else None
        self.__dict__.update(self._attributes(best.model, order))
        self._learned = True
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        self.history_ = History(best.objectives, {"log-likelihood": best.log_likelihoods}, name="objective")
        if not best.converged and self.max_iter > 1 and type(self.monitor_) is ConvergenceMonitor:
            warn(
                f"{type(self).__name__}: still gained after max_iter={self.max_iter} passes; raise max_iter or tol.",
                NotConverged,
            )
        if type(self.__dict__.get("_monitor")) is ConvergenceMonitor:
            del self._monitor
        self._describe_fit(source, best)
        emission = best.model.emission if order is None else best.model.emission.reordered(order)
        states, held = emission.collapsed(self._prior())
        if states:
            names = f"state {states[0]} is" if len(states) == 1 else f"states {', '.join(map(str, states))} are"
            warn(f"{type(self).__name__}: {names} collapsing {held}", ConvergenceWarning)
        for name in self._only_in_fit:
            self.__dict__.pop(name, None)

    def _describe_fit(self, source: Sequences, best: Run) -> None:
        """Record what the repr says of the data."""
        self.n_samples_ = source.n_rows
        final = best.log_likelihoods[-1] if best.log_likelihoods else float("nan")
        self.bic_one_state_ = None
        small = source.n_rows is not None and source.n_rows <= SMALL_FIT
        if small or source.n_rows is None:  # of rows elsewhere nobody knows how many: the same number as in memory
            final = source.total(score_bundle, Model(self._chain(), self._emission())).log_likelihood
        if small:
            self.bic_one_state_ = best.model.emission.one_state_bic(source.first(), self._prior())
        self.log_likelihood_ = float(final)

    def _visit_order(self, model: Any, source: Sequences) -> NDArray:
        """Return the states in the order in which the most probable paths of the first sequences visit them."""
        bundle = source.first()
        if len(bundle.X) > SMALL_FIT:
            cut = max(1, int(np.searchsorted(bundle.offsets, SMALL_FIT, side="right")) - 1)
            rows = min(int(bundle.offsets[cut]), SMALL_FIT)
            offsets = bundle.offsets[: cut + 1].copy()
            offsets[-1] = rows
            bundle = Bundle(bundle.X[:rows], offsets, None, None, 0, {})
        _, path = decode(model.chain, model.emission.densities(bundle), bundle.offsets)
        if not isinstance(path, np.ndarray):
            return np.argsort(recursions.on_device().first_visits(path, len(model.chain.start)), kind="stable")
        visited, place = np.unique(path, return_index=True)
        rank = np.full(len(model.chain.start), len(path), np.int64)
        rank[visited] = place
        return np.argsort(rank, kind="stable")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.two_d_array = False  # rows in the order of time, not a table of independent ones
        return tags


def found_better(found: Run, best: Run) -> bool:
    """Return whether a run ended higher than another."""
    if not found.objectives or not best.objectives:
        return False
    return found.objectives[-1] > best.objectives[-1]
