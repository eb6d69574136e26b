"""Formulas of networks on arrays, sketches of their kinds, and networks that compute logic."""
