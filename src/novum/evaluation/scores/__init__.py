"""Scores of predictions, each with its interval."""
