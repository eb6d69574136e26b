"""Intervals of effects, by the t distribution of their errors; results take them as methods."""

from typing import Any

from scipy.stats import t as student

__all__ = ["interval_about", "intervals_of"]


def interval_about(effect: Any, value: float, error: float) -> tuple[float, float]:
    """Return the interval of a value with a standard error, at the level of the effect."""
    z = float(student.ppf(0.5 + effect.level / 2, effect.freedom))
    return value - z * error, value + z * error


def intervals_of(effect: Any) -> list[tuple[float, float]]:
    """Return the intervals of all means."""
    pairs = zip(effect.means, effect.standard_errors, strict=True)
    return [interval_about(effect, float(mean), float(error)) for mean, error in pairs]
