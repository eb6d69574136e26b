"""Network files, one format per file."""
