"""Demonstrations of what can be learned and what cannot."""
