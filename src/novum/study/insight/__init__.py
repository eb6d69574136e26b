"""What can be said about the kept model beyond its score: its errors, its columns, its certainty, its need of rows."""
