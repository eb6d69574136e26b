"""Transformers: sequences to classes, and sequences to sequences."""

from typing import Any

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
from novum.neural_network.training.parameters import TRAINING, stores_training

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

    [sequences]

    Parameters
    ----------
    [transformer]
    pooling : {"mean", "max"}, default="mean"
        What stands for a sequence: the mean or the largest values of the codes of its steps.
    [reading]
    [training]

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    [sequence attributes]

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

    @stores_training
    def __init__(
        self, width: int = 64, *, n_heads: int = 4, n_layers: int = 2, n_hidden: int | None = None, dropout: float = 0.1,
        activation: str = "relu", norm_first: bool = True, positions: str = "sinusoidal", pooling: str = "mean",
        per_step: bool = False, tokens: bool | str = "auto", unknown: str = "error", clip_norm: float | None = 1.0
    ) -> None: ...  # fmt: skip

    def _network_config(self) -> dict[str, Any]:
        return {"shape": shape_of(self, self._n_positions), "n_embedding": int(self.width), "pooling": self.pooling}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.transformer.networks import EncoderNetwork

        return EncoderNetwork(config)

    def attention_maps(self, X: Any) -> list[AttentionMap]:
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

    def plot_attention(self, x: Any, *, layer: int | None = None, head: int | None = None, ax: Any = None) -> Any:
        """Draw where each step of one sequence looks in it (layer, head None: the mean over all); return the axes."""
        (found,) = self.attention_maps([x])
        return found.plot(ax, layer=layer, head=head)


class TransformerSeq2Seq(LearnedPositions, Translator):
    """Transformer with encoder and decoder: learns pairs of sequences, and writes the second for a new first.

    [pairs]

    Parameters
    ----------
    [transformer]
    tied_weights : bool, default=False
        Whether the matrix that reads target symbols also writes them.
    [translation]
    [training]

    Attributes
    ----------
    [translation attributes]

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

    @stores_training
    def __init__(
        self, width: int = 64, *, n_heads: int = 4, n_layers: int = 2, n_hidden: int | None = None, dropout: float = 0.1,
        activation: str = "relu", norm_first: bool = True, positions: str = "sinusoidal", tied_weights: bool = False,
        label_smoothing: float = 0.0, max_length: int | None = None, beam_width: int = 1, length_penalty: float = 0.0,
        unknown: str = "error", clip_norm: float | None = 1.0
    ) -> None: ...  # fmt: skip

    def _network_config(self) -> dict[str, Any]:
        return {"shape": shape_of(self, self._n_positions), "tied": bool(self.tied_weights)}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.transformer.networks import TransformerNetwork, TransformerShape

        return TransformerNetwork(
            config["n_source"], config["n_target"], TransformerShape(**config["shape"]), config["tied"]
        )
