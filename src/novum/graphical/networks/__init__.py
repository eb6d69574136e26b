"""Models on graphs: Bayesian networks and their nodes, Markov networks, factor graphs, classifiers."""
