r"""How many hypotheses there are: what bounds over finite classes need, exactly or as a logarithm.

With n attributes of k_1, ..., k_n values (two each unless said otherwise) and |X| = prod k_j instances:

    boolean                 2^|X|                              every function                                     (1)
    conjunctions            prod (k_j + 1)                     each attribute free or fixed; 3^n                  (2)
    monotone_conjunctions   2^n                                unnegated literals
    k_dnf, k_cnf            2^m,  m = sum_{i=1}^k C(n, i) 2^i  sets of terms (clauses) of at most k literals      (3)
    k_term_dnf              3^(n k)                            k conjunctions in a row
    decision_lists          sum_j A(j) 2^(j+1)                 j tests of m, in order, no literal twice; m = 2n   (4)
    decision_trees          n^(2^d - 1) 2^(2^d)                of full depth d: T_0 = 2, T_d = n T_{d-1}^2        (5)
                            C_{l-1} n^(l-1) 2^l                with l leaves, C the Catalan numbers               (6)
    parities                2^n
    symmetric               2^(n+1)                            functions of the number of ones
    rectangles              prod k_j (k_j + 1) / 2             boxes with sides on a grid of k_j values           (7)

(3) to (6) count formulas. Several may say the same: they are upper bounds on the number of functions, which is what bounds need.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count

__all__ = ["hypothesis_count"]

KINDS = (
    "boolean",
    "conjunctions",
    "monotone_conjunctions",
    "disjunctions",
    "k_dnf",
    "k_cnf",
    "k_term_dnf",
    "decision_lists",
    "decision_trees",
    "parities",
    "symmetric",
    "rectangles",
)
NEEDS_K = ("k_dnf", "k_cnf", "k_term_dnf")
BINARY = (*NEEDS_K, "monotone_conjunctions", "decision_lists", "decision_trees", "parities", "symmetric")
LARGEST_BITS = 1 << 20  # an exact count beyond a million bits helps nobody and fills the memory


def values_of(n_features: int, n_values: Any) -> list[int]:
    """Return the number of values of every attribute."""
    if np.ndim(n_values) == 1:
        found = [check_count("hypothesis_count", "n_values", k, low=1) for k in n_values]
        if len(found) != n_features:
            raise ParameterError(
                f"hypothesis_count(n_features={n_features}, n_values={n_values!r}): give a number of values per feature."
            )
        return found
    return [check_count("hypothesis_count", "n_values", n_values, low=1)] * n_features


def short_terms(n: int, k: int) -> int:
    """Return m of (3)."""
    return sum(math.comb(n, i) * 2**i for i in range(1, min(n, k) + 1))


def decision_lists(n: int) -> int:
    """Return (4): j different literals in order, an answer after each and one at the end."""
    return sum(math.perm(2 * n, j) * 2 ** (j + 1) for j in range(2 * n + 1))


def tree_factors(n: int, depth: int | None, n_leaves: int | None) -> list[tuple[int, int]]:
    """Return (5) or (6) as powers: pairs of base and exponent."""
    if (depth is None) == (n_leaves is None):
        raise ParameterError(
            f"hypothesis_count('decision_trees', depth={depth!r}, n_leaves={n_leaves!r}): give one of the two."
        )
    if depth is not None:
        full = 2 ** check_count("hypothesis_count", "depth", depth, low=0)
        return [(n, full - 1), (2, full)]
    leaves = check_count("hypothesis_count", "n_leaves", n_leaves)
    return [(math.comb(2 * leaves - 2, leaves - 1) // leaves, 1), (n, leaves - 1), (2, leaves)]


def factors_of(kind: str, values: list[int], k: int | None, depth: Any, n_leaves: Any) -> list[tuple[int, int]]:
    """Return the count as a product of powers."""
    n = len(values)
    if kind == "boolean":
        return [(2, math.prod(values))]
    if kind in ("conjunctions", "disjunctions"):
        return [(size + 1, 1) for size in values]
    if kind in ("monotone_conjunctions", "parities"):
        return [(2, n)]
    if kind in ("k_dnf", "k_cnf"):
        assert k is not None
        return [(2, short_terms(n, k))]
    if kind == "k_term_dnf":
        assert k is not None
        return [(3, n * k)]
    if kind == "decision_lists":
        return [(decision_lists(n), 1)]
    if kind == "symmetric":
        return [(2, n + 1)]
    if kind == "rectangles":
        return [(size * (size + 1) // 2, 1) for size in values]
    return tree_factors(n, depth, n_leaves)


def hypothesis_count(
    kind: str,
    n_features: int,
    *,
    n_values: int | Sequence[int] = 2,
    k: int | None = None,
    depth: int | None = None,
    n_leaves: int | None = None,
    never: bool = False,
    log: bool = False,
) -> int | float:
    """Return the number of hypotheses of a class over attributes with finitely many values, or its natural logarithm.

    Parameters
    ----------
    kind : {"boolean", "conjunctions", "monotone_conjunctions", "disjunctions", "k_dnf", "k_cnf", "k_term_dnf", \
"decision_lists", "decision_trees", "parities", "symmetric", "rectangles"}
        The class; formulas in the module's documentation.
    n_features : int
    n_values : int or sequence of int, default=2
        Values of every attribute, for boolean functions, conjunctions, disjunctions and rectangles.
    k : int, default=None
        Literals of a term (k_dnf, k_cnf) or terms (k_term_dnf).
    depth, n_leaves : int, default=None
        Size of the trees, one of the two.
    never : bool, default=False
        Whether conjunctions and rectangles include the one that covers nothing.
    log : bool, default=False
        Whether to return the natural logarithm, which is what bounds use; infinite where it exceeds any float.

    Returns
    -------
    int or float

    Examples
    --------
    >>> from novum.theory import hypothesis_count
    >>> hypothesis_count("boolean", 3), hypothesis_count("conjunctions", 10)
    (256, 59049)
    >>> hypothesis_count("conjunctions", 6, n_values=[3, 2, 2, 2, 2, 2], never=True)  # EnjoySport
    973
    """
    kind = check_choice("hypothesis_count", "kind", kind, KINDS)
    n = check_count("hypothesis_count", "n_features", n_features)
    values = values_of(n, n_values)
    if kind in BINARY and any(size != 2 for size in values):
        raise ParameterError(
            f"hypothesis_count({kind!r}, n_values={n_values!r}): this class is over binary attributes."
        )
    if kind in NEEDS_K:
        k = check_count("hypothesis_count", "k", k)
    if never and kind not in ("conjunctions", "rectangles"):
        raise ParameterError(f"hypothesis_count({kind!r}, never=True): only conjunctions and rectangles leave it out.")
    factors = factors_of(kind, values, k, depth, n_leaves)
    # a product of logarithms also where the exponent exceeds any float: then the logarithm itself is infinite
    logarithm = sum((math.log(base) * power if power < 1 << 1000 else math.inf) for base, power in factors if base > 1)
    if log:
        return float(logarithm + math.log1p(math.exp(-logarithm)) if never else logarithm)
    if logarithm > LARGEST_BITS * math.log(2):
        raise ParameterError(
            f"hypothesis_count({kind!r}, n_features={n}): the count has more than a million bits; pass log=True."
        )
    return math.prod(base**power for base, power in factors) + (1 if never else 0)
