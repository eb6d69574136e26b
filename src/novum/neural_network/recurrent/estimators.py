"""Recurrent networks over sequences of unequal lengths: a class or a value of each, or of every step."""

import os
from typing import Any, Literal

from novum.base.domains import Bool, Choice, Domain, Int, Real
from novum.neural_network.sequences.learner import READING, SequenceClassifier, SequenceLearner, SequenceRegressor
from novum.neural_network.training.parameters import TRAINING
from novum.runtime.typing import Seed

__all__ = ["RecurrentClassifier", "RecurrentRegressor"]

RECURRENT: dict[str, Domain] = {
    "n_units": Int(1),
    "cell": Choice("rnn", "gru", "lstm"),
    "n_layers": Int(1),
    "bidirectional": Bool(),
    "dropout": Real(0, 1, open="high"),
    "n_embedding": Int(1),
    "pooling": Choice("last", "mean", "max"),
    **READING,
    **TRAINING,
}


class RecurrentLearner(SequenceLearner):
    """What both estimators share: the network."""

    _domains: dict[str, Domain] = RECURRENT

    def __init__(
        self,
        n_units: int = 64,
        *,
        cell: Literal["rnn", "gru", "lstm"] = "lstm",
        n_layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
        n_embedding: int = 32,
        pooling: Literal["last", "mean", "max"] = "last",
        per_step: bool = False,
        tokens: bool | Literal["auto"] = "auto",
        unknown: Literal["error", "warn"] = "error",
        clip_norm: float | None = 1.0,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        averaging: float | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = 10,
        tol: float = 1e-4,
        mixed_precision: bool | Literal["auto"] = "auto",
        compile: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        verbose: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.n_units = n_units
        self.cell = cell
        self.n_layers = n_layers
        self.bidirectional = bidirectional
        self.dropout = dropout
        self.n_embedding = n_embedding
        self.pooling = pooling
        self.per_step = per_step
        self.tokens = tokens
        self.unknown = unknown
        self.clip_norm = clip_norm
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.averaging = averaging
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _network_config(self) -> dict[str, Any]:
        return {
            "n_units": int(self.n_units),
            "n_layers": int(self.n_layers),
            "cell": self.cell,
            "bidirectional": bool(self.bidirectional),
            "dropout": float(self.dropout),
            "n_embedding": int(self.n_embedding),
            "pooling": self.pooling,
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.recurrent.network import RecurrentNetwork

        return RecurrentNetwork(config)


class RecurrentClassifier(RecurrentLearner, SequenceClassifier):
    """Recurrent network that classifies sequences, or every step of them: plain units, LSTM or GRU.

    X is a list of sequences of any lengths: arrays of shape (steps, columns) or (steps,), texts (whose
    symbols are their characters), lists of strings or of whole numbers; or an array of shape
    (n_samples, steps, columns). Whole numbers are symbols unless `tokens=False`. Padding never changes an answer.

    Parameters
    ----------
    n_units : int, default=64
        Size of the state of a layer.
    cell : {"lstm", "gru", "rnn"}, default="lstm"
    n_layers : int, default=1
    bidirectional : bool, default=False
        Whether a second network reads from the last step to the first.
    dropout : float, default=0.0
        Share of values set to zero in training, before, between and after layers.
    n_embedding : int, default=32
        Size of the vectors of symbols.
    pooling : {"last", "mean", "max"}, default="last"
        What stands for a sequence: the state after its last step, or the mean or largest values over its steps.
    per_step : bool, default=False
        Whether every step has a target: then y is a list of sequences as long as those of X, and so are the predictions.
    tokens : bool or "auto", default="auto"
        Whether steps are symbols, each with a learned vector, or numbers; "auto": texts and whole numbers are symbols.
    unknown : {"error", "warn"}, default="error"
        What to do with symbols that the fit did not see: refuse them by name, or name them in a warning and read a vector of zeros.
    max_epochs : int, default=50
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.001
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=1.0
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    patience : int or None, default=10
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
        None: after max_epochs.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    symbols_ : list or None
        The symbols that training had, where steps are symbols.
    n_features_in_ : int
        Columns of a step; 1 for symbols.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.

    Examples
    --------
    >>> from novum.neural_network import RecurrentClassifier
    >>> X = ["aab", "ba", "bbb", "abab", "b", "aaa"] * 20
    >>> y = ["even" if text.count("a") % 2 == 0 else "odd" for text in X]
    >>> model = RecurrentClassifier(16, max_epochs=60, learning_rate=0.02, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.predict(["aab", "b", "aaa"]).tolist()  # doctest: +SKIP
    ['even', 'even', 'odd']
    """


class RecurrentRegressor(RecurrentLearner, SequenceRegressor):
    """Recurrent network that gives a value for sequences, or for every step of them: plain units, LSTM or GRU.

    X is a list of sequences of any lengths: arrays of shape (steps, columns) or (steps,), texts (whose
    symbols are their characters), lists of strings or of whole numbers; or an array of shape
    (n_samples, steps, columns). Whole numbers are symbols unless `tokens=False`. Padding never changes an answer.

    y has a number, or a row of numbers, for each sequence or step; they are brought to mean zero and variance one in training
    and back in `predict`.

    Parameters
    ----------
    n_units : int, default=64
        Size of the state of a layer.
    cell : {"lstm", "gru", "rnn"}, default="lstm"
    n_layers : int, default=1
    bidirectional : bool, default=False
        Whether a second network reads from the last step to the first.
    dropout : float, default=0.0
        Share of values set to zero in training, before, between and after layers.
    n_embedding : int, default=32
        Size of the vectors of symbols.
    pooling : {"last", "mean", "max"}, default="last"
        What stands for a sequence: the state after its last step, or the mean or largest values over its steps.
    per_step : bool, default=False
        Whether every step has a target: then y is a list of sequences as long as those of X, and so are the predictions.
    tokens : bool or "auto", default="auto"
        Whether steps are symbols, each with a learned vector, or numbers; "auto": texts and whole numbers are symbols.
    unknown : {"error", "warn"}, default="error"
        What to do with symbols that the fit did not see: refuse them by name, or name them in a warning and read a vector of zeros.
    max_epochs : int, default=50
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.001
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=1.0
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    patience : int or None, default=10
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends.
        None: after max_epochs.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    n_outputs_ : int
        Columns of y.
    symbols_ : list or None
        The symbols that training had, where steps are symbols.
    n_features_in_ : int
        Columns of a step; 1 for symbols.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import RecurrentRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(steps, 2)) for steps in rng.integers(3, 9, size=300)]
    >>> y = [x[:, 0].sum() for x in X]
    >>> model = RecurrentRegressor(32, max_epochs=40, learning_rate=0.01, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.score(X, y) > 0.95  # doctest: +SKIP
    True
    """
