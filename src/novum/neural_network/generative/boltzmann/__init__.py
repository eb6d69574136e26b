"""Boltzmann machines: units on two sides, or in layers, and how their distribution is learned, drawn and counted. NumPy alone."""
