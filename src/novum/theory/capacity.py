r"""Capacity of a class of concepts: its VC dimension and its growth function, from a table or counted.

The growth function Pi(n) is the largest number of ways in which a class labels n points;
the VC dimension h is the largest n where it is 2^n:

    Pi(n) <= sum_{i=0}^h C(n, i) <= (e n / h)^h  for n >= h                    Sauer's lemma                      (1)
    halfspaces in d dimensions: Pi(n) = 2 sum_{i=0}^d C(n - 1, i),  h = d + 1  Cover; d for planes through 0      (2)
    finite class: Pi(n) <= min(2^n, |H|),  h <= log2 |H|                                                          (3)

One parameter may give infinite dimension (the signs of sin(w x)), and a finite dimension is what makes a class learnable, however
many parameters it has. Derivation: docs/theory/vc_dimension.md.
"""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.result import Result
from novum.runtime.checks import check_choice, check_count

__all__ = ["VCDimension", "growth_function", "log_growth", "prediction_table", "table_dimension", "vc_of_class"]

SYNONYMS = {
    "lines": "linear",
    "hyperplanes": "linear",
    "halfspaces": "linear",
    "perceptron": "linear",
    "circles": "balls",
    "spheres": "balls",
    "boxes": "rectangles",
    "rays": "thresholds",
    "1-nn": "nearest_neighbor",
    "rbf": "gaussian_kernel",
}
LARGEST_SEARCH = 5_000_000  # subsets of instances to look at: seconds


class VCDimension(float, Result):
    """A number with where it comes from.

    Attributes
    ----------
    kind : {"exact", "lower bound", "upper bound", "rule of thumb"}
    reason : str
    certificate : ndarray or None
        A shattered set of that many points, or the indices of such instances.
    """

    kind: str
    reason: str
    certificate: NDArray[Any] | None

    def __new__(cls, value: float, kind: str, reason: str, certificate: NDArray[Any] | None = None) -> "VCDimension":
        found = super().__new__(cls, value)
        found.kind, found.reason, found.certificate = kind, reason, certificate
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.kind, self.reason, self.certificate

    def _result_columns(self) -> dict[str, Any]:
        return {"dimension": [float(self)], "kind": [self.kind], "reason": [self.reason]}

    def __repr__(self) -> str:
        shown = "inf" if math.isinf(self) else str(int(self))
        return f"{shown} ({self.kind}: {self.reason})"


class Size(NamedTuple):
    """What a class may depend on."""

    d: int  # attributes
    k: int  # intervals of a union, vertices of a polygon
    degree: int
    hypotheses: int | None  # of a finite class
    parameters: int | None


class Class(NamedTuple):
    """A row of the table: dimension, growth where a formula better than Sauer's is known, and the reason."""

    dimension: Callable[[Size], float]
    growth: Callable[[int, Size], int] | None
    reason: str


def sauer(n: int, h: float) -> int:
    """Return the sum in (1)."""
    return 2**n if h >= n else sum(math.comb(n, i) for i in range(int(h) + 1))


def cover(n: int, terms: int) -> int:
    """Return (2): dichotomies of n points in general position by planes through the origin of `terms` dimensions."""
    return 2 * sum(math.comb(n - 1, i) for i in range(min(terms, n)))


def monomials(size: Size) -> int:
    return math.comb(size.d + size.degree, size.degree)


CLASSES = {
    "thresholds": Class(lambda s: 1, lambda n, s: n + 1, "x >= t: the left of two points cannot be alone"),
    "intervals": Class(
        lambda s: 2, lambda n, s: n * (n + 1) // 2 + 1, "of three points the outer two pull in the middle"
    ),
    "interval_unions": Class(lambda s: 2 * s.k, None, "2k + 1 alternating points need k + 1 intervals"),
    "linear": Class(lambda s: s.d + 1, lambda n, s: cover(n, s.d + 1), "d + 2 points have a Radon partition"),
    "homogeneous": Class(lambda s: s.d, lambda n, s: cover(n, s.d), "planes through the origin"),
    "polynomials": Class(monomials, lambda n, s: cover(n, monomials(s)), "a plane in the space of monomials"),
    "rectangles": Class(lambda s: 2 * s.d, None, "2d extreme points fix the box of all others"),
    "balls": Class(lambda s: s.d + 1, None, "halfspaces after lifting to the paraboloid"),
    "polygons": Class(lambda s: 2 * s.k + 1, None, "convex, with k vertices in the plane; points on a circle"),
    "convex": Class(lambda s: 2 if s.d == 1 else math.inf, None, "points on a circle, any subset has its hull"),
    "conjunctions": Class(lambda s: s.d, None, "rows of ones with one zero"),
    "monotone_conjunctions": Class(lambda s: s.d, None, "rows of ones with one zero"),
    "parities": Class(lambda s: s.d, None, "the unit vectors"),
    "boolean": Class(lambda s: 2**s.d, None, "all functions on 2^d instances"),
    "nearest_neighbor": Class(lambda s: math.inf, None, "one stored row per point"),
    "gaussian_kernel": Class(lambda s: math.inf, None, "narrow kernels reproduce any labels"),
    "sines": Class(lambda s: math.inf, None, "sign sin(w x): one parameter, points 2^-i"),
}
NAMES = (*CLASSES, "finite", "neural_network")


def class_name(owner: str, concepts: Any) -> str:
    """Return the name of the row in the table."""
    name = SYNONYMS.get(concepts, concepts) if isinstance(concepts, str) else concepts
    return check_choice(owner, "concepts", name, NAMES)


