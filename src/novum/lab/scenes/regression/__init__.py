"""Scenes of the family regression."""
