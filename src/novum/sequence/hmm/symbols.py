"""Symbols of a hidden Markov model: whole numbers from zero, as they may be given, and how many there may be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime import arrays
from novum.sequence.hmm.bundles import Bundle

__all__ = ["check_symbols", "largest_symbol", "read_symbols", "tensor_symbols"]

MOST_CELLS = 2**26  # of emissionprob_: half a GiB


def read_symbols(owner: str, values: NDArray, n_features: int | None) -> NDArray:
    """Return symbols as a column of int64, -1 where missing, after hmmlearn's checks."""
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if not missing.any():
            raise DataError(
                f"{owner}: Symbols should be integers; X holds {values.dtype}. Use X.astype(int), or codes of labels."
            )
        if (values[~missing] != np.floor(values[~missing])).any() or np.abs(values[~missing]).max(initial=0) > 2**53:
            raise DataError(f"{owner}: Symbols should be integers, and NaN where one is missing.")
        symbols = np.where(missing, -1, values).astype(np.int64)
        lowest = symbols[~missing].min(initial=0)
    elif values.dtype.kind in "iub":
        symbols = values.astype(np.int64, copy=False)
        lowest = symbols.min(initial=0)
    else:
        raise DataError(f"{owner}: Symbols should be integers; X holds {values.dtype}.")
    if lowest < 0:
        raise DataError(f"{owner}: Symbols should be nonnegative; the least is {lowest}. A missing symbol is NaN.")
    if n_features is not None and symbols.max(initial=-1) >= n_features:
        raise DataError(
            f"{owner}: Largest symbol is {symbols.max()} but the model only emits symbols up to {n_features - 1}. Raise n_features."
        )
    return symbols


def tensor_symbols(owner: str, values: Any, whole: bool, n_features: int | None) -> Any:
    """Return `read_symbols` of numbers on a device; `whole` says that they were given as integers."""
    missing = values.isnan()
    kept = values.where(~missing, 0.0)
    facts = [missing.any(), (kept != kept.floor()).any() | (kept.abs().max() > 2.0**53), kept.min(), kept.max()]
    gaps, broken, low, high = arrays.to_numpy(arrays.concat([fact.double().reshape(1, 1) for fact in facts])[0])
    shown = np.array([low, high] + [np.nan] * bool(gaps) + [0.5] * bool(broken))
    read_symbols(owner, shown.astype(np.int64) if whole else shown, n_features)  # raises what it would of all
    return values.where(~missing, -1.0).long()


def check_symbols(owner: str, n_symbols: int, n_states: int) -> int:
    """Return the number of symbols if a table with a column for each can be held."""
    if n_symbols * n_states > MOST_CELLS:
        raise DataError(
            f"{owner}: symbols up to {n_symbols - 1} need a column of emissionprob_ each, "
            f"{n_symbols * n_states * 8 / 2**30:.1f} GiB for {n_states} states. "
            "Number the symbols that occur 0, 1, ...: np.unique(X, return_inverse=True)[1]."
        )
    return n_symbols


def largest_symbol(_: None, bundle: Bundle) -> int:
    """Return the largest symbol of one bundle."""
    return int(bundle.X.max()) if arrays.is_tensor(bundle.X) else int(bundle.X.max(initial=-1))
