r"""Sensitivity: how strong an unseen confounder must be to explain an effect away.

    f = |t| / sqrt(n),  t = effect / standard error;   with partial R2 of the confounder with treatment (a) and outcome (b):
    bias = standard error * sqrt(n) * sqrt(b a / (1 - a))                                                               (1)
    robustness value: a = b that moves the effect to q:  RV = (sqrt(f^4 + 4 f^2) - f^2) / 2                             (2)
    E-value: the risk ratio that it must have with both:  E = RR + sqrt(RR (RR - 1)),  RR >= 1                            (3)

(1) and (2) are of Cinelli and Hazlett (2020), exact for least squares and a guide for the other estimates. (3) is of VanderWeele
and Ding (2017); where the outcome is a number, RR is about exp(0.91 effect / standard deviation of the outcome). A value is
large or small only in comparison with the confounders that were adjusted for.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.numbers import num
from novum.report.result import result
from novum.report.style import SEQUENTIAL, series
from novum.report.tables import html_text

__all__ = ["Sensitivity", "sensitivity"]

STANDARDISED = 0.91  # pi / sqrt(3) / 2, about: a standardised difference as a log risk ratio (Chinn 2000)
GRID = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)


def robustness(f: float) -> float:
    """Return (2)."""
    return float((np.sqrt(f**4 + 4 * f**2) - f**2) / 2) if np.isfinite(f) else 1.0


def e_value(ratio: float) -> float:
    """Return (3); a ratio below one is turned round."""
    ratio = max(ratio, 1 / ratio) if ratio > 0 else np.inf
    return float(ratio + np.sqrt(ratio * (ratio - 1))) if np.isfinite(ratio) else np.inf


@result
class Sensitivity(NamedTuple):
    """Strengths of an unseen confounder that would move the effect, or its interval, to zero."""

    effect: float
    standard_error: float
    n: int
    level: float
    robustness_value: float  # that moves the effect to zero
    robustness_value_interval: float  # that lets the interval touch zero
    e_value: float
    e_value_interval: float

    def bias(self, with_treatment: Any, with_outcome: Any) -> NDArray[np.float64]:
        """Return (1) for partial R2 with the treatment and with the outcome."""
        a, b = np.asarray(with_treatment, dtype=np.float64), np.asarray(with_outcome, dtype=np.float64)
        if not (((a >= 0) & (a < 1)).all() and ((b >= 0) & (b <= 1)).all()):
            raise ParameterError("Sensitivity.bias: a partial R2 lies between 0 and 1.")
        return np.asarray(self.standard_error * np.sqrt(self.n) * np.sqrt(b * a / (1 - a)))

    def to_frame(self) -> Any:
        """Return a pandas frame of the effect left for confounders of several strengths."""
        import pandas as pd

        sign = np.sign(self.effect)
        rows = [(a, b, self.effect - sign * float(self.bias(a, b))) for a in GRID for b in GRID]
        return pd.DataFrame(rows, columns=["r2_with_treatment", "r2_with_outcome", "effect_left"])

    def __repr__(self) -> str:
        percent = f"{100 * self.level:g} %"
        return "\n".join(
            [
                f"sensitivity of an effect of {num(self.effect):.4g} to an unseen confounder",
                f"  to bring it to zero: {num(100 * self.robustness_value):.3g} % of what is left of treatment and of outcome "
                f"(robustness value), or a risk ratio of {num(self.e_value):.3g} with both (E-value)",
                f"  to bring the {percent} interval to zero: {num(100 * self.robustness_value_interval):.3g} %, "
                f"or {num(self.e_value_interval):.3g}",
            ]
        )

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the effect that is left as contours over the strengths of the confounder."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        grid = np.linspace(0, min(0.95, 2 * self.robustness_value + 0.05), 60)
        left = self.effect - np.sign(self.effect) * self.bias(grid[None, :], grid[:, None])
        lines = ax.contour(grid, grid, left, 8, cmap=SEQUENTIAL)
        ax.clabel(lines)
        ax.contour(grid, grid, left, [0.0], colors=series(ax, 3))
        ax.set(xlabel="partial R2 with the treatment", ylabel="partial R2 with the outcome", title="effect left")
        return ax


def sensitivity(effect: Any) -> Sensitivity:
    """Return (2) and (3) of the last treatment against the first."""
    value, (low, high) = effect.difference()
    error = effect.difference_error()
    if not error > 0:
        raise ParameterError(f"{type(effect).__name__}.sensitivity: the effect has no standard error.")
    n = effect.n if effect.received is None else len(effect.received)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    first, last = float(effect.means[0]), float(effect.means[-1])
    if effect.two_outcomes and 0 < first < 1 and 0 < last < 1:
        ratio, ratio_near = last / first, (first + np.sign(value) * nearest) / first
    else:
        scale = STANDARDISED / effect.outcome_deviation if effect.outcome_deviation > 0 else np.inf
        scale *= getattr(effect, "deviation", 1.0)  # of a dose: a standard deviation of it is the step
        ratio, ratio_near = float(np.exp(scale * value)), float(np.exp(scale * nearest))
    return Sensitivity(
        effect=value,
        standard_error=error,
        n=n,
        level=effect.level,
        robustness_value=robustness(abs(value) / error / np.sqrt(n)),
        robustness_value_interval=robustness(nearest / error / np.sqrt(n)),
        e_value=e_value(ratio),
        e_value_interval=e_value(ratio_near) if nearest else 1.0,
    )
