r"""Learning rates from epoch to epoch.

    constant     eta                                                                                                  (1)
    invscaling   eta / (t + 1)^power_t,   t rows visited so far                                                       (2)
    adaptive     eta, divided by five whenever the loss or the score has stopped improving, until it is below 1e-6    (3)
    cosine       eta (1 + cos(pi k / max_iter)) / 2,   k epochs so far                                                (4)
    a schedule   any function of k, such as those of novum.optimize                                                   (5)

(2) and (3) are scikit-learn's and, as there, meant for "sgd"; the others serve every stochastic solver.
"""

import math
from collections.abc import Callable
from typing import Any

from novum.exceptions import ParameterError

__all__ = ["Rates"]

SLOWER, SLOWEST = 5.0, 1e-6


class Rates:
    """The rate of the epoch to come."""

    def __init__(
        self, schedule: str | Callable[[int], Any], eta: float, power: float, max_iter: int, solver: str, epoch: int = 0
    ) -> None:
        self.schedule, self.eta, self.power, self.max_iter = schedule, float(eta), power, max_iter
        self.for_sgd = solver == "sgd"
        self.now = self.eta
        self._look_up(epoch)

    def _look_up(self, epoch: int) -> None:
        if callable(self.schedule):
            rate = float(self.schedule(epoch))
            if not (math.isfinite(rate) and rate >= 0):
                raise ParameterError(
                    f"learning_rate gave {rate!r} for epoch {epoch}; a schedule returns finite rates >= 0."
                )
            self.now = rate
        elif self.schedule == "cosine":
            self.now = self.eta * (1 + math.cos(math.pi * min(1.0, epoch / self.max_iter))) / 2

    def epoch_ends(self, epoch: int, rows: int) -> None:
        """Go on to the next epoch after `epoch` of them, and `rows` rows."""
        if self.schedule == "invscaling" and self.for_sgd:
            self.now = self.eta / (rows + 1) ** self.power
        self._look_up(epoch)

    def slow_down(self) -> bool:
        """Return whether the rate was lowered; if not, there is nothing left to try."""
        if self.schedule != "adaptive" or not self.for_sgd or self.now <= SLOWEST:
            return False
        self.now /= SLOWER
        return True
