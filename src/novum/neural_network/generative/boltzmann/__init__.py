"""Boltzmann machines: units on two sides, or in layers, and how their chance is learned, drawn and counted. NumPy alone."""
