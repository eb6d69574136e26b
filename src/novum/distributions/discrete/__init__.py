"""Distributions of counts and of finitely many values."""
