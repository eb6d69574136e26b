r"""The step sizes of an online learner as a schedule of novum.optimize: step k = t - 1 = 0, 1, ...

    constant  eta0       optimal  (1/alpha) / (t0 + k)       invscaling  eta0 / (1 + k)^power                     (1)

Robbins and Monro: the steps must add up to infinity, their squares must not. "optimal" meets both, "invscaling" does for
1/2 < power <= 1, a constant step never does.
"""

from typing import Any

from novum.exceptions import ParameterError
from novum.linear_model.online.epochs import offset_of
from novum.optimize import ConstantSchedule, InverseTimeSchedule, PowerSchedule, Schedule

__all__ = ["schedule_of"]


def schedule_of(model: Any) -> Schedule:
    """Return (1) for an estimator with `learning_rate`, `eta0`, `power_t` and `alpha`."""
    rate = model.learning_rate
    if rate == "constant" or (rate == "invscaling" and model.power_t == 0):
        return ConstantSchedule(model.eta0)
    if rate == "invscaling":
        return PowerSchedule(model.eta0, model.power_t)
    if rate == "optimal":
        return InverseTimeSchedule(1 / model.alpha, offset=offset_of(model.alpha))
    raise ParameterError(
        f"{type(model).__name__}(learning_rate={rate!r}): these steps depend on the data, so they are no schedule; 'constant',"
        " 'optimal' and 'invscaling' have one."
    )
