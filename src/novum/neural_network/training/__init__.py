"""Training on PyTorch: parameters, examples, steps, the loop, checkpoints; what every network on PyTorch shares."""
