"""Intervals of proportions, areas and bootstrapped statistics, and how far they can be trusted."""
