"""Scenes of the family kernels."""
