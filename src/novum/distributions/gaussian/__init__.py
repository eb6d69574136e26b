"""The algebra of Gaussians: condition, marginalise, multiply, propagate."""
