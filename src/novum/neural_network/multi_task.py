r"""Several targets, one body: tasks share the hidden layers, and each has a head of its own.

    h = g(W_k ... g(W_1 x + b_1) ... + b_k),   z_t = V_t h + c_t,   x standardized by mean and deviation of the training rows (1)
    loss = sum over tasks t of a_t mean over the rows with a target of loss_t(z_t, y_t)                                     (2)

A task with few targets profits from what the others teach the body. Rows may lack targets: NaN for numbers, None for classes.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Domain, Instance, Null, Real
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.neural_network.training.examples import Tensors
from novum.neural_network.training.homes import column_moments
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import ArrayNetwork
from novum.runtime import arrays
from novum.runtime.typing import Rows, Seed

__all__ = ["MultiTaskNetwork"]

MISSING = -100  # the code of a class that is not known; PyTorch's cross-entropy passes over it


def is_missing(values: np.ndarray) -> np.ndarray:
    """Return which targets are None or NaN."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.array([value is None or value != value for value in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def is_number(values: np.ndarray) -> bool:
    """Return whether targets are numbers with fractions, which are regressed; all else are classes."""
    if values.dtype.kind != "f":
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.floor(known)).any())


class MultiTaskNetwork(ArrayNetwork):
    """A network with one body and a head for every task, (1).

    Parameters
    ----------
    hidden : sequence of int, default=(64, 64)
        Units of the shared layers.
    tasks : mapping of str to {"classes", "number"}, default=None
        What each target is; None: fractions are numbers, all else classes.
    task_weights : mapping of str to float, default=None
        a of eq. (2); None: 1 for every task.
    dropout : float, default=0.0
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
    tasks_ : dict
        "classes" or "number" of every task.
    classes_ : dict
        The labels of every task that has classes.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import MultiTaskNetwork
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = {"sign": np.where(X[:, 0] > 0, "plus", "minus"), "sum": X.sum(axis=1)}
    >>> model = MultiTaskNetwork((32,), learning_rate=0.01, random_state=0).fit(X, y)  # doctest: +SKIP
    >>> sorted(model.predict(X[:2]))  # doctest: +SKIP
    ['sign', 'sum']
    """

    _domains: dict[str, Domain] = {
        "hidden": ArrayLike(1),
        "tasks": Null() | Instance(Mapping),
        "task_weights": Null() | Instance(Mapping),
        "dropout": Real(0, 1, open="high"),
        **TRAINING,
    }
    tasks_: dict[Any, Any]
    classes_: dict[Any, Any]

    def __init__(
        self,
        hidden: Sequence[int] = (64, 64),
        *,
        tasks: Mapping[str, str] | None = None,
        task_weights: Mapping[str, float] | None = None,
        dropout: float = 0.0,
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
        self.hidden = hidden
        self.tasks = tasks
        self.task_weights = task_weights
        self.dropout = dropout
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

    _rows_stay = False  # targets of all tasks come as columns of a frame

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        import torch

        rows = self._rows_of(X, reset)
        columns = self._columns(y, len(rows))
        weight, used = self._weight_of(sample_weight, len(rows))
        if reset:
            self._look(columns, used)
        targets = [torch.from_numpy(self._encoded(name, columns[name])[used]) for name in self.tasks_]
        return Tensors(rows[used], *targets, row_weight=weight)

    def _columns(self, y: Any, n_rows: int) -> dict[str, np.ndarray]:
        owner = type(self).__name__
        if not hasattr(y, "keys") or not len(y.keys()):
            raise DataError(
                f"{owner}: y must be a mapping or a frame with a column for every task, got {type(y).__name__}."
            )
        columns = {str(name): np.asarray(y[name]) for name in y.keys()}  # noqa: SIM118  # frames iterate over columns, too
        for name, values in columns.items():
            if values.ndim != 1 or len(values) != n_rows:
                raise DataError(f"{owner}: task {name!r} has targets of shape {values.shape} for {n_rows} rows of X.")
        return columns

    def _look(self, columns: dict[str, np.ndarray], used: Any) -> None:
        """Note what every task is, its labels or its mean and standard deviation."""
        owner = type(self).__name__
        given = {} if self.tasks is None else dict(self.tasks)
        if unknown := set(given) - set(columns) or set(self.task_weights or {}) - set(columns):
            raise ParameterError(f"{owner}: tasks or task_weights name {sorted(unknown)}, and y has {sorted(columns)}.")
        self.tasks_ = {name: given.get(name, "number" if is_number(v) else "classes") for name, v in columns.items()}
        self.classes_: dict[str, np.ndarray] = {}
        self.target_mean_: dict[str, float] = {}
        self.target_scale_: dict[str, float] = {}
        for name, kind in self.tasks_.items():
            known = columns[name][used]
            known = known[~is_missing(known)]
            if kind == "classes":
                self.classes_[name] = np.unique(known)
            elif kind == "number":
                numbers = known.astype(np.float64)
                if not np.isfinite(numbers).all():
                    raise DataError(f"{owner}: task {name!r} has infinite targets; NaN stands for one that is missing.")
                self.target_mean_[name] = float(numbers.mean()) if len(numbers) else 0.0
                self.target_scale_[name] = float(numbers.std() or 1.0) if len(numbers) else 1.0
            else:
                raise ParameterError(f"{owner}: tasks[{name!r}]={kind!r}; a task is 'classes' or 'number'.")
            if len(known) == 0 or (kind == "classes" and len(self.classes_[name]) < 2):
                raise DataError(f"{owner}: task {name!r} has nothing to learn: no targets, or one class only.")

    def _encoded(self, name: str, values: np.ndarray) -> np.ndarray:
        """Return the targets of a task as codes or scaled numbers, those that are missing as `MISSING` or NaN."""
        if name not in self.classes_:
            scaled = (values.astype(np.float64) - self.target_mean_[name]) / self.target_scale_[name]
            return np.asarray(scaled.astype(np.float32))
        gone, labels = is_missing(values), self.classes_[name]
        code = np.full(len(values), MISSING, dtype=np.int64)
        place = np.minimum(np.searchsorted(labels, values[~gone]), len(labels) - 1)
        if (wrong := labels[place] != values[~gone]).any():
            raise DataError(
                f"{type(self).__name__}: task {name!r} has no class {values[~gone][wrong][0]!r}; it has {labels}."
            )
        code[~gone] = place
        return code

    def _config(self, examples: Any) -> dict[str, Any]:
        outputs = {name: len(self.classes_[name]) if name in self.classes_ else 1 for name in self.tasks_}
        hidden = [int(size) for size in self.hidden]
        mean, variance = column_moments(examples.tensors[0], examples.row_weight)
        deviation = np.sqrt(variance)
        return {
            "n_features": self.n_features_in_,
            "hidden": hidden,
            "outputs": outputs,
            "dropout": float(self.dropout),
            "mean": mean.tolist(),
            "scale": np.where(deviation > 0, deviation, 1.0).tolist(),
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.training.heads import ManyHeads

        return ManyHeads(config)

    def _loss(self, module: Any, batch: Any) -> Any:
        from novum.neural_network.training.heads import task_losses

        weight = batch[1 + len(self.tasks_)] if len(batch) > 1 + len(self.tasks_) else None
        losses = task_losses(module(batch[0]), dict(zip(self.tasks_, batch[1:])), set(self.classes_), weight)
        return sum((self.task_weights or {}).get(name, 1.0) * loss for name, loss in losses.items())

    def _judged(self, module: Any, batch: Any) -> Any:
        import torch

        weight = batch[1 + len(self.tasks_)] if len(batch) > 1 + len(self.tasks_) else None
        aims = []
        for name, y in zip(self.tasks_, batch[1:]):
            known = y >= 0 if name in self.classes_ else ~torch.isnan(y)
            factor = float((self.task_weights or {}).get(name, 1.0))
            aims.append(Aim(y[known], None if weight is None else weight[known], factor))
        return self._loss(module, batch), aims

    def _scores(self, X: Any) -> dict[str, np.ndarray]:
        import torch

        check_is_fitted(self)
        parts = self._outputs(Tensors(self._rows_of(X, False)), lambda module, batch: module(batch[0]))
        return {name: arrays.to_numpy(torch.cat([part[name] for part in parts]).double()) for name in self.tasks_}

    def predict(self, X: Rows) -> dict[str, np.ndarray]:
        """Return the class or the number of every row, for every task."""
        scores = self._scores(X)
        return {
            name: self.classes_[name][z.argmax(axis=1)]
            if name in self.classes_
            else z[:, 0] * self.target_scale_[name] + self.target_mean_[name]
            for name, z in scores.items()
        }

    def predict_proba(self, X: Rows) -> dict[str, np.ndarray]:
        """Return the probabilities of the classes, for every task that has classes."""
        from scipy.special import softmax

        return {name: softmax(z, axis=1) for name, z in self._scores(X).items() if name in self.classes_}

    def score(self, X: Any, y: Any) -> float:
        """Return the mean over tasks of the accuracy (classes) or of R2 (numbers), on the rows that have targets."""
        from sklearn.metrics import accuracy_score, r2_score

        predicted, columns = self.predict(X), self._columns(y, len(X))
        found = []
        for name, kind in self.tasks_.items():
            known = ~is_missing(columns[name])
            measure = accuracy_score if kind == "classes" else r2_score
            found.append(measure(columns[name][known], predicted[name][known]))
        return float(np.mean(found))
