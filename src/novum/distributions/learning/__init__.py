"""Parameters of distributions learned from rows."""
