r"""Gaussian classes, whatever their covariances: densities of rows with and without missing cells, samples, priors.

    log p(x, c) = log pi_c - d/2 log 2 pi - 1/2 log |S_c| - 1/2 (x - mean_c)' inv(S_c) (x - mean_c)          (1)

Rows with missing cells have the density of their observed cells. The kernels are those of Gaussian mixtures: a mixture whose
components are the classes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.checks.learned import check_densities
from novum.base.fitted import check_is_fitted
from novum.base.generative import BayesRule
from novum.engines.gaussians.covariance import factor_of_covariance
from novum.engines.gaussians.density import Density, density_of, joint, total
from novum.engines.gaussians.draws import draw_gaussians
from novum.engines.gaussians.missing import dense_joint, observed_cells
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows
from novum.runtime.warn import warn

__all__ = ["GaussianClasses", "class_density", "expected_rows", "log_joint", "priors_of"]

log_joint = joint


def priors_of(owner: str, priors: Any, mass: NDArray, normalize: bool) -> NDArray:
    """Return the priors: given ones after their checks, or the shares of the classes."""
    if priors is None:
        return mass / mass.sum()
    given = np.asarray(priors, np.float64)
    if given.shape != mass.shape:
        raise ParameterError(
            f"Number of priors must match number of classes. {owner}(priors=...) has {given.size}, y has {len(mass)}"
            " classes."
        )
    if (given < 0).any():
        raise ParameterError(f"priors must be non-negative. {owner}(priors=...) has the value {given.min():g}.")
    if normalize and abs(given.sum() - 1) > 1e-5:
        warn("The priors do not sum to 1. Renormalizing", UserWarning)
        given = given / given.sum()
    return given


def class_density(owner: str, prior: NDArray, mean: NDArray, covariance: NDArray, form: str) -> Density:
    """Return (1) as the kernels take it; `form` is "full" (k, d, d), "tied" (d, d) or "diag" (k, d)."""
    with np.errstate(divide="ignore"):  # a class of prior zero
        excess = np.log(prior)
    try:
        factor = factor_of_covariance(form, covariance, np.dtype(np.float64))
    except DataError as error:
        raise DataError(
            f"{owner}: a covariance is singular, so densities do not exist; give shrinkage, drop columns that follow from"
            " others, or more rows."
        ) from error
    return density_of(form, excess, mean, covariance, factor, prior @ mean)


def expected_rows(density: Density, X: Any) -> Any:
    """Return rows with every missing cell replaced by its expectation given the others, the classes summed over."""
    filled, seen = observed_cells(X)
    scores, offset = dense_joint(density, filled, seen)[:2]  # (rows, k), (k, rows, d)
    share = arrays.exp(arrays.log_softmax(scores))
    mean = arrays.like(filled, density.mean, "float64")
    found = share @ mean
    for c in range(len(density.mean)):
        found = found + share[:, c, None] * offset[c]
    return found


class GaussianClasses(BayesRule):
    """What classifiers with Gaussian classes share; a subclass brings `_density` and `_class_covariances`."""

    _takes_gaps = True

    means_: NDArray[Any]
    priors_: NDArray[Any]

    def _density(self) -> Density:
        raise NotImplementedError

    def _class_covariances(self) -> NDArray:
        """Return the covariance of every class (k, d, d)."""
        raise NotImplementedError

    def predict_joint_log_proba(self, X: Rows) -> Any:
        """Return log p(x, c), eq. (1), for every row and class; missing cells are integrated out."""
        check_is_fitted(self)
        return self._rows(X, log_joint, self._density())

    def score_samples(self, X: Rows) -> Any:
        """Return log p(x) of every row, the classes summed over; missing cells are integrated out."""
        check_is_fitted(self)
        return check_densities(self, X, self._rows(X, total, self._density()))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows with their classes from the fitted model.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        X, y : arrays of shape (n_samples, n_features) and (n_samples,)
            Rows and their labels, class by class.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ParameterError(f"{type(self).__name__}.sample(n_samples={n_samples!r}): draw at least one row.")
        rng = np.random.default_rng(seed_of(random_state))
        prior = np.asarray(self.priors_, np.float64)
        counts = rng.multinomial(n_samples, prior / prior.sum())
        rows = draw_gaussians(rng, counts, np.asarray(self.means_, np.float64), self._class_covariances())
        return rows, np.repeat(self.classes_, counts)

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the densities of the classes with the decision boundary, many features in their discriminants."""
        from novum.discriminant_analysis.plots import plot_class_densities

        return plot_class_densities(self, ax=ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        from novum.discriminant_analysis.plots import plot_class_densities

        return plot_class_densities(self, rows, y, ax=ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
