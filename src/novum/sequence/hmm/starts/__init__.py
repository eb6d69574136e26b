"""Where the fit of a hidden Markov model begins: clusters of rows, stretches of time, and how many starts are tried."""
