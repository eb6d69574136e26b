"""Worlds of the textbooks, and how plans change with rewards."""
