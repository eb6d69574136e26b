"""Sets and intervals that hold the truth with a probability of at least the level requested."""
