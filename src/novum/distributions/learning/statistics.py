r"""Learning a distribution: statistics of rows, the solve that makes parameters of them, and the fit that is both.

From rows x_i with weights w_i (responsibilities, where a batch competes for the rows):

    S(x, w) = sum_i w_i s(x_i; theta0)                                                             (1)
    theta   = argmax over theta of  sum_i w_i log p(x_i | theta) + log p(theta)                    (2)

`statistics` computes (1) about the parameters theta0 of the object itself, so that nothing cancels; statistics of two
portions of data are added. `from_statistics` computes (2) from them: the M-step. `fit` is both over all rows.
"""

from abc import ABC
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.distributions.numerics.ops import real_rows
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Learnable"]

NO_FIT = " has no fit: it is made from its parameters, not from data."


class Learnable(ABC):
    """The half of a distribution that learns."""

    _event_ndim: ClassVar[int] = 0
    _domain: ClassVar[str] = "real numbers"  # of the data, for messages
    _remedy: ClassVar[str] = "Remove or change such rows."  # for data outside the domain
    _fit_options: ClassVar[tuple[str, ...]] = ()  # keywords that `fit` hands to `_start`

    batch_shape: tuple[int, ...]
    event_shape: tuple[int, ...]

    def _aligned(self, x: Any, weight: Any) -> tuple[Any, Any]:
        """Return rows as (n, batch or ones, event) and weights as (n, batch or ones)."""
        x = real_rows(type(self).__name__, x)
        batch, event = len(self.batch_shape), self._event_ndim
        if x.ndim == 1 + event:
            x = x.reshape((x.shape[0], *(1,) * batch, *x.shape[1:]))
        if x.ndim != 1 + batch + event or tuple(x.shape[1 + batch :]) != self.event_shape:
            raise DataError(
                f"{type(self).__name__}.statistics: x has shape {tuple(x.shape)}; it must be (n,) + {self.event_shape}, or with"
                f" the batch {self.batch_shape} between."
            )
        if weight is None:
            return x, None
        weight = arrays.like(x, arrays.to_numpy(weight) if not arrays.is_tensor(x) else weight, "float64")
        if weight.ndim == 1:
            weight = weight.reshape((weight.shape[0], *(1,) * batch))
        if weight.ndim != 1 + batch or weight.shape[0] != x.shape[0]:
            raise DataError(
                f"{type(self).__name__}.statistics: weight has shape {tuple(weight.shape)}; it must be ({x.shape[0]},), or with"
                f" the batch {self.batch_shape} behind."
            )
        return x, weight

    def _mass(self, x: Any, weight: Any) -> NDArray:
        """Return the sum of the weights for every distribution of the batch."""
        if weight is None:
            return np.full(self.batch_shape, float(x.shape[0]))
        return np.broadcast_to(arrays.to_numpy(weight.sum(0)), self.batch_shape) + 0.0

    def _sum(self, values: Any, weight: Any) -> NDArray:
        """Return sum_i w_i values_i for every distribution of the batch, as a NumPy array."""
        batch = len(self.batch_shape)
        own = tuple(values.shape[1 + batch :])
        if weight is None:
            total = values.sum(0)
        elif not values.shape[0]:
            return np.zeros(self.batch_shape + own)
        elif all(n == 1 for n in values.shape[1 : 1 + batch]):  # rows shared by the batch: one product
            total = weight.reshape((weight.shape[0], -1)).T @ values.reshape((values.shape[0], -1))
            total = total.reshape((*weight.shape[1:], *own))
        else:
            total = (weight.reshape(tuple(weight.shape) + (1,) * len(own)) * values).sum(0)
        return np.broadcast_to(arrays.to_numpy(total), self.batch_shape + own) + 0.0

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Any:
        """Return the sums (1) of rows, a NamedTuple of arrays; those of two portions of data are added field by field.

        Parameters
        ----------
        x : array-like or tensor of shape (n, *event_shape), or (n, *batch_shape, *event_shape)
            Rows that all distributions of the batch share, or rows for each of them.
        weight : array-like or tensor of shape (n,) or (n, *batch_shape), default=None
            Weights of the rows, or what each of the batch is responsible for.
        """
        raise ParameterError(f"{type(self).__name__}{NO_FIT}")

    def from_statistics(self, statistics: Any, prior: Any = None) -> Any:
        """Return (2): the distribution of this family that `statistics` (of this object) make most probable.

        Parameters
        ----------
        statistics : what `statistics` of this very object returned, or a sum of such
        prior : conjugate distribution, default=None
            None is maximum likelihood; a prior makes it the mode of the posterior.

        Notes
        -----
        One of a batch that has no weight at all keeps its parameters.
        """
        raise ParameterError(f"{type(self).__name__}{NO_FIT}")

    @classmethod
    def _start(cls, x: Any, weight: Any, **options: Any) -> Any:
        """Return where to begin from the rows of the first block; a batch where the rows are two-dimensional scalars."""
        raise ParameterError(f"{cls.__name__}{NO_FIT}")

    def _inside(self, x: Any) -> Any:
        """Return which of the data could come from this family."""
        return x == x

    def _begin_again(self, found: Any) -> bool:
        """Return whether statistics about this start lost digits, so that the pass is made again about `found`."""
        return False

    @classmethod
    def fit(cls, x: Any, sample_weight: Any = None, prior: Any = None, **options: Any) -> Any:
        """Return the distribution of this family that the data make most probable.

        Parameters
        ----------
        x : array-like, frame, scan, Dask collection or tensor
            Rows. For families of numbers, a one-dimensional x gives one distribution and every column of a table one of
            a batch; for families of vectors a row is one outcome.
        sample_weight : array-like of shape (n,), default=None
            Zero leaves a row out. A scan brings its own.
        prior : conjugate distribution, default=None
            The result is then the mode of the posterior.
        **options
            Of the family.

        Returns
        -------
        Distribution
            Of this class; its parameters are NumPy arrays wherever the data live.
        """
        from novum.distributions.learning.fit import fit

        return fit(cls, x, sample_weight, prior, **options)
