"""Networks that make data: autoencoders, adversarial networks and Boltzmann machines."""
