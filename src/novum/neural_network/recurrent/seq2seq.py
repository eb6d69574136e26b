"""Sequences to sequences by two recurrent networks, with and without attention."""

import os
from typing import Any, Literal

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.neural_network.sequences.translator import TRANSLATION, Translator
from novum.neural_network.training.parameters import TRAINING
from novum.runtime.typing import Seed

__all__ = ["Seq2Seq"]


class Seq2Seq(Translator):
    """Encoder and decoder: a recurrent network reads a sequence, another writes one; attention lets it look back.

    X and y are lists of sequences of any lengths: texts (whose symbols are their characters), or lists of strings
    or whole numbers. Predictions are of the kind that y had.

    Parameters
    ----------
    n_units : int, default=64
        Size of the state of a layer.
    cell : {"lstm", "gru", "rnn"}, default="lstm"
    n_layers : int, default=1
        Of the encoder, and of the decoder.
    attention : {"dot", "additive"} or None, default="dot"
        How a step of the decoder weighs those of the encoder; None: it knows of them by the encoder's last state alone.
    bidirectional : bool, default=False
        Whether the encoder reads both ways.
    n_embedding : int, default=32
        Size of the vectors of symbols.
    dropout : float, default=0.0
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
    >>> from novum.neural_network import Seq2Seq
    >>> X = ["abc", "cab", "bb", "a", "acb", "ccab"] * 20
    >>> y = [text[::-1] for text in X]
    >>> model = Seq2Seq(32, max_epochs=30, learning_rate=0.02, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> model.predict(["cab"])  # doctest: +SKIP
    ['bac']
    """

    _domains: dict[str, Domain] = {
        "n_units": Int(1),
        "cell": Choice("rnn", "gru", "lstm"),
        "n_layers": Int(1),
        "attention": Choice("dot", "additive") | Null(),
        "bidirectional": Bool(),
        "n_embedding": Int(1),
        "dropout": Real(0, 1, open="high"),
        **TRANSLATION,
        **TRAINING,
    }

    def __init__(
        self,
        n_units: int = 64,
        *,
        cell: Literal["rnn", "gru", "lstm"] = "lstm",
        n_layers: int = 1,
        attention: Literal["dot", "additive"] | None = "dot",
        bidirectional: bool = False,
        n_embedding: int = 32,
        dropout: float = 0.0,
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
        self.n_units = n_units
        self.cell = cell
        self.n_layers = n_layers
        self.attention = attention
        self.bidirectional = bidirectional
        self.n_embedding = n_embedding
        self.dropout = dropout
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
        return {
            "n_units": int(self.n_units),
            "n_layers": int(self.n_layers),
            "cell": self.cell,
            "attention": self.attention,
            "bidirectional": bool(self.bidirectional),
            "n_embedding": int(self.n_embedding),
            "dropout": float(self.dropout),
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.recurrent.encoder_decoder import EncoderDecoder

        names = (
            "n_source",
            "n_target",
            "n_embedding",
            "n_units",
            "n_layers",
            "cell",
            "attention",
            "bidirectional",
            "dropout",
        )
        return EncoderDecoder(*(config[name] for name in names))

    def _has_attention(self) -> bool:
        return self.config_["attention"] is not None
