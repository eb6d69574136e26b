"""Values that are linear in features of the state."""
