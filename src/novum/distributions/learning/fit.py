"""Fit a distribution wherever the data live: in memory, in files, on a Dask cluster, on a tensor.

A start from the first block, one pass for the statistics about it, one solve: exponential families need no more. A family
whose statistics depend on its parameters repeats that; one whose start was far off makes the pass again.
"""

from typing import Any

import numpy as np

from novum.base.estimator import Estimator
from novum.base.validation import open_source
from novum.distributions.base import Distribution
from novum.distributions.numerics.ops import all_of
from novum.exceptions import DataError, ParameterTypeError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.blas import single_blas

__all__ = ["fit", "open_rows", "rows_of", "statistics_of"]

NAN = "Input X contains NaN."  # how scikit-learn begins


def open_rows(name: str, x: Any, sample_weight: Any) -> tuple[Source, bool]:
    """Return the data as a Source of two-dimensional blocks, and whether they were one-dimensional."""
    if isinstance(x, (list, tuple, np.number, int, float)):
        x = np.asarray(x)
    flat = getattr(x, "ndim", 2) == 1
    if flat:
        if hasattr(x, "to_frame") and hasattr(x, "npartitions"):
            x = x.to_frame()
        else:
            x = (x if hasattr(x, "rechunk") or arrays.is_tensor(x) else np.asarray(x))[:, None]
    elif not hasattr(x, "ndim") and hasattr(x, "to_numpy") and not hasattr(x, "columns") and len(x.shape) == 1:
        x, flat = x.to_numpy()[:, None], True  # a column of polars
    reader = type(name, (Estimator,), {})()  # the checks of data address an estimator: here it is the family
    try:
        return open_source(reader, x, None, sample_weight), flat
    except ValueError as error:
        if not str(error).startswith(NAN):
            raise
        raise DataError(
            f"{NAN} {name} takes whole observations: drop those rows, x[~np.isnan(x)] of numbers; `novum.mixture` takes"
            " missing cells."
        ) from error  # scikit-learn's own advice is about classifiers


def rows_of(block: Block, event: int, flat: bool) -> tuple[Any, Any]:
    """Return the rows of a block that have weight, in float64, and their weights."""
    x, weight = block.X, block.weight
    if weight is not None and not all_of(weight > 0):
        present = weight > 0
        x, weight = x[present], weight[present]
    x = arrays.double(x)
    return (x[:, 0] if flat and event == 0 else x), weight


def statistics_of(params: tuple[Any, ...], block: Block) -> Any:
    """Return the statistics of one block about the parameters; raise where a row cannot come from the family.

    `params` are the distribution, whether the data are one-dimensional, and the caller (`fit` of the family unless given).
    """
    about, flat, *asking = params
    x, weight = rows_of(block, about._event_ndim, flat)
    inside = about._inside(x)
    if not all_of(inside):
        row = int(np.argmin(arrays.to_numpy(inside).reshape(x.shape[0], -1).all(axis=1)))
        name = type(about).__name__
        owner = asking[0] if asking else f"{name}.fit"
        raise DataError(
            f"{owner}: x holds {arrays.to_numpy(x[row])} (row {row} of those with weight, block from row {block.start});"
            f" {name} is a distribution of {about._domain}. {about._remedy}"
        )
    return about.statistics(x, weight)


def fit(cls: Any, x: Any, sample_weight: Any, prior: Distribution | None, **options: Any) -> Any:
    """Return the fitted distribution of class `cls`; see `Distribution.fit`."""
    name = cls.__name__
    source, flat = open_rows(f"{name}.fit", x, sample_weight)
    with single_blas():
        start = first_state(cls, source, flat, options)
        found = start.from_statistics(source.total(statistics_of, (start, flat)), prior)
        if start._begin_again(found):
            found = found.from_statistics(source.total(statistics_of, (found, flat)), prior)
    return found


def first_state(cls: Any, source: Source, flat: bool, options: dict[str, Any]) -> Distribution:
    """Return where to begin: what the first block says."""
    for name in options:
        if name not in cls._fit_options:
            known = f"it takes {', '.join(cls._fit_options)}" if cls._fit_options else "it takes no options"
            raise ParameterTypeError(f"{cls.__name__}.fit({name}={options[name]!r}): there is no such option; {known}.")
    return cls._start(*rows_of(source.first(), cls._event_ndim, flat), **options)