def size_of(owner: str, n_features: Any, k: Any, degree: Any, count: Any = None, parameters: Any = None) -> Size:
    return Size(
        check_count(owner, "n_features", n_features),
        check_count(owner, "k", k),
        check_count(owner, "degree", degree),
        None if count is None else check_count(owner, "n_hypotheses", count),
        None if parameters is None else check_count(owner, "n_parameters", parameters),
    )


def vc_of_class(owner: str, concepts: str, size: Size) -> VCDimension:
    """Return the dimension of a class by name."""
    name = class_name(owner, concepts)
    if name == "finite":
        if size.hypotheses is None:
            raise ParameterError(f"{owner}('finite'): give the number of hypotheses as n_hypotheses.")
        return VCDimension(
            size.hypotheses.bit_length() - 1, "upper bound", "log2 |H|: 2^h labelings need as many hypotheses"
        )
    if name == "neural_network":
        if size.parameters is None:
            raise ParameterError(f"{owner}('neural_network'): give the number of weights as n_parameters.")
        return VCDimension(
            size.parameters, "rule of thumb", "the number of weights; true dimensions depend on the units"
        )
    row = CLASSES[name]
    return VCDimension(row.dimension(size), "exact", row.reason)


def prediction_table(owner: str, table: Any) -> NDArray[np.bool_]:
    """Return the answers of enumerated hypotheses (rows) on instances (columns) as booleans."""
    array = np.asarray(table)
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"{owner}: concepts has shape {array.shape}; a table has a row per hypothesis, a column per instance."
        )
    values = np.unique(array)
    if len(values) > 2:
        raise DataError(f"{owner}: concepts holds {len(values)} different answers; shattering is about two.")
    return np.unique(array == values[-1], axis=0)


def patterns(table: NDArray[np.bool_], columns: Any) -> int:
    """Return how many different answers the hypotheses give on the columns."""
    chosen = table[:, list(columns)]
    if chosen.shape[1] <= 62:
        return len(np.unique(chosen @ (1 << np.arange(chosen.shape[1], dtype=np.int64))))
    return len(np.unique(chosen, axis=0))


def table_dimension(table: NDArray[np.bool_]) -> VCDimension:
    """Return the exact dimension of enumerated hypotheses: level by level, since subsets of shattered sets are shattered."""
    n = table.shape[1]
    level: list[tuple[int, ...]] = [()]
    looked = 0
    while True:
        size = len(level[0]) + 1
        known = set(level)
        larger = []
        if 2**size <= len(table):
            for base in level:
                for column in range(base[-1] + 1 if base else 0, n):
                    candidate = (*base, column)
                    if not all(candidate[:i] + candidate[i + 1 :] in known for i in range(size - 1)):
                        continue
                    looked += 1
                    if looked > LARGEST_SEARCH:
                        raise ParameterError(
                            f"vc_dimension: more than {LARGEST_SEARCH} sets of the {n} instances to look at; give fewer."
                        )
                    if patterns(table, candidate) == 2**size:
                        larger.append(candidate)
        if not larger:
            best = np.array(level[0], dtype=np.int64)
            return VCDimension(len(best), "exact", f"no {size} of the {n} instances are shattered", best)
        level = larger


def log_growth(n: float, h: float) -> float:
    """Return the logarithm of the bound (e n / h)^h of (1), and n ln 2 where n <= h."""
    if h <= 0:
        return 0.0
    return n * math.log(2) if n <= h else h * (math.log(n / h) + 1)


def growth_function(
    concepts: Any, n: int, *, n_features: int = 2, k: int = 1, degree: int = 1, n_hypotheses: int | None = None
) -> int:
    """Return the largest number of ways in which a class labels n points, or Sauer's bound on it.

    Parameters
    ----------
    concepts : str, int or table
        Name of a class as in `vc_dimension`; a VC dimension, for the sum of (1); or the answers of enumerated hypotheses (rows) on
        instances (columns), which are counted.
    n : int
        Points.
    n_features, k, degree, n_hypotheses
        As in `vc_dimension`.

    Returns
    -------
    int
        Exact for thresholds, intervals and their unions, halfspaces, polynomials and tables; Sauer's bound, exact up to the VC
        dimension, for the rest.

    Examples
    --------
    >>> from novum.theory import growth_function
    >>> [growth_function("linear", n) for n in (1, 2, 3, 4, 5)]  # lines in the plane
    [2, 4, 8, 14, 22]
    >>> growth_function(3, 10)
    176
    """
    n = check_count("growth_function", "n", n, low=0)
    if n == 0:
        return 1
    if isinstance(concepts, str):
        size = size_of("growth_function", n_features, k, degree, n_hypotheses)
        name = class_name("growth_function", concepts)
        if name == "neural_network":
            raise ParameterError(
                "growth_function('neural_network'): no exact dimension is known; give one as a number."
            )
        if name == "finite":
            vc_of_class("growth_function", name, size)
            assert size.hypotheses is not None
            return min(2**n, size.hypotheses)
        row = CLASSES[name]
        return sauer(n, row.dimension(size)) if row.growth is None else row.growth(n, size)
    if np.ndim(concepts) == 0:
        if isinstance(concepts, float) and math.isinf(concepts) and concepts > 0:
            return 2**n
        whole_number = int(concepts) if isinstance(concepts, VCDimension) else concepts
        return sauer(n, check_count("growth_function", "concepts", whole_number, low=0))
    table = prediction_table("growth_function", concepts)
    if n > table.shape[1]:
        raise ParameterError(f"growth_function(n={n}): the table has {table.shape[1]} instances.")
    if math.comb(table.shape[1], n) > LARGEST_SEARCH:
        raise ParameterError(
            f"growth_function(n={n}): too many sets of {table.shape[1]} instances; give fewer instances."
        )
    return max(patterns(table, columns) for columns in combinations(range(table.shape[1]), n))
