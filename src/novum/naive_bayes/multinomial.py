r"""Multinomial naive Bayes: a row is counts of words, drawn independently from the class's distribution over words.

    p(x | c) ~ prod_j theta_cj^x_j                                                                 (1)
    theta_cj = (N_cj + alpha_j) / sum_i (N_ci + alpha_i)                                           (2)
    N_cj = sum of w x_j over the rows of class c                                                   (3)
    log p(x, c) = log pi_c + sum_j x_j log theta_cj + terms that all classes share                 (4)

alpha = 1 is Laplace's smoothing: the posterior mean under a uniform Dirichlet. (4) is linear in the counts: `linear_form` gives
weights log theta and bias log pi. Derivation: docs/theory/naive_bayes.md.
"""

from typing import Any

import numpy as np

from novum.base.domains import Domain
from novum.naive_bayes.discrete import COMMON_DOMAINS, DiscreteNB, total_of
from novum.naive_bayes.tables import log_shares
from novum.runtime.typing import Numbers

__all__ = ["MultinomialNB"]


class MultinomialNB(DiscreteNB):
    """Multinomial naive Bayes, for counts such as those of words.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to every count; 0 is maximum likelihood.
    force_alpha : bool, default=True
        Whether a smaller alpha than 1e-10 is kept.
    fit_prior : bool, default=True
        Whether class probabilities are their shares of the data; else they are equal.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_log_prior_ : array of shape (n_classes,)
    feature_count_, feature_log_prob_ : array of shape (n_classes, n_features)
        N of (3) and log theta of (2).

    Examples
    --------
    >>> import numpy as np
    >>> from novum.feature_extraction.text import CountVectorizer
    >>> from novum.naive_bayes import MultinomialNB
    >>> words = CountVectorizer()
    >>> X = words.fit_transform(["chinese beijing chinese", "chinese chinese shanghai", "chinese macao", "tokyo japan chinese"])
    >>> model = MultinomialNB().fit(X, ["china", "china", "china", "japan"])
    >>> model.predict(words.transform(["chinese chinese chinese tokyo japan"]))
    array(['china'], dtype='<U5')
    """

    _domains: dict[str, Domain] = COMMON_DOMAINS

    def __init__(
        self,
        *,
        alpha: float | Numbers = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Numbers | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _log_prob(self, alpha: Any) -> Any:
        total = self.feature_count_.sum(axis=1, keepdims=True) + total_of(alpha, self.n_features_in_)
        return log_shares(self.feature_count_, alpha, np.log(total))
