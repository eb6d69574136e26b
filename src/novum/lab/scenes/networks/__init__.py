"""Scenes of the family networks."""
