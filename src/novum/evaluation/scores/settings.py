"""The settings of an evaluation, checked once."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from novum.evaluation.intervals.proportion import PROPORTION_METHODS
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_level, check_number
from novum.runtime.random import seed_of

__all__ = ["Settings"]


class Settings(NamedTuple):
    """Options of an evaluation; `requested` is None for all scores, else names, each with a function of one's own or None."""

    requested: dict[str, Any] | None
    beta: float
    zero_division: float
    n_bins: int
    proportion: str
    level: float
    n_resamples: int
    seed: int
    k: tuple[int, ...]

    @classmethod
    def checked(
        cls,
        owner: str,
        *,
        scoring: Any,
        beta: Any,
        zero_division: Any,
        n_bins: Any,
        proportion: Any,
        level: Any,
        n_resamples: Any,
        random_state: Any,
        k: Any,
    ) -> "Settings":
        """Return the settings, or raise for the first that is outside its domain."""
        if zero_division != zero_division:  # NaN leaves the ratio undefined
            zero = float("nan")
        else:
            zero = check_number(owner, "zero_division", zero_division, 0, 1)
        heads = () if k is None else (k,) if not isinstance(k, Sequence) and not hasattr(k, "__len__") else tuple(k)
        return cls(
            requested=scoring_functions(owner, scoring),
            beta=check_number(owner, "beta", beta, 0, open_low=True),
            zero_division=zero,
            n_bins=check_count(owner, "n_bins", n_bins),
            proportion=check_choice(owner, "proportion", proportion, PROPORTION_METHODS),
            level=check_level(owner, level),
            n_resamples=check_count(owner, "n_resamples", n_resamples, low=10),
            seed=seed_of(random_state),
            k=tuple(check_count(owner, "k", one) for one in heads),
        )

    def needs(self, *names: str) -> bool:
        """Return whether any of these scores is requested."""
        return self.requested is None or any(name in self.requested for name in names)


def scoring_functions(owner: str, scoring: Any) -> dict[str, Callable | None] | None:
    """Return names with the user's functions, None where the name is to be looked up."""
    if scoring is None:
        return None
    if isinstance(scoring, str):
        return {scoring: None}
    if isinstance(scoring, dict):
        return dict(scoring)
    if callable(scoring):
        scoring = [scoring]
    found: dict[str, Callable | None] = {}
    for one in scoring:
        if isinstance(one, str):
            found[one] = None
        elif callable(one):
            found[getattr(one, "__name__", str(one))] = one
        else:
            raise ParameterError(f"{owner}(scoring={scoring!r}): {one!r} is neither a name nor a function.")
    if not found:
        raise ParameterError(f"{owner}(scoring={scoring!r}): name at least one score, or leave it out for all.")
    return found
