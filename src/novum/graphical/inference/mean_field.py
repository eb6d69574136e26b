r"""Mean field: the posterior as a product of independent parts.

    q(x) = prod_i q_i(x_i),     log q_i(x_i) = E_{q of the others}[log p(x, e)] + const                              (1)
    bound = E_q[log p(x, e)] + sum_i H(q_i)  <=  log P(e)                                                            (2)

Updates (1) one variable after the other never lower (2). Which maximum they reach depends on the start: several are tried,
the highest bound is kept. Cells of zero count as exp(-690): their log must be finite for an expectation.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, NotConverged
from novum.graphical.inference.evidence import Evidence
from novum.graphical.inference.loopy import Beliefs
from novum.graphical.inference.message_passing import along, log_sum
from novum.graphical.inference.result import Posterior, probability_words
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.warn import warn

__all__ = ["mean_field"]

Array = NDArray[np.float64]
ZERO = -690.0  # log of the smallest cells that are distinguished from zero


def expected_log(log: Array, scope: tuple[int, ...], q: dict[int, Array], keep: int = -1) -> Array:
    """Return E_q[log f], as a function of the variable `keep`."""
    for axis in reversed(range(len(scope))):
        if scope[axis] != keep:
            log = (log * along(q[scope[axis]], axis, log.ndim)).sum(axis=axis)
    return log


def bound_of(factors: list[tuple[tuple[int, ...], Array]], q: dict[int, Array]) -> float:
    """Return (2) without the constant."""
    energy = sum(float(expected_log(log, scope, q)) for scope, log in factors)
    return energy - sum(float(np.sum(b * np.log(np.where(b > 0, b, 1)))) for b in q.values())


def mean_field(
    model: Any,
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    max_iter: int = 1000,
    tol: float = 1e-10,
    n_init: int = 5,
    random_state: Any = None,
) -> Posterior:
    """Return the product (1) over the variables queried, with the bound (2) in `details`; `log_evidence` stays unknown."""
    limit, starts = check_count(owner, "max_iter", max_iter), check_count(owner, "n_init", n_init)
    tol = check_number(owner, "tol", tol, 0)
    state = Beliefs(model._engine(), seen)
    factors = [(scope, np.maximum(log, ZERO)) for scope, log in state.factors]
    stream = Stream(seed_of(random_state))
    best: tuple[float, dict[int, Array], list[float]] | None = None
    for start in range(starts):
        q = {}
        for v in state.around:
            weights = (
                stream.exponential("mean field", start, slice(v, v + 1), state.cards[v])[0]
                if start
                else np.ones(state.cards[v])
            )
            q[v] = weights / weights.sum()
        history = [bound_of(factors, q)]
        for _ in range(limit):
            for v, around in state.around.items():
                log = np.zeros(state.cards[v])
                for k in around:
                    log = log + expected_log(factors[k][1], factors[k][0], q, v)
                q[v] = np.exp(log - log_sum(log, (0,)))
            history.append(bound_of(factors, q))
            if history[-1] - history[-2] <= tol * max(1.0, abs(history[-1])):
                break
        if best is None or history[-1] > best[0]:
            best = (history[-1], q, history)
    assert best is not None
    cells_of_zero = sum(float(expected_log((log <= ZERO).astype(float), scope, best[1])) for scope, log in factors)
    if (
        state.constant == -np.inf or cells_of_zero > 1 - 1e-9
    ):  # every configuration meets one, if the evidence is impossible
        raise DataError(
            f"{owner}: the evidence {given} has probability zero, or mean field found no configuration with it."
        )
    if len(best[2]) > limit and best[2][-1] - best[2][-2] > tol * max(1.0, abs(best[2][-1])):
        warn(
            f"{owner}(method='mean_field'): the bound still rose after max_iter={limit} passes; raise max_iter= or tol=.",
            NotConverged,
        )
    place = {variable: i for i, variable in enumerate(model.states)}
    p = np.ones(())
    for name in names:
        p = np.multiply.outer(p, best[1][place[name]])
    bound = model._log_probability(best[0] + state.constant)
    details = {"bound": bound, "bounds": [b + state.constant for b in best[2]], "n_iter": len(best[2]) - 1}
    label = f"mean field, {probability_words('P(evidence)', bound, '>=')}" if given else "mean field"
    return Posterior(
        p=p,
        names=names,
        states=model.states,
        given=given,
        log_evidence=float("nan"),
        method=label,
        standard_error=None,
        details=details,
    )
