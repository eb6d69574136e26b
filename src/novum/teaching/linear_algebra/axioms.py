"""Axioms tried on examples: a definition with "for all" is refuted by one of them, and the answer carries it.

    group            (a b) c = a (b c);   e a = a e = a for one e;   for every a some b with a b = b a = e
    vector space     v + w = w + v;   (u + v) + w = u + (v + w);   1v = v
                     a(v + w) = av + aw;   (a + b)v = av + bv;   (ab)v = a(bv)
    subspace         av + bw is a member where v and w are
    norm             |v| = 0 only at zero, else > 0;   |av| = |a| |v|;   |v + w| <= |v| + |w|
    bilinear form    Q(au + bv, w) = a Q(u, w) + b Q(v, w), and the same in the second place

Of a group every case is tried, so that "holds" is a proof; of the others all combinations of the given examples. Metrics have
`novum.teaching.check_metric_axioms`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import finite
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["AxiomCheck", "check_bilinear_form", "check_group", "check_norm", "check_subspace", "check_vector_space"]

Case = tuple[str, bool, tuple[Any, ...]]  # the law, whether it holds here, what it was tried on


@dataclass(frozen=True)
class AxiomCheck(Result):
    """Whether axioms hold; true in an `if` where they do.

    Attributes
    ----------
    violated : str or None
        The first law that an example breaks.
    witness : tuple
        That example; empty where all laws hold.
    commutative : bool or None
        Of a group, whether a b = b a for all pairs; of a bilinear form, whether Q(v, w) = Q(w, v) in all examples.
    n_cases : int
        How many were tried.
    """

    violated: str | None
    witness: tuple[Any, ...]
    commutative: bool | None
    n_cases: int

    def __bool__(self) -> bool:
        return self.violated is None


def verdict(cases: Iterable[Case], commutative: bool | None = None) -> AxiomCheck:
    """Return the first case that fails, or that none does."""
    count = 0
    for law, holds, example in cases:
        count += 1
        if not holds:
            return AxiomCheck(law, example, commutative, count)
    return AxiomCheck(None, (), commutative, count)


def check_group(table: Numbers) -> AxiomCheck:
    """Try the axioms of a group on its whole operation table.

    Parameters
    ----------
    table : array-like of int of shape (n, n)
        Entry (i, j) is the number of element i combined with element j.

    Examples
    --------
    >>> from novum.teaching import check_group
    >>> turns = check_group([[(i + j) % 4 for j in range(4)] for i in range(4)])
    >>> bool(turns), turns.commutative
    (True, True)
    >>> products = check_group([[(i * j) % 4 for j in range(4)] for i in range(4)])
    >>> products.violated, products.witness
    ('inverse', (0,))
    """
    array = np.asarray(table)
    n = len(array) if array.ndim else 0
    if array.shape != (n, n) or n == 0 or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n:
        raise DataError(
            f"check_group: table has shape {array.shape}; it must be square with the numbers 0 to n - 1 of the elements."
        )

    def cases() -> Iterator[Case]:
        for i, j, k in product(range(n), repeat=3):
            yield "associativity", array[array[i, j], k] == array[i, array[j, k]], (i, j, k)
        whole = np.arange(n)
        neutral = [e for e in range(n) if (array[e] == whole).all() and (array[:, e] == whole).all()]
        yield "identity", bool(neutral), ()
        for i in range(n):
            yield "inverse", any(array[i, j] == array[j, i] == neutral[0] for j in range(n)), (i,)

    return verdict(cases(), bool((array == array.T).all()))


def examples_of(owner: str, vectors: Any, scalars: Any) -> tuple[list[NDArray[Any]], list[float]]:
    """Return vectors (of any shape, all the same) and scalars as lists."""
    if not len(vectors) or not len(scalars):
        raise DataError(f"{owner}: needs at least one vector and one scalar to try.")
    array = np.asarray(vectors, dtype=np.float64)
    return list(finite(owner, "vectors", array, array.ndim)), list(finite(owner, "scalars", scalars, 1))


def check_vector_space(
    vectors: Numbers,
    scalars: Sequence[float],
    *,
    add: Callable = np.add,
    scale: Callable = np.multiply,
    tol: float = 1e-9,
) -> AxiomCheck:
    """Try the laws of a vector space on all combinations of some vectors and scalars.

    Parameters
    ----------
    vectors : list of arrays of equal shape
    scalars : list of float
    add, scale : functions
        v + w and a v.
    tol : float, default=1e-9
        What counts as rounding, relative to the sizes compared.

    Examples
    --------
    >>> from novum.teaching import check_vector_space
    >>> bool(check_vector_space([[1.0, 2.0], [0.0, -3.0]], [-2.0, 0.5]))
    True
    >>> check_vector_space([[1.0, 2.0]], [2.0, 3.0], scale=lambda a, v: a**2 * v).violated
    '(a + b)v = av + bv'
    """
    owner = "check_vector_space"
    v_all, a_all = examples_of(owner, vectors, scalars)
    slack = check_number(owner, "tol", tol, 0)

    def same(left: Any, right: Any) -> bool:
        return bool(np.allclose(left, right, rtol=slack, atol=slack))

    def cases() -> Iterator[Case]:
        for v, w in product(v_all, repeat=2):
            yield "v + w = w + v", same(add(v, w), add(w, v)), (v, w)
        for u, v, w in product(v_all, repeat=3):
            yield "(u + v) + w = u + (v + w)", same(add(add(u, v), w), add(u, add(v, w))), (u, v, w)
        for a, b, v, w in product(a_all, a_all, v_all, v_all):
            yield "a(v + w) = av + aw", same(scale(a, add(v, w)), add(scale(a, v), scale(a, w))), (a, v, w)
            yield "(a + b)v = av + bv", same(scale(a + b, v), add(scale(a, v), scale(b, v))), (a, b, v)
            yield "(ab)v = a(bv)", same(scale(a * b, v), scale(a, scale(b, v))), (a, b, v)
        for v in v_all:
            yield "1v = v", same(scale(1.0, v), v), (v,)

    return verdict(cases())


def check_subspace(member: Callable, vectors: Numbers, scalars: Sequence[float]) -> AxiomCheck:
    """Try whether av + bw stays in a set, for members v and w.

    Parameters
    ----------
    member : function
        Whether a vector belongs to the set.
    vectors : list of arrays
        Members to combine; the function must say so of each.
    scalars : list of float

    Examples
    --------
    >>> from novum.teaching import check_subspace
    >>> bool(check_subspace(lambda v: v[0] == 2 * v[1], [[2.0, 1.0], [-4.0, -2.0]], [-1.0, 3.0]))
    True
    >>> check_subspace(lambda v: v[0] >= 0, [[1.0, 0.0]], [-1.0, 1.0]).violated
    'av + bw'
    """
    v_all, a_all = examples_of("check_subspace", vectors, scalars)
    for v in v_all:
        if not member(v):
            raise DataError(f"check_subspace: {v.tolist()} is no member of the set; give members to combine.")
    cases = (
        ("av + bw", bool(member(a * v + b * w)), (a, v, b, w)) for a, b, v, w in product(a_all, a_all, v_all, v_all)
    )
    return verdict(cases)


def check_norm(norm: Callable, vectors: Numbers, scalars: Sequence[float], *, tol: float = 1e-9) -> AxiomCheck:
    """Try the axioms of a norm on all combinations of some vectors and scalars.

    Parameters
    ----------
    norm : function of a vector
    vectors : list of arrays
    scalars : list of float
    tol : float, default=1e-9
        What counts as rounding, relative to the norms compared.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import check_norm
    >>> vectors = [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]
    >>> bool(check_norm(np.linalg.norm, vectors, [-2.0, 0.5]))
    True
    >>> check_norm(lambda v: np.sum(np.abs(v) ** 0.5) ** 2, vectors, [-2.0, 0.5]).violated
    '|v + w| <= |v| + |w|'
    """
    v_all, a_all = examples_of("check_norm", vectors, scalars)
    slack = check_number("check_norm", "tol", tol, 0)

    def cases() -> Iterator[Case]:
        for v in v_all:
            size = norm(v)
            yield "|v| > 0 but at zero", bool(size > 0) == bool(np.any(v)) and not size < 0, (v,)
            for a in a_all:
                yield "|av| = |a| |v|", abs(norm(a * v) - abs(a) * size) <= slack * abs(a) * size, (a, v)
        for v, w in product(v_all, repeat=2):
            both = norm(v) + norm(w)
            yield "|v + w| <= |v| + |w|", norm(v + w) <= both * (1 + slack), (v, w)

    return verdict(cases())


def check_bilinear_form(form: Callable, vectors: Numbers, scalars: Sequence[float], *, tol: float = 1e-9) -> AxiomCheck:
    """Try whether a function of two vectors is linear in each, on all combinations of some vectors and scalars.

    Parameters
    ----------
    form : function of two vectors
    vectors : list of arrays
    scalars : list of float
    tol : float, default=1e-9
        What counts as rounding, relative to the values compared.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import check_bilinear_form
    >>> M, vectors = np.array([[2.0, 1.0], [1.0, 3.0]]), [[1.0, 0.0], [1.0, 2.0]]
    >>> found = check_bilinear_form(lambda x, y: x @ M @ y, vectors, [-2.0, 0.5])
    >>> bool(found), found.commutative
    (True, True)
    >>> check_bilinear_form(lambda x, y: x @ y + 1, vectors, [-2.0, 0.5]).violated
    'linear in the first'
    """
    v_all, a_all = examples_of("check_bilinear_form", vectors, scalars)
    slack = check_number("check_bilinear_form", "tol", tol, 0)

    def same(left: float, *parts: float) -> bool:
        return abs(left - sum(parts)) <= slack * max(abs(left), *map(abs, parts), np.finfo(float).tiny)

    def cases() -> Iterator[Case]:
        for a, b, u, v, w in product(a_all, a_all, v_all, v_all, v_all):
            yield "linear in the first", same(form(a * u + b * v, w), a * form(u, w), b * form(v, w)), (a, u, b, v, w)
            yield "linear in the second", same(form(w, a * u + b * v), a * form(w, u), b * form(w, v)), (a, u, b, v, w)

    mirrored = all(same(form(v, w), form(w, v)) for v, w in product(v_all, repeat=2))
    return verdict(cases(), mirrored)
