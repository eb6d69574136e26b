r"""The perceptron: a threshold unit that learns from its mistakes.

    predict  sign(f(x)),   f(x) = w'x + b                                                                       (1)
    on a mistake  y f(x) <= 0:   w <- w + eta y x,   b <- b + eta y                                             (2)
    batch:        w <- w + eta sum_M y_i x_i over the mistakes M of a whole pass                                (3)
    separable with margin gamma by u, |u| = 1, rows of length at most R:  at most (R / gamma)^2 mistakes         (4)

(2) is a step down the perceptron loss max(0, -y f). Rows are augmented by a one for b in (4). Where no plane separates the
classes, (2) goes on for ever: `max_iter` and the rule of novum.linear_model.online.epochs stop it, and the average of the
weights over the steps is the better classifier. A pass without a mistake ends the training. Derivation:
docs/theory/online_learning.md.
"""

from typing import Any, Literal

from novum.base.domains import Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.linear_model.online.classifier import CLASSIFIER_DOMAINS, OnlineClassifier
from novum.linear_model.online.plots import plot_unit
from novum.runtime.typing import LabelWeights, Seed

__all__ = ["Perceptron"]


class Perceptron(OnlineClassifier):
    """The perceptron, row by row, in batches, or averaged.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
    alpha : float, default=0.0001
        Strength of the penalty.
    l1_ratio, fit_intercept, shuffle, verbose, n_jobs, early_stopping, validation_fraction, n_iter_no_change, \
class_weight, warm_start
        As in SGDClassifier.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=1e-3
        As in SGDClassifier; None trains until an epoch has no mistake.
    eta0 : float, default=1.0
        Size of a step; from a start at zero it only scales the weights.
    random_state : int, Generator, RandomState, SeedSequence or None, default=0
    average : bool or int, default=False
        Predict with the average of the weights over all steps, or from this step on.
    batch_size : int or None, default=1
        Rows of one step, by the sum over its mistakes; None: all, eq. (3).
    ties : {"mistake", "positive"}, default="mistake"
        What f(x) = 0 counts as: a mistake for either class, or a prediction of the second class.

    Attributes
    ----------
    coef_, intercept_, classes_
        As in SGDClassifier.
    n_iter_ : int
        Epochs, the clean one included.
    n_updates_ : int
        Mistakes that were corrected, to compare with (4).
    converged_ : bool
        Whether the last epoch had no mistake.
    t_, history_, n_features_in_, feature_names_in_
        As in SGDClassifier.

    Examples
    --------
    >>> from novum.linear_model import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]
    >>> unit = Perceptron(shuffle=False, tol=None).fit(X, y)
    >>> unit.intercept_, unit.coef_, unit.n_updates_, unit.converged_
    (array([-4.]), array([[3., 2.]]), 18, True)
    """

    _mean_of_batch = False
    _stops_clean = True
    _domains: dict[str, Domain] = {**CLASSIFIER_DOMAINS, "ties": Choice("mistake", "positive")}

    def __init__(
        self,
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = None,
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool | int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Seed = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: LabelWeights = None,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int | None = 1,
        ties: Literal["mistake", "positive"] = "mistake",
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.ties = ties

    def _steps(self) -> Any:
        return "sign" if self.ties == "positive" else "perceptron", 0.0, "constant", 0.5

    @property
    def converged_(self) -> bool:
        """Whether the last epoch had no mistake, on the rows that it visited."""
        return self._clean

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the unit: inputs with their weights, the bias, the sum and the threshold; for two classes. Return the axes."""
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise DataError(
                f"Perceptron.plot: {len(self.classes_)} classes have as many units; draw one fitted to two classes."
            )
        names = [
            str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        ]
        return plot_unit("Perceptron", self.coef_[0], float(self.intercept_[0]), names, self.classes_.tolist(), ax)
