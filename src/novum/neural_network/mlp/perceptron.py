r"""What the perceptrons share: from parameters and data to trained networks.

    h_0 = x,   h_l = f(h_{l-1} W_l + b_l),   output g(h_{L-1} W_L + b_L)                                               (1)
    J = mean of the weighted losses of a batch + (alpha / 2 |W|^2 + l1 |W|_1) / its weight                             (2)

Training steps: novum.neural_network.mlp.epochs and whole_batch; derivation: docs/theory/backpropagation.md.
"""

from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from novum.base.callbacks import reporting
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.exceptions import DataError, DataWarning
from novum.fold.blocks import Source
from novum.neural_network.mlp.compiled_network import (
    Data,
    Memory,
    Settings,
    activation_code,
    fresh_memory,
    join,
    network_for,
)
from novum.neural_network.mlp.epochs import Progress, Stopping, run_epochs
from novum.neural_network.mlp.held_rows import hold_back
from novum.neural_network.mlp.inspection import Inspection
from novum.neural_network.mlp.judging import losses_on_some_rows
from novum.neural_network.mlp.model import Predictor, Reader, all_at_once, read_block
from novum.neural_network.mlp.outcome import Outcome, fitted_attributes, last_state, store_outcome, warn_of_ending
from novum.neural_network.mlp.parameters import STOCHASTIC, check_home, check_together, hidden_sizes
from novum.neural_network.mlp.rates import Rates
from novum.neural_network.mlp.starts import draw_weights
from novum.neural_network.mlp.visited_rows import RowsInMemory, buckets_of_rows, deal_rows, opened_portions
from novum.neural_network.mlp.whole_batch import fold_objective, minimize_risk, rows_objective
from novum.neural_network.training.judging import ROWS
from novum.runtime.random import numpy_state
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn

__all__ = ["Perceptron", "is_stochastic"]

AUTO_BATCH = 200  # scikit-learn's


def is_stochastic(model: Any) -> bool:
    """Return whether the solver steps batch by batch, or say that it does not."""
    if model.solver not in STOCHASTIC:
        raise AttributeError(
            f"partial_fit is only available for stochastic optimizers. {model.solver} is not stochastic."
        )
    return True


