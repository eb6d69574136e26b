"""Decisions over time: processes, plans, and agents that learn from experience."""

from novum.reinforcement.games.self_play import self_play
from novum.reinforcement.mdp import MDP
from novum.reinforcement.policies import Policy
from novum.reinforcement.worlds.grids import grid_world, room_4x3

__all__ = ["MDP", "Policy", "grid_world", "room_4x3", "self_play"]
