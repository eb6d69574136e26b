"""Drawings of classifiers: cells, graphs, two ways to a boundary."""
