r"""Variational Bayes with a factorised posterior: joint tables, conjugate models of the library, updates of one's own.

    q(Z) = prod_i q_i(Z_i),    log q_i(Z_i) = E_{the other factors}[log p(X, Z)] + const                        (1)
    L(q) = E_q[log p(X, Z)] + sum_i H(q_i)  <=  log p(X)                                                        (2)

Over a table whose axes are the latent variables, (1) is a sum over all axes but one, and log p(X) the sum of all cells. Which
maximum of (2) is reached depends on the start: several are tried and the highest bound is kept. A cell of probability zero counts
as e^-690, since an expectation needs a finite logarithm. Where the latents are variables of the model *and* its parameters, the
factors of both are updated in turn: with a point for the parameters this is EM, without latents variational Bayes alone.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax, xlogy

from novum.distributions import NormalGamma
from novum.exceptions import DataError, DataWarning, ParameterError, ParameterTypeError
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Seed
from novum.runtime.warn import warn
from novum.variational.bounds import log_table
from novum.variational.coordinate_ascent import MeanField, coordinate_ascent, warn_unless_converged
from novum.variational.normal import vb_normal

__all__ = ["mean_field"]

ZERO = -690.0  # below the largest cell: the logarithm of the smallest that differs from zero
IMPOSSIBLE = 1e-9  # mass of q on cells of probability zero that rounding explains
Array = NDArray[np.float64]


def expected_table(table: Array, q: dict[int, Array], keep: int | None) -> Array:
    """Return E[log p] over all axes but `keep`."""
    for axis in reversed(range(table.ndim)):
        if axis != keep:
            table = np.tensordot(table, q[axis], axes=(axis, 0))
    return table


def axis_update(table: Array, axis: int) -> Callable[[dict[int, Array]], Array]:
    """Return (1) for one axis."""
    return lambda q: softmax(expected_table(table, q, axis))


def start_of_table(table: Array, stream: Stream, start: int) -> dict[int, Array]:
    """Return equal probabilities, or random ones for every start but the first."""
    q = {}
    for axis, size in enumerate(table.shape):
        weights = stream.exponential("mean field", start, slice(axis, axis + 1), size)[0] if start else np.ones(size)
        q[axis] = weights / weights.sum()
    return q


def table_mean_field(log_joint: Any, starts: list[Any], tol: float, max_iter: int) -> MeanField:
    """Return the best factorised posterior of a table, and the evidence that sums it."""
    table = log_table("mean_field", "the table log_joint", log_joint)
    if not np.isfinite(table).any():
        raise DataError("mean_field: every cell of the table is -inf: the data are impossible.")
    floored = np.maximum(table, table.max() + ZERO)

    def bound(q: dict[int, Array]) -> float:
        return float(expected_table(floored, q, None)) - sum(float(xlogy(one, one).sum()) for one in q.values())

    updates = {axis: axis_update(floored, axis) for axis in range(table.ndim)}
    runs = [coordinate_ascent("mean_field", updates, q, bound, tol, max_iter) for q in starts]
    best = max(runs, key=lambda run: run.elbo)
    lost = float(expected_table(np.isneginf(table).astype(np.float64), best.factors, None))
    if lost > IMPOSSIBLE:
        warn(
            f"mean_field: a share {lost:.2g} of the factorised posterior lies on cells of probability zero, where its bound is "
            "-inf; the variables exclude each other and do not factorise: join them into one axis.",
            DataWarning,
        )
    return MeanField(best.factors, best.bounds, best.converged, best.n_iter, float(logsumexp(table)))


def mean_field(
    model: Any,
    data: Any = None,
    target: Numbers | None = None,
    *,
    start: Mapping[Any, Any] | None = None,
    bound: Callable[[dict[Any, Any]], float] | None = None,
    n_init: int = 5,
    tol: float = 1e-10,
    max_iter: int = 1000,
    random_state: Seed = None,
) -> Any:
    """Approximate a posterior by independent factors, updated in turn until none moves.

        log q_i(Z_i) = E_{the other factors}[log p(X, Z)] + const    (1)

    Parameters
    ----------
    model : array-like, NormalGamma, BayesianRidge, BayesianGaussianMixture or mapping
        A table of log p(X, Z), an axis for every variable of Z: `factors` has the axes' numbers as names. A conjugate model, with
        its data. Or one's own: {name: update}, each update a function from the dictionary of all factors to the new one.
    data, target : array-like, optional
        What a conjugate model is given: numbers for `NormalGamma`, X and y for `novum.linear_model.BayesianRidge`, X for
        `novum.mixture.BayesianGaussianMixture` (covariance_type="full").
    start : mapping, optional
        The factors to begin with, by name. Needed with updates of one's own; for a table it replaces the `n_init` starts.
    bound : callable, optional
        With updates of one's own: the dictionary of factors to the bound (2).
    n_init : int, default=5
        Starts for a table, the first of equal probabilities, the others random.
    tol : float, default=1e-10
        Stop when a sweep moves no parameter of a factor by more, relative to max(1, its size), and raises the bound by no more.
    max_iter : int, default=1000
        Sweeps from every start.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    MeanField
        A `VariationalNormal` for NormalGamma.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.variational import mean_field
    >>> joint = np.array([[0.3, 0.1], [0.05, 0.15]])  # p(x, z_0, z_1) of what was seen
    >>> found = mean_field(np.log(joint), random_state=0)
    >>> {axis: q.round(4).tolist() for axis, q in found.factors.items()}
    {0: [0.7224, 0.2776], 1: [0.6198, 0.3802]}
    >>> round(found.elbo, 4), round(found.log_evidence, 4)
    (-0.6323, -0.5108)

    Regression with unknown noise and unknown size of the weights:

    >>> from novum.linear_model import BayesianRidge
    >>> found = mean_field(BayesianRidge(), [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9])
    >>> found["weights"].mean.round(3)
    array([0.957])
    """
    tol, max_iter = check_number("mean_field", "tol", tol, 0), check_count("mean_field", "max_iter", max_iter)
    n_init = check_count("mean_field", "n_init", n_init)
    if isinstance(model, Mapping):
        found = own_mean_field(model, start, bound, tol, max_iter)
    elif bound is not None:
        raise ParameterError("mean_field: bound goes with updates of your own; this model has its bound already.")
    elif isinstance(model, NormalGamma):
        return vb_normal(data, model, tol=tol, max_iter=max_iter)
    elif hasattr(model, "_mean_field") and not isinstance(model, type):
        found = model._mean_field(data, target, tol, max_iter)
    elif hasattr(model, "get_params") or isinstance(model, str | type) or callable(model):
        raise ParameterTypeError(
            f"mean_field(model={model!r}): there are no conjugate updates for it; give a table of log p(X, Z), NormalGamma, "
            "BayesianRidge, BayesianGaussianMixture, or a mapping of updates of your own."
        )
    else:
        table = np.asarray(model)
        stream = Stream(seed_of(random_state))
        starts: list[Any] = [start_of_table(table, stream, k) for k in range(n_init)]
        if start is not None:
            starts = [{axis: np.asarray(start[axis], np.float64) for axis in range(table.ndim)}]
        found = table_mean_field(model, starts, tol, max_iter)
    return warn_unless_converged("mean_field", found, max_iter)


def own_mean_field(updates: Mapping[Any, Any], start: Any, bound: Any, tol: float, max_iter: int) -> MeanField:
    """Return the fixed point of updates that the user brings."""
    if start is None or bound is None:
        raise ParameterError(
            "mean_field: updates of your own need start={name: factor} and bound=function, which never falls."
        )
    missing = [name for name in updates if name not in start]
    if missing:
        raise ParameterError(
            f"mean_field(start=...): there is no factor {missing[0]!r}, which an update is named after."
        )
    return coordinate_ascent("mean_field", updates, start, bound, tol, max_iter)
