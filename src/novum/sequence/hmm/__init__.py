"""Hidden Markov models: recursions, emissions, learning, and the estimators over them."""
