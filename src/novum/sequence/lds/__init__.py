"""Linear dynamical systems: filter, smoother, learning, forecasts, ready-made models."""
