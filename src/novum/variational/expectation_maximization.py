r"""Expectation maximisation for any model, with the decomposition that explains why it climbs.

    log p(X | theta) = L(q, theta) + KL(q || p(Z | X, theta)),   L = E_q[log p(X, Z | theta)] + H(q)            (1)
    E step   q     <- p(Z | X, theta), or whatever else raises L          closes the gap, or narrows it         (2)
    M step   theta <- argmax L(q, theta) + log p(theta)                   raises the bound and opens the gap    (3)

Neither step lowers L + log p(theta), the objective; with an exact E step the log-likelihood (plus log-prior) itself never falls.
An approximate q (variational EM) raises the bound only. Both steps are watched: a step that lowers the objective by more than
rounding is not what it claims to be, and a warning says which and when.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError, ParameterTypeError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count, check_number, probability_table
from novum.runtime.typing import Axes
from novum.runtime.warn import warn
from novum.variational.bounds import log_table, posterior_of_table, table_bound
from novum.variational.numbers import largest_change

__all__ = ["ExpectationMaximization", "em"]

ROUNDING = 1e-10  # relative: sums of n terms in float64 do not repeat to more
Array = NDArray[np.float64]


class Terms(NamedTuple):
    """Both sides of (1)."""

    log_likelihood: float
    bound: float
    kl: float


@dataclass(frozen=True, repr=False)
class ExpectationMaximization(Result):
    """Where the steps ended, and every term of (1) on the way.

    Attributes
    ----------
    parameters : object
        theta, as the M step returned it.
    q : object
        Of the last E step.
    log_likelihood : ndarray of shape (n_iter + 1,)
        log p(X | theta) before every iteration and at the end; NaN where it is not at hand.
    bound_after_e, kl_after_e : ndarray of shape (n_iter + 1,)
        L and KL after the E step at these parameters; KL is zero where that step is exact.
    bound_after_m, kl_after_m : ndarray of shape (n_iter + 1,)
        The same after the M step that follows; NaN at the end.
    log_prior : ndarray of shape (n_iter + 1,)
        Of the parameters; zero without one.
    converged : bool
    n_iter : int
    """

    parameters: Any
    q: Any
    log_likelihood: Array
    bound_after_e: Array
    kl_after_e: Array
    bound_after_m: Array
    kl_after_m: Array
    log_prior: Array
    converged: bool
    n_iter: int

    @property
    def objective(self) -> Array:
        """The bound after every E step, plus the log-prior: what never falls."""
        return self.bound_after_e + self.log_prior

    def _result_columns(self) -> dict[str, Any]:
        names = ("log_likelihood", "bound_after_e", "kl_after_e", "bound_after_m", "kl_after_m")
        return {name: getattr(self, name).tolist() for name in names}

    def _result_picture(self, ax: Any) -> None:
        half = np.stack([self.bound_after_e, self.bound_after_m], axis=1).ravel()[:-1]
        steps = np.arange(half.size) / 2
        if np.isfinite(self.log_likelihood).any():  # an M step moves it, an E step leaves it where it is
            likelihood = np.repeat(self.log_likelihood, 2)[1:]
            ax.plot(steps, likelihood, marker="o", ms=3, color=series(ax, 0), label="log-likelihood")
        ax.plot(steps, half, marker=".", color=series(ax, 3), label="bound, after E and after M")
        ax.set(xlabel="iteration", ylabel="nats", title="EM: each M step raises the bound, each E step closes the gap")
        draw_legend(ax)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw log-likelihood and bound; the bound has a point after every half step."""
        ax = drawing_axes(ax)
        self._result_picture(ax)
        return ax


