"""Logistic regression: passes over the data, minimisers, paths, inference."""
