"""The transformer with an encoder alone: sequences, or steps of them, to classes."""

import os
from typing import Any, Literal

from novum.base.domains import Choice, Domain
from novum.base.fitted import check_is_fitted
from novum.neural_network.sequences.attention_map import AttentionMap
from novum.neural_network.sequences.examples import SequenceExamples
from novum.neural_network.sequences.learner import READING, SequenceClassifier
from novum.neural_network.sequences.series import as_list
from novum.neural_network.sequences.vocabulary import read_symbols
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.transformer.shape import TRANSFORMER, LearnedPositions, shape_of
from novum.runtime.typing import Axes, Numbers, Rows, Seed

__all__ = ["TransformerClassifier"]


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
