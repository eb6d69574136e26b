"""Scenes of the family classifiers."""
