r"""Complement naive Bayes: a class is judged by how badly a row fits the other classes (Rennie and others, 2003).

    theta~_cj = (alpha_j + sum_{b != c} N_bj) / sum_i (alpha_i + sum_{b != c} N_bi)                (1)
    w_cj = -log theta~_cj,     or with `norm` log theta~_cj / sum_i log theta~_ci                  (2)
    score_c(x) = sum_j x_j w_cj                                                                    (3)

All classes but one have more data than one, so (1) is steadier than the class's own frequencies where classes are of unequal
size. Class probabilities enter only where there is a single class.
"""

from typing import Any

import numpy as np

from novum.base.domains import Bool, Domain
from novum.naive_bayes.discrete import COMMON_DOMAINS, DiscreteNB, total_of
from novum.naive_bayes.tables import log_shares
from novum.runtime.typing import Numbers

__all__ = ["ComplementNB"]


class ComplementNB(DiscreteNB):
    """Complement naive Bayes, for counts with classes of unequal size.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to every count.
    force_alpha : bool, default=True
        Whether a smaller alpha than 1e-10 is kept.
    fit_prior : bool, default=True
        Whether class probabilities are their shares of the data; they only matter for a single class.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes; not used in predictions.
    norm : bool, default=False
        Whether weights are normalised, the second form of (2).

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_, class_log_prior_ : array of shape (n_classes,)
    feature_count_, feature_log_prob_ : array of shape (n_classes, n_features)
        Counts of the class itself, and w of (2).
    feature_all_ : array of shape (n_features,)
        Counts of all classes.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.naive_bayes import ComplementNB
    >>> X = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4], [1, 2, 0]])
    >>> ComplementNB().fit(X, ["a", "a", "b", "a"]).predict([[1, 1, 0], [0, 0, 2]])
    array(['a', 'b'], dtype='<U1')
    """

    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "norm": Bool()}
    feature_all_: np.ndarray

    def __init__(
        self,
        *,
        alpha: float | Numbers = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Numbers | None = None,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _log_prob(self, alpha: Any) -> Any:
        self.feature_all_ = self.feature_count_.sum(axis=0)
        own = self.feature_count_.sum(axis=1, keepdims=True)
        total = self.feature_all_.sum() - own + total_of(alpha, self.n_features_in_)
        logs = log_shares(self.feature_count_, alpha, np.log(total), self.feature_all_)
        return logs / logs.sum(axis=1, keepdims=True) if self.norm else np.negative(logs, out=logs)

    def _weights_and_bias(self) -> Any:
        single = len(self.classes_) == 1
        return self.feature_log_prob_, self.class_log_prior_ if single else np.zeros(len(self.classes_))
