"""Tables and potentials of a known structure, learned from data."""
