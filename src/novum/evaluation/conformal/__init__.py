"""Sets and intervals that hold the truth with a chance of at least the level asked for."""
