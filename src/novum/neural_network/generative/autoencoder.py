r"""Autoencoders: a network that says its own input through a narrow layer.

    z = h(x),    x' = g(z),    minimise  sum_i w_i |x_i - g(h(x_i))|^2                                            (1)
    denoising:   minimise  sum_i w_i |x_i - g(h(x_i + e_i))|^2,   e Gaussian, or some of the columns wiped out     (2)
    linear g, h: the best codes span the space of the first principal axes; (1) is then the sum of the eigenvalues left out (3)

Stacked (pretrain_epochs > 0): the first layer is trained with its decoder; both are frozen and the next pair of layers is put
between them and trained to reproduce the input; and so on to the code; then all layers are trained together.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from novum.base.domains import Choice, Domain, Int, Real
from novum.exceptions import ParameterError
from novum.neural_network.generative.codes import CodeNetwork
from novum.neural_network.generative.rows import LAYERS
from novum.neural_network.training.homes import rows_at_hand
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import weighted_mean
from novum.runtime.random import seed_of
from novum.runtime.torch_generators import generator
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["Autoencoder"]


class Autoencoder(CodeNetwork):
    """Autoencoder: codes from which the rows can be reconstructed.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code.
    hidden : sequence of int, default=(64,)
        Units of the layers between row and code; the decoder has them in the other order. () and activation="identity" is PCA.
    channels : sequence of int, default=None
        Filters of the layers of a convolutional network, each of which halves the image; `hidden` is then not used. X may have
        the shape (images, rows, columns) or (images, channels, rows, columns).
    activation : {"relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"}, default="relu"
    code_activation : {"identity", "sigmoid", "tanh", "relu"}, default="identity"
        Of the code itself; "sigmoid" gives codes between 0 and 1.
    noise : float, default=0.0
        Of the rows in training, which the network must see through (denoising): the standard deviation, in units of the common
        scale of X, or the share of the columns wiped out.
    noise_kind : {"gaussian", "masking"}, default="gaussian"
    pretrain_epochs : int, default=0
        Epochs in which every layer is trained alone, from the rows to the code, before all are trained together.
    image_shape : tuple of int, default=None
        (rows, columns) or (channels, rows, columns) of flat rows, for `channels`.
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
    clip_norm : float or None, default=None
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
    stages_ : list of TrainingCurve
        The training of every layer alone.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import Autoencoder
    >>> angle = np.random.default_rng(0).uniform(0, 6, 300)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle), angle])  # a curve in three dimensions
    >>> model = Autoencoder(1, hidden=(32,), max_epochs=200, random_state=0).fit(X)  # doctest: +SKIP
    >>> codes = model.transform(X)  # doctest: +SKIP
    >>> codes.shape, model.reconstruction_error(X).mean() < 0.1 * X.var(axis=0).sum()  # doctest: +SKIP
    ((300, 1), True)
    """

    _domains: dict[str, Domain] = {
        **LAYERS,
        "code_activation": Choice("identity", "sigmoid", "tanh", "relu"),
        "noise": Real(0),
        "noise_kind": Choice("gaussian", "masking"),
        "pretrain_epochs": Int(0),
        **TRAINING,
    }
    stages_: list[Any]

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = (64,),
        channels: Sequence[int] | None = None,
        activation: Literal["relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"] = "relu",
        code_activation: Literal["identity", "sigmoid", "tanh", "relu"] = "identity",
        noise: float = 0.0,
        noise_kind: Literal["gaussian", "masking"] = "gaussian",
        pretrain_epochs: int = 0,
        image_shape: Sequence[int] | None = None,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        clip_norm: float | None = None,
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
        self.n_components = n_components
        self.hidden = hidden
        self.channels = channels
        self.activation = activation
        self.code_activation = code_activation
        self.noise = noise
        self.noise_kind = noise_kind
        self.pretrain_epochs = pretrain_epochs
        self.image_shape = image_shape
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.clip_norm = clip_norm
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

    def _config(self, examples: Any) -> dict[str, Any]:
        return {**super()._config(examples), "code_activation": self.code_activation}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.generative.layers import CodeNet

        return CodeNet(config)

    def _loss(self, module: Any, batch: Any) -> Any:
        """Return (1) or (2), in units of the scale of X, divided by the number of columns."""
        rows, *weight = batch
        seen = self._disturbed(module, rows) if module.training and self.noise else rows
        error = ((module(seen) - rows) / module.scale).square().mean(dim=1)
        return weighted_mean(error, *(weight or (None,)))

    def _judged(self, module: Any, batch: Any) -> Any:
        rows, *weight = batch
        return self._loss(module, batch), [Aim(rows / module.scale, *weight)]

    def _disturbed(self, module: Any, rows: Any) -> Any:
        import torch

        own = generator(rows.device)
        if self.noise_kind == "gaussian":
            return rows + self.noise * module.scale * torch.randn(rows.shape, device=rows.device, generator=own)
        return torch.where(torch.rand(rows.shape, device=rows.device, generator=own) < self.noise, module.mean, rows)

    def _train(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, resumed: bool = False, start: Any = None
    ) -> Self:
        if self.noise_kind == "masking" and self.noise >= 1:
            raise ParameterError(f"Autoencoder: noise={self.noise:g} of noise_kind='masking' is a share below 1.")
        self.stages_: list[Any] = []
        if self.pretrain_epochs and not resumed and start is None:
            start = self._stacked(X, sample_weight, seed_of(self.random_state))
        return super()._train(X, y, sample_weight, validation, resumed, start)

    def _stacked(self, X: Any, sample_weight: Any, seed: int) -> Any:
        """Train layer after layer; return what puts the layers into a network."""
        if self.channels is not None:
            raise ParameterError(
                "Autoencoder: pretrain_epochs is for dense layers; give channels=None, or pretrain_epochs=0."
            )
        sizes = [*self._sizes_of("hidden"), int(self.n_components)]
        learned: dict[str, np.ndarray] = {}
        for k, size in enumerate(sizes):
            last = k == len(sizes) - 1
            stage = clone(self).set_params(
                hidden=sizes[:k],
                n_components=size,
                code_activation=self.code_activation if last else self.activation,
                max_epochs=self.pretrain_epochs,
                pretrain_epochs=0,
                checkpoint=None,
                random_state=(seed + k) % (1 << 63),
            )
            stage._train(
                X, None, sample_weight, None, start=lambda module, held=learned: put(module, held, frozen=True)
            )
            learned = {name: value for name, value in stage.weights_.items() if ".layers." in name}
            self.stages_.append(stage.history_)
        return lambda module: put(module, learned, frozen=False)

    def score(self, X: Rows, y: Target = None) -> float:
        """Return the mean of minus `reconstruction_error`, so that more is better."""
        return -float(self.reconstruction_error(rows_at_hand(self, X, None, None, None)[0]).mean())


def put(module: Any, weights: dict[str, np.ndarray], frozen: bool) -> None:
    """Put weights into a network by their names; `frozen` ones are not trained."""
    import torch

    for name, parameter in module.named_parameters():
        if name in weights:
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(np.array(weights[name])))
            parameter.requires_grad_(not frozen)
