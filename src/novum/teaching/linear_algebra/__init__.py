"""Exercises of linear algebra with their proofs: spans, axioms, eigenvectors."""
