"""Gradient boosting of trees grown on histograms."""
