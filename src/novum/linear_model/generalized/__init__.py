"""Generalised linear models: the distributions of the target, the fit, what it says about the coefficients."""
