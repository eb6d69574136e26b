"""Rows for machines: checked, dense a batch at a time, and answers in the precision they came in."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import DataWarning, NotConverged
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = ["dense", "in_kind_of", "training_rows", "warn_below_coins"]

CLEARLY_BELOW = 1.2  # times the loss of coins: a machine that has learned nothing yet answers like them


def dense(X: Any) -> NDArray:
    """Return rows as a float64 array: a batch at a time, never all of a sparse matrix."""
    return np.asarray(X.toarray() if scipy.sparse.issparse(X) else arrays.to_numpy(X), np.float64)


def training_rows(estimator: Any, X: Any, sample_weight: Any, binary: bool, reset: bool = True) -> tuple[Any, Any]:
    """Return rows (an array or CSR) and weights after every check; warn where binary units are given other numbers."""
    source = estimator._source(X, None, sample_weight, reset=reset)
    rows = source.array(
        f"{type(estimator).__name__} steps through all rows again and again", "give batches of the rows"
    )
    weight = source.weight
    if weight is not None and not (weight > 0).all():
        rows, weight = rows[weight > 0], weight[weight > 0]
    if binary and rows.shape[0]:
        least, most = rows.min(), rows.max()
        if least < 0 or most > 1:
            warn(
                f"{type(estimator).__name__}: binary units are 0, 1 or probabilities, and X runs from {least:.4g} to {most:.4g}."
                " Scale the columns to [0, 1], or use RestrictedBoltzmannMachine(visible='gaussian').",
                DataWarning,
            )
    return rows, weight


def warn_below_coins(estimator: Any, rows: NDArray, log_likelihood: float) -> None:
    """Warn where a machine knows less of its training rows (nats a row, of each unit given others) than coins would."""
    coins = -rows.shape[1] * float(np.log(2))
    if rows.min(initial=0) >= 0 and rows.max(initial=0) <= 1 and not log_likelihood >= CLEARLY_BELOW * coins:
        warn(
            f"{type(estimator).__name__}: after training the rows have a log-likelihood, unit by unit, of {log_likelihood:.4g},"
            f" less than the {coins:.4g} of coins: learning has run away. Lower learning_rate={estimator.learning_rate:g}.",
            NotConverged,
        )


def in_kind_of(block: Block, values: NDArray) -> NDArray:
    """Return values in single precision where the rows are."""
    return values.astype(np.float32) if block.X.dtype == np.float32 else values
