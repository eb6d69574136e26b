"""What every network on PyTorch is: an estimator whose fitted state is a table of arrays and the configuration they belong to.

A network writes four things, and the rest is here: checks of its data, the description of its network, the network, its loss.

    _examples(X, y, sample_weight, reset)   checked data as `Examples`; sets n_features_in_, classes_ and the like where reset
    _config(examples)                       JSON values from which `_build` makes the network: shapes, sizes, vocabularies
    _build(config)                          the torch.nn.Module; the part that a new task replaces is called `head`
    _loss(module, batch)                    the mean loss of a batch, a scalar tensor

`weights_` are plain arrays and `config_` plain values, so `novum.save` writes them without pickle, and PyTorch is only needed
to train and to predict. `module_` is the network itself, made from them when it is first read.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Domain, Int, Real, check
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.neural_network.training.curve import TrainingCurve
from novum.neural_network.training.examples import Examples
from novum.neural_network.training.judging import check_weights, judge
from novum.neural_network.training.loop import Training
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.pretraining import copy_body, freeze_layers, pretrain
from novum.neural_network.training.rates import RateCurve, rate_curve
from novum.runtime.checks import is_true
from novum.runtime.devices import chosen_device, needs_torch
from novum.runtime.random import seed_of
from novum.runtime.torch_generators import lent_generators, own_generators
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["NetworkEstimator"]

PREDICTED_AT_ONCE = 1024  # rows of a batch where nothing is learned
_modules: "weakref.WeakKeyDictionary[Any, tuple[Any, str, Any]]" = weakref.WeakKeyDictionary()


class NetworkEstimator(Estimator):
    """Base of networks on PyTorch.

    Attributes
    ----------
    module_ : torch.nn.Module
        The network with its weights, in evaluation mode.
    weights_ : dict of arrays
        Its state, by PyTorch's names.
    config_ : dict
        What it was built from.
    history_ : TrainingCurve
        Loss, loss on rows held back, rate and seconds of every epoch.
    n_epochs_ : int
    best_epoch_ : int
        The epoch whose weights were kept, counted from 1.
    """

    _domains: dict[str, Domain] = TRAINING
    _reports_passes = True
    _pass_name = "epoch"
    _fits_need_single_blas = False
    _needs_torch = True
    _rows_stay = False  # whether rows of a tensor on a device are left there
    _draws_anywhere = False  # whether its layers draw without taking the generator of the training
    weights_: dict[Any, Any]
    config_: dict[Any, Any]
    history_: TrainingCurve
    n_epochs_: int
    best_epoch_: int
    batch_size: int
    checkpoint: Any
    device: str
    max_epochs: int
    random_state: Seed
    validation_fraction: float

    # What a network writes itself.
    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Examples:
        raise NotImplementedError

    def _config(self, examples: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _build(self, config: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _loss(self, module: Any, batch: Any) -> Any:
        raise NotImplementedError

    # What it may write.
    def _measures(self, module: Any, batch: Any) -> dict[str, Any]:
        """Return further means over a batch of rows held back, as scalar tensors, for the curve."""
        return {}

    def _judged(self, module: Any, batch: Any) -> Any:
        """Return the mean loss of a batch, and what one answer for all rows is measured by: a list of `Aim`, or its loss.

        None: no such answer can be named.
        """
        return None

    def _trained_parameters(self, module: Any) -> list[Any]:
        """Return the sets of parameters that have an optimiser each."""
        scale = getattr(self, "_body_scale", 1.0)
        named = list(module.named_parameters())
        if scale == 1.0:
            return [[p for _, p in named]]
        body = [p for name, p in named if not name.startswith("head.")]
        head = [p for name, p in named if name.startswith("head.")]
        return [[{"params": body, "scale": scale}, {"params": head, "scale": 1.0}]]

    def _stages(self, config: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the configurations of the smaller networks that supervised pre-training trains first."""
        return []

    def _stage_epochs(self) -> int:
        """Return how long each of these is trained."""
        return int(getattr(self, "pretrain_epochs", 0))

    def _step(self, module: Any, batch: Any, steppers: list[Any], autocast: Callable) -> Any:
        """Take one step of training; return the loss of the batch, detached, or a dict with it and more for the curve."""
        with autocast():
            loss = self._loss(module, batch)
        steppers[0].descend(loss)
        return loss.detach()

    @fits
    def fit(
        self,
        X: Rows,
        y: Target | Mapping[Any, Any] = None,
        sample_weight: RowWeights = None,
        *,
        validation: Sequence[Any] | None = None,
    ) -> Self:
        """Train the network.

        Parameters
        ----------
        X, y
            As the class describes them.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        validation : tuple, default=None
            Rows to watch, (X, y) or (X, y, sample_weight), instead of a share of the training rows.
        """
        return self._train(X, y, sample_weight, validation)

    @fits
    def resume(
        self, X: Rows, y: Target | Mapping[Any, Any] = None, sample_weight: RowWeights = None, *, validation: Any = None
    ) -> Self:
        """Go on with the training whose state is in the file `checkpoint`, to the curve of one that never stopped.

        Parameters
        ----------
        X, y, sample_weight, validation
            The same as in the `fit` that was interrupted.
        """
        if self.checkpoint is None:
            raise ParameterError(
                f"{type(self).__name__}.resume reads the file that checkpoint names, and checkpoint is None."
            )
        return self._train(X, y, sample_weight, validation, resumed=True)

    def _train(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, resumed: bool = False, start: Callable | None = None
    ) -> Self:
        owner = type(self).__name__
        device, seed = chosen_device(owner, self.device), seed_of(self.random_state)
        with (
            own_generators(device, seed),
            reporting(
                self,
                self.max_epochs,
                X=X,
                y=y,
                sample_weight=sample_weight,
                attributes=self._fitted_weights,
                objective_of="during",
            ) as report,
        ):
            examples = self._examples(X, y, sample_weight, True)
            held_back = None
            if validation is not None:
                held_back = self._examples(*check_validation(owner, validation), False)
            elif self.validation_fraction > 0:
                examples, held_back = split(owner, examples, self.validation_fraction, seed)
            config = self._config(examples)
            self.config_ = config  # copies need it while the training goes on
            module = self._built(config)
            if start is not None:
                start(module)
            elif not resumed and self._stage_epochs():
                pretrain(self, module, examples, seed, config)
            training = Training(self, module.to(device), examples, held_back, seed, config)
            if resumed:
                training.restore(self.checkpoint)
            training.go(report)
        self._store(training)
        with own_generators(device, seed):
            judge(self, self.module_, examples)
        return self

    def _built(self, config: dict[str, Any]) -> Any:
        """Return the network with first weights drawn by the generator of this training."""
        with lent_generators():
            module = self._build(config)
        if not any(True for _ in module.parameters()):
            raise DataError(
                f"{type(self).__name__}: the network {type(module).__name__} has no weights, so there is nothing to train; give one"
                " with layers that have some, such as torch.nn.Linear."
            )
        return module

    def _fitted_weights(self, weights: dict[str, np.ndarray]) -> dict[str, Any]:
        """Return the fitted attributes of weights, for callbacks."""
        return {"weights_": {name: np.array(value) for name, value in weights.items()}}

    def _store(self, training: Training) -> None:
        kept = training.kept_weights()
        check_weights(self, kept)
        self.config_, self.weights_ = training.config, kept
        self.history_: TrainingCurve = training.curve
        self.n_epochs_, self.best_epoch_ = training.epoch, training.curve.best + 1

    @property
    def module_(self) -> Any:
        """The network with the fitted weights, on the device of the estimator, in evaluation mode."""
        check_is_fitted(self)
        device = chosen_device(type(self).__name__, self.device)
        kept = _modules.get(self)
        if kept is None or kept[0] is not self.weights_ or kept[1] != str(device):
            torch = needs_torch(type(self).__name__)
            with own_generators(
                device, 0
            ):  # weights that are replaced at once: the user's generator is not used for them
                module = self._built(self.config_)
            module.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in self.weights_.items()})
            kept = _modules[self] = (self.weights_, str(device), module.to(device).eval())
        return kept[2]

    def __sklearn_is_fitted__(self) -> bool:
        return "weights_" in vars(self)

    def _outputs(self, examples: Examples, function: Callable[[Any, Any], Any]) -> list[Any]:
        """Return `function(module, batch)` of every batch, in order, without gradients."""
        torch = needs_torch(type(self).__name__)
        module = self.module_
        moved = examples.to(next(module.parameters()).device)
        size = max(self.batch_size, PREDICTED_AT_ONCE)
        with torch.inference_mode():
            return [function(module, moved.take(index)) for index in moved.batches(None, size)]

    def transfer(
        self,
        X: Rows,
        y: Target = None,
        sample_weight: RowWeights = None,
        *,
        freeze: bool | int = True,
        body_scale: float = 0.1,
        validation: Any = None,
        **parameters: Any,
    ) -> Self:
        """Return a new estimator for a related task: this network with a new head, trained on other data.

        Parameters
        ----------
        X, y, sample_weight, validation
            Of the new task; inputs must have the shape of the old one's.
        freeze : bool or int, default=True
            True: only the head is trained. False: everything, the body at `body_scale` times the rate of the head. A number:
            so many of the first layers with weights stay as they are.
        body_scale : float, default=0.1
        **parameters
            Of the new estimator, where they differ from those of this one.
        """
        check_is_fitted(self)
        check(
            {"body_scale": Real(0), "freeze": Bool() | Int(0)},
            {"body_scale": body_scale, "freeze": freeze},
            type(self).__name__,
        )
        other = clone(self).set_params(**parameters)
        return other._transferred(X, y, sample_weight, validation, self, freeze, body_scale)

    @fits
    def _transferred(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, old: Any, freeze: bool | int, body_scale: float
    ) -> Self:
        def start(module: Any) -> None:
            copy_body(module, old.weights_)
            freeze_layers(module, freeze)

        self._body_scale = 1.0 if is_true(freeze) else float(body_scale)
        try:
            return self._train(X, y, sample_weight, validation, start=start)
        finally:
            del self._body_scale

    def find_learning_rate(
        self, X: Rows, y: Target = None, sample_weight: RowWeights = None, **options: Any
    ) -> RateCurve:
        """Return the loss of steps whose rate rises geometrically, with the rate to begin at; see `rate_curve`."""
        return rate_curve(self, X, y, sample_weight, **options)

    def plot_training(self, ax: Any = None) -> Any:
        """Draw the loss of every epoch, with the epoch that was kept; return the axes."""
        check_is_fitted(self)
        return self.history_.plot(ax)


