"""Fitting the gradient boosting estimators to rows in files or on a cluster: the stages before and around the iterations.

A survey of the targets, rows held back (novum.ensemble.boosting.validation_rows), a sample for the bins, codes that stay
with the blocks, then the iterations (novum.ensemble.boosting.passes). Nothing that is kept here grows with the number of
rows.
"""

import logging
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.engines.trees.bins import sample_bins
from novum.engines.trees.histograms import Growing
from novum.engines.trees.passes.survey import Survey
from novum.ensemble.boosting.block_state import BlockPreparation, Built, built_blocks, rows_taken
from novum.ensemble.boosting.coded_rows import codes_of, results_array, targets_of
from novum.ensemble.boosting.newton import NO_TREES, boosted_attributes
from novum.ensemble.boosting.passes import ValidationRows, boost_blocks
from novum.ensemble.boosting.quantile_leaves import start_quantile, weight_unit
from novum.ensemble.boosting.raw_scores import raw_of_block
from novum.ensemble.boosting.validation_rows import SPLIT_ROWS, Holding, holding_of
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.runtime.random import Stream, seed_of

__all__ = ["fit_blocks", "refuse_on_device"]

logger = logging.getLogger("novum")


def train_rows(task: BlockPreparation, block: Block) -> tuple[NDArray, NDArray | None]:
    """Return which rows of a block are trained on, and the weights of all."""
    train, _, weight = rows_taken(task, block)
    return train, weight


def held_rows(
    source: Source, share: float | int, found: Survey, factor: NDArray | None, classes: bool, seed: int
) -> Holding:
    """Return which rows are held back; few enough are listed here for a moment, as scikit-learn's splitter needs them."""
    if found.rows > SPLIT_ROWS:
        return holding_of(None, share, None, seed, found.rows)
    if source.on_device and not classes and source.weight is None:  # type: ignore[attr-defined]
        return holding_of(
            np.arange(found.rows), share, None, seed, found.rows
        )  # nothing about the rows has to come here
    target, weight = targets_of(source)
    if factor is not None:
        weight = factor[target.astype(np.int64)] if weight is None else weight * factor[target.astype(np.int64)]
    rows = np.arange(found.rows) if weight is None else np.flatnonzero(weight > 0)
    return holding_of(rows, share, target if classes else None, seed, found.rows)


def refuse_on_device(owner: str, loss: str, held: Any) -> None:
    """Raise for what has no form on a device."""
    from novum.ensemble.boosting.device.slopes import WITH_FORM

    if loss not in WITH_FORM:
        raise ParameterError(
            f"{owner}: loss={loss!r} refits leaves by quantiles of all rows, or takes its width from them, in memory alone; on a"
            f" device these are: {', '.join(WITH_FORM)}. Give X.cpu(), or one of them."
        )
    if held is not None:
        raise ParameterError(
            f"{owner}: X_val and y_val are rows in memory, and X is on a device; leave them out (validation_fraction holds"
            " rows of X back), or give X.cpu()."
        )


def fit_blocks(
    estimator: Any,
    X: Any,
    y: Any,
    source: Source,
    found: Survey,
    factor: NDArray | None,
    held: Any,
    stop_rows: int,
) -> None:
    """Fit to rows outside memory; `held` are rows to be scored, in memory, that came with them, or None."""
    again = estimator.warm_start and hasattr(estimator, "_nodes")
    seed = estimator._seed if again else seed_of(estimator.random_state)
    growing = estimator._growing(source.n_features, None, seed)
    stops = found.rows > stop_rows if estimator.early_stopping == "auto" else bool(estimator.early_stopping)
    if stops and not (isinstance(estimator.scoring, str) and estimator.scoring == "loss"):
        raise ParameterError("scoring: a scorer needs rows in memory; scan and Dask data are scored by scoring='loss'.")
    if again and estimator.max_iter < estimator.n_iter_:
        raise ParameterError(
            f"max_iter={estimator.max_iter} must be larger than or equal to n_iter_={estimator.n_iter_} when warm_start==True."
            " The trees of the last fit are kept; raise max_iter to add more."
        )
    holding = None
    if stops and held is None and estimator.validation_fraction is not None:
        classes = estimator._target == "classes"
        holding = held_rows(source, estimator.validation_fraction, found, factor, classes, seed)
    model = estimator._model() if again else None
    descent = estimator._descent(np.empty(0), None)
    before = None if model is None else partial(raw_of_block, model)
    task = BlockPreparation(None, descent, factor, holding, before)  # type: ignore[arg-type]
    bins = sample_bins(source, Stream(seed), estimator.max_bins, partial(train_rows, task), n_rows=found.rows)
    task = task._replace(bins=bins)
    with built_blocks(source, task) as (kept, built):
        run_iterations(
            estimator,
            X=X,
            y=y,
            kept=kept,
            task=task,
            built=built,
            growing=growing,
            held=held,
            stops=stops,
            again=again,
            model=model,
        )
    estimator._seed = seed
    estimator.is_categorical_ = estimator._encoder = None
    estimator.do_early_stopping_ = stops


def run_iterations(
    estimator: Any,
    X: Any,
    y: Any,
    kept: Source,
    task: BlockPreparation,
    built: Built,
    growing: Growing,
    held: Any,
    stops: bool,
    again: bool,
    model: Any,
) -> None:
    """Run the iterations over blocks that are built, and set what they lead to."""
    descent, bins = task.descent, task.bins
    if again:
        start = estimator._start
    elif descent.by_mean:
        start = descent.start_of(built.start)
    else:
        start = start_quantile(kept, task, weight_unit(built))
    given = None
    if held is not None:
        rows, target, weight = held
        raw = np.empty((descent.outputs, len(target)))
        raw[:] = start[:, None] if model is None else results_array(rows.rows(raw_of_block, model)).T
        given = ValidationRows(codes_of(rows, bins), target, weight, raw)
    trees = estimator._trees if again else NO_TREES
    begin = len(trees.root) // descent.outputs
    train_scores: list[float] = estimator.train_score_.tolist() if again else []
    held_scores: list[float] = estimator.validation_score_.tolist() if again else []
    attributes = partial(boosted_attributes, before=trees, start=start, weighted=built.weighted)
    with reporting(estimator, estimator.max_iter, X=X, y=y, attributes=attributes, objective_of="leaving") as report:
        listened = bool(getattr(estimator, "_skl_callbacks", None))
        scored = stops or listened or bool(estimator.verbose)

        def look(iteration: int, train: float, other: float | None, made: list[tuple[NDArray, NDArray]]) -> bool:
            stop = False
            if stops and not (again and iteration < begin):
                train_scores.append(train)
                if other is not None:
                    held_scores.append(other)
                stop = estimator._should_stop(train_scores if other is None else held_scores)
            if iteration < begin:
                report.begin(list)
                return False
            if estimator.verbose:
                logger.info("%s: iteration %d, loss %.6g", type(estimator).__name__, iteration + 1, -train)
            return bool(report(iteration + 1, -train, made[:])) or stop

        iterations = range(begin, estimator.max_iter)
        made = boost_blocks(
            kept,
            task=task,
            built=built,
            start=start,
            growing=growing,
            iterations=iterations,
            given=given,
            scored=scored,
            look=look,
        )
    vars(estimator).update(attributes(made.trees))
    estimator.train_score_ = np.array(train_scores if stops else [])
    estimator.validation_score_ = np.array(held_scores if stops else [])
