"""Tables of probabilities over named variables."""
