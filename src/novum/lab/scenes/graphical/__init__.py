"""Scenes of the family graphical."""
