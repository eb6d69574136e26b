"""Markov chains of any order: counts, structure, times, pictures."""
