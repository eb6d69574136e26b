r"""Kernels of objects that are no vectors: equality, sets, and sums over parts.

    Match         [x = z]                                                                                        (1)
    SetKernel     sum_{a in A} sum_{b in B} k(a, b)           with (1): the size of the intersection             (2)
    Convolution   sum over decompositions (x_1 .. x_D) of x and (z_1 .. z_D) of z of prod_d k_d(x_d, z_d)        (3)

Objects come as they are: X is a list of whatever the kernel compares. Where the parts are compared by (1) alone, (2) and (3) are
inner products of counts, which are made explicitly: a sparse row per object, in one pass over it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from novum import _core
from novum.exceptions import DataError
from novum.kernels.base import Array, Kernel, number_of_samples
from novum.runtime.typing import Rows

__all__ = ["Convolution", "Counted", "Match", "SetKernel", "Structured", "counts_gram", "objects_of"]

DENSE_SHARE = 0.25  # of cells that are not zero: above, products of dense counts are faster than of sparse ones
DENSE_CELLS = 1 << 26  # counts that are ever made dense
PAIRS = 1 << 24  # pairs of parts whose kernels are held at a time


def objects_of(owner: str, X: Any) -> Sequence[Any]:
    """Return X as a sequence of objects; rows of a table become tuples, a table of one column what is in it."""
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise DataError(
            f"{owner}: X must be a list of objects, not {type(X).__name__}; for one object give a list of one."
        )
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return [row[0] if len(row) == 1 else tuple(row) for row in X.tolist()]
    return X.tolist() if hasattr(X, "tolist") else X


def counts_gram(rows: sparse.csr_matrix, columns: sparse.csr_matrix | None) -> Array:
    """Return inner products of counts, dense or sparse by cost."""
    cells = rows.shape[0] * rows.shape[1]
    if cells and cells <= DENSE_CELLS and rows.nnz > DENSE_SHARE * cells:
        left = rows.toarray()
        return left @ (left if columns is None else columns.toarray()).T
    left, other = rows.tocsr(), (rows if columns is None else columns).tocsc()
    other.sort_indices()
    parts = [(table.indptr.astype(np.int64), table.indices.astype(np.int64), table.data) for table in (left, other)]
    K = np.empty((rows.shape[0], rows.shape[0] if columns is None else columns.shape[0]))
    _core.kernels.counts.products(*parts[0], *parts[1], columns is None, K)
    return K


class Structured(Kernel):
    """A kernel of objects, without hyper-parameters of its own."""

    _valid: bool | None = True

    @property
    def requires_vector_input(self) -> bool:
        """Whether it compares vectors only: it compares objects."""
        return False

    def _values(self, X: Sequence[Any], Y: Sequence[Any] | None) -> Array:
        """Return the Gram matrix of two lists of objects, or of one with itself."""
        raise NotImplementedError

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        owner = type(self).__name__
        K = self._values(objects_of(owner, X), None if Y is None else objects_of(owner, Y))
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K


class Counted(Structured):
    """A kernel that is an inner product of counts."""

    def _counts(self, objects: Sequence[Any]) -> Any:
        """Return a sparse row of counts for every object, all in one vocabulary."""
        raise NotImplementedError

    def features(self, X: Rows) -> Any:
        """Return the counts whose inner products the kernel is, a sparse matrix with a row for every object."""
        return self._counts(objects_of(type(self).__name__, X))

    def _values(self, X: Sequence[Any], Y: Sequence[Any] | None) -> Array:
        if Y is None:
            return counts_gram(self._counts(X), None)
        both = self._counts([*X, *Y])
        return counts_gram(both[: len(X)], both[len(X) :])

    def diag(self, X: Rows) -> Array:
        """Return the sum of squared counts."""
        rows = self.features(X)
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def counts_of_parts(parts: Iterable[Iterable[Hashable]], owner: str) -> Any:
    """Return how often every part occurs in every object."""
    vocabulary: dict[Any, int] = {}
    pointer, index = [0], []
    for one in parts:
        try:
            index += [vocabulary.setdefault(part, len(vocabulary)) for part in one]
        except TypeError as error:
            raise DataError(f"{owner}: parts are compared by equality and must be hashable ({error}).") from None
        pointer.append(len(index))
    shape = len(pointer) - 1, max(1, len(vocabulary))
    table = sparse.csr_matrix((np.ones(len(index)), np.array(index, dtype=np.int64), np.array(pointer)), shape=shape)
    table.sum_duplicates()
    return table


class Match(Counted):
    """Whether two objects are equal: one or zero.

    Examples
    --------
    >>> from novum.kernels import Match
    >>> Match()(["a", "b", "a"])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    def __init__(self) -> None:
        """Nothing to set; scikit-learn reads the parameters of a kernel from its constructor."""

    def _counts(self, objects: Sequence[Any]) -> Any:
        return counts_of_parts(([one] for one in objects), "Match")

    def diag(self, X: Rows) -> Array:
        """Return one for every object."""
        return np.ones(number_of_samples(X))

    def is_stationary(self) -> bool:
        """Return True: objects are the same or not, wherever they are."""
        return True

    def __repr__(self) -> str:
        return "Match()"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return "[x = z]"


