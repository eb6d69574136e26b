r"""The deep Boltzmann machine: layers learned one by one, then together. NumPy alone, no PyTorch.

First each layer is learned alone (`pretraining`), then all together, with the means of mean field for the data's half of the slope
and persistent Gibbs chains for the model's:

    W_l += rate (E_data[mu_{l-1} mu_l'] - E_chains[h_{l-1} h_l']),      b_l += rate (E_data[mu_l] - E_chains[h_l])   (1)

The formulas of the model are in `layers`, the constant Z in `partition`.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from novum.base.domains import ArrayLike, Domain, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.exceptions import ParameterError
from novum.fold.batch_results import of_results
from novum.fold.blocks import Block
from novum.neural_network.generative.boltzmann.layers import (
    Layers,
    bipartite,
    bound_without_constant,
    exact_free_energy,
    layer_input,
    mean_field,
    split_sides,
)
from novum.neural_network.generative.boltzmann.learning import Settings, batches_of
from novum.neural_network.generative.boltzmann.likelihood import BoltzmannEstimator
from novum.neural_network.generative.boltzmann.parameters import BoltzmannParameters, hidden_mean, turned, visible_mean
from novum.neural_network.generative.boltzmann.pretraining import pretrained
from novum.neural_network.generative.boltzmann.rows import dense, in_kind_of, training_rows, warn_below_coins
from novum.neural_network.generative.counts import check_counts, legacy_state
from novum.runtime.devices import needs_torch
from novum.runtime.random import numpy_state
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["DeepBoltzmannMachine"]

MOST_COUNTED_ROWS = 10  # units of the smaller side above the rows: 2^10 states are counted for every row
SWEEPS = 50  # of mean field for the rows of a question; learning makes do with fewer
LOOKED_AT = 200  # rows that show at the end how learning went
LAST_RATE = 0.1  # share of the rate that is left in the last pass: the chains must follow what is learned


def visible_of(layers: Layers, units: list[NDArray]) -> NDArray:
    """Return the visible means given the layer above."""
    return expit(layer_input(layers, units, 0))


def stepped(
    layers: Layers, data: list[NDArray], share: NDArray, dream: list[NDArray], rate: float, decay: float
) -> Layers:
    """Return the parameters after (1)."""
    n = len(dream[0])
    weights = [
        W + rate * ((below * share[:, None]).T @ here - low.T @ high / n - decay * W)
        for W, below, here, low, high in zip(layers.weights, data, data[1:], dream, dream[1:])
    ]
    biases = [b + rate * (share @ mean - units.mean(axis=0)) for b, mean, units in zip(layers.biases, data, dream)]
    return Layers(weights, biases)


def means_of_block(model: Any, block: Block) -> NDArray:
    """Return the means of the top layer for the rows of a block, in their dtype."""
    return in_kind_of(block, mean_field(model._layers(), dense(block.X), SWEEPS)[-1])


def reconstruction_of_block(model: Any, block: Block) -> NDArray:
    """Return the rows of a block as their first hidden layer's means see them."""
    layers = model._layers()
    return in_kind_of(block, visible_of(layers, mean_field(layers, dense(block.X), SWEEPS)))


def energy_of_block(model: Any, block: Block) -> NDArray:
    """Return -log of sum_h exp(-E) of the rows of a block: exact where it can be counted, else mean field's bound on it."""
    layers, v = model._layers(), dense(block.X)
    if model._counts_rows():
        return in_kind_of(block, exact_free_energy(layers, v))
    return in_kind_of(block, -bound_without_constant(layers, mean_field(layers, v, SWEEPS)))


