"""Conjugate priors: the pairs, their posteriors and predictive distributions."""
