"""Distributions of vectors, and of parameters together."""
