"""Causes from graphs: what to adjust for, and what an intervention would do."""

from novum.causal.effects import adjust, frontdoor
from novum.causal.graphs import backdoor_sets, confounders, is_backdoor_set, is_frontdoor_set

__all__ = ["adjust", "backdoor_sets", "confounders", "frontdoor", "is_backdoor_set", "is_frontdoor_set"]


def __dir__() -> list[str]:
    return sorted(__all__)
