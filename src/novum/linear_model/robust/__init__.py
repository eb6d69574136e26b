"""Regression that a few wild targets do not lead astray: Huber's loss with its scale, quantiles."""
