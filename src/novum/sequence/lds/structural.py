"""Structural models of time series as linear dynamical systems: their matrices are in `models`, their variances are learned."""

from typing import TYPE_CHECKING, Any, Self

from novum.runtime.typing import Numbers
from novum.sequence.lds import models

__all__ = ["StructuralModels"]


class StructuralModels:
    """Ready-made systems; variances that are None are learned by `fit`."""

    if TYPE_CHECKING:

        def __init__(self, n_states: Any = None, **parameters: Any) -> None: ...  # of LinearDynamicalSystem

    @classmethod
    def local_level(cls, *, level_variance: Numbers | None = None, observation_variance: Numbers | None = None) -> Self:
        """Return a random walk seen with noise; variances that are None are learned by `fit`."""
        return cls(**models.local_level(level_variance, observation_variance), algorithm="lbfgs")

    @classmethod
    def local_linear_trend(
        cls,
        *,
        level_variance: Numbers | None = None,
        slope_variance: Numbers | None = None,
        observation_variance: Numbers | None = None,
    ) -> Self:
        """Return a level that moves by a slope which itself walks; states: level, slope."""
        made = models.local_linear_trend(level_variance, slope_variance, observation_variance)
        return cls(**made, algorithm="lbfgs")

    @classmethod
    def seasonal(
        cls,
        period: int,
        *,
        trend: bool = True,
        level_variance: Numbers | None = None,
        slope_variance: Numbers | None = None,
        seasonal_variance: Numbers | None = None,
        observation_variance: Numbers | None = None,
    ) -> Self:
        """Return a level, a slope unless `trend` is False, and a season of `period` rows that sums to zero but for noise."""
        made = models.seasonal(period, trend, level_variance, slope_variance, seasonal_variance, observation_variance)
        return cls(**made, algorithm="lbfgs")

    @classmethod
    def autoregressive(
        cls,
        order: int,
        *,
        coefficients: Numbers | None = None,
        variance: Numbers | None = None,
        observation_variance: Numbers | None = 0.0,
    ) -> Self:
        """Return AR(order) around zero with a stationary start; states: the last `order` values."""
        made = models.autoregressive(order, coefficients, variance, observation_variance)
        return cls(**made, algorithm="lbfgs")

    @classmethod
    def tracking(
        cls,
        n_dims: int = 2,
        *,
        motion: str = "constant_velocity",
        step: float = 1.0,
        process_variance: Numbers | None = None,
        observation_variance: Numbers | None = None,
    ) -> Self:
        """Return a body in `n_dims` dimensions whose positions are seen every `step` units of time.

        `motion` is "random_walk", "constant_velocity" or "constant_acceleration"; the highest derivative is driven by white noise.
        The states are position (, velocity (, acceleration)) of axis 0, then of axis 1, ...
        """
        made = models.tracking(n_dims, motion, step, process_variance, observation_variance)
        return cls(**made, algorithm="lbfgs")
