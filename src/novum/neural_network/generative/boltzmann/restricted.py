r"""The restricted Boltzmann machine: two sides of units, learned by contrastive divergence. NumPy alone, no PyTorch.

The model and its formulas are in `machine`, learning in `learning`, the constant Z in `partition`. Real columns are standardised
first: x = (v - mean) / scale, and `components_` speaks of x. What a learned machine answers is in `inference`.
"""

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.exceptions import DataWarning
from novum.neural_network.generative.boltzmann.inference import RestrictedInference
from novum.neural_network.generative.boltzmann.learning import (
    Learner,
    Settings,
    batches_of,
    first_machine,
    learn,
    reconstruction_error,
    still,
)
from novum.neural_network.generative.boltzmann.parameters import (
    BoltzmannParameters,
    free_energy,
)
from novum.neural_network.generative.boltzmann.rows import dense, training_rows, warn_below_coins
from novum.runtime.random import numpy_state
from novum.runtime.typing import Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["RestrictedBoltzmannMachine"]

LOOKED_AT = 200  # rows that show in every pass how learning goes
MOST_LOOKED_AT = 12  # hidden units of a machine whose Z is counted at the end of a fit
CLEARLY = 0.1  # nats for each column


class RestrictedBoltzmannMachine(RestrictedInference):
    """Restricted Boltzmann machine with binary or Gaussian visible units.

    Parameters
    ----------
    n_components : int, default=256
        Hidden units.
    visible : {"binary", "gaussian"}, default="binary"
        Units of the columns: 0/1 (probabilities are taken too), or real numbers with noise whose size is learned.
    noise : float or "learned", default="learned"
        Variance of Gaussian units given the hidden ones, as a share of the variance of their column. Contrastive divergence
        learns it badly (it sees its own narrow reconstructions): give a number there.
    method : {"persistent", "contrastive"}, default="persistent"
        Chains that run on between steps (PCD), or chains that start from the data at every step (CD).
    n_steps : int, default=1
        Gibbs steps of the chains for each step of learning: k of CD-k.
    learning_rate : float, default=0.1
    momentum : float, default=0.0
    weight_decay : float, default=0.0
        L2 penalty of the weights.
    batch_size : int, default=10
        Rows of a step, and chains.
    max_epochs : int, default=10
        Passes over the rows.
    shuffle : bool, default=True
        Whether every pass takes the rows in another order. False, "persistent" and one step are scikit-learn's BernoulliRBM.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        W; for Gaussian units it speaks of standardised columns.
    intercept_hidden_ : array of shape (n_components,)
    intercept_visible_ : array of shape (n_features,)
    noise_variance_ : array of shape (n_features,) or None
        Variance of Gaussian units given the hidden ones, of standardised columns.
    visible_mean_, visible_scale_ : arrays of shape (n_features,)
        How Gaussian columns were standardised; zeros and ones for binary units.
    h_samples_ : array of shape (batch_size, n_components)
        Hidden units of the chains.
    history_ : History
        Mean squared error of reconstruction after every pass, of some rows, and for binary units their pseudo-likelihood.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import RestrictedBoltzmannMachine
    >>> X = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0)
    >>> model = RestrictedBoltzmannMachine(2, weight_decay=0.01, max_epochs=100, random_state=0).fit(X)
    >>> likely = np.exp(model.score_samples([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]]))  # Z was counted
    >>> (likely > 0.2).tolist()
    [True, True, False]
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1),
        "visible": Choice("binary", "gaussian"),
        "noise": Real(0, open="low") | Choice("learned"),
        "method": Choice("persistent", "contrastive"),
        "n_steps": Int(1),
        "learning_rate": Real(0, open="low"),
        "momentum": Real(0, 1, open="high"),
        "weight_decay": Real(0),
        "batch_size": Int(1),
        "max_epochs": Int(0),
        "shuffle": Bool(),
        "random_state": RandomState(),
    }
    h_samples_: np.ndarray
    history_: History
    n_iter_: int

    def __init__(
        self,
        n_components: int = 256,
        *,
        visible: Literal["binary", "gaussian"] = "binary",
        noise: float | Literal["learned"] = "learned",
        method: Literal["persistent", "contrastive"] = "persistent",
        n_steps: int = 1,
        learning_rate: float = 0.1,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        batch_size: int = 10,
        max_epochs: int = 10,
        shuffle: bool = True,
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.visible = visible
        self.noise = noise
        self.method = method
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Learn the weights, from the start.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        rows, weight = training_rows(self, X, sample_weight, self.visible == "binary")
        rng = numpy_state(self.random_state)
        self._begin(rows, weight, rng)
        history, settings, learner = History(name="reconstruction error"), self._settings(), self._learner()
        n, first = rows.shape[0], np.arange(rows.shape[0])
        rows = rows if scipy.sparse.issparse(rows) else self._standard(dense(rows))
        looked = self._glanced(rows)
        for _ in range(self.max_epochs):
            for batch in batches_of(rng.permutation(n) if self.shuffle else first, self.batch_size):
                here = self._standard(dense(rows[batch])) if scipy.sparse.issparse(rows) else rows[batch]
                learner = learn(learner, here, settings, rng, None if weight is None else weight[batch])
            history.append(
                reconstruction_error(learner.machine, looked, settings), **self._glance(learner.machine, looked)
            )
        self._set(learner)
        self.history_, self.n_iter_ = history, self.max_epochs
        self.random_state_ = numpy_state(self.random_state)  # anew, as scikit-learn's: `gibbs` repeats after every fit
        self._look(looked)
        return self

    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Make one step of learning with the rows given; the first call also draws the start.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        first = "components_" not in vars(self)
        rows, weight = training_rows(self, X, sample_weight, self.visible == "binary", reset=first)
        if first:
            self.random_state_ = numpy_state(self.random_state)
            self._begin(rows, weight, self.random_state_)
            self.history_, self.n_iter_ = History(name="reconstruction error"), 0
        else:  # fitted attributes are replaced, so that a failing call changes nothing
            self.history_ = History(self.history_, self.history_.columns, name=self.history_.name)
        x, settings = self._standard(dense(rows)), self._settings()
        learner = learn(self._learner(), x, settings, self.random_state_, weight)
        self._set(learner)
        self._partition = None
        self.history_.append(reconstruction_error(learner.machine, x, settings))
        self.n_iter_ += 1
        return self

    def _begin(self, rows: Any, weight: NDArray | None, rng: np.random.RandomState) -> None:
        """Set the state before the first step."""
        d = rows.shape[1]
        real = self.visible == "gaussian"
        self.visible_mean_, self.visible_scale_ = np.zeros(d), np.ones(d)
        if real:
            x = dense(rows)
            self.visible_mean_ = np.average(x, axis=0, weights=weight)
            deviation = np.sqrt(np.average((x - self.visible_mean_) ** 2, axis=0, weights=weight))
            self.visible_scale_ = np.where(deviation > 0, deviation, 1.0)
        machine = first_machine(self.n_components, d, real, rng)
        if real and self.noise != "learned":
            machine = machine._replace(log_variance=np.full(d, np.log(self.noise)))
        self._set(Learner(machine, still(machine), np.zeros((self.batch_size, self.n_components))))
        self._n_features_out = self.n_components
        self._partition = None

    def _set(self, learner: Learner) -> None:
        machine = learner.machine
        self.components_, self.intercept_hidden_, self.intercept_visible_, log_variance = machine
        self.noise_variance_ = None if log_variance is None else np.exp(log_variance)
        self._velocity: list[Any] = list(learner.velocity)
        self.h_samples_ = learner.chains

    def _learner(self) -> Learner:
        return Learner(self._machine(), BoltzmannParameters(*self._velocity), self.h_samples_)

    def _settings(self) -> Settings:
        return Settings(
            float(self.learning_rate),
            float(self.momentum),
            float(self.weight_decay),
            self.n_steps,
            self.method == "persistent",
            learn_noise=self.noise == "learned",
        )

    def _glanced(self, rows: Any) -> NDArray:
        """Return a few of the rows, standardised, that show how learning goes."""
        some = rows[:: max(1, rows.shape[0] // LOOKED_AT)]
        return self._standard(dense(some)) if scipy.sparse.issparse(rows) else some

    def _look(self, x: NDArray) -> None:
        """Warn where units were learned so badly that coins, or one Gaussian without hidden units, explain the rows better."""
        if self.visible == "binary" and self.max_epochs:
            warn_below_coins(self, x, self.history_.columns["pseudo-likelihood"][-1])
        if self.visible == "binary" or not self.max_epochs or self.n_components > MOST_LOOKED_AT:
            return
        shift = float(np.log(self.visible_scale_).sum())
        alone = -0.5 * x.shape[1] * (float(np.log(2 * np.pi)) + 1) - shift
        found = float(-free_energy(self._machine(), x).mean()) - self.log_partition().value - shift
        if found < alone - CLEARLY * x.shape[1]:
            warn(
                f"RestrictedBoltzmannMachine: the rows have a mean log-likelihood of {found:.4g}, less than {alone:.4g} under one"
                " Gaussian without hidden units. Lower learning_rate, give noise a number, or use method='persistent'.",
                DataWarning,
            )

    def _glance(self, machine: BoltzmannParameters, v: NDArray) -> dict[str, float]:
        """Return the mean pseudo-likelihood of some binary rows, from one unit of each (scikit-learn's estimate)."""
        if self.visible != "binary":
            return {}
        rng = np.random.RandomState(0)  # the same units in every pass: what changes is the model
        unit = (np.arange(len(v)), rng.randint(0, v.shape[1], len(v)))
        other = v.copy()
        other[unit] = 1 - other[unit]
        gap = free_energy(machine, other) - free_energy(machine, v)
        return {"pseudo-likelihood": float(-v.shape[1] * np.logaddexp(0, -gap).mean())}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
