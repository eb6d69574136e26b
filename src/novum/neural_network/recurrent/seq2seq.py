"""Sequences to sequences by two recurrent networks, with and without attention."""

from typing import Any

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.neural_network.sequences.translator import TRANSLATION, Translator
from novum.neural_network.training.parameters import TRAINING, stores_training

__all__ = ["Seq2Seq"]


class Seq2Seq(Translator):
    """Encoder and decoder: a recurrent network reads a sequence, another writes one; attention lets it look back.

    [pairs]

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
    [translation]
    [training]

    Attributes
    ----------
    [translation attributes]

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

    @stores_training
    def __init__(
        self, n_units: int = 64, *, cell: str = "lstm", n_layers: int = 1, attention: str | None = "dot",
        bidirectional: bool = False, n_embedding: int = 32, dropout: float = 0.0, label_smoothing: float = 0.0,
        max_length: int | None = None, beam_width: int = 1, length_penalty: float = 0.0, unknown: str = "error",
        clip_norm: float | None = 1.0
    ) -> None: ...  # fmt: skip

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
