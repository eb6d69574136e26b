"""Distributions of one real number."""
