"""Bias, variance, optimism and expected losses."""
