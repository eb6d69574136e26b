"""Trees of clusters: merges from the bottom, splits from the top, cuts."""
