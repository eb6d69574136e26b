"""Graphs over named nodes: directed and undirected, what they separate, which are equivalent."""
