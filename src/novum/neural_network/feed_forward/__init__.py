"""Feed-forward graphs of layers and units, and Boolean functions as networks."""
