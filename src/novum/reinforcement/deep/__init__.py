"""Agents that approximate values and policies by networks of PyTorch."""
