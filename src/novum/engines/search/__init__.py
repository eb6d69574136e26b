"""Nearest rows: metrics as norms, indices, search trees, kernels of a distance."""
