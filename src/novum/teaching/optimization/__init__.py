"""Drawings of losses and subgradients, and conditions of step sizes."""
