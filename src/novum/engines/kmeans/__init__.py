"""The passes of k-means: starts, assignments, bounds, means."""
