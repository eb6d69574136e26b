"""Multilayer perceptrons trained by compiled kernels."""
