"""Quadrature, tails, draws and factorizations that densities are computed with."""
