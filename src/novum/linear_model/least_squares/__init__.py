"""Least squares and what follows from it: solve, residuals, inference, evidence."""
