"""Hidden Markov models learned by variational Bayes: posteriors over all parameters, states that are not needed fade."""
