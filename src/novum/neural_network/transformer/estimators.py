"""Transformers: sequences to classes, and sequences to sequences."""

import os
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.exceptions import DataError, ParameterError
from novum.neural_network.sequences.attention_map import AttentionMap
from novum.neural_network.sequences.examples import SequenceExamples
from novum.neural_network.sequences.learner import READING, SequenceClassifier
from novum.neural_network.sequences.series import as_list
from novum.neural_network.sequences.translator import TRANSLATION, Translator
from novum.neural_network.sequences.vocabulary import read_symbols
from novum.neural_network.training.parameters import TRAINING
from novum.runtime.typing import Axes, Numbers, Rows, Seed

__all__ = ["TransformerClassifier", "TransformerSeq2Seq"]

TRANSFORMER: dict[str, Domain] = {
    "width": Int(1),
    "n_heads": Int(1),
    "n_layers": Int(1),
    "n_hidden": Null() | Int(1),
    "dropout": Real(0, 1, open="high"),
    "activation": Choice("relu", "gelu"),
    "norm_first": Bool(),
    "positions": Choice("sinusoidal", "learned"),
}


def shape_of(estimator: Any, n_positions: int) -> dict[str, Any]:
    """Return the fields of TransformerShape that the parameters of an estimator give."""
    width, n_heads = int(estimator.width), int(estimator.n_heads)
    if width % n_heads:
        raise ParameterError(
            f"{type(estimator).__name__}: width={width} is no multiple of n_heads={n_heads}: every head has an equal share of it."
        )
    return {
        "width": width,
        "n_heads": n_heads,
        "hidden": int(estimator.n_hidden or 4 * width),
        "n_layers": int(estimator.n_layers),
        "dropout": float(estimator.dropout),
        "activation": estimator.activation,
        "norm_first": bool(estimator.norm_first),
        "positions": estimator.positions,
        "n_positions": n_positions,
    }


class LearnedPositions:
    """A learned table of positions has as many rows as the longest sequence of the fit; what is longer is refused."""

    positions: str
    _n_positions: int = 0

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> SequenceExamples:
        if reset:
            self._n_positions = 0
        return super()._examples(X, y, sample_weight, reset)  # type: ignore[misc]

    def _check_lengths(self, lengths: NDArray[np.int64], reset: bool) -> None:
        longest = int(lengths.max(initial=0))
        if reset:
            self._n_positions = max(self._n_positions, longest)
        elif self.positions == "learned" and longest > self._n_positions:
            raise DataError(
                f"{type(self).__name__}: a sequence has {longest} steps, and positions='learned' knows {self._n_positions};"
                " fit with sequences as long, or with positions='sinusoidal'."
            )


