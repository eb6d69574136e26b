"""Posteriors of a model given evidence: exact, by messages, by sampling."""