class Steps:
    """The user's functions with their answers checked."""

    def __init__(self, m_step: Any, log_joint: Any, e_step: Any, log_likelihood: Any, bound: Any, log_prior: Any):
        self.m_step, self.log_joint, self.e_step = m_step, log_joint, e_step
        self.log_likelihood, self.bound, self.log_prior = log_likelihood, bound, log_prior

    def table(self, theta: Any) -> Array:
        """Return log p(X, Z | theta) with the values of Z along the last axis."""
        table = log_table("em", "log_joint(theta)", self.log_joint(theta))
        empty = ~np.isfinite(table).any(axis=-1)
        if empty.any():
            raise DataError(
                f"em: log_joint is -inf for every value of Z at observation {int(np.ravel(empty).argmax())}: it is impossible "
                "under these parameters; start elsewhere, or keep the M step off the border."
            )
        return table

    def posterior(self, theta: Any, q: Any) -> Any:
        """Return (2)."""
        if self.log_joint is None:
            return self.e_step(theta, q)
        table = self.table(theta)
        if self.e_step is None:
            return posterior_of_table(table)
        found = probability_table("em", "the q that e_step returned", self.e_step(theta, q), -1)
        if found.shape != table.shape:
            raise DataError(f"em: e_step returned shape {found.shape}, log_joint {table.shape}; they must be the same.")
        return found

    def terms(self, theta: Any, q: Any, fresh: bool) -> Terms:
        """Return (1); `fresh` q comes from an E step at these parameters."""
        if self.log_joint is not None:
            found = table_bound(self.table(theta), q)
            return Terms(found.log_evidence, found.elbo, found.kl)
        value = float("nan") if self.log_likelihood is None else float(self.log_likelihood(theta))
        if self.bound is not None:
            bound = float(self.bound(q, theta))
            return Terms(value, bound, value - bound)
        return Terms(value, value, 0.0) if fresh else Terms(value, float("nan"), float("nan"))

    def prior(self, theta: Any) -> float:
        """Return log p(theta)."""
        return 0.0 if self.log_prior is None else float(self.log_prior(theta))


class MonotonicityCheck:
    """Whether the objective has ever fallen; warns the first time."""

    def __init__(self) -> None:
        self.last, self.warned = -np.inf, False

    def see(self, value: float, step: str, iteration: int) -> None:
        """Compare with the last value."""
        if np.isnan(value):
            return
        if value < self.last - ROUNDING * max(1.0, abs(self.last)) and not self.warned:
            self.warned = True
            warn(
                f"em: the {step} step of iteration {iteration} lowered the objective from {num(self.last):.10g} "
                f"to {num(value):.10g}; "
                f"{step.lower()}_step does not raise E_q[log p(X, Z | theta)] + H(q): check it against log_joint or bound.",
                DataWarning,
            )
        self.last = value


def climb(steps: Steps, theta: Any, tol: float, max_iter: int) -> ExpectationMaximization:
    """Return the run from one start."""
    q, watch, converged = None, MonotonicityCheck(), False
    rows: list[tuple[Terms, Terms, float]] = []
    blank = Terms(*[float("nan")] * 3)
    for iteration in range(max_iter + 1):
        q = steps.posterior(theta, q)
        after_e, prior = steps.terms(theta, q, fresh=True), steps.prior(theta)
        if np.isnan(after_e.bound) or np.isnan(prior) or after_e.bound == np.inf:
            raise DataError(
                f"em: the objective is {after_e.bound + prior} before iteration {iteration}; the start or m_step has left "
                "the domain of log_joint, log_likelihood or log_prior."
            )
        watch.see(after_e.bound + prior, "E", iteration)
        gain = after_e.bound + prior - (rows[-1][0].bound + rows[-1][2]) if rows else np.inf
        rows.append((after_e, blank, prior))
        if converged and gain <= tol * max(1.0, abs(after_e.bound + prior)):
            break
        if iteration == max_iter:
            converged = False
            break
        after = steps.m_step(q, theta)
        moved = largest_change(theta, after)
        converged = bool(np.isnan(moved) or moved <= tol)  # and the gain, once the next E step has computed it
        theta = after
        if steps.log_joint is not None or steps.bound is not None:
            after_m = steps.terms(theta, q, fresh=False)
            rows[-1] = (after_e, after_m, prior)
            watch.see(after_m.bound + steps.prior(theta), "M", iteration)
    first, second = (np.array([row[k] for row in rows], dtype=np.float64) for k in (0, 1))
    return ExpectationMaximization(
        parameters=theta,
        q=q,
        log_likelihood=first[:, 0],
        bound_after_e=first[:, 1],
        kl_after_e=first[:, 2],
        bound_after_m=second[:, 1],
        kl_after_m=second[:, 2],
        log_prior=np.array([row[2] for row in rows]),
        converged=converged,
        n_iter=len(rows) - 1,
    )


