"""Products of tables: states as numbers, plans of elimination and their cost."""
