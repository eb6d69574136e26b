r"""Bernoulli naive Bayes: every feature is there or not, independently given the class.

    p(x | c) = prod_j pi_cj^x_j (1 - pi_cj)^(1 - x_j)                                              (1)
    pi_cj = (N_cj + alpha_j) / (N_c + 2 alpha_j)                                                   (2)
    log p(x, c) = sum_j x_j w_cj + b_c,   w_cj = log pi_cj / (1 - pi_cj),
    b_c = log prior_c + sum_j log(1 - pi_cj)                                                       (4)

N_cj is the weight of the rows of class c that have feature j, N_c that of all its rows. Cells above `binarize` count as 1.
(2) is the posterior mean under Beta(alpha, alpha); alpha = 0 is maximum likelihood, and then a feature that every or no row of
a class has makes the opposite impossible there.
"""

from typing import Any

import numpy as np

from novum.base.domains import Domain, Null, Real
from novum.naive_bayes.counts import LinearScores, linear_scores, product, scores_of
from novum.naive_bayes.discrete import COMMON_DOMAINS, DiscreteNB
from novum.naive_bayes.tables import filled_table, log_shares
from novum.runtime.typing import Numbers

__all__ = ["BernoulliNB"]


def scores_with_certain(params: tuple[LinearScores, np.ndarray], block: Any) -> np.ndarray:
    """Return (4) where some pi are one: a row that lacks such a feature is impossible in the class."""
    scores, certain = params  # certain (d, k): 1 where pi = 1
    score = scores_of(scores, block)
    met = product(block.X, certain, np.zeros(certain.shape[1]), scores.threshold)
    lacking = certain.sum(axis=0) - met if isinstance(met, np.ndarray) else met.new_tensor(certain.sum(axis=0)) - met
    score[lacking > 0.5] = -np.inf
    return score


class BernoulliNB(DiscreteNB):
    """Bernoulli naive Bayes, for features that are there or not.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to the counts of both outcomes; 0 is maximum likelihood.
    binarize : float or None, default=0.0
        Cells above it count as 1, others as 0; None takes the cells to be 0 and 1.
    force_alpha, fit_prior, class_prior
        As in MultinomialNB.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_log_prior_ : array of shape (n_classes,)
    feature_count_, feature_log_prob_ : array of shape (n_classes, n_features)
        N_cj and log pi_cj.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.naive_bayes import BernoulliNB
    >>> X = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [0, 1]])
    >>> model = BernoulliNB(alpha=0).fit(X, [0, 0, 0, 1, 1])
    >>> np.exp(model.feature_log_prob_).round(3)
    array([[0.667, 0.667],
           [0.   , 0.5  ]])
    """

    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "binarize": Real(0) | Null()}
    _positive_only = False
    _sums_show_gaps = _scores_show_gaps = False  # a comparison with the threshold hides them

    def __init__(
        self,
        *,
        alpha: float | Numbers = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Numbers | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _threshold(self) -> Any:
        return None if self.binarize is None else float(self.binarize)

    def _log_prob(self, alpha: Any) -> Any:
        return log_shares(self.feature_count_, alpha, np.log(self.class_count_[:, None] + 2 * np.asarray(alpha)))

    def _log_absent(self) -> Any:
        """Return log(1 - pi) of every class and feature."""
        logs = self.feature_log_prob_

        def fill(table: Any, part: Any) -> None:
            np.exp(logs[:, part], out=table)
            np.minimum(table, 1.0, out=table)
            np.log1p(np.negative(table, out=table), out=table)

        return filled_table(logs.shape, fill)

    def _weights_and_bias(self) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):  # pi of zero or one
            absent = self._log_absent()
            bias = self.class_log_prior_ + absent.T.sum(axis=0)
            return np.subtract(self.feature_log_prob_, absent, out=absent), bias

    def _joint(self) -> Any:
        weights, bias = self._weights_and_bias()
        if weights.max() != np.inf:
            return scores_of, linear_scores(weights, bias, self._threshold())
        certain = np.isposinf(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            absent = np.where(certain, 0.0, self._log_absent())
        weights = np.where(certain, 0.0, weights)
        scores = linear_scores(weights, self.class_log_prior_ + absent.sum(axis=1), self._threshold())
        return scores_with_certain, (scores, certain.T.astype(np.float64))

    def _per_class(self) -> Any:
        return self.n_features_in_
