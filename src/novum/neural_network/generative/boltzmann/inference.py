r"""What a learned restricted Boltzmann machine answers of rows: hidden units, energies, likelihoods, reconstructions, draws.

Columns v are standardised to x; the density of v is that of x divided by the product of the scales:

    log p(v) = -F(x) - log Z - sum_j log scale_j                                                         (1)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError
from novum.fold.batch_results import of_results
from novum.fold.blocks import Block
from novum.neural_network.generative.boltzmann.likelihood import BoltzmannEstimator
from novum.neural_network.generative.boltzmann.parameters import (
    BoltzmannParameters,
    free_energy,
    gibbs_step,
    hidden_mean,
    log_pseudo_likelihood,
    turned,
    visible_mean,
)
from novum.neural_network.generative.boltzmann.rows import dense, in_kind_of
from novum.neural_network.generative.counts import check_counts, legacy_state
from novum.runtime.typing import Rows

__all__ = ["RestrictedInference"]


def hidden_of_block(model: Any, block: Block) -> NDArray:
    """Return the hidden means of the rows of a block, in their dtype."""
    return in_kind_of(block, hidden_mean(model._machine(), model._standard(dense(block.X))))


def energy_of_block(model: Any, block: Block) -> NDArray:
    """Return the free energies of the rows of a block."""
    return in_kind_of(block, free_energy(model._machine(), model._standard(dense(block.X))))


def pseudo_of_block(model: Any, block: Block) -> NDArray:
    """Return the pseudo-likelihoods of the rows of a block."""
    return in_kind_of(block, log_pseudo_likelihood(model._machine(), dense(block.X)))


def reconstruction_of_block(model: Any, block: Block) -> NDArray:
    """Return the rows of a block as the hidden means see them."""
    machine = model._machine()
    x = visible_mean(machine, hidden_mean(machine, model._standard(dense(block.X))))
    return in_kind_of(block, x * model.visible_scale_ + model.visible_mean_)


class RestrictedInference(BoltzmannEstimator):
    """Answers of a restricted machine, from its fitted attributes."""

    visible: str
    components_: np.ndarray
    intercept_hidden_: np.ndarray
    intercept_visible_: np.ndarray
    noise_variance_: np.ndarray | None
    visible_mean_: np.ndarray
    visible_scale_: np.ndarray
    random_state_: np.random.RandomState

    def _sides(self) -> BoltzmannParameters:
        return self._machine()

    def _machine(self) -> BoltzmannParameters:
        check_is_fitted(self, "components_")
        noise = None if self.noise_variance_ is None else np.log(self.noise_variance_)
        return BoltzmannParameters(self.components_, self.intercept_hidden_, self.intercept_visible_, noise)

    def _standard(self, v: NDArray) -> NDArray:
        return v if self.visible == "binary" else (v - self.visible_mean_) / self.visible_scale_

    def transform(self, X: Rows) -> NDArray:
        """Return the probability of every hidden unit to be on.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        return self._rows(X, hidden_of_block, self)

    def gibbs(self, v: Rows) -> NDArray:
        """Return the rows after one Gibbs step; the generator is that of the fit, and runs on.

        Parameters
        ----------
        v : array-like of shape (n_samples, n_features)
        """
        machine = self._machine()
        x = self._standard(self._rows(v, lambda _, block: dense(block.X)))
        out = self._raw(gibbs_step(machine, x, self.random_state_))
        return out.astype(bool) if self.visible == "binary" else out

    def _raw(self, x: NDArray) -> NDArray:
        return x if self.visible == "binary" else x * self.visible_scale_ + self.visible_mean_

    def reconstruct(self, X: Rows) -> NDArray:
        """Return the visible means that the hidden means of every row lead back to.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        return self._rows(X, reconstruction_of_block, self)

    def free_energy(self, X: Rows) -> NDArray:
        """Return F of every row, eq. (5) of `boltzmann.machine`: p(v) is exp(-F) / Z.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._rows(X, energy_of_block, self)

    def score_samples(self, X: Rows) -> NDArray:
        """Return the log-likelihood of every row; log Z is counted for small machines and estimated once for others.

        scikit-learn's method of this name gives the pseudo-likelihood, here `pseudo_likelihood`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        constant = self._constant() + float(np.log(self.visible_scale_).sum())
        return of_results(lambda energy: -energy - constant, self.free_energy(X))

    def pseudo_likelihood(self, X: Rows) -> NDArray:
        """Return sum_j log p(v_j | the other columns) of every row, eq. (6) of `boltzmann.machine`; exact, all columns.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self, "components_")
        if self.visible != "binary":
            raise ParameterError(
                "RestrictedBoltzmannMachine.pseudo_likelihood: units of visible='gaussian' have no short formula for it; use"
                " score_samples."
            )
        return self._rows(X, pseudo_of_block, self)

    def sample(self, n_samples: int = 1, random_state: Any = None, *, n_steps: int = 1000) -> tuple[NDArray, NDArray]:
        """Return rows drawn by Gibbs chains, one chain for each row, and their hidden units.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        n_steps : int, default=1000
            Steps from a start at random; modes far apart need more.

        Returns
        -------
        X, H : arrays of shape (n_samples, n_features) and (n_samples, hidden units)
            A draw given the row.
        """
        check_counts("RestrictedBoltzmannMachine.sample", n_samples=n_samples, n_steps=n_steps)
        machine, rng = self._machine(), legacy_state(random_state)
        x = visible_mean(machine, turned(np.full((n_samples, len(machine.hidden)), 0.5), rng))
        for _ in range(n_steps):
            x = gibbs_step(machine, x, rng)
        return self._raw(x), turned(hidden_mean(machine, x), rng)
