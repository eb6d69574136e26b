"""Scenes of the family judging."""
