r"""How many examples are enough: probably (1 - delta) approximately (epsilon) correct.

    consistent, finite   n >= (ln|H| + ln(1/delta)) / epsilon                  from |H| exp(-epsilon n) <= delta      (1)
                         n >= (ln|H| + ln(1/delta)) / -ln(1 - epsilon)         from |H| (1 - epsilon)^n <= delta      (2)
    agnostic, finite     n >= (ln|H| + ln(1/delta)) / (2 epsilon^2)                                                   (3)
    consistent, VC       n >= (4 log2(2/delta) + 8 h log2(13/epsilon)) / epsilon                                      (4)
    agnostic, VC         the least n with (h (ln(2n/h) + 1) + ln(4/delta)) / n <= epsilon^2                           (5)

A class of infinite VC dimension cannot be learned in this sense, however many examples there are.
"""

import math
from typing import Any

from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_number
from novum.theory.capacity import log_growth
from novum.theory.concentration import least_whole

__all__ = ["log_count", "pac_sample_size"]


def log_count(owner: str, hypotheses: Any, log_hypotheses: Any) -> float | None:
    """Return ln|H| from the one of the two that is given, or None."""
    if hypotheses is not None and log_hypotheses is not None:
        raise ParameterError(f"{owner}: give hypotheses or log_hypotheses, not both.")
    if log_hypotheses is not None:
        return check_number(owner, "log_hypotheses", log_hypotheses, 0)
    return None if hypotheses is None else math.log(check_count(owner, "hypotheses", hypotheses))


def least_for_growth(h: float, epsilon: float, delta: float) -> int:
    """Return (5) by bisection over whole numbers: beyond h the left side falls."""

    def enough(n: int) -> bool:
        return log_growth(2 * n, h) + math.log(4 / delta) <= n * epsilon**2

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def pac_sample_size(
    epsilon: float,
    delta: float,
    *,
    hypotheses: int | None = None,
    log_hypotheses: float | None = None,
    vc: float | None = None,
    agnostic: bool = False,
    form: str = "exponential",
) -> int:
    """Return how many independent examples suffice for an error (agnostic: an excess over the training error) of epsilon.

    Parameters
    ----------
    epsilon : float
        Error that is still accepted, in (0, 1).
    delta : float
        Probability of failure that is still accepted, in (0, 1).
    hypotheses : int, default=None
        Size of a finite class.
    log_hypotheses : float, default=None
        Its natural logarithm, for classes too large to count; see `hypothesis_count`.
    vc : float, default=None
        VC dimension of an infinite class. One of the three is needed.
    agnostic : bool, default=False
        False: some hypothesis has no error, and the learner returns one without error on the examples. True: nothing is assumed.
    form : {"exponential", "power"}, default="exponential"
        (1) or the slightly smaller (2), for consistent learners of finite classes.

    Examples
    --------
    >>> from novum.theory import pac_sample_size
    >>> pac_sample_size(0.1, 0.05, hypotheses=3**10), pac_sample_size(0.1, 0.05, hypotheses=3**10, agnostic=True)
    (140, 700)
    >>> pac_sample_size(0.1, 0.05, vc=3)
    1899
    """
    owner = "pac_sample_size"
    epsilon = check_number(owner, "epsilon", epsilon, 0, 1, open_low=True, open_high=True)
    delta = check_number(owner, "delta", delta, 0, 1, open_low=True, open_high=True)
    form = check_choice(owner, "form", form, ("exponential", "power"))
    log_h = log_count(owner, hypotheses, log_hypotheses)
    if (log_h is None) == (vc is None):
        raise ParameterError(f"{owner}: give the size of a finite class (hypotheses or log_hypotheses) or its vc.")
    if vc is not None:
        if form == "power":
            raise ParameterError(f"{owner}(form='power'): this form is for finite classes.")
        if math.isinf(vc):
            raise ParameterError(
                f"{owner}(vc={vc!r}): a class of infinite VC dimension is not learnable from any number of examples."
            )
        h = check_number(owner, "vc", vc, 0)
        if agnostic:
            return least_for_growth(h, epsilon, delta)
        return least_whole((4 * math.log2(2 / delta) + 8 * h * math.log2(13 / epsilon)) / epsilon)
    assert log_h is not None
    need = log_h - math.log(delta)
    if agnostic:
        if form == "power":
            raise ParameterError(f"{owner}(agnostic=True, form='power'): this form is for consistent learners.")
        return least_whole(need / (2 * epsilon**2))
    return least_whole(need / (epsilon if form == "exponential" else -math.log1p(-epsilon)))