class Perceptron(Inspection, Estimator):
    """Base of the multilayer perceptrons."""

    _reports_passes = True
    _rows_need_blas = False
    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    n_layers_: int
    n_outputs_: int
    out_activation_: str
    scales_: list[np.ndarray]
    running_means_: list[np.ndarray]
    running_variances_: list[np.ndarray]
    loss_: float
    loss_curve_: list[Any]
    best_loss_: float | None
    validation_scores_: list[Any] | None
    best_validation_score_: float | None
    n_iter_: int
    t_: int
    restart_losses_: np.ndarray
    history_: History
    activation: Any
    alpha: float
    batch_norm: bool
    batch_size: int | Literal["auto"]
    beta_1: float
    beta_2: float
    combine: str
    dropout: float
    early_stopping: bool
    epsilon: float
    init: str
    l1: float
    learning_rate: Any
    learning_rate_init: float
    max_fun: int
    max_iter: int
    momentum: float
    n_init: int
    n_iter_no_change: float
    nesterovs_momentum: bool
    power_t: float
    _rate: float  # of the last step
    random_state: Any
    shuffle: bool
    solver: str
    tol: float
    validation_fraction: float
    warm_start: bool

    def _open(self, X: Any, y: Any, sample_weight: Any, first: bool, incremental: bool) -> tuple[Source, Reader]:
        """Return the data and how to read its target; sets `n_outputs_` and, at first, `out_activation_`."""
        raise NotImplementedError

    def _score_of(self, data: Data, output: np.ndarray) -> float:
        """Return the score of rows held back."""
        raise NotImplementedError

    def _settings(self, random: np.random.RandomState | None = None) -> Settings:
        """Return what the fitted or begun network is."""
        activation, _, _ = activation_code(type(self).__name__, self.activation)
        if hasattr(self, "coefs_"):
            units = (self.coefs_[0].shape[0], *(w.shape[1] for w in self.coefs_))
        else:
            units = (self.n_features_in_, *hidden_sizes(self), self.n_outputs_)
        seed = 0 if random is None or not self.dropout else int(random.randint(2**31))
        return Settings(
            units=units,
            activation=activation,
            output=self.out_activation_,
            solver=self.solver,
            momentum=float(self.momentum),
            nesterov=bool(self.nesterovs_momentum),
            beta_1=float(self.beta_1),
            beta_2=float(self.beta_2),
            epsilon=float(self.epsilon),
            alpha=float(self.alpha),
            l1=float(self.l1),
            dropout=float(self.dropout),
            batch_norm=bool(self.batch_norm),
            seed=seed,
        )

    def _train(self, X: Any, y: Any, sample_weight: Any, incremental: bool) -> Any:
        hidden_sizes(self)
        check_together(self, incremental)
        activation_code(type(self).__name__, self.activation)
        first = not hasattr(self, "coefs_") or (not self.warm_start and not incremental)
        if first:
            self.__dict__.pop("coefs_", None)
        source, reader = self._open(X, y, sample_weight, first, incremental)
        check_home(self, source)
        random = numpy_state(self.random_state)
        runs = []
        with reporting(
            self,
            self.max_iter,
            X=X,
            y=y,
            sample_weight=sample_weight,
            n_runs=self.n_init,
            attributes=lambda memory: fitted_attributes(self._settings(), memory),
            objective_of="leaving" if self.solver == "lbfgs" else "during",
        ) as report:
            for _ in range(self.n_init):
                with report.run() if self.n_init > 1 else nullcontext(report) as run_report:
                    runs.append(self._one_start(source, reader, random, first, incremental, run_report))
        best = min(runs, key=lambda run: run.rank if np.isfinite(run.rank) else np.inf)
        if not np.isfinite(best.memory.theta).all() or (best.ending == "diverged" and not self.early_stopping):
            raise DataError(
                "Solver produced non-finite parameter weights. The input data may contain large values and need to be"
                f" preprocessed. {type(self).__name__}(learning_rate_init={self.learning_rate_init!r}): scale X and y"
                " (sklearn.preprocessing.StandardScaler), or take a smaller rate."
            )
        store_outcome(self, self._settings(), best)
        self.restart_losses_ = np.array([run.loss for run in runs])
        self._members = [run.memory.theta for run in runs] if self.combine == "average" and len(runs) > 1 else []
        self._member_running = [run.memory.running for run in runs] if self._members else []
        beside = None if incremental else losses_on_some_rows(self._predictor(), reader, source, ROWS)
        warn_of_ending(self, best, incremental, beside)
        return self

    def _one_start(
        self, source: Source, reader: Reader, random: np.random.RandomState, first: bool, incremental: bool, report: Any
    ) -> Outcome:
        """Train one network, from the last one's weights unless this is the first."""
        settings = self._settings()
        if first:
            drawn = [draw_weights(self.init, n, m, settings.activation, random) for n, m in settings.shapes]
            scales = [np.ones(m) for m in settings.units[1:-1]] if settings.batch_norm else []
            theta = join([[w for w, _ in drawn], [b for _, b in drawn], scales], source.dtype)
            memory, progress = fresh_memory(settings, theta), Progress()
        else:
            memory, progress = last_state(self, settings, source.dtype, incremental)
        if self.dropout:
            settings = settings._replace(seed=int(random.randint(2**31)))
        if self.solver == "lbfgs":
            return self._whole_batch(settings, memory, source, reader, report)
        return self._stochastic(
            settings,
            memory=memory,
            progress=progress,
            source=source,
            reader=reader,
            random=random,
            incremental=incremental,
            report=report,
        )

    def _whole_batch(self, settings: Settings, memory: Memory, source: Source, reader: Reader, report: Any) -> Outcome:
        read = partial(read_block, reader)
        if source.at_hand or source.on_device:
            data = read(all_at_once(source))
            objective, total = rows_objective(settings, data, source.dtype, thread_count())
        else:
            objective, total = fold_objective(settings, source, read, source.dtype)
        report.begin(memory)
        report_step = lambda n, loss, x: report(n, loss, memory._replace(theta=x.astype(source.dtype)))  # noqa: E731
        found = minimize_risk(
            settings,
            objective=objective,
            total=total,
            start=memory.theta,
            max_iter=self.max_iter,
            max_fun=self.max_fun,
            tol=self.tol,
            report=report_step,
        )
        progress = Progress()
        progress.losses = found.losses
        progress.rates = [float("nan")] * len(found.losses)
        outcome = found.outcome
        ending = "stopped" if outcome.status in (0, 99) else "limit"
        end = memory._replace(theta=found.theta.astype(source.dtype))
        return Outcome(
            end, progress, min(found.n_iter, self.max_iter), found.loss, np.nan, ending, str(outcome.message)
        )

    def _stochastic(
        self,
        settings: Settings,
        memory: Memory,
        progress: Progress,
        source: Source,
        reader: Reader,
        random: np.random.RandomState,
        incremental: bool,
        report: Any,
    ) -> Outcome:
        deal = deal_rows(source, self.shuffle, random)
        epochs = partial(
            self._epochs, settings, memory, progress, random=random, incremental=incremental, report=report
        )
        if not (source.at_hand or source.on_device):
            batch = AUTO_BATCH if self.batch_size == "auto" else int(self.batch_size)
            with opened_portions(source, settings, reader, batch, deal, random) as rows:
                return epochs(rows=rows, batch=batch, held=None)
        data, held = read_block(reader, all_at_once(source)), None
        buckets = buckets_of_rows(deal, int(source.n_rows or 0), source.weight)  # type: ignore[attr-defined]
        if self.early_stopping:
            flat = hasattr(self, "classes_") and self.n_outputs_ == 1
            data, held = hold_back(type(self).__name__, data, self.validation_fraction, random, stratified=flat)
            buckets = buckets_of_rows(deal, data.rows, None)
        return epochs(rows=RowsInMemory(data, deal, buckets), batch=self._batch_of(data.rows), held=held)

    def _epochs(
        self,
        settings: Settings,
        memory: Memory,
        progress: Progress,
        rows: Any,
        batch: int,
        held: Data | None,
        random: np.random.RandomState,
        incremental: bool,
        report: Any,
    ) -> Outcome:
        """Train on rows that are opened."""
        near = rows.data.X if isinstance(rows, RowsInMemory) else None
        machine = network_for(near, settings, memory, batch, thread_count())
        rates = Rates(
            self.learning_rate, self.learning_rate_init, self.power_t, self.max_iter, self.solver, len(progress.losses)
        )
        if incremental and hasattr(self, "_rate") and not callable(self.learning_rate):
            rates.now = self._rate
        score = None if held is None else lambda machine: self._score_of(held, machine.predict(held.X))
        n_iter, ending = run_epochs(
            machine,
            rows=rows,
            progress=progress,
            stopping=Stopping(self.max_iter, self.tol, self.n_iter_no_change),
            rates=rates,
            random=random,
            score=score,
            report=report,
            once=incremental,
        )
        end = progress.best if held is not None and progress.best is not None else machine.memory()
        return Outcome(end, progress, n_iter, progress.losses[-1], rates.now, ending)

    def _batch_of(self, n: int) -> int:
        if self.batch_size == "auto":
            return min(AUTO_BATCH, n)
        if self.batch_size > n:
            warn(
                "Got `batch_size` less than 1 or larger than sample size. It is going to be clipped:"
                f" {type(self).__name__}(batch_size={self.batch_size}) trains on {n} rows.",
                DataWarning,
            )
        return int(min(self.batch_size, n))

    def _predictor(self, **how: Any) -> Predictor:
        check_is_fitted(self)
        settings = self._settings()
        if getattr(self, "_members", []):
            return Predictor(settings, self._members, self._member_running, **how)
        dtype = self.coefs_[0].dtype
        theta = join([self.coefs_, self.intercepts_, getattr(self, "scales_", [])], dtype)
        running = join([self.running_means_, self.running_variances_], dtype) if settings.batch_norm else theta[:0]
        return Predictor(settings, [theta], [running], **how)

    @property
    def _optimizer(self) -> SimpleNamespace:
        """Scikit-learn's name for the state of the updates."""
        return SimpleNamespace(learning_rate=self._rate)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
