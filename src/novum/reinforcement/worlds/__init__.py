"""Processes to try methods on: grids drawn as text, and the examples of the textbooks."""

from novum.reinforcement.worlds.grids import grid_world, room_4x3

__all__ = ["grid_world", "room_4x3"]
