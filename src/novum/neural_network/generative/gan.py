"""Generative adversarial networks: a generator that makes rows, and a discriminator that separates them from real ones.

Steps alternate: the discriminator learns to score real rows above made ones, the generator to make rows that score high. The
formulas are in `adversaries`, the look for modes that were lost in `diversity`.
"""

import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.neural_network.generative.counts import check_counts
from novum.neural_network.generative.diversity import Diversity, diversity_of
from novum.neural_network.generative.rows import LAYERS, RowNetwork
from novum.neural_network.training.homes import answers_by_block
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import weighted_mean
from novum.runtime.random import Stream, seed_of
from novum.runtime.torch_generators import generator
from novum.runtime.typing import Numbers, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["GAN"]

LOOKED_AT = 1000  # rows of the look for lost modes: distances between all pairs are taken

BETAS = (
    0.5,
    0.9,
)  # of Adam: with the usual momentum of .9 the two halves overshoot each other's moves and go round in circles


class GAN(RowNetwork):
    """Generative adversarial network.

    Parameters
    ----------
    n_components : int, default=8
        Numbers of the noise from which a row is made.
    hidden : sequence of int, default=(64, 64)
        Units of the layers of the generator, from the noise to the row.
    discriminator_hidden : sequence of int, default=(64, 64)
        Units of the layers of the discriminator, from the row to its score.
    channels : sequence of int, default=None
        Filters of convolutional networks, from the image inwards, for both; `hidden` and `discriminator_hidden` are then not used.
    activation : {"relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"}, default="relu"
        Of the generator; the discriminator has leaky ReLU.
    loss : {"non-saturating", "hinge", "wasserstein"}, default="non-saturating"
    gradient_penalty : float, default=0.1
        Weight of the penalty on the slope of the discriminator; "wasserstein" needs it, and n_critic of 3 to 5. 0: none.
    spectral_norm : bool, default=False
        Divide every weight matrix of the discriminator by its largest singular value.
    label_smoothing : float, default=0.0
        Real rows count as made ones with this share ("non-saturating").
    n_critic : int, default=1
        Steps of the discriminator for each step of the generator.
    image_shape : tuple of int, default=None
        (rows, columns) or (channels, rows, columns) of flat rows, for `channels`.
    averaging : float or None, default=0.995
        Decay of the exponential average of the weights, which makes the samples; None: the last weights do.
    patience : int or None, default=None
        Epochs without a gain after which training ends; the losses of a game need not fall, so None trains for max_epochs.
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
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
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
    history_ : TrainingCurve
        The loss of the discriminator of every epoch; column "generator" has that of the generator. Rows held back are watched by
        the energy distance.
    diversity_ : Diversity
        Coverage of the training rows by as many samples, after the fit; a fit that lost modes warns.
    module_, weights_, config_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import GAN
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-2.0, 2.0], (1000, 1)) + 0.1 * rng.normal(size=(1000, 2))  # two modes
    >>> model = GAN(2, hidden=(32,), max_epochs=100, random_state=0).fit(X)  # doctest: +SKIP
    >>> new, noise = model.sample(1000, random_state=0)  # doctest: +SKIP
    >>> 0.3 < (new[:, 0] > 0).mean() < 0.7  # doctest: +SKIP
    True
    """

    _domains: dict[str, Domain] = {
        **LAYERS,
        "discriminator_hidden": ArrayLike(0),
        "loss": Choice("non-saturating", "hinge", "wasserstein"),
        "gradient_penalty": Real(0),
        "spectral_norm": Bool(),
        "label_smoothing": Real(0, 0.5, open="high"),
        "n_critic": Int(1),
        **TRAINING,
    }
    _one_scale = False
    diversity_: Diversity

    def __init__(
        self,
        n_components: int = 8,
        *,
        hidden: Sequence[int] = (64, 64),
        discriminator_hidden: Sequence[int] = (64, 64),
        channels: Sequence[int] | None = None,
        activation: Literal["relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"] = "relu",
        loss: Literal["non-saturating", "hinge", "wasserstein"] = "non-saturating",
        gradient_penalty: float = 0.1,
        spectral_norm: bool = False,
        label_smoothing: float = 0.0,
        n_critic: int = 1,
        image_shape: Sequence[int] | None = None,
        averaging: float | None = 0.995,
        patience: int | None = None,
        max_epochs: int = 50,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        clip_norm: float | None = None,
        validation_fraction: float = 0.0,
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
        self.discriminator_hidden = discriminator_hidden
        self.channels = channels
        self.activation = activation
        self.loss = loss
        self.gradient_penalty = gradient_penalty
        self.spectral_norm = spectral_norm
        self.label_smoothing = label_smoothing
        self.n_critic = n_critic
        self.image_shape = image_shape
        self.averaging = averaging
        self.patience = patience
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.clip_norm = clip_norm
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _config(self, examples: Any) -> dict[str, Any]:
        if len(examples) < 2:
            raise DataError(f"GAN: n_samples = {len(examples)}, and variety cannot be learned from one row; give more.")
        config = super()._config(examples)
        d, *hidden, k = config["sizes"]
        return {
            **config,
            "sizes": [d, *hidden[::-1], k],  # a decoder lists its layers from the row inwards
            "discriminator_hidden": [] if config["image_shape"] else self._sizes_of("discriminator_hidden"),
            "spectral_norm": bool(self.spectral_norm),
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.generative.adversaries import Adversaries

        return Adversaries(config)

    def _row_shape(self) -> list[int]:
        return [self.config_["sizes"][-1]]  # the network itself takes noise

    def _trained_parameters(self, module: Any) -> list[Any]:
        return [list(module.discriminator.parameters()), list(module.generator.parameters())]

    def _step(self, module: Any, batch: Any, steppers: list[Any], autocast: Any) -> Any:
        import torch

        from novum.neural_network.generative.adversaries import (
            discriminator_loss,
            generator_loss,
            slope_at_rows,
            slope_between,
        )

        rows, *weight = batch
        share = weight[0] if weight else None
        critic, forger = steppers
        for group in (*critic.optimizer.param_groups, *forger.optimizer.param_groups):
            if "betas" in group:
                group["betas"] = BETAS
        noise = torch.randn(len(rows), int(self.n_components), device=rows.device, generator=generator(rows.device))
        real, penalty = module.scaled(rows), self.gradient_penalty
        at_rows = penalty > 0 and self.loss != "wasserstein"
        real.requires_grad_(at_rows)
        with autocast():
            made = module.generator(noise)
        with nullcontext() if at_rows else autocast():  # second derivatives in bfloat16 are noise
            score_real, score_made = module.judge(torch.cat([real, made.detach().to(real.dtype)])).split(len(rows))
            losses = discriminator_loss(self.loss, score_real, score_made, self.label_smoothing)
            loss = weighted_mean(losses[0], share) + losses[1].mean()
        loss_without_penalty = loss.detach()
        if at_rows:
            loss = loss + penalty * slope_at_rows(score_real, real)
        elif penalty:
            loss = loss + penalty * slope_between(module.judge, real.float(), made.detach().float())
        critic.descend(loss)
        with autocast():
            forged = generator_loss(self.loss, module.judge(made)).mean()
        if critic.taken % self.n_critic == 0:
            forger.descend(forged)
        return {"loss": loss_without_penalty, "generator": forged.detach()}

    def _loss(self, module: Any, batch: Any) -> Any:
        """Return the energy distance of rows held back to as many made ones."""
        import torch

        from novum.neural_network.generative.adversaries import energy_distance

        rows, *weight = batch
        noise = torch.randn(len(rows), int(self.n_components), device=rows.device, generator=generator(rows.device))
        return energy_distance(module.scaled(rows).float(), module.generator(noise).float(), *weight)

    def _train(self, X: Any, *arguments: Any, **options: Any) -> Self:
        if self.label_smoothing and self.loss != "non-saturating":
            raise ParameterError(
                f"GAN: label_smoothing is for loss='non-saturating', and loss={self.loss!r} has no labels."
            )
        super()._train(X, *arguments, **options)
        self.diversity_ = self.diversity(X, random_state=0)
        if self.diversity_.collapsed:
            warn(
                f"GAN: samples cover {self.diversity_.coverage:.0%} of the training rows (a perfect generator"
                f" {self.diversity_.ideal_coverage:.0%}): modes were lost, or training has not come far. Train longer, raise"
                " gradient_penalty or n_critic, or use loss='wasserstein'.",
                DataWarning,
            )
        return self

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        """Return new rows and the noise that each was made of.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        X, Z : arrays of shape (n_samples, n_features) and (n_samples, n_components)
        """
        check_counts("GAN.sample", n_samples=n_samples)
        check_is_fitted(self)
        noise = Stream(seed_of(random_state)).normal("noise", 0, n_samples, self.config_["sizes"][-1], np.float32)
        return self.generate(noise), noise

    def generate(self, Z: Numbers) -> np.ndarray:
        """Return the rows that the generator makes of given noise, (n_samples, n_features)."""
        return self._from_codes(Z, lambda module, codes: module.make(codes))

    @answers_by_block
    def discriminate(self, X: Rows) -> Any:
        """Return the score of the discriminator of every row: high for rows that it takes for real."""
        return self._answers(X, lambda module, rows: module.judge(module.scaled(rows)))

    def diversity(self, X: Rows, *, n_neighbors: int = 5, random_state: Seed = None) -> Diversity:
        """Return how much of given rows as many samples cover; more than a thousand rows are thinned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_neighbors : int, default=5
            How far a row reaches: to so many neighbours.
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        """
        check_counts("GAN.diversity", n_neighbors=n_neighbors)
        check_is_fitted(self)
        rows = self._rows_of(X, False)
        if len(rows) < 2:
            raise DataError("GAN.diversity compares rows with their neighbours; give at least two.")
        stream = Stream(seed_of(random_state))
        if len(rows) > LOOKED_AT:
            rows = rows[np.sort(stream.choice("rows", 0, len(rows), LOOKED_AT))]
        rows = rows.cpu().numpy().astype(np.float64)
        noise = stream.normal("noise", 1, len(rows), self.config_["sizes"][-1], np.float32)
        scale = np.array(self.config_["scale"])
        return diversity_of(rows / scale, self.generate(noise) / scale, n_neighbors)

    def score(self, X: Rows, y: Target = None) -> float:
        """Return minus the energy distance between X and as many samples: at most about 0, which is equal distributions."""
        import torch

        from novum.neural_network.generative.adversaries import energy_distance

        check_is_fitted(self)
        rows = self._rows_of(X, False).double()
        scale = torch.tensor(self.config_["scale"], device=rows.device)
        made = torch.from_numpy(self.sample(len(rows), random_state=0)[0]).to(rows.device).double()
        return -float(energy_distance(rows / scale, made / scale))
