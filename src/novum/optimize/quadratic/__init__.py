"""Convex quadratic programmes."""