class DeepBoltzmannMachine(BoltzmannEstimator):
    """Deep Boltzmann machine: layers of binary units that learn a density of binary rows.

    Parameters
    ----------
    n_components : sequence of int or int, default=(64, 32)
        Units of every hidden layer, from the rows upwards; a number: one layer.
    pretrain_epochs : int, default=10
        Passes over the rows with which every layer is learned alone; 0 begins with small random weights.
    max_epochs : int, default=20
        Passes in which all layers are learned together.
    pretrain_learning_rate : float, default=0.1
        Learning rate of the layers alone.
    learning_rate : float, default=0.02
        Of all layers together; it falls to a tenth.
    weight_decay : float, default=0.0002
        L2 penalty of the weights.
    batch_size : int, default=20
    n_chains : int, default=100
        Persistent Gibbs chains.
    n_steps : int, default=5
        Steps of the chains for each step of learning.
    mean_field_steps : int, default=10
        Most sweeps of mean field for each step of learning.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    weights_ : list of arrays
        W_l between layers l - 1 and l.
    intercepts_ : list of arrays
        b_l of every layer, that of the rows first.
    history_ : History
        Mean squared error of reconstruction of every pass with all layers.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import DeepBoltzmannMachine
    >>> X = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0)
    >>> model = DeepBoltzmannMachine((3, 2), pretrain_epochs=20, max_epochs=200, learning_rate=0.1, random_state=0).fit(X)
    >>> likely = np.exp(model.score_samples([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]]))  # counted, for so few units
    >>> (likely > 0.3).tolist()
    [True, True, False]
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1) | ArrayLike(1),
        "pretrain_epochs": Int(0),
        "max_epochs": Int(0),
        "pretrain_learning_rate": Real(0, open="low"),
        "learning_rate": Real(0, open="low"),
        "weight_decay": Real(0),
        "batch_size": Int(1),
        "n_chains": Int(1),
        "n_steps": Int(1),
        "mean_field_steps": Int(1),
        "random_state": RandomState(),
    }
    weights_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    history_: History
    n_iter_: int

    def __init__(
        self,
        n_components: Sequence[Any] | int = (64, 32),
        *,
        pretrain_epochs: int = 10,
        max_epochs: int = 20,
        pretrain_learning_rate: float = 0.1,
        learning_rate: float = 0.02,
        weight_decay: float = 0.0002,
        batch_size: int = 20,
        n_chains: int = 100,
        n_steps: int = 5,
        mean_field_steps: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.pretrain_epochs = pretrain_epochs
        self.max_epochs = max_epochs
        self.pretrain_learning_rate = pretrain_learning_rate
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.n_chains = n_chains
        self.n_steps = n_steps
        self.mean_field_steps = mean_field_steps
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Learn the layers one by one, then together.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        rows, weight = training_rows(self, X, sample_weight, binary=True)
        rows, rng = dense(rows), numpy_state(self.random_state)
        alone = Settings(float(self.pretrain_learning_rate), 0.5, float(self.weight_decay), persistent=False)
        layers = pretrained(rows, weight, self._sizes(), self.pretrain_epochs, alone, self.batch_size, rng)
        odd = turned(np.full((self.n_chains, sum(self._sizes()[::2])), 0.5), rng)
        history = History(name="reconstruction error")
        for epoch in range(self.max_epochs):
            rate = self.learning_rate * (1 - (1 - LAST_RATE) * epoch / max(self.max_epochs - 1, 1))
            error = 0.0
            for batch in batches_of(rng.permutation(len(rows)), self.batch_size):
                share = np.ones(len(batch)) if weight is None else weight[batch]
                units = mean_field(layers, rows[batch], self.mean_field_steps, tol=1e-4)
                error += float(((rows[batch] - visible_of(layers, units)) ** 2).mean()) * len(batch)
                dream, odd = self._dream(layers, odd, rng)
                layers = stepped(layers, units, share / share.sum(), dream, rate, float(self.weight_decay))
            history.append(error / len(rows))
        self.weights_, self.intercepts_ = layers.weights, layers.biases
        self.history_, self.n_iter_, self._n_features_out = history, self.max_epochs, len(layers.biases[-1])
        self._partition = None
        if self.max_epochs:
            some = rows[:: max(1, len(rows) // LOOKED_AT)]
            seen = visible_of(layers, mean_field(layers, some, self.mean_field_steps))
            tiny = np.finfo(np.float64).tiny
            log_likelihood = xlogy(some, np.maximum(seen, tiny)) + xlogy(1 - some, np.maximum(1 - seen, tiny))
            warn_below_coins(self, some, float(log_likelihood.sum(axis=1).mean()))
        return self

    def _sizes(self) -> list[int]:
        sizes = [self.n_components] if isinstance(self.n_components, int | np.integer) else list(self.n_components)
        if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) and size > 0 for size in sizes):
            raise ParameterError(
                f"DeepBoltzmannMachine(n_components={self.n_components!r}): give the number of units of every hidden layer, whole"
                " numbers of 1 or more, as in (64, 32)."
            )
        return [int(size) for size in sizes]

    def _dream(self, layers: Layers, odd: NDArray, rng: np.random.RandomState) -> tuple[list[NDArray], NDArray]:
        """Return the units of all layers after more steps of the chains, and the side from which they go on."""
        machine = bipartite(layers)
        for _ in range(self.n_steps):
            even = turned(visible_mean(machine, odd), rng)
            mean = hidden_mean(machine, even)
            odd = turned(mean, rng)
        return split_sides(layers, even, mean), odd  # means for one side: exact given the other, so with less noise

    def _sides(self) -> BoltzmannParameters:
        return bipartite(self._layers())

    def _layers(self) -> Layers:
        check_is_fitted(self, "weights_")
        return Layers(self.weights_, self.intercepts_)

    def _counts_rows(self) -> bool:
        sizes = [len(b) for b in self.intercepts_[1:]]
        return min(sum(sizes[0::2]), sum(sizes[1::2])) <= MOST_COUNTED_ROWS

    def transform(self, X: Rows) -> NDArray:
        """Return the means of the top layer, by mean field.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components[-1])
        """
        return self._rows(X, means_of_block, self)

    def reconstruct(self, X: Rows) -> NDArray:
        """Return the visible means that the hidden means of every row lead back to.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        return self._rows(X, reconstruction_of_block, self)

    def score_samples(self, X: Rows) -> NDArray:
        """Return the log-likelihood of every row: exact for small machines, else mean field's lower bound minus log Z.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        constant = self._constant()
        return of_results(lambda energy: -energy - constant, self._rows(X, energy_of_block, self))

    def sample(self, n_samples: int = 1, random_state: Seed = None, *, n_steps: int = 1000) -> tuple[NDArray, NDArray]:
        """Return rows drawn by Gibbs chains, one chain for each row, and their hidden units.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        n_steps : int, default=1000
            Steps from a start at random; modes far apart need more.

        Returns
        -------
        X, H : arrays of shape (n_samples, n_features) and (n_samples, hidden units)
            Layer by layer, the lowest first.
        """
        check_counts("DeepBoltzmannMachine.sample", n_samples=n_samples, n_steps=n_steps)
        layers, rng = self._layers(), legacy_state(random_state)
        machine = bipartite(layers)
        odd = turned(np.full((n_samples, len(machine.hidden)), 0.5), rng)
        for _ in range(n_steps):
            even = turned(visible_mean(machine, odd), rng)
            odd = turned(hidden_mean(machine, even), rng)
        rows, *hidden = split_sides(layers, even, odd)
        return rows, np.hstack(hidden)

    def mlp_weights(self) -> tuple[list[NDArray], list[NDArray]]:
        """Return weights and intercepts with which a network of sigmoid layers begins: one pass up of this machine.

        Every layer but the last counts its input twice, for the neighbour above that the network does not have.
        """
        layers = self._layers()
        last = len(layers.weights) - 1
        return [W * (1.0 if k == last else 2.0) for k, W in enumerate(layers.weights)], list(layers.biases[1:])

    def encoder_with_head(self, n_outputs: int) -> Any:
        """Return a new `torch.nn.Module`: the layers of `mlp_weights` with sigmoids, and a fresh linear layer of so many outputs.

        Give it to `TorchClassifier` or `TorchRegressor`, which trains a copy: the head, and the layers below from where they are.
        """
        torch = needs_torch("DeepBoltzmannMachine.encoder_with_head")
        layers: list[Any] = []
        for W, b in zip(*self.mlp_weights()):
            layer = torch.nn.Linear(*W.shape)
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(W.T.copy()))
                layer.bias.copy_(torch.from_numpy(b))
            layers += [layer, torch.nn.Sigmoid()]
        return torch.nn.Sequential(*layers, torch.nn.Linear(len(self.intercepts_[-1]), n_outputs))
