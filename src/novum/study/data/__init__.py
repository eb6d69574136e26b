"""The table of a study: read, described, checked, and its columns given roles."""
