r"""Linear classifiers by stochastic gradient descent: support vector machine, logistic regression, perceptron and others.

    hinge  max(0, 1 - yf)          log_loss  log(1 + e^{-yf})          perceptron  max(0, -yf)                   (1)
    squared_hinge  max(0, 1 - yf)^2          modified_huber  max(0, 1 - yf)^2, -4yf below yf = -1               (2)
    probabilities  log_loss: 1 / (1 + e^{-f});   modified_huber: (min(1, max(-1, f)) + 1) / 2                   (3)

With K > 2 classes the probabilities of the K machines are divided by their sum. Steps: novum.linear_model.online.epochs.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from novum.base.domains import Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.fold.batch_results import of_results
from novum.fold.blocks import Block
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.online.classifier import CLASSIFIER_DOMAINS, OnlineClassifier
from novum.linear_model.online.learner import STEPS
from novum.linear_model.online.schedules import schedule_of
from novum.optimize import Schedule
from novum.runtime import arrays
from novum.runtime.typing import LabelWeights, Rows, Seed

__all__ = ["SGDClassifier"]

LOSSES = (
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


class ProbabilityPass(NamedTuple):
    line: Line
    logistic: bool


def probabilities(params: ProbabilityPass, block: Block) -> Any:
    """Return (3) for every row and class."""
    f = arrays.to_numpy(predict_block(params.line, block))
    p = expit(f) if params.logistic else (np.clip(f, -1, 1) + 1) / 2
    if params.line.flat:
        out = np.column_stack([1 - p, p])
    else:
        nothing = p.sum(axis=1) == 0
        p[nothing] = 1.0  # no machine claims the row: all classes alike
        out = p / p.sum(axis=1, keepdims=True)
    return arrays.like(block.X, out) if arrays.is_tensor(block.X) else out


def has_probabilities(model: Any) -> bool:
    """Return whether the loss has probabilities, or say that it has none."""
    if model.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


class SGDClassifier(OnlineClassifier):
    """Linear classifiers by stochastic gradient descent.

    Parameters
    ----------
    loss : {"hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "squared_error", "huber", \
"epsilon_insensitive", "squared_epsilon_insensitive"}, default="hinge"
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
    alpha : float, default=0.0001
        Strength of the penalty; also sets the learning rate "optimal".
    l1_ratio : float, default=0.15
        Share of the L1 part in "elasticnet".
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=1e-3
        Stop when the objective was not better than the best by this much for `n_iter_no_change` epochs; None: never.
    shuffle : bool, default=True
        Visit the rows in another random order every epoch.
    verbose : int, default=0
        Kept for scikit-learn's sake; `history_` records the epochs.
    epsilon : float, default=0.1
        Half the width of the tube of the insensitive losses, the edge of "huber".
    n_jobs : int, default=None
        Threads over the classes; the result does not depend on them.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None
    learning_rate : {"optimal", "constant", "invscaling", "adaptive", "pa1", "pa2"}, default="optimal"
    eta0 : float, default=0.01
        First step, or aggressiveness of "pa1" and "pa2".
    power_t : float, default=0.5
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Judge the epochs by the accuracy on rows held back.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
        Start from the last fit.
    average : bool or int, default=False
        Predict with the average of the weights over all steps, or from this step on.
    batch_size : int or None, default=1
        Rows of one step, by their mean slope; None: all.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    classes_ : array of shape (n_classes,)
    n_iter_ : int
        Epochs, of the slowest machine.
    n_updates_ : int
        Steps that changed the weights.
    t_ : float
        The next step.
    history_ : History
        Objective or validation score of every epoch, and its updates.

    Examples
    --------
    >>> from novum.linear_model import SGDClassifier
    >>> X, y = [[-2.0, -1], [-1, -1], [1, 1], [2, 1]], [1, 1, 2, 2]
    >>> SGDClassifier(random_state=0).fit(X, y).predict([[-0.8, -1], [3, 2]])
    array([1, 2])
    """

    _passive_loss = "hinge"
    _domains: dict[str, Domain] = {**CLASSIFIER_DOMAINS, **STEPS, "loss": Choice(*LOSSES)}

    def __init__(
        self,
        loss: Literal[
            "hinge",
            "log_loss",
            "modified_huber",
            "squared_hinge",
            "perceptron",
            "squared_error",
            "huber",
            "epsilon_insensitive",
            "squared_epsilon_insensitive",
        ] = "hinge",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool | int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Seed = None,
        learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"] = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: LabelWeights = None,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int | None = 1,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size

    def schedule(self) -> Schedule:
        """Return the step sizes as a schedule of novum.optimize, which knows whether they meet Robbins and Monro."""
        return schedule_of(self)

    @available_if(has_probabilities)
    def predict_proba(self, X: Rows) -> Any:
        """Return the probability (3) of every class, one row per row of X; for "log_loss" and "modified_huber".

        probabilities  log_loss: 1 / (1 + e^{-f});   modified_huber: (min(1, max(-1, f)) + 1) / 2    (3)
        """
        check_is_fitted(self)
        return self._rows(X, probabilities, ProbabilityPass(self._decision_line(), self.loss == "log_loss"))

    @available_if(has_probabilities)
    def predict_log_proba(self, X: Rows) -> Any:
        """Return the logarithm of `predict_proba`; "modified_huber" has zeros there."""
        return of_results(np.log, self.predict_proba(X))
