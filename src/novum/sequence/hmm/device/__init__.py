"""Hidden Markov models on a PyTorch device: sequences that stay there, and the recursions over them."""
