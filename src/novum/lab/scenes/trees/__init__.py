"""Scenes of the family trees."""
