"""Scenes of the family sampling."""
