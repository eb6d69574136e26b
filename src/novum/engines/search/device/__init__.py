"""Nearest rows on a PyTorch device: the index there, and its kernel."""
