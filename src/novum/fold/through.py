"""Fitted transformers applied to one batch at a time: scaling, encoding, imputing on the way from the file to the learner.

A transformer that was fitted on a frame with column names gets a pandas frame with the types of the file, any other an array.
What it returns is made dense: a batch has few rows, chosen by the number of columns that come out, so this takes bounded
memory even for sparse encodings.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from novum.exceptions import DataError, ParameterError, ParameterTypeError

__all__ = ["Step", "apply", "make_step", "names_out", "shown_rows"]


class Step(NamedTuple):
    """One transformer and the names of the columns that go into it."""

    transformer: Any
    names: list[str] | None

    @property
    def framed(self) -> bool:
        """Whether it was fitted on a frame with column names."""
        return getattr(self.transformer, "feature_names_in_", None) is not None

    def __str__(self) -> str:
        return type(self.transformer).__name__


def make_step(transformer: Any, names: list[str] | None) -> Step:
    """Return the step, if the transformer can be used as one."""
    kind = type(transformer).__name__
    if isinstance(transformer, type) or not callable(getattr(transformer, "transform", None)):
        raise ParameterTypeError(
            f"scan.through takes a fitted transformer with a transform method, got {transformer!r}."
        )
    try:
        check_is_fitted(transformer)
    except NotFittedError as error:
        raise ParameterError(
            f"scan.through: this {kind} is not fitted. Fit it first, for example on scan.head(10_000)."
        ) from error
    step = Step(transformer, names)
    if step.framed and names is None:
        raise DataError(
            f"scan.through: this {kind} was fitted with column names, but the columns of the scan have none."
            f" Fit it on a plain array."
        )
    return step


def as_input(step: Step, data: Any) -> Any:
    """Return rows in the form that the transformer was fitted on."""
    if type(data).__module__.partition(".")[0] == "pyarrow":
        data = plain_decimals(data).to_pandas(ignore_metadata=True)
        return data if step.framed else data.to_numpy()
    if hasattr(data, "columns"):  # a frame, made by the transformer before
        return data if step.framed else np.asarray(data)
    if not step.framed:
        return data
    import pandas as pd

    return pd.DataFrame(dense(data), columns=step.names)


def plain_decimals(table: Any) -> Any:
    """Return an Arrow table with decimals as floats: NumPy and scikit-learn know no decimals."""
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(pa.float64()))
    return table


def dense(data: Any) -> np.ndarray:
    """Return rows as an array, whatever a transformer made of them."""
    return data.toarray() if hasattr(data, "toarray") else np.asarray(data)


def apply(steps: tuple[Step, ...], data: Any, where: str) -> np.ndarray:
    """Return the rows after all steps, as a dense two-dimensional array of floats; `where` names them in errors."""
    n_rows = data.shape[0]
    for step in steps:
        try:
            data = step.transformer.transform(as_input(step, data))
        except Exception as error:
            raise DataError(f"scan.through: {step} failed on {where}: {error}") from error
    out = dense(data)
    if out.ndim != 2 or out.shape[0] != n_rows:
        raise DataError(
            f"scan.through: {steps[-1]} made an array of shape {out.shape} from {n_rows} rows; it must keep the rows."
        )
    if out.dtype.kind not in "fiub":
        try:
            out = out.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"scan.through: {steps[-1]} left values that are not numbers: {error}. Encode them too."
            ) from error
    return out


def names_out(step: Step, n_columns: int) -> list[str] | None:
    """Return the names of the columns that come out, None if the transformer cannot tell."""
    if step.names is None or not hasattr(step.transformer, "get_feature_names_out"):
        return None
    try:
        names = step.transformer.get_feature_names_out(None if step.framed else step.names)
    except (AttributeError, ValueError, TypeError):
        return None
    return [str(name) for name in names] if len(names) == n_columns else None


def shown_rows(steps: tuple[Step, ...], rows: Any, place: str, names: Sequence[Any] | None) -> Any:
    """Return raw rows after the steps as they are shown: a frame where columns have names."""
    if not steps:
        return rows if names is None else rows.to_pandas(ignore_metadata=True)
    data = apply(steps, rows, place)
    if names is None:
        return data
    import pandas as pd

    return pd.DataFrame(data, columns=names)
