"""What states emit: densities of rows, statistics under posteriors, and draws, a file per family."""
