"""Recurrent networks over sequences of unequal lengths: a class or a value of each, or of every step."""

from typing import Any

from novum.base.domains import Bool, Choice, Domain, Int, Real
from novum.neural_network.sequences.learner import READING, SequenceClassifier, SequenceLearner, SequenceRegressor
from novum.neural_network.training.parameters import TRAINING, stores_training

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

    @stores_training
    def __init__(
        self, n_units: int = 64, *, cell: str = "lstm", n_layers: int = 1, bidirectional: bool = False, dropout: float = 0.0,
        n_embedding: int = 32, pooling: str = "last", per_step: bool = False, tokens: bool | str = "auto",
        unknown: str = "error", clip_norm: float | None = 1.0
    ) -> None: ...  # fmt: skip

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

    [sequences]

    Parameters
    ----------
    [recurrent]
    [reading]
    [training]

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    [sequence attributes]

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

    [sequences]

    y has a number, or a row of numbers, for each sequence or step; they are brought to mean zero and variance one in training
    and back in `predict`.

    Parameters
    ----------
    [recurrent]
    [reading]
    [training]

    Attributes
    ----------
    n_outputs_ : int
        Columns of y.
    [sequence attributes]

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
