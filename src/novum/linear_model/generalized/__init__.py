"""Generalised linear models: the laws of the target, the fit, what it says about the coefficients."""
