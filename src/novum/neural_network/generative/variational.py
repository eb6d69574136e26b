r"""The variational autoencoder: a density of rows with codes that are standard normal.

    p(x) = integral p(x | z) N(z; 0, I) dz,      log p(x) >= E_q[log p(x | z)] - KL(q(z | x) || N(0, I))           (1)

Training maximises (1), with the second term times `beta`, by gradients through a draw of z. Formulas are in `densities`.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from novum.base.domains import Choice, Domain, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.neural_network.generative.codes import CodeNetwork
from novum.neural_network.generative.counts import check_counts
from novum.neural_network.generative.latent_map import STUDENT, LatentMap
from novum.neural_network.generative.rows import LAYERS
from novum.neural_network.training.homes import answers_by_block, rows_at_hand
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import weighted_mean
from novum.report.numbers import num
from novum.report.result import result
from novum.runtime.random import Stream, seed_of
from novum.runtime.torch_generators import generator
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["AutoencoderBound", "VariationalAutoencoder"]


@result
class AutoencoderBound(NamedTuple):
    """The bound (1) on log p(x) of every row and its two parts; `elbo` is their difference."""

    elbo: NDArray
    reconstruction: NDArray
    divergence: NDArray


class VariationalAutoencoder(LatentMap, CodeNetwork):
    """Variational autoencoder: codes, new rows, and the log-likelihood of rows.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code.
    hidden : sequence of int, default=(64,)
        Units of the layers between row and code; the decoder has them in the other order.
    channels : sequence of int, default=None
        Filters of the layers of a convolutional network, each of which halves the image; `hidden` is then not used.
    activation : {"relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"}, default="relu"
    likelihood : {"gaussian", "bernoulli"}, default="gaussian"
        Of a column given the code: real, with a learned variance for each; or 0/1 (X holds 0, 1 or probabilities).
    prior : {"normal", "student"}, default="normal"
        Of the codes: standard normal, or Student's t with 5 degrees of freedom in every component, which is no longer the same in
        all directions.
    beta : float, default=1.0
        Weight of the divergence from the prior in training; more than 1 keeps codes closer to it, less reconstructs better.
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
    history_ : TrainingCurve
        The loss of every epoch (minus the bound), with its parts "reconstruction" and "divergence".
    module_, weights_, config_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import VariationalAutoencoder
    >>> X = np.random.default_rng(0).normal(size=(500, 1)) * [1.0, 2.0, -1.0] + [0, 5, 0]  # a line, plus nothing
    >>> X += 0.1 * np.random.default_rng(1).normal(size=X.shape)
    >>> model = VariationalAutoencoder(1, hidden=(16,), max_epochs=60, random_state=0).fit(X)  # doctest: +SKIP
    >>> new, codes = model.sample(1000, random_state=0)  # doctest: +SKIP
    >>> new.mean(axis=0).round(0), np.corrcoef(new.T)[0].round(1)  # doctest: +SKIP
    (array([0., 5., 0.], dtype=float32), array([ 1.,  1., -1.]))
    """

    _domains: dict[str, Domain] = {
        **LAYERS,
        "likelihood": Choice("gaussian", "bernoulli"),
        "prior": Choice("normal", "student"),
        "beta": Real(0),
        **TRAINING,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = (64,),
        channels: Sequence[int] | None = None,
        activation: Literal["relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"] = "relu",
        likelihood: Literal["gaussian", "bernoulli"] = "gaussian",
        prior: Literal["normal", "student"] = "normal",
        beta: float = 1.0,
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
        self.likelihood = likelihood
        self.prior = prior
        self.beta = beta
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

    def _rows_of(self, X: Any, reset: bool) -> Any:
        rows = super()._rows_of(X, reset)
        if self.likelihood != "bernoulli" or not len(rows):
            return rows
        least, most = float(rows.min()), float(rows.max())
        if least < 0 or most > 1:
            raise DataError(
                f"VariationalAutoencoder: likelihood='bernoulli' takes 0, 1 or probabilities, and X runs from {num(least):.4g} to"
                f" {num(most):.4g}. Scale the columns to [0, 1], or use likelihood='gaussian'."
            )
        return rows

    def _config(self, examples: Any) -> dict[str, Any]:
        return {**super()._config(examples), "likelihood": self.likelihood, "prior": self.prior}

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.generative.densities import DensityNet

        return DensityNet(config)

    def _means(self, module: Any, batch: Any) -> tuple[Any, Any]:
        """Return the means over a batch of the two parts of (1)."""
        import torch

        rows, *weight = batch
        noise = torch.randn(len(rows), int(self.n_components), device=rows.device, generator=generator(rows.device))
        parts = module.parts(rows, noise)
        return tuple(weighted_mean(part, *(weight or (None,))) for part in parts)

    def _loss(self, module: Any, batch: Any) -> Any:
        seen, apart = self._means(module, batch)
        return self.beta * apart - seen

    def _measures(self, module: Any, batch: Any) -> dict[str, Any]:
        seen, apart = self._means(module, batch)
        return {"reconstruction": seen, "divergence": apart}

    def _step(self, module: Any, batch: Any, steppers: list[Any], autocast: Any) -> Any:
        with autocast():
            seen, apart = self._means(module, batch)
            loss = self.beta * apart - seen
        steppers[0].descend(loss)
        return {"loss": loss.detach(), "reconstruction": seen.detach(), "divergence": apart.detach()}

    def posterior(self, X: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return the means and the standard deviations of q(z | x) of every row."""
        import torch

        both = self._answers(X, lambda module, rows: torch.cat(module.posterior(rows), dim=1))
        mean, log_variance = np.split(both, 2, axis=1)
        return mean, np.exp(log_variance / 2)

    def elbo(self, X: Rows, *, n_draws: int = 10, random_state: Seed = 0) -> AutoencoderBound:
        """Return the bound (1) on the log-likelihood of every row, with its parts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_draws : int, default=10
            Codes drawn for each row; the divergence is exact.
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=0
        """
        import torch

        check_counts("VariationalAutoencoder.elbo", n_draws=n_draws)
        check_is_fitted(self)
        stream, done, k = Stream(seed_of(random_state)), 0, self.config_["sizes"][-1]

        def drawn(module: Any, rows: Any) -> Any:
            nonlocal done
            noise = stream.normal("codes", 0, range(done, done + len(rows)), n_draws * k, np.float32)
            done += len(rows)
            each = torch.from_numpy(noise.reshape(len(rows), n_draws, k)).to(rows.device)
            parts = [torch.stack(module.parts(rows, each[:, draw]), dim=1) for draw in range(n_draws)]
            return torch.stack(parts).double().mean(dim=0)

        found = self._answers(X, drawn)
        return AutoencoderBound(found[:, 0] - found[:, 1], found[:, 0], found[:, 1])

    @answers_by_block
    def score_samples(self, X: Rows, *, n_draws: int = 100, random_state: Seed = 0) -> Any:
        """Return an estimate of log p(x) of every row by importance weights, eq. (5) of `densities`; low for few draws.

        All rows see the same draws, so that the answer for a row does not depend on its place.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_draws : int, default=100
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=0
        """
        import torch

        check_counts("VariationalAutoencoder.score_samples", n_draws=n_draws)
        check_is_fitted(self)
        half = Stream(seed_of(random_state)).normal(
            "weights", 0, -(-n_draws // 2), self.config_["sizes"][-1], np.float32
        )
        noise = torch.from_numpy(
            np.concatenate([half, -half])[:n_draws, None]
        )  # pairs z, -z: errors of odd order cancel

        def weighted(module: Any, rows: Any) -> Any:
            return module.importance_weighted(rows, noise.to(rows.device).expand(-1, len(rows), -1))

        return self._answers(X, weighted)

    def score(self, X: Rows, y: Target = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(rows_at_hand(self, X, None, None, None)[0]).mean())

    def sample(
        self, n_samples: int = 1, random_state: Seed = None, *, noise: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return new rows and the code of each.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        noise : bool, default=True
            Whether rows are drawn given their codes; False gives their means, which look better as images.

        Returns
        -------
        X, Z : arrays of shape (n_samples, n_features) and (n_samples, n_components)
        """
        check_counts("VariationalAutoencoder.sample", n_samples=n_samples)
        check_is_fitted(self)
        stream = Stream(seed_of(random_state))
        k = self.config_["sizes"][-1]
        if self.config_["prior"] == "student":
            codes = stdtrit(STUDENT, stream.uniform("codes", 0, n_samples, k)).astype(np.float32)
        else:
            codes = stream.normal("codes", 0, n_samples, k, np.float32)
        rows = self.inverse_transform(codes)
        if not noise:
            return rows, codes
        if self.config_["likelihood"] == "bernoulli":
            return (stream.uniform("rows", 0, n_samples, rows.shape[1]) < rows).astype(rows.dtype), codes
        deviation = np.exp(self.module_.log_variance().detach().cpu().numpy() / 2)
        return rows + deviation * stream.normal("rows", 0, n_samples, rows.shape[1], np.float32), codes
