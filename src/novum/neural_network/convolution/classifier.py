"""Classify images by a convolutional network."""

import math
import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Bool, Domain, Int, Null, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.neural_network.convolution.image_shapes import check_same_image, image_shape_of
from novum.neural_network.convolution.plots import plot_images
from novum.neural_network.training.examples import Tensors
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import ClassifierNetwork, cross_entropy
from novum.runtime import arrays
from novum.runtime.torch_generators import generator
from novum.runtime.typing import Axes, Numbers, Rows, Seed

__all__ = ["ConvNetClassifier"]


class ConvNetClassifier(ClassifierNetwork):
    """Convolutional network: blocks of convolution, batch normalisation, ReLU and max pooling, then dense layers.

    X has the shape (images, rows, columns), (images, channels, rows, columns), or (images, pixels) with `image_shape`, which is
    guessed for square grey images. Images with the channels behind, (images, 32, 32, 3), are refused: give
    `X.transpose(0, 3, 1, 2)`.

    Parameters
    ----------
    channels : sequence of int, default=(32, 64)
        Filters of every block.
    kernel_size : int, default=3
        Rows and columns of a filter; edges are filled with zeros, so that convolution keeps the size.
    pool : int, default=2
        Rows and columns of which the largest value is kept; 1: no pooling.
    hidden : sequence of int, default=(128,)
        Units of the dense layers after the blocks.
    batch_norm : bool, default=True
    dropout : float, default=0.2
        Share of values set to zero in training, after blocks and dense layers.
    shift : int, default=0
        Pixels by which every image is moved at random in training, up or down and left or right.
    auxiliary_weight : float, default=0.0
        Weight of the losses of classifiers on the maps of every block but the last, which bring the labels close to the
        early layers; they are not used to predict.
    pretrain_epochs : int, default=0
        Epochs of training with the labels after each block is added, before all of the network is trained; 0: all at once.
    image_shape : tuple of int, default=None
        (rows, columns) or (channels, rows, columns) of flat rows.
    max_epochs : int, default=30
        Most passes over the training rows.
    batch_size : int, default=64
        Rows of a step.
    learning_rate : float, default=0.005
        The length of the first step, before `schedule` shortens it.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='cosine'
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
    classes_ : array of shape (n_classes,)
    image_shape_ : tuple of int
        (channels, rows, columns).
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from novum.neural_network import ConvNetClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ConvNetClassifier((16, 32), max_epochs=15, random_state=0).fit(X[:1000], y[:1000])  # doctest: +SKIP
    >>> model.score(X[1000:], y[1000:]) > 0.95  # doctest: +SKIP
    True
    """

    _domains: dict[str, Domain] = {
        "channels": ArrayLike(1),
        "kernel_size": Int(1),
        "pool": Int(1),
        "hidden": ArrayLike(0),
        "batch_norm": Bool(),
        "dropout": Real(0, 1, open="high"),
        "shift": Int(0),
        "auxiliary_weight": Real(0),
        "pretrain_epochs": Int(0),
        "image_shape": Null() | ArrayLike(2),
        **TRAINING,
    }
    _row_axes = 3
    _reshapes_rows = True
    image_shape_: tuple[int, int, int]

    def __init__(
        self,
        channels: Sequence[int] = (32, 64),
        *,
        kernel_size: int = 3,
        pool: int = 2,
        hidden: Sequence[int] = (128,),
        batch_norm: bool = True,
        dropout: float = 0.2,
        shift: int = 0,
        auxiliary_weight: float = 0.0,
        pretrain_epochs: int = 0,
        image_shape: Sequence[int] | None = None,
        max_epochs: int = 30,
        learning_rate: float = 5e-3,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "cosine",
        batch_size: int = 64,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
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
        self.channels = channels
        self.kernel_size = kernel_size
        self.pool = pool
        self.hidden = hidden
        self.batch_norm = batch_norm
        self.dropout = dropout
        self.shift = shift
        self.auxiliary_weight = auxiliary_weight
        self.pretrain_epochs = pretrain_epochs
        self.image_shape = image_shape
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.weight_decay = weight_decay
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

    def _rows_of(self, X: Any, reset: bool) -> Any:
        rows = super()._rows_of(X, reset)
        shape = (
            image_shape_of(type(self).__name__, tuple(rows.shape[1:]), self.image_shape) if reset else self.image_shape_
        )
        if math.prod(shape) != math.prod(rows.shape[1:]):
            raise DataError(
                f"{type(self).__name__}: images of shape {tuple(rows.shape[1:])} are not those of the fit, {tuple(shape)}."
            )
        if reset:
            self.image_shape_ = shape
        else:
            check_same_image(type(self).__name__, tuple(rows.shape[1:]), shape)
        return rows.reshape(len(rows), *shape)

    def _config(self, examples: Any) -> dict[str, Any]:
        images = examples.tensors[0].double()
        scale = images.std(dim=(0, 2, 3), correction=0)
        return {
            "image_shape": list(self.image_shape_),
            "channels": [int(size) for size in self.channels],
            "hidden": [int(size) for size in self.hidden],
            "kernel_size": int(self.kernel_size),
            "pool": int(self.pool),
            "batch_norm": bool(self.batch_norm),
            "dropout": float(self.dropout),
            "auxiliary": self.auxiliary_weight > 0,
            "n_classes": len(self.classes_),
            "mean": images.mean(dim=(0, 2, 3)).tolist(),
            "scale": [float(s) if s > 0 else 1.0 for s in scale],
        }

    def _stages(self, config: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the smaller networks that are trained first: one block, two blocks, ..."""
        return [{**config, "channels": config["channels"][:k]} for k in range(1, len(config["channels"]))]

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.convolution.layers import ConvNet

        return ConvNet(config)

    def _loss(self, module: Any, batch: Any) -> Any:
        images = batch[0]
        if module.training and self.shift:
            images = moved(images, self.shift)
        if not self.auxiliary_weight:
            return cross_entropy(module(images), *batch[1:])
        main, *others = module.all_scores(images)
        return cross_entropy(main, *batch[1:]) + self.auxiliary_weight * sum(
            cross_entropy(z, *batch[1:]) for z in others
        )

    def filters(self, block: int = 0) -> np.ndarray:
        """Return the filters of a block, (filters, channels, rows, columns)."""
        check_is_fitted(self)
        return np.asarray(self.weights_[f"blocks.{self._block(block)}.conv.weight"])

    def feature_maps(self, X: Rows, block: int = 0) -> np.ndarray:
        """Return what a block makes of every image, (images, filters, rows, columns)."""
        import torch

        check_is_fitted(self)
        number = self._block(block)
        rows = Tensors(self._rows_of(X, False))
        return arrays.to_numpy(torch.cat(self._outputs(rows, lambda module, batch: module.levels(batch[0])[number])))

    def _block(self, block: int) -> int:
        n = len(self.config_["channels"])
        if not -n <= block < n:
            raise ParameterError(f"{type(self).__name__}: block={block!r}, and there are {n} blocks, 0 to {n - 1}.")
        return block % n

    def plot_filters(self, block: int = 0, ax: Axes | None = None) -> Axes:
        """Draw the filters of a block, the mean over their channels; return the axes."""
        return plot_images(self.filters(block).mean(axis=1), ax)

    def plot_feature_maps(self, image: Numbers, block: int = 0, ax: Axes | None = None) -> Axes:
        """Draw what the filters of a block make of one image; return the axes."""
        return plot_images(self.feature_maps(np.asarray(image)[None], block)[0], ax)


def moved(images: Any, most: int) -> Any:
    """Return images moved at random by up to `most` pixels in each direction, one move for each image."""
    import torch
    import torch.nn.functional as F

    n, _, height, width = images.shape
    wide = F.pad(images, (most,) * 4)
    up, left = torch.randint(0, 2 * most + 1, (2, n), device=images.device, generator=generator(images.device))
    rows = up[:, None] + torch.arange(height, device=images.device)
    columns = left[:, None] + torch.arange(width, device=images.device)
    place = torch.arange(n, device=images.device)[:, None, None]
    return wide[place, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
