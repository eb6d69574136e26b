"""Scenes of the family unsupervised."""