class TransformerClassifier(LearnedPositions, SequenceClassifier):
    """Transformer encoder that classifies sequences, or every step of them.

    X is a list of sequences of any lengths: arrays of shape (steps, columns) or (steps,), texts (whose
    symbols are their characters), lists of strings or of whole numbers; or an array of shape
    (n_samples, steps, columns). Whole numbers are symbols unless `tokens=False`. Padding never changes an answer.

    Parameters
    ----------
    width : int, default=64
        Size of the vectors between layers; a multiple of `n_heads`.
    n_heads : int, default=4
    n_layers : int, default=2
        Blocks; of the encoder, and as many of the decoder where there is one.
    n_hidden : int or None, default=None
        Units of the network at every position; None: four times `width`.
    dropout : float, default=0.1
    activation : {"relu", "gelu"}, default="relu"
    norm_first : bool, default=True
        Normalise what a part of a block reads; otherwise what it leaves, as in the first Transformer.
    positions : {"sinusoidal", "learned"}, default="sinusoidal"
        Vectors of the positions: waves, or a table, which knows no position that training did not have.
    pooling : {"mean", "max"}, default="mean"
        What stands for a sequence: the mean or the largest values of the codes of its steps.
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
    >>> from novum.neural_network import TransformerClassifier
    >>> X = ["the cat sat".split(), "the dog ran home".split(), "a dog sat".split(), "a cat ran".split()] * 20
    >>> y = ["rest", "motion", "rest", "motion"] * 20
    >>> model = TransformerClassifier(16, n_heads=2, max_epochs=10, batch_size=8, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.predict([["a", "dog", "ran"]]).tolist()  # doctest: +SKIP
    ['motion']
    """

    _domains: dict[str, Domain] = {**TRANSFORMER, "pooling": Choice("mean", "max"), **READING, **TRAINING}

    def __init__(
        self,
        width: int = 64,
        *,
        n_heads: int = 4,
        n_layers: int = 2,
        n_hidden: int | None = None,
        dropout: float = 0.1,
        activation: Literal["relu", "gelu"] = "relu",
        norm_first: bool = True,
        positions: Literal["sinusoidal", "learned"] = "sinusoidal",
        pooling: Literal["mean", "max"] = "mean",
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
        self.width = width
        self.n_heads = n_heads
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.dropout = dropout
        self.activation = activation
        self.norm_first = norm_first
        self.positions = positions
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
        return {"shape": shape_of(self, self._n_positions), "n_embedding": int(self.width), "pooling": self.pooling}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.transformer.networks import EncoderNetwork

        return EncoderNetwork(config)

    def attention_maps(self, X: Rows) -> list[AttentionMap]:
        """Return where each step of a sequence looks in it, for every sequence."""
        check_is_fitted(self)
        packed = self._read(X, False)

        def maps(module: Any, batch: Any) -> Any:
            import torch

            kept: list[Any] = []
            module(batch[0], kept)
            return torch.stack(kept, dim=1).cpu().numpy()

        owner = type(self).__name__
        sequences = as_list(X, owner)
        names = (
            read_symbols(sequences, owner, "X")
            if self.symbols_ is not None
            else [list(range(n)) for n in packed.lengths]
        )
        weights = [one for part in self._outputs(SequenceExamples([packed]), maps) for one in part]
        return [AttentionMap(x, x, w[:, :, : len(x), : len(x)]) for x, w in zip(names, weights)]

    def plot_attention(
        self, x: Numbers, *, layer: int | None = None, head: int | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw where each step of one sequence looks in it (layer, head None: the mean over all); return the axes."""
        (found,) = self.attention_maps([x])
        return found.plot(ax, layer=layer, head=head)


class TransformerSeq2Seq(LearnedPositions, Translator):
    """Transformer with encoder and decoder: learns pairs of sequences, and writes the second for a new first.

    X and y are lists of sequences of any lengths: texts (whose symbols are their characters), or lists of strings
    or whole numbers. Predictions are of the kind that y had.

    Parameters
    ----------
    width : int, default=64
        Size of the vectors between layers; a multiple of `n_heads`.
    n_heads : int, default=4
    n_layers : int, default=2
        Blocks; of the encoder, and as many of the decoder where there is one.
    n_hidden : int or None, default=None
        Units of the network at every position; None: four times `width`.
    dropout : float, default=0.1
    activation : {"relu", "gelu"}, default="relu"
    norm_first : bool, default=True
        Normalise what a part of a block reads; otherwise what it leaves, as in the first Transformer.
    positions : {"sinusoidal", "learned"}, default="sinusoidal"
        Vectors of the positions: waves, or a table, which knows no position that training did not have.
    tied_weights : bool, default=False
        Whether the matrix that reads target symbols also writes them.
    label_smoothing : float, default=0.0
        Share of every target that is spread over all symbols.
    max_length : int or None, default=None
        Most symbols of an answer; None: twice as many as the longest target of the fit, and eight.
    beam_width : int, default=1
        Sequences that `predict` follows at a time; 1: the most probable symbol at every step.
    length_penalty : float, default=0.0
        Of a beam the sequence with the largest log p / length^length_penalty is the answer: above 0 helps long ones.
    unknown : {"error", "warn"}, default="error"
        What to do with symbols of X that the fit did not see: refuse them by name, or name them in a warning and read a vector of
        zeros.
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
    source_symbols_, target_symbols_ : list
        The symbols that training had.
    max_length_ : int
        Most symbols of an answer.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.

    Examples
    --------
    >>> from novum.neural_network import TransformerSeq2Seq
    >>> X = ["abc", "cab", "bb", "a", "acb", "ccab"] * 20
    >>> y = [text[::-1] for text in X]
    >>> model = TransformerSeq2Seq(32, max_epochs=20, batch_size=8, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.predict(["cab"])  # doctest: +SKIP
    ['bac']
    """

    _domains: dict[str, Domain] = {**TRANSFORMER, "tied_weights": Bool(), **TRANSLATION, **TRAINING}

    def __init__(
        self,
        width: int = 64,
        *,
        n_heads: int = 4,
        n_layers: int = 2,
        n_hidden: int | None = None,
        dropout: float = 0.1,
        activation: Literal["relu", "gelu"] = "relu",
        norm_first: bool = True,
        positions: Literal["sinusoidal", "learned"] = "sinusoidal",
        tied_weights: bool = False,
        label_smoothing: float = 0.0,
        max_length: int | None = None,
        beam_width: int = 1,
        length_penalty: float = 0.0,
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
        self.width = width
        self.n_heads = n_heads
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.dropout = dropout
        self.activation = activation
        self.norm_first = norm_first
        self.positions = positions
        self.tied_weights = tied_weights
        self.label_smoothing = label_smoothing
        self.max_length = max_length
        self.beam_width = beam_width
        self.length_penalty = length_penalty
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
        return {"shape": shape_of(self, self._n_positions), "tied": bool(self.tied_weights)}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.transformer.networks import TransformerNetwork, TransformerShape

        return TransformerNetwork(
            config["n_source"], config["n_target"], TransformerShape(**config["shape"]), config["tied"]
        )
