"""Linear functions learned row by row."""
