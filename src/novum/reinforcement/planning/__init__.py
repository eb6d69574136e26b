"""Plans for known processes, each with a certified bound on its distance from the best."""
