"""Real-valued nodes of a network: linear Gaussian given their parents."""