def em(
    start: Any,
    m_step: Callable[[Any, Any], Any],
    *,
    log_joint: Callable[[Any], Any] | None = None,
    e_step: Callable[[Any, Any], Any] | None = None,
    log_likelihood: Callable[[Any], float] | None = None,
    bound: Callable[[Any, Any], float] | None = None,
    log_prior: Callable[[Any], float] | None = None,
    more_starts: Sequence[Any] = (),
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> ExpectationMaximization:
    """Run expectation maximisation, or variational EM, for a model given by functions.

        log p(X | theta) = L(q, theta) + KL(q || p(Z | X, theta))    (1)

    Parameters
    ----------
    start : object
        theta to begin with: numbers, arrays, or mappings and tuples of them.
    m_step : callable
        (q, theta) to the next theta, which maximises (or raises) E_q[log p(X, Z | theta)] + log p(theta).
    log_joint : callable, optional
        theta to log p(x_i, z | theta), shape (n, k), for latents with k values: all terms of (1) follow from it.
    e_step : callable, optional
        (theta, last q or None) to q. With `log_joint`: None is the exact posterior, a function makes it variational EM. Without:
        needed; q may be whatever `m_step` understands, such as expected statistics.
    log_likelihood : callable, optional
        theta to log p(X | theta), where there is no `log_joint`.
    bound : callable, optional
        (q, theta) to L(q, theta), where there is no `log_joint` and the E step is approximate.
    log_prior : callable, optional
        theta to log p(theta): the maximum a posteriori.
    more_starts : sequence, default=()
        Further starts; the run with the highest objective is returned. EM finds a local maximum.
    tol : float, default=1e-8
        Stop when an iteration moves no parameter by more, relative to max(1, its size), and gains no more of the objective.
    max_iter : int, default=1000

    Returns
    -------
    ExpectationMaximization

    Examples
    --------
    Means of two spherical Gaussians of variance one, equally likely:

    >>> import numpy as np
    >>> from novum.variational import em
    >>> x = np.array([0.0, 1.0, 4.0, 5.0])
    >>> found = em(
    ...     np.array([0.0, 4.0]),
    ...     lambda q, mu: q.T @ x / q.sum(axis=0),
    ...     log_joint=lambda mu: -0.5 * (x[:, None] - mu) ** 2 - 0.5 * np.log(2 * np.pi) + np.log(0.5),
    ... )
    >>> found.parameters.round(6), found.log_likelihood[:2].round(6)
    (array([0.503868, 4.496132]), array([-7.429516, -6.944099]))
    """
    tol, max_iter = check_number("em", "tol", tol, 0), check_count("em", "max_iter", max_iter)
    functions = {
        "m_step": m_step,
        "log_joint": log_joint,
        "e_step": e_step,
        "log_likelihood": log_likelihood,
        "bound": bound,
    }
    for name, function in functions.items():
        if not callable(function) and (function is not None or name == "m_step"):
            raise ParameterTypeError(f"em({name}={function!r:.60}): give a function.")
    if log_joint is None and (e_step is None or (log_likelihood is None and bound is None)):
        raise ParameterError(
            "em: give log_joint, from which posterior and likelihood follow; or e_step with log_likelihood (or with bound, "
            "where the E step is approximate)."
        )
    if log_joint is not None and (log_likelihood is not None or bound is not None):
        raise ParameterError(
            "em: log_joint gives the likelihood and the bound already; leave log_likelihood and bound out."
        )
    steps = Steps(m_step, log_joint, e_step, log_likelihood, bound, log_prior)
    runs = [climb(steps, theta, tol, max_iter) for theta in [start, *more_starts]]
    best = max(runs, key=lambda run: float(run.objective[-1]))
    if not best.converged:
        warn(
            f"em: stopped after max_iter={max_iter} iterations, the objective still changing by "
            f"{num(best.objective[-1] - best.objective[-2]):.2g}; raise max_iter= or tol=.",
            NotConverged,
        )
    return best
