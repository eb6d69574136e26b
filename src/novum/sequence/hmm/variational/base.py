r"""What the variational hidden Markov models share: Dirichlet posteriors of the chain, the bound, and the fold over them.

    q(pi) = Dir(prior + sum w gamma_1),   q(A_i) = Dir(prior + sum w xi(i, .))                     (23)
    bound = log sum_z exp E log p(x, z) - KL(q(pi)) - KL(q(A)) - KL(q(emissions))                  (24)

The sum over paths in (24) is the forward recursion with exp E log pi and exp E log A, which need not add up to one, and with
the expected log-densities of the emissions. (24) is of the posteriors that entered the pass, and it never falls.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Domain, Null, Real
from novum.exceptions import DataError, ParameterError
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Chain, Posterior
from novum.sequence.hmm.training import Expected, Model, expected
from novum.sequence.hmm.variational.conjugate import expected_log_probs, kl_dirichlet
from novum.sequence.hmm.variational.posterior import EmissionPosterior

__all__ = ["VARIATIONAL_DOMAINS", "VariationalBase", "VariationalModel"]

FIXED = {"topology", "sticky", "stationary"}  # parameters of the other models that these do not have
VARIATIONAL_DOMAINS: dict[str, Domain] = {
    **{name: domain for name, domain in COMMON_DOMAINS.items() if name not in FIXED},
    "startprob_prior": Real(0, open="low") | Null(),
    "transmat_prior": Real(0, open="low") | Null(),
}


class VariationalModel(NamedTuple):
    """Posteriors, and what a pass needs of them."""

    chain: Chain  # exp E log pi, exp E log A
    emission: EmissionPosterior
    start: NDArray  # (k,): Dirichlet
    trans: NDArray  # (k, k): Dirichlet


def pass_of(model: VariationalModel, bundle: Bundle) -> Expected:
    """Return the expected counts of one bundle under the posteriors."""
    return expected(Model(model.chain, model.emission), bundle)


def model_of(emission: EmissionPosterior, start: NDArray, trans: NDArray) -> VariationalModel:
    """Return posteriors with the chain of a pass."""
    chain = Chain(np.exp(expected_log_probs(start)), np.exp(expected_log_probs(trans)))
    return VariationalModel(chain, emission, start, trans)


class VariationalLearning(NamedTuple):
    """What the passes of a run know besides the rows."""

    prior: EmissionPosterior
    start_prior: NDArray  # (k,)
    trans_prior: NDArray  # (k, k)
    params: str  # letters of the parts that are learned

    def maximized(self, model: VariationalModel, total: Expected) -> VariationalModel:
        """Return (23) and the posterior of the emissions after a pass."""
        start = self.start_prior + total.first if "s" in self.params else model.start
        trans = self.trans_prior + total.pairs if "t" in self.params else model.trans
        return model_of(model.emission.maximized(total.emission, self.prior, self.params), start, trans)

    def objective(self, model: VariationalModel, total: Expected) -> float:
        """Return (24)."""
        chain = kl_dirichlet(model.start, self.start_prior) + kl_dirichlet(model.trans, self.trans_prior)
        return total.log_likelihood - chain + model.emission.log_prior(self.prior)


class VariationalBase(HiddenMarkovBase):
    """A variational hidden Markov model; a subclass brings the posterior of its emissions.

    What it brings besides `_emission` and `_start_emission`: `_parts` and `_estimates` with its attributes, and `_hyperparameters`,
    the prior or the posterior as an `EmissionPosterior`.
    """

    topology, sticky, stationary = "full", 0.0, False
    _monitors_likelihood = False
    _pass = staticmethod(pass_of)
    _parts: dict[str, tuple[str, ...]] = {}  # letter -> attributes that stand for it, priors and posteriors
    _estimates: dict[str, str] = {}  # letter -> attribute of what the answers use
    startprob_prior_: np.ndarray
    startprob_posterior_: np.ndarray
    transmat_prior_: np.ndarray
    transmat_posterior_: np.ndarray
    n_components: int
    params: str
    startprob_prior: float | None
    tol: float
    transmat_prior: float | None

    def _hyperparameters(self, part: str) -> EmissionPosterior:
        """Return the "prior" or the "posterior" of the emissions, from attributes."""
        raise NotImplementedError

    def _prior(self) -> Any:
        return self._hyperparameters("prior")

    def _start_names(self) -> set[str]:
        own = {"startprob_prior_", "startprob_posterior_", "transmat_prior_", "transmat_posterior_"}
        return own | {name for names in self._parts.values() for name in names}

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

    def _first_model(self) -> VariationalModel:
        self._check_posteriors()
        return model_of(self._hyperparameters("posterior"), self.startprob_posterior_, self.transmat_posterior_)

    def _learning(self) -> VariationalLearning:
        return VariationalLearning(self._prior(), self.startprob_prior_, self.transmat_prior_, self.params)

    def _attributes(self, model: Any, order: NDArray | None = None) -> dict[str, Any]:
        start, trans = model.start, model.trans
        found: dict[str, Any] = {}
        if order is not None:
            start, trans = start[order], trans[np.ix_(order, order)]
            found["startprob_prior_"] = self.startprob_prior_[order]
            found["transmat_prior_"] = self.transmat_prior_[np.ix_(order, order)]
        found |= {"startprob_posterior_": start, "transmat_posterior_": trans}
        found |= {"startprob_": start / start.sum(), "transmat_": trans / trans.sum(axis=1, keepdims=True)}
        return {**found, **self._learned_posterior(model.emission, order)}

    def _learned_posterior(self, posterior: EmissionPosterior, order: NDArray | None = None) -> dict[str, Any]:
        """Return the attributes of the emissions: hyperparameters, and what the answers use."""
        prior = self._prior()
        if order is not None:
            posterior, prior = posterior.reordered(order), prior.reordered(order)
        found = {f"{name}_posterior_": value for name, value in posterior.hyperparameters().items()}
        found |= {f"{name}_prior_": value for name, value in prior.hyperparameters().items()}
        learned = posterior.parameters()
        return found | {name: learned[letter] for letter, name in self._estimates.items()}

    def _start_at_known(self, bundle: Bundle) -> None:
        """Move the start to where the known states are, as in `InitializationMixin`, in posteriors."""
        shares = self._known_shares(bundle)
        if shares is None:
            return
        k, lengths = self.n_components, np.diff(bundle.offsets)
        if "s" in self.init_params:
            self.startprob_posterior_ = np.full(k, len(lengths) / k)
        if "t" in self.init_params:
            self.transmat_posterior_ = (np.eye(k) + 1 / k) * (lengths.sum() / (2 * k))
        if set(self._parts) <= set(self.init_params):
            start = self._hyperparameters("posterior")
            sums = start.statistics(bundle, Posterior(np.zeros(1), shares, np.zeros((k, k)), None))
            self.__dict__.update(self._learned_posterior(start.maximized(sums, self._prior(), self.params)))
