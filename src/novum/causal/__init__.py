"""Causes from graphs: what to adjust for, and what an intervention would do."""

from novum.causal.effects import adjust, frontdoor
from novum.causal.graphs import backdoor_sets, confounders, is_backdoor_set, is_frontdoor_set
from novum.causal.simulations import simulate_selection, simulate_trial

__all__ = [
    "adjust",
    "backdoor_sets",
    "confounders",
    "frontdoor",
    "is_backdoor_set",
    "is_frontdoor_set",
    "simulate_selection",
    "simulate_trial",
]