def check_validation(owner: str, validation: Any) -> tuple[Any, Any, Any]:
    """Return X, y and sample_weight of the rows to watch."""
    if not isinstance(validation, tuple | list) or not 1 <= len(validation) <= 3:
        raise ParameterError(
            f"{owner}.fit: validation must be (X, y) or (X, y, sample_weight), got {validation!r:.80}."
        )
    X, y, weight = [*validation, None, None][:3]
    return X, y, weight


def split(owner: str, examples: Examples, fraction: float, seed: int) -> tuple[Examples, Examples]:
    """Return the examples to learn from and those held back, at random, in proportion to the classes where there are any."""
    from sklearn.model_selection import train_test_split

    labels = examples.labels()
    counts = None if labels is None else np.unique(labels, return_counts=True)[1]
    n_held = int(np.ceil(fraction * len(examples)))
    if n_held >= len(examples):
        raise DataError(
            f"{owner}: validation_fraction={fraction:g} of {len(examples)} rows leaves none to learn from; give more rows, or 0."
        )
    possible = counts is not None and counts.min() > 1 and min(n_held, len(examples) - n_held) >= len(counts)
    learned, held = train_test_split(
        np.arange(len(examples)), test_size=n_held, random_state=seed % (1 << 32), stratify=labels if possible else None
    )
    return examples.part(np.sort(learned)), examples.part(np.sort(held))
