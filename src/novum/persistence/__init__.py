"""Fitted estimators in files that are safe to load."""
