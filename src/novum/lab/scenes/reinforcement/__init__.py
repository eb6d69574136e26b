"""Scenes of the family reinforcement."""
