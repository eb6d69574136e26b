"""Graphs learned from data: by scores, by tests, and averaged over structures."""
