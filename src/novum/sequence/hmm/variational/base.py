r"""What the variational hidden Markov models share: Dirichlet posteriors of the chain, the bound, and the fold over them.

    q(pi) = Dir(prior + sum w gamma_1),   q(A_i) = Dir(prior + sum w xi(i, .))                     (23)
    bound = log sum_z exp E log p(x, z) - KL(q(pi)) - KL(q(A)) - KL(q(emissions))                  (24)

The sum over paths in (24) is the forward recursion with exp E log pi and exp E log A, which need not add up to one, and with
the expected log-densities of the emissions. (24) is of the posteriors that entered the pass, and it never falls.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.exceptions import DataError, ParameterError
from novum.sequence.hmm.base import HiddenMarkovBase
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Chain
from novum.sequence.hmm.training import Expected, Model, Run, expected, run_from
from novum.sequence.hmm.variational.conjugate import expected_log_probs, kl_dirichlet

__all__ = ["VARIATIONAL_DOMAINS", "VariationalBase", "VariationalModel"]

VARIATIONAL_DOMAINS: dict[str, Domain] = {
    "n_components": Int(1),
    "startprob_prior": Real(0, open="low") | Null(),
    "transmat_prior": Real(0, open="low") | Null(),
    "algorithm": Choice("viterbi", "map"),
    "random_state": RandomState(),
    "n_iter": Int(0),
    "tol": Real(),
    "verbose": Bool() | Int(0),
    "implementation": Choice("log", "scaling"),
    "n_init": Int(1),
    "n_jobs": Int() | Null(),
}


class VariationalModel(NamedTuple):
    """Posteriors, and what a pass needs of them."""

    chain: Chain  # exp E log pi, exp E log A
    emission: Any  # expected log-densities
    start: NDArray  # (k,): Dirichlet
    trans: NDArray  # (k, k): Dirichlet
    posterior: Any  # of the emissions


def pass_of(model: VariationalModel, bundle: Bundle) -> Expected:
    """Return the expected counts of one bundle under the posteriors."""
    return expected(Model(model.chain, model.emission), bundle)


class VariationalBase(HiddenMarkovBase):
    """A variational hidden Markov model; a subclass brings the posterior of its emissions.

    What it brings beside `_start_emission`: `_posterior`, `_expected_emission(posterior)`, `_update(posterior, sums)`,
    `_divergence(posterior)`, `_learned_posterior(posterior, order)`.
    """

    topology, sticky, stationary = "full", 0.0, False
    _monitors_likelihood = False

    def _posterior(self) -> Any:
        raise NotImplementedError

    def _expected_emission(self, posterior: Any) -> Any:
        raise NotImplementedError

    def _update(self, posterior: Any, sums: Any) -> Any:
        raise NotImplementedError

    def _divergence(self, posterior: Any) -> float:
        raise NotImplementedError

    def _learned_posterior(self, posterior: Any, order: NDArray | None) -> dict[str, Any]:
        raise NotImplementedError

    def _start_names(self) -> set[str]:
        own = {"startprob_prior_", "startprob_posterior_", "transmat_prior_", "transmat_posterior_"}
        return own | {name for names in self._parts.values() for name in names}

    _parts: dict[str, tuple[str, ...]] = {}  # letter -> attributes that stand for it, priors and posteriors

    def _start(self, bundle: Bundle, rng: Any, run: int) -> bool:
        k, fresh = self.n_components, []
        chain = {"s": ("startprob_posterior_", "startprob_prior_"), "t": ("transmat_posterior_", "transmat_prior_")}
        lengths = np.diff(bundle.offsets)
        for letter, names in {**chain, **self._parts}.items():
            missing = [self._needs_start(letter, name) for name in names]  # every name, so that each is warned about
            new = any(missing)
            fresh.append(new)
            if not new:
                continue
            if letter == "s":
                self.startprob_prior_ = np.full(k, 1 / k if self.startprob_prior is None else self.startprob_prior)
                self.startprob_posterior_ = np.maximum(rng.dirichlet(np.full(k, 1 / k)) * len(lengths), 1e-10)
            elif letter == "t":
                self.transmat_prior_ = np.full((k, k), 1 / k if self.transmat_prior is None else self.transmat_prior)
                draws = rng.dirichlet(np.full(k, 1 / k), size=k)
                self.transmat_posterior_ = np.maximum(draws * (lengths.sum() / k), 1e-10)
            else:
                self._start_emission(bundle, rng, letter, run)
        return all(fresh)

    def _check_posteriors(self) -> None:
        """Raise unless the posteriors and priors have the right shapes and are positive."""
        k = self.n_components
        shapes = {
            "startprob_prior_": (k,),
            "startprob_posterior_": (k,),
            "transmat_prior_": (k, k),
            "transmat_posterior_": (k, k),
        }
        for name, shape in shapes.items():
            self._set_positive(name, shape)

    def _set_positive(self, name: str, shape: tuple[int, ...]) -> None:
        values = np.asarray(getattr(self, name), np.float64)
        if values.shape != shape:
            raise ParameterError(f"{type(self).__name__}: {name} must have shape {shape}; got {values.shape}.")
        if not (np.isfinite(values) & (values > 0)).all():
            raise ParameterError(f"{type(self).__name__}: {name} must be finite and positive.")
        setattr(self, name, values)

    def _read(self, rows: Any, reset: bool) -> NDArray:
        found = super()._read(rows, reset)
        if found.dtype.kind == "f" and np.isnan(found).any():
            raise DataError(
                f"Input X contains NaN. {type(self).__name__} takes whole rows; GaussianHMM sums missing cells out."
            )
        return found

    def _whole(self, start: NDArray, trans: NDArray, posterior: Any) -> VariationalModel:
        chain = Chain(np.exp(expected_log_probs(start)), np.exp(expected_log_probs(trans)))
        return VariationalModel(chain, self._expected_emission(posterior), start, trans, posterior)

    def _run(self, source: Any, report: Any, *, n_iter: int, model: Any = None) -> Run:
        self._check_posteriors()
        start = self._whole(self.startprob_posterior_, self.transmat_posterior_, self._posterior())
        return run_from(
            start if model is None else model,
            source,
            self._maximize,
            self._objective,
            self._monitor_of_fit(),
            tol=self.tol,
            n_iter=n_iter,
            statistics=pass_of,
            report=report,
        )

    def _maximize(self, model: Any, total: Expected) -> VariationalModel:
        start = self.startprob_prior_ + total.first if "s" in self.params else model.start
        trans = self.transmat_prior_ + total.pairs if "t" in self.params else model.trans
        return self._whole(start, trans, self._update(model.posterior, total.emission))

    def _objective(self, model: Any, total: Expected) -> float:
        chain = kl_dirichlet(model.start, self.startprob_prior_) + kl_dirichlet(model.trans, self.transmat_prior_)
        return total.log_likelihood - chain - self._divergence(model.posterior)

    def _attributes(self, model: Any, order: NDArray | None = None) -> dict[str, Any]:
        start, trans = model.start, model.trans
        found: dict[str, Any] = {}
        if order is not None:
            start, trans = start[order], trans[np.ix_(order, order)]
            found["startprob_prior_"] = self.startprob_prior_[order]
            found["transmat_prior_"] = self.transmat_prior_[np.ix_(order, order)]
        found |= {"startprob_posterior_": start, "transmat_posterior_": trans}
        found |= {"startprob_": start / start.sum(), "transmat_": trans / trans.sum(axis=1, keepdims=True)}
        return {**found, **self._learned_posterior(model.posterior, order)}

    def _visit_order(self, model: Any, source: Any) -> NDArray:
        return super()._visit_order(Model(model.chain, model.emission), source)