def membership(sizes: Sequence[int]) -> Any:
    """Return which parts belong to which object, a sparse matrix (objects, parts) of ones."""
    pointer = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return sparse.csr_matrix((np.ones(pointer[-1]), np.arange(pointer[-1]), pointer), shape=(len(sizes), pointer[-1]))


def summed_pairs(kernels: Sequence[Any], X: list[list[Any]], Y: list[list[Any]]) -> Array:
    """Return (3) for lists of decompositions: `X[i]` holds the tuples of object i. A few million pairs of parts at a time."""
    columns = [part for one in Y for part in one]
    K = np.zeros((len(X), len(Y)))
    most, begin, belongs = max(1, PAIRS // max(1, len(columns))), 0, membership([len(one) for one in Y])
    while begin < len(X) and columns:
        end, count = begin + 1, len(X[begin])
        while end < len(X) and count + len(X[end]) <= most:
            count += len(X[end])
            end += 1
        rows = [part for one in X[begin:end] for part in one]
        if rows:
            product = np.ones((len(rows), len(columns)))
            for d, kernel in enumerate(kernels):
                product *= kernel([part[d] for part in rows], [part[d] for part in columns])
            K[begin:end] = membership([len(one) for one in X[begin:end]]) @ (belongs @ product.T).T
        begin = end
    return K


class SetKernel(Counted):
    """Sets compared member by member, summed over all pairs (2); with `Match` the size of the intersection.

    Parameters
    ----------
    kernel : Kernel, default=None
        Of two members; None is `Match()`.

    Notes
    -----
    An object is a set, or a list, whose repeated members count as often as they stand there.

    Examples
    --------
    >>> from novum.kernels import RBF, SetKernel
    >>> kernel = SetKernel()
    >>> kernel([{"a", "b", "c"}], [{"b", "c", "d", "e"}]), kernel.normalized()([{"a", "b", "c"}], [{"b", "c", "d", "e"}]).round(6)
    (array([[2.]]), array([[0.57735]]))
    >>> SetKernel(RBF(1.0))([[[0.0], [1.0]]], [[[1.0]]]).round(6)  # sets of points
    array([[1.606531]])
    """

    def __init__(self, kernel: Kernel | None = None) -> None:
        self.kernel = kernel

    _children = ("kernel",)

    def _counts(self, objects: Sequence[Any]) -> Any:
        if not self._matches():
            raise DataError(f"{self!r}: only sets compared by Match have explicit features.")
        return counts_of_parts(objects, "SetKernel")

    def _matches(self) -> bool:
        return self.kernel is None or isinstance(self.kernel, Match)

    def _values(self, X: Sequence[Any], Y: Sequence[Any] | None) -> Array:
        if self._matches():
            return super()._values(X, Y)
        left = [[(member,) for member in one] for one in X]
        return summed_pairs([self.kernel], left, left if Y is None else [[(member,) for member in one] for one in Y])

    def diag(self, X: Any) -> Array:
        """Return k(x_i, x_i)."""
        return super().diag(X) if self._matches() else np.array([self._values([one], None)[0, 0] for one in X])

    @property
    def is_valid(self) -> bool | None:
        """Whether the kernel of members is valid."""
        return True if self._matches() or getattr(self.kernel, "is_valid", None) else None

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        if eval_gradient and self.kernel is not None and not self._matches() and self.kernel.theta.size:
            return set_gradient(self, objects_of("SetKernel", X))
        return super()._python(X, Y, eval_gradient)

    def __repr__(self) -> str:
        return "SetKernel()" if self.kernel is None else f"SetKernel({self.kernel!r})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        inner = "[a = b]" if self._matches() else f"{self.kernel!r}(a, b)"
        return f"sum over a in x and b in z of {inner}"


def set_gradient(kernel: Any, X: Sequence[Any]) -> tuple[Array, Array]:
    """Return values and derivatives of (2), summed from those of the members."""
    members = [member for one in X for member in one]
    k, dk = kernel.kernel(members, eval_gradient=True)
    belongs = membership([len(one) for one in X]).toarray()  # (objects, members)
    return belongs @ k @ belongs.T, np.einsum("ia,abs,jb->ijs", belongs, dk, belongs, optimize=True)


class Convolution(Counted):
    """A sum over all ways to take two objects apart, of products of kernels of their parts (3).

    Parameters
    ----------
    decompose : callable
        An object to a list of tuples, each a way to take it apart into D parts.
    kernels : sequence of Kernel, default=None
        One for each of the D parts; None compares all by `Match`.

    Examples
    --------
    Words cut in two at every place, compared by the letters at the cut:

    >>> from novum.kernels import Convolution, Match
    >>> def cuts(word):
    ...     return [(word[i - 1], word[i]) for i in range(1, len(word))]
    >>> Convolution(cuts, [Match(), Match()])(["aab"], ["ab"])
    array([[1.]])
    """

    def __init__(self, decompose: Callable[[Any], Any], kernels: Sequence[Any] | None = None) -> None:
        self.decompose = decompose
        self.kernels = kernels

    def _matches(self) -> bool:
        return self.kernels is None or all(isinstance(kernel, Match) for kernel in self.kernels)

    def _parts(self, one: Any) -> list[tuple[Any, ...]]:
        found = [tuple(part) for part in self.decompose(one)]
        width = None if self.kernels is None else len(self.kernels)
        if width is not None and any(len(part) != width for part in found):
            wrong = next(part for part in found if len(part) != width)
            raise DataError(
                f"Convolution: decompose returned a tuple of {len(wrong)} parts, but there are {width} kernels; give one per part."
            )
        return found

    def _counts(self, objects: Sequence[Any]) -> Any:
        if not self._matches():
            raise DataError("Convolution: only parts compared by Match have explicit features.")
        return counts_of_parts((self._parts(one) for one in objects), "Convolution")

    def _values(self, X: Sequence[Any], Y: Sequence[Any] | None) -> Array:
        if self._matches():
            return super()._values(X, Y)
        left = [self._parts(one) for one in X]
        assert self.kernels is not None
        return summed_pairs(self.kernels, left, left if Y is None else [self._parts(one) for one in Y])

    def diag(self, X: Any) -> Array:
        """Return k(x_i, x_i)."""
        return super().diag(X) if self._matches() else np.array([self._values([one], None)[0, 0] for one in X])

    @property
    def is_valid(self) -> bool | None:
        """Whether the kernels of the parts are valid."""
        return True if self._matches() or all(kernel.is_valid for kernel in self.kernels or ()) else None

    def __repr__(self) -> str:
        inner = "" if self.kernels is None else f", {list(self.kernels)!r}"
        return f"Convolution({getattr(self.decompose, '__name__', self.decompose)!s}{inner})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return "sum over decompositions of x and z of the product of kernels of their parts"
