r"""The protocol of distributions: value objects with a density, draws, moments and a fit that is a fold.

A distribution holds a batch of parameter sets: `batch_shape` is what the parameters broadcast to, `event_shape` the shape
of one outcome. Outcomes broadcast against the batch from the right: `log_prob(x)` has the shape of x (without the event
part) broadcast with `batch_shape`, so n outcomes against k parameter sets are evaluated by `log_prob(x[:, None])`.

Learning is in `statistics.py`.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions.learning.statistics import Learnable
from novum.distributions.numerics.ops import NUMPY, Ops, ops_of, real_rows
from novum.distributions.parameters import Parameter
from novum.exceptions import DataError, ParameterError
from novum.report.result import Result, result
from novum.runtime import arrays as _array
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Axes, Numbers, Seed

__all__ = ["Distribution", "Support"]

LARGE = 1e8  # where NumPy prints powers of ten


@result
class Support(NamedTuple):
    """Where a distribution lives: its kind, and the bounds of a scalar outcome (or of every coordinate)."""

    kind: str  # "reals", "integers", "values", "vectors", "simplex", "counts" or "matrices"
    low: Any
    high: Any

    @property
    def continuous(self) -> bool:
        """Whether outcomes have densities; else they have probabilities."""
        return self.kind in ("reals", "vectors", "simplex", "matrices")


def parameter_text(value: NDArray) -> str:
    """Return a parameter in eight digits, in all it has where eight hide what follows the first nine: 1000000002."""
    large = value.dtype.kind == "f" and bool((np.abs(value) >= LARGE).any())
    return np.array2string(value, separator=", ", threshold=8, precision=17 if large else 8)


def cuts(distribution: Any) -> Any:
    """Return places that cut the mass of a distribution of real numbers into parts; none of another."""
    from novum.distributions.numerics.tail_quadrature import cuts_of

    one = distribution.support.kind == "reals" and not distribution.batch_shape and hasattr(distribution, "isf")
    return cuts_of(distribution) if one else ()


class Distribution(Learnable, Result):
    """Base of all distributions; see the families for their parameters."""

    _parameter_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = tuple(name for name, value in vars(cls).items() if isinstance(value, Parameter))
        if own:
            cls._parameter_names = own

    def _set(self, event_shape: tuple[int, ...] = (), **arrays: tuple[NDArray, int]) -> None:
        """Keep parameters, each given with the number of its own axes, broadcast against each other and read-only."""
        fronts = [array.shape[: array.ndim - own] for array, own in arrays.values()]
        try:
            batch = np.broadcast_shapes(*fronts)
        except ValueError as error:
            shapes = ", ".join(f"{name} {array.shape}" for name, (array, _) in arrays.items())
            raise ParameterError(
                f"{type(self).__name__}: the parameters do not broadcast against each other ({shapes}); give equal shapes or"
                f" numbers."
            ) from error
        self.__dict__.update(batch_shape=batch, event_shape=event_shape)
        for (name, (array, _)), front in zip(arrays.items(), fronts):
            full = array.view() if front == batch else np.broadcast_to(array, batch + array.shape[len(front) :])
            full.flags.writeable = False
            self.__dict__[name] = full

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), Parameter):
            object.__setattr__(self, name, value)  # the parameter's error says why it cannot be changed
        raise AttributeError(f"{type(self).__name__} cannot be changed: it has no settable attribute {name!r}.")

    def _parameters(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._parameter_names}

    def __getitem__(self, index: Any) -> "Distribution":
        """Return one of a batch, or several."""
        if not self.batch_shape:
            raise ParameterError(f"{type(self).__name__}: there is one distribution here, no batch to index.")
        return type(self)(**{name: array[index] for name, array in self._parameters().items()})

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError(f"{type(self).__name__}: there is one distribution here, no batch to count.")
        return self.batch_shape[0]

    def __repr__(self) -> str:
        shown = (f"{name}={parameter_text(value)}" for name, value in self._parameters().items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def _result_columns(self) -> dict[str, Any]:
        if not self._parameter_names:  # what was made from functions or from other distributions
            return {"distribution": [repr(self)], "support": [self.support.kind]}
        cells = list(np.ndindex(self.batch_shape))
        return {name: [array[cell] for cell in cells] for name, array in self._parameters().items()}

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self._parameters(), other._parameters()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        return hash((type(self), *(value.tobytes() for value in self._parameters().values())))

    # ------------------------------------------------------------------------------------------------ density

    @property
    @abstractmethod
    def _constants(self) -> tuple:
        """What the log-density needs of the parameters, as a NamedTuple of arrays."""

    @staticmethod
    @abstractmethod
    def _log_density(constants: Any, x: Any, ops: Ops) -> Any:
        """Return the log-density from the constants, for arrays and tensors alike."""

    def log_prob(self, x: Numbers) -> Any:
        """Return the logarithm of the density (or probability) at x, in float64; minus infinity outside the support.

        Parameters
        ----------
        x : array-like or tensor of shape (..., *event_shape)
            Broadcasts against `batch_shape`.

        Returns
        -------
        array (or tensor, for a tensor) of the broadcast shape
        """
        if self._large and not _array.is_tensor(x):
            rows = real_rows(type(self).__name__, x)
            self._check_outcomes(rows.shape)
            return self._large_log_prob(rows)[()]
        if type(x) is np.ndarray and x.dtype == np.float64:
            rows = x
        else:
            rows = real_rows(type(self).__name__, x)
            if _array.is_tensor(rows):
                self._check_outcomes(tuple(rows.shape))
                constants = type(self._constants)(*(_array.like(rows, value, "float64") for value in self._constants))
                return self._log_density(constants, rows, ops_of(rows))
        shape = self._met(rows.shape)
        if shape is None:
            self._check_outcomes(rows.shape)
            return self._log_density(self._constants, rows, NUMPY)[()]
        out = np.empty(shape)
        self._fused(rows if rows.flags.c_contiguous else np.ascontiguousarray(rows), out)
        return out[()]

    def _check_outcomes(self, shape: tuple[int, ...]) -> None:
        """Raise unless arrays of this shape hold outcomes, and broadcast against the batch."""
        place = len(shape) - len(self.event_shape)
        good = place >= 0 and shape[place:] == self.event_shape
        if good and self.batch_shape:
            try:
                np.broadcast_shapes(shape[:place], self.batch_shape)
            except ValueError:
                good = False
        if not good:
            event = ", ".join(["...", *map(str, self.event_shape)])
            advice = (
                f" and broadcast against the batch {self.batch_shape}: x[:, None] meets all of it"
                if self.batch_shape
                else ""
            )
            raise DataError(f"{type(self).__name__}.log_prob: x has shape {shape}; it must be ({event}){advice}.")

    def _met(self, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the shape of the result where outcomes meet the batch as kernels know it, else None: NumPy broadcasts.

        Kernels take outcomes that all of the batch share (axes of length one in its place), or one for each of the batch.
        """
        event, batch = len(self.event_shape), self.batch_shape
        if self._fused is None or (event and shape[len(shape) - event :] != self.event_shape) or 0 in shape:
            return None
        if event:
            shape = shape[:-event]
        if not batch:
            return shape
        front, back = shape[: -len(batch)], shape[-len(batch) :]
        if back == batch:
            return shape
        return (*front, *batch) if back == (1,) * len(batch) else None

    @property
    def _large(self) -> bool:
        """Whether parameters are so large that the plain formula would cancel."""
        return False

    def _large_log_prob(self, x: NDArray) -> NDArray:
        """Return the log-density by deviances (`deviance.py`)."""
        raise NotImplementedError

    _fused: Any = None  # (outcomes, out): the compiled log-density, for families that have one

    def _table(self, *constants: Any) -> NDArray:
        """Return constants of the batch as rows of a matrix, (constants, batch)."""
        return np.ascontiguousarray(np.stack([np.ravel(value) for value in constants]))

    def prob(self, x: Numbers) -> Any:
        """Return the density (or probability) at x."""
        value = self.log_prob(x)
        return ops_of(value).exp(value)

    # ------------------------------------------------------------------------------------------------ draws

    def sample(self, size: int | tuple[int, ...] | None = None, random_state: Seed = None) -> NDArray:
        """Draw outcomes; draw i depends on the seed and on i alone, so a longer sample begins with the shorter one.

        Parameters
        ----------
        size : int or tuple of int, default=None
            How many for each of the batch; None is one, without an axis of its own.
        random_state : None, int, Generator, RandomState or SeedSequence

        Returns
        -------
        array of shape (*size, *batch_shape, *event_shape)
        """
        shape = () if size is None else tuple(size) if isinstance(size, (tuple, list, np.ndarray)) else (size,)
        if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0 for n in shape):
            raise ParameterError(
                f"{type(self).__name__}.sample(size={size!r}): size must be a whole number or a tuple of them, zero or more."
            )
        count = int(np.prod(shape, dtype=np.int64))
        drawn = self._draw(Stream(seed_of(random_state)), count)
        return drawn.reshape(shape + drawn.shape[1:])[()]

    @abstractmethod
    def _draw(self, stream: Stream, count: int) -> NDArray:
        """Return `count` draws of every distribution of the batch, (count, *batch_shape, *event_shape)."""

    def _columns(self) -> int:
        """Number of distributions in the batch."""
        return int(np.prod(self.batch_shape, dtype=np.int64))

    # ------------------------------------------------------------------------------------------------ moments

    @property
    @abstractmethod
    def mean(self) -> Any:
        """The expectation."""

    @property
    @abstractmethod
    def var(self) -> Any:
        """The variance (of every coordinate)."""

    @property
    def std(self) -> Any:
        """The standard deviation (of every coordinate)."""
        return np.sqrt(self.var)

    @property
    @abstractmethod
    def mode(self) -> Any:
        """Where the density is largest."""

    @property
    @abstractmethod
    def support(self) -> Support:
        """Where the density is not zero."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """Number of free parameters of one distribution of the batch."""

    @abstractmethod
    def entropy(self) -> Any:
        """Return -E[log p(x)], in nats."""

    def kl(self, other: "Distribution") -> Any:
        """Return the Kullback-Leibler divergence E[log p(x) - log q(x)] to `other`, in nats.

        Families have closed forms for their own kind; else the expectation is summed or integrated, for one distribution of
        numbers and another. Between a distribution with a density and one with probabilities it is infinite: what one holds
        for certain has probability zero under the other.
        """
        if not isinstance(other, Distribution) or self.event_shape or other.event_shape:
            raise ParameterError(
                f"{type(self).__name__}.kl(other={other!r}): there is no closed form, and only distributions of numbers are"
                f" integrated."
            )
        if self.support.continuous != other.support.continuous:
            return np.full(np.broadcast_shapes(self.batch_shape, other.batch_shape), np.inf)[()]
        return self._expect(lambda x: self.log_prob(x) - other.log_prob(x), cuts(other))

    def expect(self, function: Callable[..., Any]) -> float:
        """Return E[f(x)] for one distribution of numbers: a sum over its outcomes, or an integral by quadrature.

        Parameters
        ----------
        function : callable
            Of an array of outcomes.
        """
        return self._expect(function, ())

    def _expect(self, function: Any, bends: Any) -> float:
        """Return E[f(x)] for a function that may bend at some places."""
        from novum.distributions.numerics.quadrature import expectation

        return expectation(self, function, bends)

    def _same_family(self, other: Any) -> Any:
        """Return `other` if it is of this family, else raise."""
        if type(other) is not type(self) or other.event_shape != self.event_shape:
            raise ParameterError(
                f"{type(self).__name__}.kl(other={other!r}): other must be a {type(self).__name__} with"
                f" event_shape {self.event_shape}."
            )
        return other

    def plot(self, ax: Axes | None = None, label: str | None = None, *, data: Numbers | None = None) -> Axes:
        """Draw the density: curves of numbers (one for each of a batch), contours of vectors in the plane or on a triangle.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            A new figure's where None.
        label : str, default=None
            For the legend; None shows the parameters where there are several curves.
        data : array-like of numbers, default=None
            Drawn as ticks at the foot; curves of densities reach all of them.
        """
        from novum.distributions.plots import plot_distribution

        return plot_distribution(self, ax, label, data)
