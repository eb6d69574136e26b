"""Regularized risk: its objective, its penalties and its minimum."""
