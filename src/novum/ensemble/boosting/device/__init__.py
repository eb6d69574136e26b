"""Boosting on a PyTorch device: slopes of losses, and what a block of a tensor knows while passes go over it."""
